"""A move: its steps (rules section 2) and, once they are all taken, its effect as a whole (4.5 to 4.8)."""

from typing import Any

from whot_env import actions as a
from whot_env.cards import CARD_NUMBER, CARD_SHAPE, WHOT
from whot_env.engine.deal import has_effect
from whot_env.engine.kernel import kernel
from whot_env.engine.legal import (
    CALL,
    CALL_FIRST,
    CATCH,
    DECLARE,
    DIRECTION,
    DRAW,
    END,
    PASS,
    PLAIN,
    POWER,
    PROPOSAL,
    REVERSE,
    STACK,
    announcement_owed,
    asks_direction,
    card_of_action,
    extensions,
    number_of_action,
)
from whot_env.engine.log import (
    LOG_CALLED,
    LOG_CAUGHT,
    LOG_DREW,
    LOG_MISSED,
    LOG_PENALTY,
    LOG_PLAYED,
    LOG_POWER,
    LOG_REPLACED,
    LOG_SAID,
    LOG_SHOWN,
    LOG_TURNED,
    SAY_CHECK_UP,
    SAY_HOLD_ON,
    SAY_LAST,
    SAY_MARKET,
    SAY_PICK_THREE,
    SAY_PICK_TWO,
    SAY_SEMI_LAST,
    SAY_SUSPENSION,
    emit,
)
from whot_env.engine.market import draw_cards, lay
from whot_env.engine.random import reaction_time
from whot_env.engine.seats import clear_window, close_calls, count_active, next_active, pop_queue
from whot_env.engine.turn import CATCH_MODE, count_round, end_move
from whot_env.state import (
    HISTORY,
    MAX_COUNT,
    MOVE_CALL,
    MOVE_DRAWN,
    MOVE_LAID,
    MOVE_NUMBER,
    MOVE_SHAPE,
    MOVE_WIDTH,
)

AT_ONCE, NEXT_MOVE = 1, 2
STRAIGHT = 2
PLAIN_ONLY = 1
MAX_UNDOS = 2
REVERSED, MISSED = 1, 2
LAST_CARD = a.LAST_CARD


@kernel
def remember_move(s: Any, card: int, laid: int, call: int, drawn: int) -> None:
    """Add a public move to the history, over the oldest one."""
    at = (s.newest - 1) & (HISTORY - 1)
    s.newest = at
    for column in range(MOVE_WIDTH):
        s.history[at, column] = 0
    s.history[at, 0] = s.turn + 1
    if card >= 0:
        s.history[at, MOVE_SHAPE + CARD_SHAPE[card]] = 1
        s.history[at, MOVE_NUMBER] = CARD_NUMBER[card]
    s.history[at, MOVE_LAID] = laid
    if call >= 0:
        s.history[at, MOVE_CALL + call] = 1
    s.history[at, MOVE_DRAWN] = min(drawn, 127)


@kernel
def _remember_decline(s: Any) -> None:
    """Whoever draws shows what it did not answer: the called shape, the top's shape and number, or the pick."""
    seat = int(s.turn)
    top = s.pile[s.pile_len - 1]
    if s.debt > 0:
        if top != WHOT:
            s.declined_numbers[seat, CARD_NUMBER[top] - 1] = 1
    elif s.called >= 0:
        s.declined_shapes[seat, s.called] = 1
    elif top != WHOT:
        s.declined_shapes[seat, CARD_SHAPE[top]] = 1
        s.declined_numbers[seat, s.top_number - 1] = 1


@kernel
def draw_move(r: Any, s: Any, log: Any) -> None:
    """Step 1, ``draw`` (4.3): the whole debt or one card, and the turn passes."""
    _remember_decline(s)
    got = draw_cards(r, s, log, int(s.turn), int(s.debt) if s.debt > 0 else 1)
    s.debt = 0
    emit(log, LOG_DREW, s.turn, got)
    remember_move(s, -1, 0, -1, got)
    if got == 0 and r.nothing_left == 1 and r.recycle == 0:
        s.counting = 1
    end_move(r, s, log, False, False, next_active(s, int(s.turn)))


@kernel
def take_step(r: Any, s: Any, log: Any, action: int) -> None:
    """A legal action of phases play to declare: note it, then ask the next step or let the move take effect."""
    phase = s.phase
    if action == DRAW:
        draw_move(r, s, log)
        return
    if action == LAST_CARD and phase != DECLARE:
        s.open_calls[s.turn] = 0
        emit(log, LOG_SAID, s.turn, SAY_LAST)
        return
    if action == CATCH:
        _catch_late(r, s, log)
        return
    if action < DRAW:
        s.move_cards[s.move_len] = action
        s.move_len += 1
    elif CALL_FIRST <= action < CALL_FIRST + 5:
        s.move_call = action - CALL_FIRST
    elif phase == POWER:
        s.move_power = 0 if action == PLAIN else (REVERSED if action == REVERSE else MISSED)
    elif phase == DIRECTION:
        s.move_turned = action == REVERSE
    elif phase == DECLARE:
        s.move_declared = action != PASS
    _ask_next_step(r, s, log, action != END and phase <= STACK)


@kernel
def _ask_next_step(r: Any, s: Any, log: Any, may_extend: bool) -> None:
    """The first step after the present one that has something to choose; with none left the move is complete."""
    whot = s.move_cards[s.move_len - 1] == WHOT
    if may_extend and extensions(r, s) != 0:
        s.phase = STACK
    elif s.phase < CALL and whot:
        s.phase = CALL
    elif s.phase < POWER and whot and r.whot_power == 1:
        s.phase = POWER
    elif s.phase < DIRECTION and not whot and asks_direction(r, s):
        s.phase = DIRECTION
    elif s.phase < DECLARE and announcement_owed(r, s) >= 0:
        s.phase = DECLARE
    elif r.undo_seconds > 0 and s.undos < MAX_UNDOS:
        _propose(r, s, log)
    else:
        commit_move(r, s, log)


@kernel
def _catch_late(r: Any, s: Any, log: Any) -> None:
    """In front of its own move the seat to move catches the nearest open call; it still has its move (4.8)."""
    other = next_active(s, int(s.turn))
    while not s.open_calls[other]:
        other = next_active(s, other)
    caught(r, s, log, int(s.turn), other)
    if s.counting:
        count_round(r, s, log, int(s.turn))


@kernel
def caught(r: Any, s: Any, log: Any, seat: int, caller: int) -> None:
    """``seat`` caught ``caller``, which draws the penalty."""
    emit(log, LOG_CAUGHT, seat, caller)
    s.open_calls[caller] = 0
    emit(log, LOG_PENALTY, caller, draw_cards(r, s, log, caller, int(r.announce_penalty)))
    close_calls(s)


@kernel
def _propose(r: Any, s: Any, log: Any) -> None:
    """Show the move without effect (4.9); the seats that react within the window are asked, the fastest first."""
    actor = int(s.turn)
    clear_window(s)
    s.shown = 1
    for k in range(s.move_len):
        card = card_of_action(int(s.move_cards[k]))
        shown = 0
        for j in range(k + 1):
            shown += card_of_action(int(s.move_cards[j])) == card
        s.known[actor, card] = max(s.known[actor, card], shown)
        emit(log, LOG_SHOWN, actor, s.move_cards[k])
    for seat in range(s.num_players):
        if s.active[seat]:
            s.pressed[seat] = reaction_time(r, s, seat)
    # Insertion in turn order from the next seat on, the actor last: equal times keep that order.
    seat = actor
    for _ in range(count_active(s)):
        seat = next_active(s, seat)
        if s.pressed[seat] > r.undo_seconds:
            continue
        k = s.queue_len
        while k > 0 and s.pressed[s.queue[k - 1]] > s.pressed[seat]:
            s.queue[k] = s.queue[k - 1]
            k -= 1
        s.queue[k] = seat
        s.queue_len += 1
    for seat in range(s.num_players):
        s.pressed[seat] = -1.0
    if s.queue_len == 0:
        commit_move(r, s, log)
    else:
        s.phase = PROPOSAL
        pop_queue(s)


@kernel
def commit_move(r: Any, s: Any, log: Any) -> None:
    """The whole move takes effect, in the order of rules section 2."""
    clear_window(s)
    seat = int(s.turn)
    all_special = _lay_cards(r, s, log)
    rest = int(s.hand_size[seat])
    missed = s.move_declared == 0
    # Before anything is drawn: a replacement does not keep the call of the card just laid open (8.3).
    close_calls(s)
    _announce(r, s, log, rest, missed)
    replaced = rest == 0 and r.finish == PLAIN_ONLY and all_special
    if replaced and not s.counting:
        emit(log, LOG_REPLACED, seat, draw_cards(r, s, log, seat, 1))
    if rest == 0 and not replaced and not missed:
        s.debt = 0
        s.called = -1
        end_move(r, s, log, True, False, next_active(s, seat))
        return
    next_seat = seat
    if not s.counting:
        next_seat = _carry_out(r, s, log)
    open_call = r.last_card == CATCH_MODE and rest == 1
    end_move(r, s, log, False, open_call, next_seat)


@kernel
def _lay_cards(r: Any, s: Any, log: Any) -> bool:
    """Move the cards from the hand to the pile; whether all of them are special (8.2)."""
    seat = int(s.turn)
    all_special = True
    for k in range(s.move_len):
        action = int(s.move_cards[k])
        card = card_of_action(action)
        s.hands[seat, card] -= 1
        s.hand_size[seat] -= 1
        if s.known[seat, card] > 0:
            s.known[seat, card] -= 1
        lay(s, card)
        s.top_number = number_of_action(action)
        if card != WHOT and not has_effect(r, CARD_NUMBER[card]):
            all_special = False
        emit(log, LOG_PLAYED, seat, action)
    s.called = s.move_call
    if s.move_call >= 0:
        emit(log, LOG_CALLED, seat, s.move_call)
    remember_move(s, int(s.pile[s.pile_len - 1]), int(s.move_len), int(s.move_call), 0)
    return all_special


@kernel
def _announce(r: Any, s: Any, log: Any, rest: int, missed: bool) -> None:
    """What was said with the play; a missed announcement is punished at once or owed (4.8)."""
    seat = int(s.turn)
    if rest == 2:
        emit(log, LOG_SAID, seat, SAY_SEMI_LAST)
    if s.move_declared == 1:
        emit(log, LOG_SAID, seat, SAY_LAST if rest == 1 else SAY_CHECK_UP)
    if not missed:
        return
    emit(log, LOG_MISSED, seat, rest)
    due = r.last_card if rest == 1 else r.check_up
    if due == AT_ONCE:
        emit(log, LOG_PENALTY, seat, draw_cards(r, s, log, seat, int(r.announce_penalty)))
    elif s.owes_len < len(s.owes):
        s.owes[s.owes_len] = seat
        s.owes_len += 1


@kernel
def _skip(s: Any, seat: int, missing: int) -> int:
    """The seat to move when the next ``missing`` active seats are passed over, at most all the others."""
    for _ in range(min(missing, count_active(s) - 1) + 1):
        seat = next_active(s, seat)
    return seat


@kernel
def _carry_out(r: Any, s: Any, log: Any) -> int:
    """The effect of the cards just laid (4.5); returns the seat to move."""
    seat = int(s.turn)
    card = s.pile[s.pile_len - 1]
    if card == WHOT:
        s.debt = 0
        if s.move_power == REVERSED:
            s.direction = -s.direction
            emit(log, LOG_TURNED, seat, s.direction)
        if s.move_power == MISSED:
            emit(log, LOG_POWER, seat, MISSED)
        return _skip(s, seat, 1 if s.move_power == MISSED else 0)
    number = CARD_NUMBER[card]
    # Only the last card of a straight acts, once (8.1).
    n = 1 if r.multi_card == STRAIGHT else int(s.move_len)
    if number == r.hold_on:
        emit(log, LOG_SAID, seat, SAY_HOLD_ON)
        return seat
    if number == r.suspension:
        emit(log, LOG_SAID, seat, SAY_SUSPENSION)
        return _skip(s, seat, n)
    if number == r.general_market:
        emit(log, LOG_SAID, seat, SAY_MARKET)
        other = next_active(s, seat)
        while other != seat:
            emit(log, LOG_DREW, other, draw_cards(r, s, log, other, n))
            other = next_active(s, other)
        return seat
    if number == r.pick_two:
        emit(log, LOG_SAID, seat, SAY_PICK_TWO)
        return _pick(r, s, log, 2 * n)
    if number == r.pick_three:
        emit(log, LOG_SAID, seat, SAY_PICK_THREE)
        return _pick(r, s, log, 3 * n)
    if number == r.block:
        s.debt = 0
    return next_active(s, seat)


@kernel
def _pick(r: Any, s: Any, log: Any, amount: int) -> int:
    """A pick: owed as a debt by the next seat, or drawn by it at once, which misses its turn."""
    seat = int(s.turn)
    if s.move_turned:
        s.direction = -s.direction
        emit(log, LOG_TURNED, seat, s.direction)
    victim = next_active(s, seat)
    if r.pick_mode == 0:
        s.debt = min(s.debt + amount, MAX_COUNT)
        return victim
    emit(log, LOG_DREW, victim, draw_cards(r, s, log, victim, amount))
    return _skip(s, seat, 1)
