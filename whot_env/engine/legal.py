"""What may be played: matching, answers to a debt, and the legal actions of every phase (rules 4.2, 4.5, 4.6, 4.8)."""

from typing import Any

import numpy as np

from whot_env import actions as a
from whot_env.cards import CARD_NUMBER, CARD_OF, CARD_SHAPE, WHOT
from whot_env.engine.kernel import kernel
from whot_env.engine.seats import count_active
from whot_env.engine.sets import (
    DOUBLE_SET,
    NO_CARDS,
    NUMBER_SET,
    SHAPE_SET,
    SUITED,
    WHOT_SET,
    Words,
    actions,
    bit,
    has,
    held,
    join,
)
from whot_env.rules import MAX_SEATS

STAR = 4
SAME_NUMBER = 1
STRAIGHT = 2
CALL_FIRST = a.CALL
DRAW, END = a.DRAW, a.END
PLAIN, MISS, KEEP, REVERSE = a.PLAIN, a.MISS, a.KEEP, a.REVERSE
LAST_CARD, CHECK_UP, CATCH, PASS = a.LAST_CARD, a.CHECK_UP, a.CATCH, a.PASS
UNDO, KNOCK, PLAY_ON, STOP = a.UNDO, a.KNOCK, a.PLAY_ON, a.STOP
STAR_DOUBLE = a.STAR_DOUBLE
FIRST_STAR = int(CARD_OF[STAR, 1])
PLAY, STACK, CALL, POWER, DIRECTION, DECLARE, PROPOSAL, REACT, VOTE, OVER = range(10)

_NOTHING = actions()
_DRAW, _END = actions(DRAW), actions(END)
_CALLS = actions(*range(CALL_FIRST, CALL_FIRST + 5))
_POWERS = actions(PLAIN, REVERSE, MISS)
_DIRECTIONS = actions(KEEP, REVERSE)
_LAST_CARD, _CATCH = actions(LAST_CARD), actions(CATCH)
_DECLARE_LAST, _DECLARE_CHECK_UP = actions(LAST_CARD, PASS), actions(CHECK_UP, PASS)
_UNDO, _KNOCK = actions(UNDO, PASS), actions(KNOCK, PASS)
_PRESS_LAST, _PRESS_CATCH = actions(LAST_CARD, PASS), actions(CATCH, PASS)
_VOTES = actions(PLAY_ON, STOP)
_TO_DOUBLES = np.uint64(STAR_DOUBLE - FIRST_STAR)


@kernel
def card_of_action(action: int) -> int:
    """The card that an action lays: a star laid as its double is that star."""
    return action - STAR_DOUBLE + FIRST_STAR if action >= STAR_DOUBLE else action


@kernel
def number_of_action(action: int) -> int:
    """The number by which a laid card is matched."""
    return 2 * CARD_NUMBER[action - STAR_DOUBLE + FIRST_STAR] if action >= STAR_DOUBLE else CARD_NUMBER[action]


@kernel
def is_pick(r: Any, number: int) -> bool:
    return number == r.pick_two or number == r.pick_three


@kernel
def stackable(r: Any) -> Any:
    """The picks that may be laid on a debt of their kind."""
    two = NUMBER_SET[r.pick_two] if r.stack_two == 1 else NO_CARDS
    three = NUMBER_SET[r.pick_three] if r.stack_three == 1 else NO_CARDS
    return two | three


@kernel
def fitting(s: Any, by_number: Any) -> Any:
    """Suited cards that go on the top (4.2): by the call, else by shape or number; ``by_number`` says whose number."""
    if s.called >= 0:
        return SHAPE_SET[s.called]
    top = s.pile[s.pile_len - 1]
    if top == WHOT:
        return SUITED
    return SHAPE_SET[CARD_SHAPE[top]] | by_number[s.top_number]


@kernel
def answering(r: Any, s: Any, fits: Any) -> Any:
    """Suited cards that go on a debt (4.5): a matching block, or a stackable pick on a stackable pick."""
    answers = NUMBER_SET[r.block] & fits
    top = int(s.pile[s.pile_len - 1])
    picks = stackable(r)
    if picks & bit(top) != 0:
        answers |= picks & (fits if r.answers == 1 else NUMBER_SET[CARD_NUMBER[top]])
    return answers


@kernel
def opening(r: Any, s: Any) -> Any:
    """Cards that may be the first of a move; the hand is not looked at."""
    fits = fitting(s, NUMBER_SET)
    if s.debt == 0:
        return fits | WHOT_SET
    return answering(r, s, fits) | (WHOT_SET if r.whot_on_debt == 1 else NO_CARDS)


@kernel
def opening_doubles(r: Any, s: Any) -> Any:
    """Stars that may be laid as their double number; the hand is not looked at."""
    if r.star_as_double == 0:
        return NO_CARDS
    fits = fitting(s, DOUBLE_SET)
    return SHAPE_SET[STAR] & (fits if s.debt == 0 else answering(r, s, fits))


@kernel
def may_open(r: Any, s: Any, action: int) -> bool:
    """Whether ``action`` (a card, or a star as its double) may be the first of a move; the hand is not looked at."""
    cards = opening_doubles(r, s) if action >= STAR_DOUBLE else opening(r, s)
    return cards & bit(card_of_action(action)) != 0


@kernel
def left_in_hand(s: Any) -> Any:
    """Cards that the seat to move has beside those of the move being built."""
    cards = held(s, int(s.turn))
    for k in range(s.move_len):
        card = card_of_action(int(s.move_cards[k]))
        laid = 0
        for j in range(s.move_len):
            laid += card_of_action(int(s.move_cards[j])) == card
        if s.hands[s.turn, card] <= laid:
            cards &= ~bit(card)
    return cards


@kernel
def extensions(r: Any, s: Any) -> Any:
    """Cards that may be laid next in the move being built (4.6)."""
    first = int(s.move_cards[0])
    if r.multi_card == 0 or first >= STAR_DOUBLE:
        return NO_CARDS
    if r.multi_card == SAME_NUMBER:
        if first == WHOT and r.multi_whot == 0:
            return NO_CARDS
        return left_in_hand(s) & NUMBER_SET[CARD_NUMBER[first]]
    if s.debt > 0 or first == WHOT:
        return NO_CARDS
    last = int(s.move_cards[s.move_len - 1])
    if s.move_len >= 2:
        return _straight(s, last, int(CARD_NUMBER[last] - CARD_NUMBER[s.move_cards[s.move_len - 2]]), 1)
    # A straight has three cards at least, so a second card goes only where a third can follow.
    return _straight(s, last, 1, 2) | _straight(s, last, -1, 2)


@kernel
def _straight(s: Any, last: int, step: int, needed: int) -> Any:
    """The card that follows ``last`` in the direction ``step``, if the hand has it and ``needed`` cards in all."""
    cards = held(s, int(s.turn))
    for k in range(1, needed + 1):
        number = CARD_NUMBER[last] + k * step
        card = int(CARD_OF[CARD_SHAPE[last], number]) if 1 <= number < 16 else -1
        if card < 0 or cards & bit(card) == 0:
            return NO_CARDS
    return bit(int(CARD_OF[CARD_SHAPE[last], CARD_NUMBER[last] + step]))


@kernel
def asks_direction(r: Any, s: Any) -> bool:
    """Step 5: a pick that may turn the direction round, with three or more active seats."""
    number = CARD_NUMBER[card_of_action(int(s.move_cards[s.move_len - 1]))]
    return r.reverse_on_pick == 1 and is_pick(r, number) and count_active(s) >= 3


@kernel
def announcement_owed(r: Any, s: Any) -> int:
    """The action that step 6 asks for, or -1: 'last card' with the play that leaves one, 'check up' with the last."""
    rest = s.hand_size[s.turn] - s.move_len
    if rest == 1 and (r.last_card == 1 or r.last_card == 2):
        return LAST_CARD
    if rest == 0 and r.check_up > 0:
        return CHECK_UP
    return -1


@kernel
def _legal_first(r: Any, s: Any) -> Words:
    """Step 1: a card or draw; before it, what may be said about open calls."""
    cards = held(s, int(s.turn))
    doubles = cards & opening_doubles(r, s)
    legal = join(_DRAW, (cards & opening(r, s) | doubles << _TO_DOUBLES, NO_CARDS))
    if s.open_calls[s.turn]:
        legal = join(legal, _LAST_CARD)
    open_calls = 0
    for seat in range(MAX_SEATS):
        open_calls += s.open_calls[seat]
    return join(legal, _CATCH) if open_calls > s.open_calls[s.turn] else legal


@kernel
def legal_actions(r: Any, s: Any) -> Words:
    """The set of actions that the seat asked may take; empty at the end."""
    phase = s.phase
    if phase == PLAY:
        return _legal_first(r, s)
    if phase == STACK:
        more = (extensions(r, s), NO_CARDS)
        return more if r.multi_card == STRAIGHT and s.move_len == 2 else join(more, _END)
    if phase == CALL:
        return _CALLS
    if phase == POWER:
        return _POWERS
    if phase == DIRECTION:
        return _DIRECTIONS
    if phase == DECLARE:
        return _DECLARE_LAST if announcement_owed(r, s) == LAST_CARD else _DECLARE_CHECK_UP
    if phase == PROPOSAL:
        return _UNDO if s.asked == s.turn else _KNOCK
    if phase == REACT:
        return _PRESS_LAST if s.asked == s.caller else _PRESS_CATCH
    if phase == VOTE:
        return _VOTES
    return _NOTHING


@kernel
def is_legal(r: Any, s: Any, action: int) -> bool:
    """Whether the seat asked may take ``action`` (0 to 75)."""
    return has(legal_actions(r, s), action)
