"""The encoder: what one seat sees of a record, in the segments of ``LAYOUT``. Nothing hidden from it is read.

Observations are handed over as records (``LAYOUT.dtype``), so that a segment is a field.
"""

from typing import Any

from whot_env.cards import NUM_CARDS, WHOT
from whot_env.engine.kernel import kernel
from whot_env.engine.legal import DECLARE, PLAY, PROPOSAL, STACK, card_of_action
from whot_env.engine.memory import copy
from whot_env.rules import MAX_SEATS, RULE_NUMBERS
from whot_env.state import HISTORY, MOVE_WIDTH

NUM_OBSERVED = len(RULE_NUMBERS) - 1
NO_NUMBER = 16
"""Index of ``top_number`` for a top that no number matches."""


@kernel
def _relative(s: Any, seat: int, observer: int) -> int:
    k = seat - observer
    return k + s.num_players if k < 0 else k


@kernel
def _observe_table(s: Any, o: Any) -> None:
    top = s.pile[s.pile_len - 1]
    o.top[top] = 1
    o.top_number[NO_NUMBER if top == WHOT else s.top_number - 1] = 1
    if s.called >= 0:
        o.called[s.called] = 1
    o.debt[0] = min(s.debt, 127)
    o.direction[0] = s.direction
    o.market_size[0] = s.market_len
    o.pile_size[0] = s.pile_len
    o.recycled[0] = min(s.recycled, 127)
    o.undos[0] = s.undos
    o.moves[0] = min(s.moves // 100, 127)
    o.moves[1] = s.moves % 100
    copy(o.pile, s.piled, NUM_CARDS)
    o.match_rounds[0] = min(s.rounds, 127)


@kernel
def _observe_seat(s: Any, o: Any, seat: int, k: int) -> None:
    o.seat_cards[k] = s.hand_size[seat]
    o.seat_active[k] = s.active[seat]
    o.seat_open_call[k] = s.open_calls[seat]
    o.match_wins[k] = min(s.wins[seat], 127)
    o.match_totals[k, 0] = min(s.totals[seat] // 100, 127)
    o.match_totals[k, 1] = s.totals[seat] % 100
    if s.shown:
        copy(o.known[k], s.known[seat], NUM_CARDS)
    copy(o.declined_shapes[k], s.declined_shapes[seat], 5)
    copy(o.declined_numbers[k], s.declined_numbers[seat], 16)


@kernel
def _observe_lists(s: Any, o: Any, observer: int) -> None:
    for k in range(s.out_len):
        o.seat_out[_relative(s, int(s.out[k]), observer)] = k + 1
    for k in range(s.left_len):
        o.seat_left[_relative(s, int(s.left[k]), observer)] = 1
    for k in range(s.eliminated_len):
        o.seat_eliminated[_relative(s, int(s.eliminated[k]), observer)] = 1
    for k in range(s.owes_len):
        o.seat_owes[_relative(s, int(s.owes[k]), observer)] += 1
    o.seat_turn[_relative(s, int(s.turn), observer)] = 1
    o.seat_asked[_relative(s, int(s.asked), observer)] = 1


@kernel
def _observe_move(s: Any, o: Any) -> None:
    for k in range(s.move_len):
        o.move_cards[card_of_action(int(s.move_cards[k]))] += 1
    if s.move_len > 0:
        o.move_last[card_of_action(int(s.move_cards[s.move_len - 1]))] = 1
    if s.move_call >= 0:
        o.move_call[s.move_call] = 1
    o.move_flags[0] = s.move_power == 1
    o.move_flags[1] = s.move_power == 2
    o.move_flags[2] = s.move_turned
    o.move_flags[3] = s.move_declared == 1


@kernel
def _observe_history(s: Any, o: Any, observer: int) -> None:
    for k in range(HISTORY):
        at = (s.newest + k) & (HISTORY - 1)
        seat = int(s.history[at, 0])
        if seat == 0:
            break
        o.history[k, _relative(s, seat - 1, observer)] = 1
        copy(o.history[k, MAX_SEATS:], s.history[at, 1:], MOVE_WIDTH - 1)


@kernel
def write_observation(r: Any, s: Any, observer: int, o: Any) -> None:
    """Write what ``observer`` sees into ``o``, a record of ``LAYOUT.dtype``."""
    o.whole[:] = 0
    copy(o.hand, s.hands[observer], NUM_CARDS)
    _observe_table(s, o)
    for seat in range(s.num_players):
        _observe_seat(s, o, seat, _relative(s, seat, observer))
    _observe_lists(s, o, observer)
    _observe_history(s, o, observer)
    # What is being built is the builder's own until it is proposed or takes effect (rules section 2).
    building = STACK <= s.phase <= DECLARE
    if observer == s.turn or s.phase == PROPOSAL:
        _observe_move(s, o)
    o.phase[PLAY if building and observer != s.turn else s.phase] = 1
    o.asked_self[0] = observer == s.asked
    o.rules[0] = s.num_players
    copy(o.rules[1:], r.observed, NUM_OBSERVED)
