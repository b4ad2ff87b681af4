"""Counting the moves of an episode, whose rounds each start their own count."""

from typing import Any

import numpy as np
import numpy.typing as npt

from whot_env.state import PHASES

Rows = npt.NDArray[np.intp]
_WINDOWS = [PHASES.index("react"), PHASES.index("vote")]
"""Phases whose answers complete no move."""


class MoveCount:
    """Moves (completed plays and draws) in each lane since ``clear``.

    Args:
        states: STATE[B], the records of the lanes.
    """

    def __init__(self, states: np.ndarray[Any, Any]) -> None:
        self._states = states
        self.count = np.zeros(len(states), np.int64)
        """int64[B]."""

    def clear(self, rows: Rows) -> None:
        """Start at 0 in ``rows``."""
        self.count[rows] = 0

    def before(self, rows: Rows) -> np.ndarray[Any, Any]:
        """What ``add`` wants to know of ``rows`` from before the change."""
        return self._states[["moves", "rounds", "phase"]][rows]

    def add(self, rows: Rows, before: np.ndarray[Any, Any]) -> None:
        """Count what one action or event did in each of ``rows``."""
        # A round that ended was dealt anew, its count with it: then only an answer in a window was no move.
        moved = self._states["moves"][rows] != before["moves"]
        next_round = self._states["rounds"][rows] != before["rounds"]
        self.count[rows] += np.where(next_round, ~np.isin(before["phase"], _WINDOWS), moved)
