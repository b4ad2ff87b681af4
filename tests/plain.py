"""The engine as plain Python, with `NUMBA_DISABLE_JIT=1`: for coverage, for mutations, for a debugger.

Compiled kernels read a record's fields as attributes and calculate with 64-bit numbers; NumPy's records have no
attributes and its small integers wrap round. `activate` gives the interpreter what the compiler gives the kernels, but
strictly: a number that does not fit its field is an error here.

`NUMBA_DISABLE_JIT=1 python tests/plain.py FILE…` is `whot check FILE…` on the plain engine.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numba
import numpy as np


class Cells(np.ndarray):
    """An array whose single elements are Python's numbers."""

    def __getitem__(self, index: Any) -> Any:
        value = super().__getitem__(index)
        return value.item() if isinstance(value, np.generic) else value


class Record:
    """A record's fields as attributes, read from and written into its array."""

    def __init__(self, row: np.void) -> None:
        self.__dict__["_row"] = row

    def __getattr__(self, name: str) -> Any:
        value = self._row[name]
        if isinstance(value, np.ndarray):
            cells = self.__dict__[name] = value.view(Cells)  # found without __getattr__ from now on
            return cells
        # The generator's words stay NumPy's: they are to wrap round at 64 bits.
        return value if value.dtype.kind == "u" else value.item()

    def __setattr__(self, name: str, value: Any) -> None:
        self._row[name] = value


class Records:
    """A structured array as a sequence of `Record`."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, index: int) -> Record:
        return Record(self._array[index])

    def __setitem__(self, index: int, record: Record) -> None:
        self._array[index] = record._row


def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """What `whot_env.engine.kernel.entry` is without the compiler: structured arrays are handed over as `Records`."""

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        given = [Records(a) if isinstance(a, np.ndarray) and a.dtype.names else a for a in arguments]
        with np.errstate(over="ignore"):  # the generator's arithmetic is modulo 2**64
            return function(*given)

    return call


def copy(out: Any, source: Any, count: int) -> None:
    """What `whot_env.engine.memory.copy` does."""
    out[:count] = source[:count]


def nonzero(counts: Any) -> np.uint64:
    """What `whot_env.engine.memory.nonzero` finds."""
    return np.uint64(sum(1 << int(card) for card in np.flatnonzero(counts)))


def activate() -> None:
    """Make the engine run so; before any part of it is imported, because its modules take names from one another."""
    if not numba.config.DISABLE_JIT or "whot_env.engine.kernel" in sys.modules:
        raise RuntimeError("plain.activate() needs NUMBA_DISABLE_JIT=1 and an engine that was not imported yet")
    from whot_env import cards
    from whot_env.engine import kernel

    kernel.entry = entry  # type: ignore[assignment]
    from whot_env.engine import memory  # only now: its kernels take `entry` and `kernel` as they are

    memory.fetch_ahead = lambda records, index: None  # type: ignore[assignment]  # there is nothing to wait for
    memory.copy, memory.nonzero = copy, nonzero
    for name in ("CARD_NUMBER", "CARD_SHAPE", "CARD_OF"):
        setattr(cards, name, getattr(cards, name).view(Cells))


if __name__ == "__main__":
    activate()
    from whot_env.cli import main

    sys.exit(main(["check", *sys.argv[1:]]))
