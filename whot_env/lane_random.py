"""Random numbers for policies: one stream a game, so that a game never depends on the games beside it."""

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from whot_env.errors import WhotError

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1, _MIX2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_OPPONENTS = np.uint64(0x5EA75EA75EA75EA7)
"""Tells these streams from those of the deals, which start from the same seeds."""


def _mix64(z: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    z = (z ^ (z >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)


class LaneRandom:
    """A counter generator (splitmix64 finaliser) in each lane; value n of a lane depends on its seed and n alone."""

    def __init__(self, num_lanes: int) -> None:
        self.keys = np.zeros(num_lanes, np.uint64)
        """uint64[B]: what is left of the lanes' seeds."""
        self.counters = np.zeros(num_lanes, np.uint64)
        """uint64[B]: values drawn."""

    def seed(self, lanes: npt.NDArray[np.intp], seeds: npt.NDArray[np.uint64]) -> None:
        """Start the streams of ``lanes`` anew, each from its seed."""
        self.keys[lanes] = _mix64(_mix64(seeds + _GOLDEN) ^ _OPPONENTS)
        self.counters[lanes] = 0

    def draw(self, lanes: npt.NDArray[np.intp], each: int = 1) -> npt.NDArray[np.float64]:
        """float64[len(lanes), each]: the next ``each`` values of every one of ``lanes``, in [0, 1)."""
        counters = self.counters[lanes][:, None] + np.arange(1, each + 1, dtype=np.uint64)
        self.counters[lanes] = counters[:, -1]
        values = _mix64(self.keys[lanes][:, None] + counters * _GOLDEN)
        return (values >> _S11).astype(np.float64) * 2.0**-53

    def source(self, lanes: npt.NDArray[np.intp]) -> np.random.Generator:
        """What a policy that acts in ``lanes`` gets as ``rng``: row i of each result comes from ``lanes[i]``."""
        return cast(np.random.Generator, _Source(self, lanes))


class _Source:
    """The part of ``np.random.Generator`` that policies may use."""

    def __init__(self, streams: LaneRandom, lanes: npt.NDArray[np.intp]) -> None:
        self._streams = streams
        self._lanes = lanes

    def random(self, size: int | tuple[int, ...] | None = None) -> npt.NDArray[np.float64]:
        shape = (int(size),) if isinstance(size, (int, np.integer)) else size
        if not shape or shape[0] != len(self._lanes):
            raise WhotError("size", f"size is {size!r}; allowed: {len(self._lanes)} (games) or (that, ...)")
        each = int(np.prod(shape[1:], dtype=np.int64))
        return self._streams.draw(self._lanes, each).reshape(shape)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"rng.{name} is not there for policies; allowed: rng.random(size)")
