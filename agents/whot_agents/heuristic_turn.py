"""The heuristic's look at its own turn: every move open to it, and what follows while the turn comes back."""

import numpy as np

from whot_agents.base import Array
from whot_agents.compiled import kernel
from whot_agents.heuristic_value import ANY_TOP, NUM_SHAPES, NUMBERS, Table, Weights, is_special, matches, value
from whot_env.cards import CARD_NUMBER, CARD_OF, CARD_SHAPE, NUM_CARDS, WHOT

WIN = 1000.0
"""Worth of having won."""

SAME_NUMBER, STRAIGHT = 1, 2
_LEAST_STRAIGHT = 3
MAX_OPTIONS = NUM_SHAPES + 14  # a call for each shape, or: alone, a card of each shape on top twice, two runs

_NUMBER = CARD_NUMBER.astype(np.int64)
_SHAPE = CARD_SHAPE.astype(np.int64)
_CODE = np.where(np.arange(NUM_CARDS) == WHOT, ANY_TOP, _SHAPE * NUMBERS + _NUMBER)
_CARD_OF = CARD_OF.astype(np.int64)


@kernel
def run_length(hand: Array, card: int, step: int, laid: Array) -> int:
    """Mark in ``laid`` the run from ``card`` on with numbers going by ``step``; the card that ends it."""
    laid[card] = 1
    while True:
        number = _NUMBER[card] + step
        after = int(_CARD_OF[_SHAPE[card], number])
        if after < 0 or hand[after] == 0:
            return card
        card = after
        laid[card] = 1


@kernel
def list_options(t: Table, hand: Array, card: int, laid: Array, last: Array, code: Array) -> int:
    """Every whole move that begins with ``card``.

    Fills ``laid`` float64[_, 50] with the cards it takes from the hand, ``last`` int64[_] with the card on top and
    ``code`` int64[_] with its code; returns how many there are.
    """
    laid[:] = 0
    if card == WHOT:
        for shape in range(NUM_SHAPES):
            laid[shape, WHOT] = 1
            last[shape] = WHOT
            code[shape] = shape * NUMBERS
        return NUM_SHAPES
    laid[0, card] = 1
    last[0] = card
    count = 1
    if t.multi_card == SAME_NUMBER:
        for top in range(WHOT):  # all of the number, once for each card that may end on top
            if _NUMBER[top] == _NUMBER[card] and hand[top] > (1 if top == card else 0):
                for c in range(WHOT):
                    if _NUMBER[c] == _NUMBER[card]:
                        laid[count, c] = hand[c]
                last[count] = top
                count += 1
    elif t.multi_card == STRAIGHT:
        for step in (-1, 1):
            last[count] = run_length(hand, card, step, laid[count])
            if laid[count].sum() >= _LEAST_STRAIGHT:
                count += 1
            else:
                laid[count] = 0
    for i in range(count):
        code[i] = _CODE[last[i]]
    return count


@kernel
def settle(
    t: Table, hand: Array, cards: Array, debt: float, laid: Array, last: int, code: int, w: Weights
) -> tuple[bool, float]:
    """Carry out a move in thought.

    Args:
        t: what was observed.
        hand: float64[50], own cards that stay.
        cards: float64[8], cards a seat; what others draw at once is added.
        debt: cards that the observer owed.
        laid: float64[50], all cards of the move.
        last: the card on top.
        code: of the top.
        w: what counts.

    Returns:
        Whether the turn is over, and what the position is then worth; else what it is worth to draw next.
    """
    plain = not t.plain_only
    for c in range(NUM_CARDS):
        plain = plain or (laid[c] > 0 and not is_special(t, c))
    extra = 0.0
    if hand.sum() == 0:
        if plain:
            return True, WIN
        extra = 1.0  # a replacement is drawn (rules 4.7)

    number = _NUMBER[last]
    count = 1.0 if t.multi_card == STRAIGHT else laid.sum()
    skipped, owed = 0, 0.0
    again = number == t.hold_on or number == t.general_market
    if number == t.suspension:
        skipped = int(count)
    elif number == t.pick_two or number == t.pick_three:
        drawn = count * (2.0 if number == t.pick_two else 3.0)
        if t.at_once:
            skipped = 1
            cards[t.order[0]] += drawn
        else:
            owed = debt + drawn
    elif number == t.general_market:
        for i in range(t.others):
            cards[t.order[i]] += count
    if again or skipped >= max(t.others, 1):
        return False, value(t, hand, extra + 1.0, cards, code, 0.0, 0, w)
    return True, value(t, hand, extra, cards, code, owed, skipped, w)


@kernel
def move_value(t: Table, hand: Array, debt: float, laid: Array, last: int, code: int, w: Weights, depth: int) -> float:
    """Worth of a move and of the best that can follow it in the same turn; arguments as in ``settle``.

    ``depth`` is the number of own moves looked at after it, at least 1. The search keeps its own stack, because Numba
    cannot load a recursive function from its cache on disk.
    """
    cards = np.empty((depth + 1, len(t.cards)))
    cards[0] = t.cards
    over, draw = settle(t, hand, cards[0], debt, laid, last, code, w)
    if over:
        return draw
    hands = np.empty((depth + 1, NUM_CARDS))
    hands[0] = hand
    # Entry l of each describes the position after l further moves: its top, the best found, the options of one card.
    codes, best = np.empty(depth, np.int64), np.empty(depth)
    moves, tops = np.empty((depth, MAX_OPTIONS, NUM_CARDS)), np.empty((depth, MAX_OPTIONS), np.int64)
    after = np.empty((depth, MAX_OPTIONS), np.int64)
    card, option, options = np.zeros(depth, np.int64), np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    level = 0
    codes[0], best[0] = code, draw
    while True:
        if option[level] < options[level]:
            i = option[level]
            option[level] += 1
            hands[level + 1] = hands[level] - moves[level, i]
            cards[level + 1] = cards[level]
            over, worth = settle(
                t, hands[level + 1], cards[level + 1], 0.0, moves[level, i], tops[level, i], after[level, i], w
            )
            best[level] = max(best[level], worth)
            if not over and level + 1 < depth:
                codes[level + 1], best[level + 1] = after[level, i], worth
                level += 1
                card[level], option[level], options[level] = 0, 0, 0
        elif card[level] < NUM_CARDS:
            c = card[level]
            card[level] += 1
            if hands[level, c] > 0 and matches(codes[level], c):
                option[level] = 0
                options[level] = list_options(t, hands[level], c, moves[level], tops[level], after[level])
        elif level == 0:
            return best[0]
        else:
            level -= 1
            best[level] = max(best[level], best[level + 1])
