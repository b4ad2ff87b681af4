"""The end of a move (rules 8.4) and the windows it opens: who went out, what is owed, whose turn it is."""

from typing import Any

from whot_env.engine.kernel import kernel
from whot_env.engine.legal import PLAY, REACT, VOTE
from whot_env.engine.log import LOG_COUNTED, LOG_OUT, LOG_PENALTY, emit
from whot_env.engine.market import draw_cards
from whot_env.engine.results import finish_round
from whot_env.engine.seats import (
    clear_move,
    clear_window,
    close_calls,
    count_active,
    count_dealt_in,
    next_active,
    pop_queue,
)
from whot_env.state import MAX_TOTAL

CATCH_MODE = 3


@kernel
def ask_to_play(s: Any) -> None:
    """The seat whose turn it is stands at step 1."""
    clear_move(s)
    clear_window(s)
    s.phase = PLAY
    s.asked = s.turn


@kernel
def count_round(r: Any, s: Any, log: Any, moved_last: int) -> None:
    """The round is decided by the numbers left in the hands."""
    emit(log, LOG_COUNTED, -1, 0)
    finish_round(r, s, log, moved_last)


@kernel
def _queue_others(s: Any, seat: int) -> None:
    """Queue every other active seat in turn order, starting after ``seat``."""
    s.queue_len = 0
    other = seat
    for _ in range(count_active(s) - s.active[seat]):
        other = next_active(s, other)
        s.queue[s.queue_len] = other
        s.queue_len += 1


@kernel
def pay_owed(r: Any, s: Any, log: Any, mover: int) -> None:
    """Announcements missed by other seats than ``mover`` are paid for, in the order they arose (4.8, ``next_move``)."""
    kept = 0
    for k in range(s.owes_len):
        seat = int(s.owes[k])
        if seat == mover or s.counting:
            s.owes[kept] = seat
            kept += 1
        elif s.active[seat]:
            emit(log, LOG_PENALTY, seat, draw_cards(r, s, log, seat, int(r.announce_penalty)))
    s.owes_len = kept


@kernel
def _drop_owed(s: Any, seat: int) -> None:
    kept = 0
    for k in range(s.owes_len):
        if s.owes[k] != seat:
            s.owes[kept] = s.owes[k]
            kept += 1
    s.owes_len = kept


@kernel
def retire(s: Any, seat: int) -> None:
    """``seat`` plays no further part in this round."""
    s.active[seat] = 0
    s.open_calls[seat] = 0
    _drop_owed(s, seat)


@kernel
def end_move(r: Any, s: Any, log: Any, went_out: bool, open_call: bool, next_seat: int) -> None:
    """A move of seat ``turn`` took effect; ``next_seat`` is to move."""
    mover = int(s.turn)
    s.moves = min(s.moves + 1, MAX_TOTAL)
    s.undos = 0
    clear_move(s)
    close_calls(s)
    if went_out:
        s.out[s.out_len] = mover
        s.out_len += 1
        retire(s, mover)
        emit(log, LOG_OUT, mover, s.out_len)
        if _ends_with_out(r, s):
            finish_round(r, s, log, mover)
            return
        if s.out_len == 1:
            s.turn = next_seat
            _open_vote(s, mover)
            return
    if not s.counting:
        pay_owed(r, s, log, mover)
        close_calls(s)
    if s.counting or (r.move_limit > 0 and s.moves >= r.move_limit and not went_out):
        count_round(r, s, log, mover)
        return
    s.turn = next_seat
    if open_call:
        _open_react(s, mover)
    else:
        ask_to_play(s)


@kernel
def _ends_with_out(r: Any, s: Any) -> bool:
    """Whether a seat's going out ends the round (4.11): always, unless the others may play on for the next places."""
    if count_active(s) < 2 or s.out_len >= 3:
        return True
    return s.out_len == 1 and not (r.after_first_out == 1 and count_dealt_in(s) >= 3)


@kernel
def _open_vote(s: Any, mover: int) -> None:
    clear_window(s)
    _queue_others(s, mover)
    s.phase = VOTE
    pop_queue(s)


@kernel
def _open_react(s: Any, caller: int) -> None:
    """The play left one card: its seat is asked first, then every other active seat in turn order (4.8, ``catch``)."""
    clear_window(s)
    s.open_calls[caller] = 1
    _queue_others(s, caller)
    s.caller = caller
    s.phase = REACT
    s.asked = caller
