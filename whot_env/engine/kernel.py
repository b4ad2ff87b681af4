"""The two ways in which kernels are compiled: called from Python, or only by other kernels.

Compiled once and cached on disk; they run without the interpreter lock, so that threads can share a batch.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

_njit: Any = numba.njit  # its stubs do not know the options for leaving out wrappers


def entry(function: F) -> F:
    """A kernel that Python calls."""
    return cast(F, _njit(cache=True, nogil=True, error_model="numpy")(function))


def kernel(function: F) -> F:
    """A kernel that only kernels call: it needs no wrapper for Python, which halves the time to compile it."""
    return cast(F, _njit(cache=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))
