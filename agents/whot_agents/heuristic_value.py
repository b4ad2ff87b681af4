"""What the heuristic sees of a game, and what a position is worth to it once its own turn has ended.

Compiled, because the look through a turn visits some dozen positions for each decision.
"""

from typing import NamedTuple

import numpy as np

from whot_agents.base import Array
from whot_agents.compiled import kernel
from whot_env.cards import CARD_NUMBER, CARD_SHAPE, NUM_CARDS, SHAPES, WHOT
from whot_env.observation import LAYOUT
from whot_env.rules import MAX_SEATS, RULE_NUMBERS

NUMBERS = 17
"""Numbers that a top can be matched by: 1 … 16 (star-8 doubled), and 0 for none."""

NUM_SHAPES = len(SHAPES)

ANY_TOP = NUM_SHAPES * NUMBERS
"""Code of an uncalled Whot on top, which every card matches. Any other top has ``shape * NUMBERS + number``, with
number 0 where only the shape counts, as under a call."""

_NEVER = 127.0
_NUMBER = CARD_NUMBER.astype(np.int64)
_SHAPE = CARD_SHAPE.astype(np.int64)
_POINTS = _NUMBER * np.where(_SHAPE - SHAPES.index("star"), 1, 2)  # stars count twice at most tables


class Weights(NamedTuple):
    """What the heuristic cares for, in units of about one card in hand."""

    card: float = 1.0
    """against each card held"""
    near: float = 1.0
    """for being near the end: divided by the cards held"""
    cover: float = 1.0
    """for the chance to hold a playable card next turn"""
    cover_near: float = 1.0
    """the same, divided by the cards held"""
    threat: float = 3.0
    """against each other seat: divided by its cards to the power ``threat_power``"""
    threat_power: float = 1.0
    deny: float = 0.3
    """for the chance that the next seat cannot play, and so draws"""
    deny_near: float = 1.0
    """the same, divided by that seat's cards"""
    whot: float = 0.3
    """for each Whot kept, beyond its being playable on anything"""
    pick: float = 0.1
    """for each pick kept for defence, where picks make a debt that a pick answers"""
    again: float = 0.2
    """for each card kept that returns the turn"""
    link: float = 0.1
    """for the number of other own cards that the average card in hand goes with"""
    points: float = 0.01
    """against each point in the hand"""
    trust: float = 0.9
    """how far a declined shape or number is taken to say that the seat holds none, 0 to 1"""
    risk: float = 0.5
    """against each card that may come back when a pick is answered, at two seats"""
    unknown: float = 0.4
    """chance that a card just drawn can be played, 0 to 1"""


class Table(NamedTuple):
    """One observation, read. Seats are relative: 0 is the observer."""

    others: int
    """other seats still playing"""
    order: Array
    """int64[8]: the seats still playing, from the next in the direction of play on; the observer comes last"""
    cards: Array
    """float64[8]: cards a seat"""
    unseen: Array
    """float64[50]: cards in the market and in other hands that the observer has not seen"""
    unseen_sum: float
    known: Array
    """int8[8, 50]: cards that all have seen in a hand"""
    drawn: Array
    """float64[8, 50]: cards that a seat drew since it declined to lay this one; 127: it never did"""
    hold_on: int
    suspension: int
    general_market: int
    pick_two: int
    pick_three: int
    block: int
    at_once: bool
    stack_two: bool
    stack_three: bool
    any_pick: bool
    cancels: bool
    multi_card: int
    plain_only: bool


_HAND, _MOVE, _PILE, _KNOWN, _DECLINED_SHAPES, _DECLINED_NUMBERS, _CARDS, _ACTIVE, _DIRECTION = range(9)
_TOP, _TOP_NUMBER, _CALLED, _DEBT, MOVE_LAST, MOVE_CALL, PHASE = range(9, 16)
_SEGMENTS = (
    *("hand", "move_cards", "pile", "known", "declined_shapes", "declined_numbers", "seat_cards", "seat_active"),
    *("direction", "top", "top_number", "called", "debt", "move_last", "move_call", "phase"),
)
_RULE_NAMES = (
    *("num_players", "decks", "whots", "hold_on", "suspension", "general_market", "pick_two", "pick_three", "block"),
    *("pick_mode", "stack_two", "stack_three", "answers", "whot_on_debt", "multi_card", "finish"),
)
PLACES = np.array(
    [LAYOUT[name].start for name in _SEGMENTS] + [LAYOUT["rules"].start + RULE_NUMBERS.index(n) for n in _RULE_NAMES]
)
"""int64: where the kernels find segments and rules. An argument of theirs, because compiled code is kept on disk and
would not notice that the layout changed."""


@kernel
def first_of(obs: Array, start: int, size: int) -> int:
    """Index of the first non-zero of ``size`` entries from ``start``; -1 if there is none."""
    for i in range(size):
        if obs[start + i] != 0:
            return i
    return -1


@kernel
def top_code(obs: Array, at: Array) -> int:
    """Code of the top card, or of the shape called."""
    called = first_of(obs, at[_CALLED], NUM_SHAPES)
    if called >= 0:
        return called * NUMBERS
    top = first_of(obs, at[_TOP], NUM_CARDS)
    if top < 0 or top == WHOT:
        return ANY_TOP
    number = (first_of(obs, at[_TOP_NUMBER], NUMBERS) + 1) % NUMBERS  # its last entry is "no number"
    return _SHAPE[top] * NUMBERS + number


@kernel
def read_debt(obs: Array, at: Array) -> float:
    """Cards owed by the seat to move."""
    return float(obs[at[_DEBT]])


@kernel
def read_hand(obs: Array, at: Array, hand: Array, move: Array) -> None:
    """Fill float64[50] with the own cards that are not laid in the move being built, and with those that are."""
    for c in range(NUM_CARDS):
        move[c] = obs[at[_MOVE] + c]
        hand[c] = max(obs[at[_HAND] + c] - move[c], 0.0)


@kernel
def read_table(obs: Array, at: Array) -> Table:
    """``Table`` of one observation int8[LAYOUT.size]."""
    r = at[len(_SEGMENTS) :]  # places of the rules
    players = int(obs[r[0]])
    direction = obs[at[_DIRECTION]]
    order = np.zeros(MAX_SEATS, np.int64)
    cards = np.zeros(MAX_SEATS)
    others = 0
    for step in range(1, players):
        seat = (direction * step) % players
        cards[seat] = obs[at[_CARDS] + seat]
        if obs[at[_ACTIVE] + seat]:
            order[others] = seat
            others += 1
    cards[0] = obs[at[_CARDS]]

    known = obs[at[_KNOWN] : at[_KNOWN] + MAX_SEATS * NUM_CARDS].reshape((MAX_SEATS, NUM_CARDS))
    unseen = np.empty(NUM_CARDS)
    decks, whots = int(obs[r[1]]), int(obs[r[2]])
    for c in range(NUM_CARDS):
        left = decks * (whots if c == WHOT else 1) - obs[at[_HAND] + c] - obs[at[_PILE] + c]
        for seat in range(1, players):
            left -= known[seat, c]
        unseen[c] = max(left, 0)

    drawn = np.full((MAX_SEATS, NUM_CARDS), _NEVER)
    for i in range(others):
        seat = order[i]
        for c in range(WHOT):  # a Whot may be kept back, so declining says nothing about it
            by_shape = obs[at[_DECLINED_SHAPES] + 5 * seat + _SHAPE[c]]
            by_number = obs[at[_DECLINED_NUMBERS] + 16 * seat + _NUMBER[c] - 1]
            if by_shape > 0:
                drawn[seat, c] = by_shape - 1
            if by_number > 0:
                drawn[seat, c] = min(drawn[seat, c], by_number - 1)
    return Table(
        others,
        order,
        cards,
        unseen,
        unseen.sum(),
        known,
        drawn,
        int(obs[r[3]]),
        int(obs[r[4]]),
        int(obs[r[5]]),
        int(obs[r[6]]),
        int(obs[r[7]]),
        int(obs[r[8]]),
        obs[r[9]] == 1,
        obs[r[10]] == 1,
        obs[r[11]] == 1,
        obs[r[12]] == 1,
        obs[r[13]] == 1,
        int(obs[r[14]]),
        obs[r[15]] == 1,
    )


@kernel
def matches(code: int, card: int) -> bool:
    """Whether the card may be laid on a top of this code, debts aside (rules 4.2)."""
    return card == WHOT or code == ANY_TOP or _SHAPE[card] == code // NUMBERS or _NUMBER[card] == code % NUMBERS


@kernel
def answers(t: Table, code: int, card: int) -> bool:
    """Whether the card may be laid on a debt (rules 4.5)."""
    if card == WHOT:
        return t.cancels
    number = _NUMBER[card]
    if number == t.block:
        return matches(code, card)
    if (number == t.pick_two and t.stack_two) or (number == t.pick_three and t.stack_three):
        return matches(code, card) if t.any_pick else number == code % NUMBERS
    return False


@kernel
def is_special(t: Table, card: int) -> bool:
    """A Whot, or a number with any effect (rules section 8.2)."""
    n = _NUMBER[card]
    return card == WHOT or (
        n == t.hold_on
        or n == t.suspension
        or n == t.general_market
        or n == t.pick_two
        or n == t.pick_three
        or n == t.block
    )


@kernel
def value(t: Table, hand: Array, extra: float, cards: Array, code: int, debt: float, skipped: int, w: Weights) -> float:
    """Worth of a position in which the observer's turn is over.

    Args:
        t: what was observed.
        hand: float64[50], own cards that are known.
        extra: own cards drawn in thought.
        cards: float64[8], cards a seat.
        code: of the top.
        debt: cards owed by the next seat.
        skipped: seats that miss their turn before somebody moves.
        w: what counts.
    """
    shapes = np.zeros(NUM_SHAPES + 1)
    numbers = np.zeros(WHOT + 1)
    held, points, same, own_answer, plain = extra, 8.0 * extra, False, False, extra > 0
    picks, again, pairs = 0.0, 0.0, 0.0
    for c in range(NUM_CARDS):
        n = hand[c]
        if n == 0:
            continue
        held += n
        points += n * _POINTS[c]
        shapes[_SHAPE[c]] += n
        numbers[_NUMBER[c]] += n
        pairs -= n * n
        plain = plain or not is_special(t, c)
        same = same or matches(code, c)
        own_answer = own_answer or (c != WHOT and _NUMBER[c] == code % NUMBERS)
        if _NUMBER[c] == t.pick_two or _NUMBER[c] == t.pick_three:
            stackable = t.stack_two if _NUMBER[c] == t.pick_two else t.stack_three
            if not t.at_once and stackable:
                picks += n
            elif t.at_once and t.others == 1:
                again += n
        elif (
            _NUMBER[c] == t.hold_on or _NUMBER[c] == t.general_market or (_NUMBER[c] == t.suspension and t.others == 1)
        ):
            again += n
    whots = hand[WHOT]
    kinds = 0
    for s in range(NUM_SHAPES):
        pairs += shapes[s] * shapes[s]
        kinds += shapes[s] > 0
    for i in range(1, NUMBERS):
        pairs += numbers[i] * numbers[i]
    # A Whot goes with every suited card; each pair above was counted from both of its sides.
    pairs += whots * (held - extra)
    if t.plain_only and not plain:
        held += 1  # such a hand cannot win before it has drawn
    size = max(held, 0.5)

    target = t.order[min(skipped, max(t.others - 1, 0))]
    target_cards = max(cards[target], 1.0)
    fresh = cards[target] - t.cards[target]  # drawn in thought: may be of a declined kind
    mass, follow_mass, certain = 0.0, 0.0, False
    for c in range(NUM_CARDS):
        if not (answers(t, code, c) if debt > 0 else matches(code, c)):
            continue
        chance = min(t.drawn[target, c] + fresh, target_cards) / target_cards
        weight = t.unseen[c] * (1 - w.trust * (1 - chance))
        if t.known[target, c] > 0:
            certain = True
            weight += t.known[target, c]
        mass += weight
        if whots > 0:
            follow_mass += weight
        elif c == WHOT:  # it is called, and whoever holds more shapes is likelier to be able to follow
            follow_mass += weight * kinds / NUM_SHAPES
        elif shapes[_SHAPE[c]] > 0 or numbers[_NUMBER[c]] > 0:
            follow_mass += weight
    share = min(mass / max(t.unseen_sum, 1.0), 1.0)
    cannot = 0.0 if certain else (1 - share) ** target_cards
    stay = 1.0 if same else 0.0
    cover = cannot * stay + (1 - cannot) * follow_mass / mass if mass > 0 else stay
    cover = 1 - (1 - cover) * (1 - w.unknown) ** extra

    threat = 0.0
    for i in range(t.others):
        seat = t.order[i]
        n = max(cards[seat], 1.0)
        if seat == target:
            n += debt * cannot
        threat += n**-w.threat_power
    # Where a debt is answered at two seats, one pick more comes back.
    back = (debt + 2) * (1 - cannot) if debt > 0 and t.others == 1 and not own_answer else 0.0
    return (
        -w.card * held
        + w.near / size
        + (w.cover + w.cover_near / size) * cover
        - w.threat * threat
        + (w.deny + w.deny_near / target_cards) * cannot
        - w.risk * back
        + w.whot * whots
        + w.pick * picks
        + w.again * again
        + w.link * pairs / size
        - w.points * points
    )
