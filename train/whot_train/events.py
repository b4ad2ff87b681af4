"""TensorBoard's file of one start of a run."""

import contextlib
import os
import platform
import time
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter

# Protobuf makes these classes at run time.
from tensorboard.compat.proto.event_pb2 import Event, SessionLog  # pyright: ignore[reportAttributeAccessIssue]
from tensorboard.compat.proto.summary_pb2 import Summary  # pyright: ignore[reportAttributeAccessIssue]
from tensorboard.summary.writer.record_writer import RecordWriter

from whot_agents.files import unwritable


class EventFile(KVWriter):
    """SB3's output to TensorBoard, written by the caller's own thread: a full disk is the run's error, told once.

    Args:
        folder: where TensorBoard looks; every start of a run adds a file.
        step: where this start begins. TensorBoard forgets what a killed one wrote after its last checkpoint.
    """

    def __init__(self, folder: Path, step: int) -> None:
        now = time.time()
        # TensorBoard reads files in the order of their names, and needs "tfevents" in them.
        self.path = folder / f"events.out.tfevents.{now:017.6f}.{platform.node()}.{os.getpid()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("ab")
        except OSError as error:
            raise unwritable(self.path, error) from error
        self._records = RecordWriter(self._file)
        self._add(Event(wall_time=now, step=step, file_version="brain.Event:2"))
        self._add(Event(wall_time=now, step=step, session_log=SessionLog(status=SessionLog.START)))

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """One point of every curve; all values are numbers."""
        values = [Summary.Value(tag=name, simple_value=float(value)) for name, value in key_values.items()]
        self._add(Event(wall_time=time.time(), step=step, summary=Summary(value=values)))

    def close(self) -> None:
        """The file needs nothing more; closing it twice is allowed."""
        self._file.close()

    def _add(self, event: Event) -> None:
        try:
            self._records.write(event.SerializeToString())
            self._file.flush()
        except OSError as error:
            with contextlib.suppress(OSError):  # or the rest would be tried again, and its failure told, at exit
                self._file.close()
            raise unwritable(self.path, error) from error
