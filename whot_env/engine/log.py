"""The event log that kernels write: row 0 holds the number of events, each further row is (kind, seat, value).

A caller that wants no log passes a buffer of one row; events beyond the buffer's end are dropped.
"""

from typing import Any

import numba
import numpy as np

(
    LOG_PLAYED,  # value: action id
    LOG_CALLED,  # value: shape
    LOG_POWER,  # value: index into POWERS
    LOG_TURNED,  # value: the new direction
    LOG_DREW,  # value: cards
    LOG_PENALTY,  # value: cards drawn for a missed announcement
    LOG_REPLACED,  # value: cards drawn for a last card that does not win
    LOG_SAID,  # value: index into SAYINGS
    LOG_MISSED,  # value: cards the play left
    LOG_CAUGHT,  # value: the seat that was caught
    LOG_RECYCLED,  # value: cards in the new market
    LOG_SHOWN,  # value: action id, shown in a proposal
    LOG_UNDID,
    LOG_KNOCKED,
    LOG_VOTED,  # value: 1 the hand is played on, 0 it stops
    LOG_OUT,
    LOG_LEFT,
    LOG_TIMED_OUT,
    LOG_COUNTED,
    LOG_OVER,
    LOG_DEALT,
) = range(21)

SAYINGS = (
    "Hold on",
    "Pick two",
    "Pick three",
    "Suspension",
    "General market",
    "Semi-last card",
    "Last card",
    "Check up",
)
"""What is said aloud (rules 4.14)."""
SAY_HOLD_ON, SAY_PICK_TWO, SAY_PICK_THREE, SAY_SUSPENSION, SAY_MARKET, SAY_SEMI_LAST, SAY_LAST, SAY_CHECK_UP = range(8)

NO_LOG = np.zeros((1, 3), np.int16)
"""A buffer that keeps nothing."""


_njit: Any = numba.njit  # its stubs do not know the options for leaving out wrappers


# The signature is spelled out because callers pass seats and values of every integer width; each would compile anew.
@_njit(
    "void(int16[:, ::1], int64, int64, int64)", cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False
)
def emit(log: Any, kind: int, seat: int, value: int) -> None:
    n = log[0, 0] + 1
    if n < log.shape[0]:
        log[n, 0] = kind
        log[n, 1] = seat
        log[n, 2] = value
        log[0, 0] = n
