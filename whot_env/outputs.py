"""``Outputs``: the arrays that a batch writes into while it is stepped."""

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from whot_env.actions import NUM_ACTIONS
from whot_env.errors import WhotError
from whot_env.observation import LAYOUT

Int8Array = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Outputs:
    """What ``Batch.advance`` and ``Batch.play`` write into: arrays of the caller's, never allocated on the way."""

    observation: Int8Array
    """int8[B, LAYOUT.size]: what the seat asked sees."""
    action_mask: Int8Array
    """int8[B, 76]: 1 where it may take the action."""
    rewards: npt.NDArray[np.float32]
    """float32[B, S], S the largest table: each seat's payoff of a match that has just ended, else 0."""
    done: npt.NDArray[np.bool_]
    """bool[B]: a match has ended, and the next one was dealt."""
    status: Int8Array
    """int8[B]: 0 done, 1 the action was illegal and changed nothing, 2 the match was over: the next was dealt."""

    def check(self, num_games: int, seats: int) -> None:
        """Raise ``WhotError`` for an array that kernels would write beyond."""
        wanted = {
            "observation": ((num_games, LAYOUT.size), np.int8),
            "action_mask": ((num_games, NUM_ACTIONS), np.int8),
            "rewards": ((num_games, seats), np.float32),
            "done": ((num_games,), np.bool_),
            "status": ((num_games,), np.int8),
        }
        for name, (shape, dtype) in wanted.items():
            array = getattr(self, name)
            if array.shape != shape or array.dtype != dtype or not (array.flags.c_contiguous and array.flags.writeable):
                given = f"{array.dtype}{list(array.shape)}"
                allowed = f"a contiguous, writable {np.dtype(dtype)}{list(shape)}"
                raise WhotError(name, f"{name} is {given}; allowed: {allowed}")

    def rows(self, part: slice) -> "Outputs":
        """The same for a part of the games, as views."""
        return Outputs(*(getattr(self, f.name)[part] for f in fields(self)))
