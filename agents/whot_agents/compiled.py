"""Compiled functions of this package: like the engine's, but they may allocate; the cache knows their source too."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from whot_env.engine.kernel import STAMP, stamped

F = TypeVar("F", bound=Callable[..., Any])


def _source_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(p for kind in ("heuristic", "search") for p in Path(__file__).parent.glob(f"{kind}*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


# The engine's stamp covers the engine only, Numba's own the one file; a change here must end old code as well.
_STAMP = f"{STAMP} {_source_digest()}"
_njit: Any = numba.njit  # its stubs do not know the options for leaving out wrappers


def entry(function: F) -> F:
    """A compiled function that Python calls."""
    return cast(F, stamped(_njit(cache=True, nogil=True, error_model="numpy")(function), _STAMP))


def kernel(function: F) -> F:
    """A compiled function that only compiled functions call."""
    options = {"cache": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(F, stamped(_njit(**options)(function), _STAMP))
