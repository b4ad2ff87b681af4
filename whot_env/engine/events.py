"""Host events (rules 4.12): timeout, leave, end_game. Each returns whether it was accepted."""

from typing import Any

from whot_env.cards import NUM_CARDS
from whot_env.engine.kernel import kernel
from whot_env.engine.legal import DECLARE, OVER, PASS, PROPOSAL, REACT, STOP, VOTE
from whot_env.engine.log import LOG_LEFT, LOG_TIMED_OUT, emit
from whot_env.engine.moves import draw_move, take_step
from whot_env.engine.random import shuffle
from whot_env.engine.results import finish_round
from whot_env.engine.seats import clear_move, count_active, next_active
from whot_env.engine.turn import ask_to_play, count_round, retire
from whot_env.engine.windows import answer_window, go_on

DRAWS, FORFEITS = 1, 2


@kernel
def time_out(r: Any, s: Any, log: Any, seat: int) -> bool:
    """``seat`` took too long: in a window it passes; in steps 1 to 5 it draws or leaves, as ``timeout`` says."""
    if s.phase == OVER or seat != s.asked:
        return False
    if s.phase < DECLARE:
        if r.timeout == 0 or (r.timeout == FORFEITS and r.turn_seconds == 0):
            return False
        emit(log, LOG_TIMED_OUT, seat, 0)
        if r.timeout == FORFEITS:
            return leave(r, s, log, seat)
        clear_move(s)
        draw_move(r, s, log)
        return True
    emit(log, LOG_TIMED_OUT, seat, 0)
    if s.phase == DECLARE:
        take_step(r, s, log, PASS)
    else:
        answer_window(r, s, log, STOP if s.phase == VOTE else PASS)
    return True


@kernel
def _leave_queue(s: Any, seat: int) -> None:
    kept = 0
    for k in range(s.queue_len):
        if s.queue[k] != seat:
            s.queue[kept] = s.queue[k]
            kept += 1
    s.queue_len = kept


@kernel
def leave(r: Any, s: Any, log: Any, seat: int) -> bool:
    """``seat`` leaves: its cards go into the market, which alone is shuffled; a debt stays with the turn."""
    if s.phase == OVER or seat < 0 or seat >= s.num_players or not s.active[seat]:
        return False
    for card in range(NUM_CARDS):
        for _ in range(s.hands[seat, card]):
            s.market[s.market_len] = card
            s.market_len += 1
        s.hands[seat, card] = 0
        s.known[seat, card] = 0
    s.hand_size[seat] = 0
    shuffle(s, s.market, int(s.market_len))
    retire(s, seat)
    s.left[s.left_len] = seat
    s.left_len += 1
    emit(log, LOG_LEFT, seat, 0)
    if count_active(s) < 2:
        finish_round(r, s, log, int(s.out[s.out_len - 1] if s.phase == VOTE else s.turn))
        return True
    was_turn = s.turn == seat
    if was_turn:
        s.turn = next_active(s, seat)
        s.undos = 0
    if s.phase == REACT or s.phase == VOTE:
        _leave_window(r, s, log, seat)
    elif was_turn or s.phase == PROPOSAL:
        ask_to_play(s)
    return True


@kernel
def _leave_window(r: Any, s: Any, log: Any, seat: int) -> None:
    """A leaver is passed over, what it pressed is dropped, and without its caller a react window closes."""
    s.pressed[seat] = -1.0
    s.votes[seat] = -1
    _leave_queue(s, seat)
    if s.phase == REACT and s.caller == seat:
        ask_to_play(s)
    elif s.asked == seat:
        go_on(r, s, log)


@kernel
def end_game(r: Any, s: Any, log: Any) -> bool:
    """The host has the round counted now."""
    if s.phase == OVER or s.phase == PROPOSAL:
        return False
    count_round(r, s, log, int(s.out[s.out_len - 1] if s.phase == VOTE else s.turn))
    return True
