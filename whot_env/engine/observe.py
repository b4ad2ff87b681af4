"""The encoder: what one seat sees of a record, in the segments of ``LAYOUT``. Nothing hidden from it is read."""

from typing import Any

from whot_env.cards import CARD_NUMBER, CARD_SHAPE, NUM_CARDS, WHOT
from whot_env.engine.kernel import kernel
from whot_env.engine.legal import DECLARE, PLAY, PROPOSAL, STACK, card_of_action
from whot_env.observation import HISTORY_WIDTH, LAYOUT
from whot_env.rules import RULE_NUMBERS
from whot_env.state import HISTORY

HAND = LAYOUT["hand"].start
TOP = LAYOUT["top"].start
TOP_NUMBER = LAYOUT["top_number"].start
CALLED = LAYOUT["called"].start
DEBT = LAYOUT["debt"].start
PHASE = LAYOUT["phase"].start
ASKED_SELF = LAYOUT["asked_self"].start
MOVE_CARDS = LAYOUT["move_cards"].start
MOVE_LAST = LAYOUT["move_last"].start
MOVE_CALL = LAYOUT["move_call"].start
MOVE_FLAGS = LAYOUT["move_flags"].start
SEAT_CARDS = LAYOUT["seat_cards"].start
SEAT_ACTIVE = LAYOUT["seat_active"].start
SEAT_OUT = LAYOUT["seat_out"].start
SEAT_LEFT = LAYOUT["seat_left"].start
SEAT_OWES = LAYOUT["seat_owes"].start
SEAT_OPEN_CALL = LAYOUT["seat_open_call"].start
SEAT_TURN = LAYOUT["seat_turn"].start
SEAT_ASKED = LAYOUT["seat_asked"].start
SEAT_ELIMINATED = LAYOUT["seat_eliminated"].start
DIRECTION = LAYOUT["direction"].start
MARKET_SIZE = LAYOUT["market_size"].start
PILE_SIZE = LAYOUT["pile_size"].start
RECYCLED = LAYOUT["recycled"].start
UNDOS = LAYOUT["undos"].start
MOVES = LAYOUT["moves"].start
PILE = LAYOUT["pile"].start
KNOWN = LAYOUT["known"].start
DECLINED_SHAPES = LAYOUT["declined_shapes"].start
DECLINED_NUMBERS = LAYOUT["declined_numbers"].start
HISTORY_AT = LAYOUT["history"].start
MATCH_WINS = LAYOUT["match_wins"].start
MATCH_TOTALS = LAYOUT["match_totals"].start
MATCH_ROUNDS = LAYOUT["match_rounds"].start
RULES_AT = LAYOUT["rules"].start
NUM_OBSERVED = len(RULE_NUMBERS) - 1


@kernel
def _relative(s: Any, seat: int, observer: int) -> int:
    k = seat - observer
    return k + s.num_players if k < 0 else k


@kernel
def _observe_table(s: Any, o: Any) -> None:
    top = s.pile[s.pile_len - 1]
    o[TOP + top] = 1
    o[TOP_NUMBER + (16 if top == WHOT else s.top_number - 1)] = 1
    if s.called >= 0:
        o[CALLED + s.called] = 1
    o[DEBT] = min(s.debt, 127)
    o[DIRECTION] = s.direction
    o[MARKET_SIZE] = s.market_len
    o[PILE_SIZE] = s.pile_len
    o[RECYCLED] = min(s.recycled, 127)
    o[UNDOS] = s.undos
    o[MOVES] = min(s.moves // 100, 127)
    o[MOVES + 1] = s.moves % 100
    for k in range(s.pile_len):
        o[PILE + s.pile[k]] += 1
    o[MATCH_ROUNDS] = min(s.rounds, 127)


@kernel
def _observe_seat(s: Any, o: Any, seat: int, k: int) -> None:
    o[SEAT_CARDS + k] = s.hand_size[seat]
    o[SEAT_ACTIVE + k] = s.active[seat]
    o[SEAT_OPEN_CALL + k] = s.open_calls[seat]
    o[MATCH_WINS + k] = min(s.wins[seat], 127)
    o[MATCH_TOTALS + 2 * k] = min(s.totals[seat] // 100, 127)
    o[MATCH_TOTALS + 2 * k + 1] = s.totals[seat] % 100
    for card in range(NUM_CARDS):
        o[KNOWN + k * NUM_CARDS + card] = s.known[seat, card]
    for shape in range(5):
        o[DECLINED_SHAPES + 5 * k + shape] = s.declined_shapes[seat, shape]
    for number in range(16):
        o[DECLINED_NUMBERS + 16 * k + number] = s.declined_numbers[seat, number]


@kernel
def _observe_lists(s: Any, o: Any, observer: int) -> None:
    for k in range(s.out_len):
        o[SEAT_OUT + _relative(s, int(s.out[k]), observer)] = k + 1
    for k in range(s.left_len):
        o[SEAT_LEFT + _relative(s, int(s.left[k]), observer)] = 1
    for k in range(s.eliminated_len):
        o[SEAT_ELIMINATED + _relative(s, int(s.eliminated[k]), observer)] = 1
    for k in range(s.owes_len):
        o[SEAT_OWES + _relative(s, int(s.owes[k]), observer)] += 1
    o[SEAT_TURN + _relative(s, int(s.turn), observer)] = 1
    o[SEAT_ASKED + _relative(s, int(s.asked), observer)] = 1


@kernel
def _observe_move(s: Any, o: Any) -> None:
    for k in range(s.move_len):
        o[MOVE_CARDS + card_of_action(int(s.move_cards[k]))] += 1
    if s.move_len > 0:
        o[MOVE_LAST + card_of_action(int(s.move_cards[s.move_len - 1]))] = 1
    if s.move_call >= 0:
        o[MOVE_CALL + s.move_call] = 1
    o[MOVE_FLAGS] = s.move_power == 1
    o[MOVE_FLAGS + 1] = s.move_power == 2
    o[MOVE_FLAGS + 2] = s.move_turned
    o[MOVE_FLAGS + 3] = s.move_declared == 1


@kernel
def _observe_history(s: Any, o: Any, observer: int) -> None:
    for k in range(HISTORY):
        seat = int(s.history[k, 0])
        if seat == 0:
            break
        at = HISTORY_AT + k * HISTORY_WIDTH
        o[at + _relative(s, seat - 1, observer)] = 1
        card = s.history[k, 1] - 1
        if card >= 0:
            o[at + 8 + CARD_SHAPE[card]] = 1
            o[at + 14] = CARD_NUMBER[card]
        o[at + 15] = s.history[k, 2]
        if s.history[k, 3] > 0:
            o[at + 15 + s.history[k, 3]] = 1
        o[at + 21] = s.history[k, 4]


@kernel
def write_observation(r: Any, s: Any, observer: int, o: Any) -> None:
    """Write what ``observer`` sees into ``o`` (int8[LAYOUT.size])."""
    o[:] = 0
    for card in range(NUM_CARDS):
        o[HAND + card] = s.hands[observer, card]
    _observe_table(s, o)
    for seat in range(s.num_players):
        _observe_seat(s, o, seat, _relative(s, seat, observer))
    _observe_lists(s, o, observer)
    _observe_history(s, o, observer)
    # What is being built is the builder's own until it is proposed or takes effect (rules section 2).
    building = STACK <= s.phase <= DECLARE
    if observer == s.turn or s.phase == PROPOSAL:
        _observe_move(s, o)
    o[PHASE + (PLAY if building and observer != s.turn else s.phase)] = 1
    o[ASKED_SELF] = observer == s.asked
    o[RULES_AT] = s.num_players
    for k in range(NUM_OBSERVED):
        o[RULES_AT + 1 + k] = r.observed[k]
