"""The two ways in which kernels are compiled: called from Python, or only by other kernels.

Compiled once and cached on disk; they run without the interpreter lock, so that threads can share a batch.
"""

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.core.event import register, unregister

F = TypeVar("F", bound=Callable[..., Any])

_njit: Any = numba.njit  # its stubs do not know the options for leaving out wrappers


_CONSTANTS = ("actions.py", "cards.py", "observation.py", "rules.py", "state.py")
"""Modules outside the engine whose values are compiled into kernels."""


def _source_digest() -> str:
    engine = Path(__file__).parent
    digest = hashlib.sha256()
    for path in [*sorted(engine.glob("*.py")), *(engine.parent / name for name in _CONSTANTS)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


STAMP = _source_digest()


def stamped(dispatcher: Any, stamp: str = STAMP) -> Any:
    """Tie the cache to all of the engine's source.

    Numba itself looks only at the file of the function that is called, and would go on running the old code of a
    kernel inlined into it from another file.
    """
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache_file is not None:
        cache_file._source_stamp = stamp
    return dispatcher


class _Notice(event.Listener):
    """Says, once in a process, why the first call takes so long."""

    def on_start(self, event: Any) -> None:
        if event.data["dispatcher"].py_func.__module__.startswith(__package__):
            unregister("numba:compile", self)
            sys.stderr.write("whot_env: compiling the engine for this machine, once; this takes up to a minute ...\n")

    def on_end(self, event: Any) -> None:
        """Nothing is left to say."""


register("numba:compile", _Notice())


# Kernels allocate nothing, so Numba's runtime for reference counts is left out: it would count at every array passed.
_OPTIONS = {"cache": True, "error_model": "numpy", "_nrt": False}


def entry(function: F) -> F:
    """A kernel that Python calls."""
    return cast(F, stamped(_njit(nogil=True, **_OPTIONS)(function)))


def kernel(function: F) -> F:
    """A kernel that only kernels call: it needs no wrapper for Python, which halves the time to compile it."""
    return cast(F, stamped(_njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)(function)))
