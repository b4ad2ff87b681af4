"""Files that commands leave behind: written whole or not at all."""

import contextlib
import os
import threading
from pathlib import Path

from whot_env.errors import WhotError

_PART = ".whotpart"
"""End of the name of a file that is being written."""


def unwritable(path: Path, error: OSError) -> WhotError:
    """The sentence for a file that the system does not let us write."""
    return WhotError(
        "path",
        f"{path} cannot be written: {error.strerror or error}; "
        "make room there or choose another folder, then run the same command again",
    )


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file beside ``path``, then put it in its place: a reader never sees half a file.

    Raises:
        WhotError: it cannot be written; what was at ``path`` before is still there.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_native_id()}{_PART}")
    try:
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            # It is still there only after a failure, whose own error is the one to tell.
            with contextlib.suppress(OSError):
                temporary.unlink()
    except OSError as error:
        raise unwritable(path, error) from error


def remove_leftovers(folder: Path) -> None:
    """Delete what processes that were killed while they wrote to ``folder`` left there."""
    for leftover in folder.glob(f"*{_PART}"):
        leftover.unlink(missing_ok=True)
