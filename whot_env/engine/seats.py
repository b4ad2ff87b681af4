"""Who is at the table, and whose turn comes next.

Loops that do the same at every seat run over all eight: a fixed number becomes one wide instruction. Seats that are not
at the table are not active and hold nothing.
"""

from typing import Any

from whot_env.engine.kernel import kernel
from whot_env.rules import MAX_SEATS


@kernel
def next_active(s: Any, seat: int) -> int:
    """The next active seat after ``seat`` in turn order; ``seat`` itself when there is no other."""
    n = s.num_players
    for _ in range(n):
        seat += s.direction
        if seat >= n:
            seat = 0
        elif seat < 0:
            seat = n - 1
        if s.active[seat]:
            return seat
    return seat


@kernel
def count_active(s: Any) -> int:
    n = 0
    for seat in range(MAX_SEATS):
        n += s.active[seat]
    return n


@kernel
def is_eliminated(s: Any, seat: int) -> bool:
    for k in range(s.eliminated_len):
        if s.eliminated[k] == seat:
            return True
    return False


@kernel
def has_left(s: Any, seat: int) -> bool:
    for k in range(s.left_len):
        if s.left[k] == seat:
            return True
    return False


@kernel
def was_dealt_in(s: Any, seat: int) -> bool:
    """Whether ``seat`` plays in this round: a seat eliminated before has no card, one eliminated by it has some."""
    return not is_eliminated(s, seat) or s.hand_size[seat] > 0


@kernel
def count_dealt_in(s: Any) -> int:
    """P of rules 4.10: the seats at the deal."""
    n = 0
    for seat in range(s.num_players):
        n += was_dealt_in(s, seat)
    return n


@kernel
def close_calls(s: Any) -> None:
    """An open call closes when its seat no longer holds exactly one card (rules 4.8)."""
    for seat in range(MAX_SEATS):
        if s.open_calls[seat] and s.hand_size[seat] != 1:
            s.open_calls[seat] = 0


@kernel
def clear_move(s: Any) -> None:
    """Forget the steps of the move being built."""
    s.move_len = 0
    s.move_call = -1
    s.move_power = -1
    s.move_turned = 0
    s.move_declared = -1


@kernel
def clear_window(s: Any) -> None:
    """Nobody is waiting to be asked, nothing was pressed."""
    s.queue_len = 0
    s.caller = -1
    for seat in range(MAX_SEATS):
        s.pressed[seat] = -1.0
        s.votes[seat] = -1


@kernel
def pop_queue(s: Any) -> None:
    """Ask the first seat of the queue."""
    s.asked = s.queue[0]
    s.queue_len -= 1
    for k in range(s.queue_len):
        s.queue[k] = s.queue[k + 1]
