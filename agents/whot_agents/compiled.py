"""Compiled functions of this package: the engine's two decorators, with the cache tied to this package's source too."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from whot_env.engine import kernel as engine

F = TypeVar("F", bound=Callable[..., Any])


def _source_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("heuristic*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


_STAMP = _source_digest()


def _stamped(function: F) -> F:
    # The engine's stamp covers the engine only, Numba's own the one file; a change here must end old code as well.
    cache_file = getattr(getattr(function, "_cache", None), "_cache_file", None)
    if cache_file is not None:
        cache_file._source_stamp = f"{cache_file._source_stamp} {_STAMP}"
    return function


def entry(function: F) -> F:
    """A compiled function that Python calls."""
    return _stamped(engine.entry(function))


def kernel(function: F) -> F:
    """A compiled function that only compiled functions call."""
    return _stamped(engine.kernel(function))
