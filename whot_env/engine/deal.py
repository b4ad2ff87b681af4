"""Dealing a round (rules 4.1) and moving a match from round to round (4.13)."""

from typing import Any

from whot_env.cards import CARD_NUMBER, NUM_CARDS, WHOT
from whot_env.engine.kernel import kernel
from whot_env.engine.legal import PLAY
from whot_env.engine.log import LOG_DEALT, emit
from whot_env.engine.market import start_pile
from whot_env.engine.random import below, shuffle
from whot_env.engine.seats import clear_move, clear_window, count_active, has_left, is_eliminated

NO_WHOT, PREFER_PLAIN = 1, 2


@kernel
def has_effect(r: Any, number: int) -> bool:
    """*Special* in the sense of rules 8.2, Whots apart: a number with any effect, the block included."""
    return (
        number == r.hold_on
        or number == r.pick_two
        or number == r.pick_three
        or number == r.suspension
        or number == r.general_market
        or number == r.block
    )


@kernel
def _clear_round(s: Any) -> None:
    clear_move(s)
    clear_window(s)
    s.debt = 0
    s.direction = 1
    s.called = -1
    s.undos = 0
    s.moves = 0
    s.recycled = 0
    s.counting = 0
    s.out_len = 0
    s.owes_len = 0
    s.market_len = 0
    s.hands[:, :] = 0
    s.known[:, :] = 0
    s.shown = 0
    s.declined_shapes[:, :] = 0
    s.declined_numbers[:, :] = 0
    s.history[:, :] = 0
    s.newest = 0
    for seat in range(s.num_players):
        s.hand_size[seat] = 0
        s.open_calls[seat] = 0
        s.winners[seat] = 0
        s.places[seat] = 0
        s.payoffs[seat] = 0.0
        s.sums[seat] = 0
        s.active[seat] = not is_eliminated(s, seat) and not has_left(s, seat)


@kernel
def _take_from_market(s: Any, index: int) -> int:
    card = s.market[index]
    s.market_len -= 1
    for k in range(index, s.market_len):
        s.market[k] = s.market[k + 1]
    return card


@kernel
def _nth_eligible(r: Any, s: Any, plain: bool, nth: int) -> int:
    """Index in the market of the nth card that is no Whot (nor special, where ``plain``); -1 - count if too few."""
    found = 0
    for k in range(s.market_len):
        card = s.market[k]
        if card != WHOT and not (plain and has_effect(r, int(CARD_NUMBER[card]))):
            if found == nth:
                return k
            found += 1
    return -1 - found


@kernel
def _turn_up(r: Any, s: Any) -> int:
    """Take the start card out of the market as ``start_card`` says."""
    if r.start_card == PREFER_PLAIN:
        for plain in (True, False):
            eligible = -1 - _nth_eligible(r, s, plain, NUM_CARDS * 8)
            if eligible > 0:
                return _take_from_market(s, _nth_eligible(r, s, plain, below(s, eligible)))
    card = _take_from_market(s, int(s.market_len) - 1)
    # With only Whots undealt one of them stays, uncalled (8.9).
    if r.start_card == NO_WHOT and _nth_eligible(r, s, False, 0) >= 0:
        while card == WHOT:
            index = below(s, int(s.market_len) + 1)
            for k in range(s.market_len, index, -1):
                s.market[k] = s.market[k - 1]
            s.market[index] = card
            s.market_len += 1
            card = _take_from_market(s, int(s.market_len) - 1)
    return card


@kernel
def deal_round(r: Any, s: Any, log: Any) -> None:
    """Deal the next round to every seat still in the match; the first seat moves on by one from round to round."""
    _clear_round(s)
    n = 0
    for card in range(NUM_CARDS):
        for _ in range(r.decks * r.whots if card == WHOT else r.decks):
            s.market[n] = card
            n += 1
    s.market_len = n
    shuffle(s, s.market, n)
    for seat in range(s.num_players):
        if s.active[seat]:
            for _ in range(r.hand_size):
                s.market_len -= 1
                s.hands[seat, s.market[s.market_len]] += 1
            s.hand_size[seat] = r.hand_size
    start_pile(s, _turn_up(r, s))
    s.top_number = CARD_NUMBER[s.pile[0]]
    first = int(s.first)
    # In the first round a random seat moves first, later the next one still in the match.
    steps = below(s, count_active(s)) + 1 if first < 0 else 1
    if first < 0:
        first = s.num_players - 1
    while steps > 0:
        first = (first + 1) % s.num_players
        steps -= s.active[first]
    s.first = first
    s.turn = first
    s.asked = first
    s.phase = PLAY
    emit(log, LOG_DEALT, first, r.hand_size)


@kernel
def start_match(r: Any, s: Any, log: Any) -> None:
    """A new match in this record: scores cleared, the first round dealt; the generator goes on where it is."""
    s.rounds = 0
    s.left_len = 0
    s.eliminated_len = 0
    s.match_over = 0
    s.first = -1
    # What lies beyond a list's length plays no part, but equal games are to be equal to the byte.
    s.market[:] = 0
    s.pile[:] = 0
    s.move_cards[:] = 0
    s.queue[:] = 0
    s.owes[:] = 0
    s.out[:] = 0
    s.left[:] = 0
    s.eliminated[:] = 0
    for seat in range(len(s.wins)):
        s.forced[seat] = -1.0
        s.wins[seat] = 0
        s.totals[seat] = 0
        s.match_winners[seat] = 0
        s.match_places[seat] = 0
        s.match_payoffs[seat] = 0.0
        s.active[seat] = 0
    deal_round(r, s, log)
