"""Threads that share the work of one process.

The engine's kernels and torch's operations run without the interpreter lock, so each thread plays its own lanes and
works out the gradient of its own rows, with one thread of torch. That keeps every core busy through all parts of the
work; torch's own threads speed up its large operations only.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import torch

T = TypeVar("T")
U = TypeVar("U")


MOST = 8
"""Threads unless more are asked for: each needs the interpreter lock between its operations."""


def cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux only
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class Workers:
    """``count`` threads; 0: one a core, up to ``MOST``. A single one is the calling thread itself."""

    def __init__(self, count: int = 1) -> None:
        self.count = count or min(cores(), MOST)
        # Each thread has its own number of torch's threads, which starts as one a core.
        self._pool = (
            ThreadPoolExecutor(self.count, initializer=partial(torch.set_num_threads, 1)) if self.count > 1 else None
        )

    def map(self, function: Callable[[T], U], items: Iterable[T]) -> list[U]:
        """The results in the order of ``items``."""
        return list(self._pool.map(function, items) if self._pool else map(function, items))
