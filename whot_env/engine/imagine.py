"""A record that one observation could come from: where an agent that is told nothing else begins to search.

All that is public and all that is the observer's own is in the observation. Cards it does not show are dealt at random
to the market and to the other hands, so ``redeal_hidden`` draws every other world from the record. What differs from
the real record although it is not hidden, because no observation has it: the order of the pile below its top, of seats
that left, of eliminated seats and of owed announcements; numbers beyond what an observation can count to; the
observer's own sealed answer once it was given; whether a star in a move past its first step was laid as its double,
where it goes both ways; the cards that a partial position leaves out; which of several open calls a react window is
about, where no move is remembered; the rules' reaction times, here the default ones.
"""

from typing import Any

import numpy as np

from whot_env.actions import STAR_DOUBLE
from whot_env.cards import NUM_CARDS, WHOT, WHOT_NUMBER
from whot_env.engine.kernel import entry, kernel
from whot_env.engine.legal import FIRST_STAR, PLAY, POWER, PROPOSAL, REACT, VOTE, announcement_owed, may_open
from whot_env.engine.market import lay
from whot_env.engine.observe import NO_NUMBER
from whot_env.engine.random import seed_game, shuffle
from whot_env.engine.seats import clear_move, clear_window, count_active, next_active
from whot_env.observation import LAYOUT
from whot_env.rules import MAX_SEATS, RULE_NUMBERS, RULES, Rules
from whot_env.state import HISTORY, MAX_CARDS, MAX_LAID, MOVE_WIDTH


def observed_rules(observation: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """``RULES[N]``: the tables that observations int8[N, LAYOUT.size] are of."""
    numbers = LAYOUT.view(observation, "rules")[:, 1:]
    rows = np.zeros(len(observation), RULES)
    for k, name in enumerate(RULE_NUMBERS[1:]):
        rows[name] = numbers[:, k]
    rows["move_limit"] *= 100
    rows["reaction_median"], rows["reaction_sigma"] = Rules().reaction_median, Rules().reaction_sigma
    rows["observed"] = numbers
    return rows


@kernel
def _first(ones: Any, n: int) -> int:
    """Index of the first of n entries that is not zero; -1: none."""
    for k in range(n):
        if ones[k] != 0:
            return k
    return -1


@kernel
def _imagine_table(s: Any, o: Any) -> None:
    top = _first(o.top, NUM_CARDS)
    number = _first(o.top_number, NO_NUMBER + 1)
    s.top_number = WHOT_NUMBER if number == NO_NUMBER else number + 1
    s.called = _first(o.called, 5)
    s.debt = o.debt[0]
    s.direction = o.direction[0]
    s.recycled = o.recycled[0]
    s.undos = o.undos[0]
    s.moves = 100 * o.moves[0] + o.moves[1]
    s.rounds = o.match_rounds[0]
    s.pile_len = 0
    s.piled[:] = 0
    for card in range(NUM_CARDS):
        for _ in range(o.pile[card] - (card == top)):
            lay(s, card)
    lay(s, top)


@kernel
def _imagine_seats(s: Any, o: Any) -> None:
    s.out_len = 0
    s.left_len = 0
    s.eliminated_len = 0
    s.owes_len = 0
    for seat in range(s.num_players):
        s.hand_size[seat] = o.seat_cards[seat]
        s.active[seat] = o.seat_active[seat]
        s.open_calls[seat] = o.seat_open_call[seat]
        s.wins[seat] = o.match_wins[seat]
        s.totals[seat] = 100 * o.match_totals[seat, 0] + o.match_totals[seat, 1]
        for card in range(NUM_CARDS):
            s.known[seat, card] = o.known[seat, card]
            s.shown = max(s.shown, min(o.known[seat, card], 1))
            s.hands[seat, card] = o.known[seat, card] if seat > 0 else o.hand[card]
        for shape in range(5):
            s.declined_shapes[seat, shape] = o.declined_shapes[seat, shape]
        for number in range(16):
            s.declined_numbers[seat, number] = o.declined_numbers[seat, number]
        if o.seat_out[seat] > 0:
            s.out[o.seat_out[seat] - 1] = seat
            s.out_len += 1
        if o.seat_left[seat] > 0:
            s.left[s.left_len] = seat
            s.left_len += 1
        if o.seat_eliminated[seat] > 0:
            s.eliminated[s.eliminated_len] = seat
            s.eliminated_len += 1
        for _ in range(o.seat_owes[seat]):
            s.owes[s.owes_len] = seat
            s.owes_len += 1


@kernel
def _imagine_history(s: Any, o: Any) -> None:
    s.newest = 0
    for k in range(HISTORY):
        s.history[k, 0] = _first(o.history[k], MAX_SEATS) + 1
        for column in range(1, MOVE_WIDTH):
            s.history[k, column] = o.history[k, MAX_SEATS - 1 + column]


@kernel
def _imagine_move(r: Any, s: Any, o: Any) -> None:
    """The move being built, if the observer sees one. Its last card is known; a straight leads there step by step."""
    clear_move(s)
    last = _first(o.move_last, NUM_CARDS)
    if last < 0:
        return
    down = last == _first(o.move_cards, NUM_CARDS)
    for k in range(NUM_CARDS):
        card = NUM_CARDS - 1 - k if down else k
        for _ in range(o.move_cards[card] - (card == last)):
            s.move_cards[s.move_len] = card
            s.move_len += 1
    s.move_cards[s.move_len] = last
    s.move_len += 1
    if s.move_len == 1 and FIRST_STAR <= last < WHOT and not may_open(r, s, last):
        s.move_cards[0] = last - FIRST_STAR + STAR_DOUBLE
    s.move_call = _first(o.move_call, 5)
    if o.move_flags[0] or o.move_flags[1]:
        s.move_power = 1 if o.move_flags[0] else 2
    elif last == WHOT and r.whot_power == 1 and s.phase > POWER:
        s.move_power = 0
    s.move_turned = o.move_flags[2]
    if o.move_flags[3]:
        s.move_declared = 1
    elif s.phase == PROPOSAL and announcement_owed(r, s) >= 0:
        s.move_declared = 0


@kernel
def _imagine_caller(s: Any) -> int:
    """Whose play opened the react window: the seat that moved last, which has an open call."""
    mover = int(s.history[0, 0]) - 1
    if mover >= 0 and s.open_calls[mover]:
        return mover
    caller = -1
    seat = int(s.asked)
    for _ in range(count_active(s)):
        if s.open_calls[seat]:
            caller = seat
        seat = next_active(s, seat)
    return caller


@kernel
def _imagine_window(s: Any) -> None:
    """Who was asked and who will be: the order of play tells, but in a proposal, whose queue is hidden."""
    clear_window(s)
    if s.phase != REACT and s.phase != VOTE:
        return
    if s.phase == REACT:
        s.caller = _imagine_caller(s)
    first = int(s.caller if s.phase == REACT else s.out[0])
    asked = s.phase == REACT and s.asked == first
    seat = first
    for _ in range(count_active(s) - (s.phase == REACT)):
        seat = next_active(s, seat)
        if asked:
            s.queue[s.queue_len] = seat
            s.queue_len += 1
        elif seat == s.asked:
            asked = True
        elif s.phase == VOTE and seat > 0:
            s.votes[seat] = 0


@kernel
def _imagine_cards(r: Any, s: Any, o: Any) -> bool:
    """Deal the unseen cards to the market and, beyond what is known of them, to the other hands."""
    n = 0
    for card in range(NUM_CARDS):
        unseen = int(r.decks) * (int(r.whots) if card == WHOT else 1) - o.pile[card]
        for seat in range(s.num_players):
            unseen -= s.hands[seat, card]
        for _ in range(unseen):
            s.market[n] = card
            n += 1
    shuffle(s, s.market, n)
    for seat in range(1, s.num_players):
        missing = int(s.hand_size[seat])
        for card in range(NUM_CARDS):
            missing -= s.known[seat, card]
        if missing > n:
            return False
        for _ in range(missing):
            n -= 1
            s.hands[seat, s.market[n]] += 1
    s.market_len = o.market_size[0]
    return s.market_len <= n


@kernel
def _is_seats(o: Any) -> bool:
    """Whether the observation can be a table's at all, so that no index below leaves its array."""
    pile = 0
    held = 0
    laid = 0
    for card in range(NUM_CARDS):
        pile += max(o.pile[card], 0)
        held += max(o.hand[card], 0)
        laid += max(o.move_cards[card], 0)
    players = int(o.rules[0])
    top = _first(o.top, NUM_CARDS)
    outs = 0
    for seat in range(8):
        outs |= o.seat_out[seat] < 0 or o.seat_out[seat] > 8
    return (
        2 <= players <= 8
        and 0 <= _first(o.seat_turn, 8) < players
        and 0 <= _first(o.seat_asked, 8) < players
        and top >= 0
        and o.pile[top] > 0
        and pile <= MAX_CARDS
        and held == o.seat_cards[0]
        and laid < MAX_LAID
        and (o.direction[0] == 1 or o.direction[0] == -1)
        and outs == 0
    )


@kernel
def imagine(r: Any, s: Any, o: Any, seed: Any) -> bool:
    """Make ``s`` a record that ``o`` is the observation of, seen from seat 0; ``seed`` deals what is hidden.

    Redeal it with other seeds: the same one would shuffle the same way twice.

    Args:
        r: a row of ``observed_rules``.
        s: STATE, all zero.
        o: a record of ``LAYOUT.dtype``.
        seed: also becomes the game's generator.

    Returns:
        False: no table has this observation, and ``s`` is not to be used.
    """
    if not _is_seats(o):
        return False
    seed_game(s, seed)
    s.num_players = o.rules[0]
    s.first = -1
    for seat in range(s.num_players):
        s.forced[seat] = -1.0
    s.phase = max(_first(o.phase, len(o.phase)), PLAY)
    s.turn = _first(o.seat_turn, int(s.num_players))
    s.asked = _first(o.seat_asked, int(s.num_players))
    _imagine_table(s, o)
    _imagine_seats(s, o)
    _imagine_history(s, o)
    _imagine_move(r, s, o)
    _imagine_window(s)
    return _imagine_cards(r, s, o)


@entry
def imagine_batch(rules: Any, observations: Any, seeds: Any, states: Any, possible: Any) -> None:
    """A record for each of N observations; see ``imagine``.

    Args:
        rules: ``observed_rules`` of the observations.
        observations: ``LAYOUT.dtype`` [N].
        seeds: uint64[N].
        states: STATE[N], all zero; record i plays by row i of ``rules``.
        possible: bool[N], what ``imagine`` returned.
    """
    for i in range(len(states)):
        states[i].rules = i
        possible[i] = imagine(rules[i], states[i], observations[i], seeds[i])
