"""What may be played: matching, answers to a debt, and the legal actions of every phase (rules 4.2, 4.5, 4.6, 4.8)."""

from typing import Any

from whot_env import actions as a
from whot_env.cards import CARD_NUMBER, CARD_OF, CARD_SHAPE, NUM_CARDS, WHOT
from whot_env.engine.kernel import kernel
from whot_env.engine.seats import count_active

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
def is_stackable(r: Any, number: int) -> bool:
    return (number == r.pick_two and r.stack_two == 1) or (number == r.pick_three and r.stack_three == 1)


@kernel
def matches(s: Any, shape: int, number: int) -> bool:
    """A suited card of ``shape`` goes by ``number`` on the top (4.2)."""
    if s.called >= 0:
        return shape == s.called
    top = s.pile[s.pile_len - 1]
    return top == WHOT or shape == CARD_SHAPE[top] or number == s.top_number


@kernel
def may_play(r: Any, s: Any, action: int) -> bool:
    """Whether ``action`` (a card, or a star as its double) may be the first of a move; the hand is not looked at."""
    if action == WHOT:
        return s.debt == 0 or r.whot_on_debt == 1
    card = card_of_action(action)
    fits = matches(s, CARD_SHAPE[card], number_of_action(action))
    if s.debt == 0:
        return fits
    return answers_debt(r, s, int(CARD_NUMBER[card]), fits)


@kernel
def answers_debt(r: Any, s: Any, number: int, fits: bool) -> bool:
    """A suited card on a debt (4.5): a matching block, or a stackable pick on a stackable pick."""
    if number == r.block and fits:
        return True
    top = int(CARD_NUMBER[s.pile[s.pile_len - 1]])
    if not (is_stackable(r, number) and is_stackable(r, top)):
        return False
    return fits if r.answers == 1 else number == top


@kernel
def left_in_hand(s: Any, card: int) -> int:
    """How many of ``card`` the seat to move has beside those of the move being built."""
    n = s.hands[s.turn, card]
    for k in range(s.move_len):
        if card_of_action(int(s.move_cards[k])) == card:
            n -= 1
    return n


@kernel
def can_extend(r: Any, s: Any, card: int) -> bool:
    """Whether ``card`` may be laid next in the move being built (4.6)."""
    first = s.move_cards[0]
    if first >= STAR_DOUBLE or left_in_hand(s, card) <= 0:
        return False
    if r.multi_card == SAME_NUMBER:
        return CARD_NUMBER[card] == CARD_NUMBER[first] and (card != WHOT or r.multi_whot == 1)
    if r.multi_card != STRAIGHT or s.debt > 0 or card == WHOT or CARD_SHAPE[card] != CARD_SHAPE[first]:
        return False
    last = s.move_cards[s.move_len - 1]
    step = int(CARD_NUMBER[card] - CARD_NUMBER[last])
    if s.move_len >= 2:
        return step == int(CARD_NUMBER[last] - CARD_NUMBER[s.move_cards[s.move_len - 2]])
    if step != 1 and step != -1:
        return False
    # A straight has three cards at least, so a second card goes only where a third can follow.
    third = int(CARD_NUMBER[card] + step)
    if third < 1 or third > 15:
        return False
    after = int(CARD_OF[CARD_SHAPE[card], third])
    return after >= 0 and s.hands[s.turn, after] > 0


@kernel
def any_extension(r: Any, s: Any) -> bool:
    if r.multi_card == 0:
        return False
    for card in range(NUM_CARDS):
        if s.hands[s.turn, card] > 0 and can_extend(r, s, card):
            return True
    return False


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
def is_legal(r: Any, s: Any, action: int) -> bool:
    """Whether the seat asked may take ``action`` (0 to 75)."""
    phase = s.phase
    if phase == PLAY:
        if action < DRAW:
            card = card_of_action(action)
            if s.hands[s.turn, card] <= 0 or (action >= STAR_DOUBLE and r.star_as_double == 0):
                return False
            return may_play(r, s, action)
        if action == DRAW:
            return True
        if action == LAST_CARD:
            return s.open_calls[s.turn] == 1
        if action == CATCH:
            for other in range(s.num_players):
                if s.open_calls[other] and other != s.turn:
                    return True
        return False
    if phase == STACK:
        if action == END:
            return not (r.multi_card == STRAIGHT and s.move_len == 2)
        return action < NUM_CARDS and s.hands[s.turn, action] > 0 and can_extend(r, s, action)
    if phase == CALL:
        return CALL_FIRST <= action < CALL_FIRST + 5
    if phase == POWER:
        return action == PLAIN or action == REVERSE or action == MISS
    if phase == DIRECTION:
        return action == KEEP or action == REVERSE
    if phase == VOTE:
        return action == PLAY_ON or action == STOP
    if phase == OVER:
        return False
    if action == PASS:
        return True
    if phase == DECLARE:
        return action == announcement_owed(r, s)
    if phase == PROPOSAL:
        return action == (UNDO if s.asked == s.turn else KNOCK)
    return action == (LAST_CARD if s.asked == s.caller else CATCH)


@kernel
def write_legal(r: Any, s: Any, mask: Any) -> None:
    """Write the legal actions of the seat asked into ``mask`` (int8[76], 1 = legal); all zero at the end."""
    mask[:] = 0
    phase = s.phase
    if phase == OVER:
        return
    cards_asked = phase == PLAY or phase == STACK
    for action in range(0 if cards_asked else CALL_FIRST, CALL_FIRST if phase == STACK else len(mask)):
        if is_legal(r, s, action):
            mask[action] = 1
