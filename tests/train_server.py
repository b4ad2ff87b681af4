"""Starts real training processes quickly: the libraries are imported once, and every run is a fork of this process.

Reads one JSON object a line from standard input: ``arguments`` of ``whot train``, and ``hooks``, which are applied in
the fork only. Writes ``@pid N``, what the run prints and what its hooks say (lines that start with ``@``), and at last
``@exit N`` (negative: the signal that ended it).
"""

import argparse
import io
import json
import os
import resource
import sys
import time
import traceback
from pathlib import Path
from typing import Any

# What a run imports late is imported here, once.
import matplotlib.backends.backend_agg  # noqa: F401
import numpy as np
import onnxruntime  # noqa: F401
import torch._dynamo  # noqa: F401

import whot_train.run as training
from whot_env.batch import Batch
from whot_env.errors import WhotError
from whot_env.rules import Rules
from whot_train.cli import add_commands


def say(text: str) -> None:
    os.write(1, f"@{text}\n".encode())


class HalfWritten(io.FileIO):
    """A file whose first write stops in the middle, until it is killed."""

    def write(self, content: Any) -> int:
        super().write(memoryview(content)[: len(content) // 2])
        say("half")
        time.sleep(600)
        raise AssertionError("nobody killed it")


def apply(hooks: dict[str, Any]) -> None:
    """Make the run tell what it does, and go wrong as asked.

    ``halve``: the next write of the file of this name stops half-way. ``limit``: no file can grow beyond these bytes,
    from the first round of training on, or with ``limit_at`` from the moment that the file of this name is opened.
    """
    training.CURVE_SECONDS = 0.05
    tick, evaluate, open_file = training.Run._tick, training.evaluate, Path.open
    limited_file = hooks.get("limit_at")

    def limit() -> None:
        if "limit" in hooks:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hooks["limit"], resource.RLIM_INFINITY))

    def first_tick(run: training.Run, stage: str, rates: str) -> None:
        training.Run._tick = next_tick
        known = run.progress
        say(f"trains {json.dumps([known.seconds, known.decisions, len(known.curve)])}")
        if limited_file is None:
            limit()
        next_tick(run, stage, rates)

    def next_tick(run: training.Run, stage: str, rates: str) -> None:
        say(f"tick {run.ppo.num_timesteps}")
        tick(run, stage, rates)

    def evaluating(*arguments: Any, **named: Any) -> Any:
        say("evaluates")
        return evaluate(*arguments, **named)

    def opened(path: Path, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        # By the beginning of the name: whether a temporary file is written is the run's affair.
        if "w" in mode and "halve" in hooks and path.name.startswith(hooks["halve"]):
            return HalfWritten(path, "w")
        if "w" in mode and limited_file and path.name.startswith(limited_file):
            limit()
        return open_file(path, mode, *arguments, **named)

    training.Run._tick, training.evaluate, Path.open = first_tick, evaluating, opened  # type: ignore[assignment]


def train(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    add_commands(parser.add_subparsers())
    args = parser.parse_args(["train", *arguments])
    try:
        return args.run(args)
    except WhotError as error:
        sys.stderr.write(f"whot: {error}\n")
        return 2
    except KeyboardInterrupt:
        return 130


def fork(order: dict[str, Any]) -> int:
    """The process id of a new run."""
    child = os.fork()
    if child:
        return child
    status = 70
    try:
        os.dup2(1, 2)
        apply(order["hooks"])
        status = train(order["arguments"])
    except BaseException:  # noqa: BLE001  the fork must never go on as the server
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


def main() -> None:
    # The engine is loaded before the forks too; nothing here starts a thread.
    batch = Batch(Rules.preset("naija_whot"), num_players=2, num_games=2)
    batch.observe()
    batch.step(np.argmax(batch.action_mask(), axis=1))
    for line in sys.stdin:
        child = fork(json.loads(line))
        say(f"pid {child}")
        say(f"exit {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}")


if __name__ == "__main__":
    main()
