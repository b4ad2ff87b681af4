"""Windows in which seats answer unseen by each other: react (rules 4.8), proposal (4.9), vote (4.11)."""

from typing import Any

from whot_env.engine.kernel import kernel
from whot_env.engine.legal import CATCH, KNOCK, LAST_CARD, PLAY_ON, PROPOSAL, REACT, UNDO
from whot_env.engine.log import LOG_KNOCKED, LOG_SAID, LOG_UNDID, LOG_VOTED, SAY_LAST, emit
from whot_env.engine.moves import caught, commit_move
from whot_env.engine.random import reaction_time
from whot_env.engine.results import finish_round
from whot_env.engine.seats import close_calls, next_active, pop_queue
from whot_env.engine.turn import ask_to_play, count_round, pay_owed

SAFE_SECONDS = 2.0
"""Before that only the caller may press; later presses count from here at the earliest."""


@kernel
def answer_window(r: Any, s: Any, log: Any, action: int) -> None:
    """A legal action of the react, proposal or vote window."""
    if s.phase == REACT:
        _answer_react(r, s, log, action)
    elif s.phase == PROPOSAL:
        _answer_proposal(r, s, log, action)
    else:
        s.votes[s.asked] = action == PLAY_ON
        go_on(r, s, log)


@kernel
def go_on(r: Any, s: Any, log: Any) -> None:
    """Ask the next seat of the window, or close it when all were asked."""
    if s.queue_len > 0:
        pop_queue(s)
    elif s.phase == REACT:
        _close_react(r, s, log)
    elif s.phase == PROPOSAL:
        commit_move(r, s, log)
    else:
        _close_vote(r, s, log)


@kernel
def _answer_react(r: Any, s: Any, log: Any, action: int) -> None:
    if action == LAST_CARD or action == CATCH:
        t = reaction_time(r, s, int(s.asked))
        if action == LAST_CARD and t < SAFE_SECONDS:
            _announced(s, log)
            return
        s.pressed[s.asked] = max(t, SAFE_SECONDS)
    go_on(r, s, log)


@kernel
def _announced(s: Any, log: Any) -> None:
    s.open_calls[s.caller] = 0
    emit(log, LOG_SAID, s.caller, SAY_LAST)
    ask_to_play(s)


@kernel
def _close_react(r: Any, s: Any, log: Any) -> None:
    """The fastest press decides: the announcement before a catch, the earlier in turn order among catches."""
    caller = int(s.caller)
    fastest = -1
    seat = caller
    for _ in range(s.num_players):
        if s.pressed[seat] >= 0.0 and (fastest < 0 or s.pressed[seat] < s.pressed[fastest]):
            fastest = seat
        seat = next_active(s, seat)
    if fastest == caller:
        _announced(s, log)
        return
    if fastest >= 0:
        caught(r, s, log, fastest, caller)
    if s.counting:
        count_round(r, s, log, caller)
    else:
        ask_to_play(s)


@kernel
def _answer_proposal(r: Any, s: Any, log: Any, action: int) -> None:
    if action == UNDO:
        emit(log, LOG_UNDID, s.turn, 0)
        s.undos += 1
        ask_to_play(s)
    elif action == KNOCK:
        emit(log, LOG_KNOCKED, s.asked, 0)
        commit_move(r, s, log)
    else:
        go_on(r, s, log)


@kernel
def _close_vote(r: Any, s: Any, log: Any) -> None:
    """More than half of those who voted must want to play on; what was owed is drawn only then."""
    balance = 0
    for seat in range(s.num_players):
        if s.votes[seat] >= 0:
            balance += 1 if s.votes[seat] == 1 else -1
    emit(log, LOG_VOTED, -1, balance > 0)
    first_out = int(s.out[0])
    if balance <= 0:
        finish_round(r, s, log, first_out)
        return
    pay_owed(r, s, log, first_out)
    close_calls(s)
    if s.counting:
        count_round(r, s, log, first_out)
    else:
        ask_to_play(s)
