"""Checkpoints: the whole of a run in one file, replaced atomically, so that a killed run resumes."""

import io
import os
import pickle
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from whot_env.errors import WhotError
from whot_env.observation import LAYOUT

FORMAT = 1
Weights = dict[str, torch.Tensor]


@dataclass
class Progress:
    """How far a run is."""

    seconds: float = 0.0
    """Time trained, over all starts."""
    decisions: int = 0
    """Decisions played while training."""
    updates: int = 0
    """Rounds of self-play learned from."""
    warm_started: bool = False
    """Whether the imitation at the start is done."""
    evaluated: bool = False
    """Whether the bundle and the tables belong to these weights."""
    curve: list[dict[str, float]] = field(default_factory=list[dict[str, float]])
    """Points of the learning curve: seconds, decisions, and the measured rates by name."""


@dataclass
class Checkpoint:
    """What a checkpoint file holds."""

    run: dict[str, Any]
    """What must not change when resuming: rules, seats, seed, layout, width."""
    progress: Progress
    weights: Weights
    optimizer: dict[str, Any]
    snapshots: list[Weights]
    columns: dict[str, torch.Tensor]
    """``index`` int64[C] and ``scale`` float32[C]."""


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file beside ``path``, then put it in its place: a reader never sees half a file."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def save(path: Path, checkpoint: Checkpoint) -> None:
    """Write ``checkpoint`` to ``path``, whole or not at all."""
    values = {**vars(checkpoint), "progress": asdict(checkpoint.progress), "format": FORMAT}
    content = io.BytesIO()
    torch.save(values, content)
    write_atomically(path, content.getvalue())


def load(path: Path) -> Checkpoint:
    """The checkpoint at ``path``. Only tensors and plain values are read, never code.

    Raises:
        WhotError: the file is damaged or of another version of this program.
    """
    try:
        values = torch.load(path, map_location="cpu", weights_only=True)
        found = values.pop("format")
        checkpoint = Checkpoint(**{**values, "progress": Progress(**values["progress"])})
    except (OSError, RuntimeError, EOFError, pickle.UnpicklingError, KeyError, TypeError, AttributeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise WhotError(
            "checkpoint", f"{path} is not a usable checkpoint ({reason}); delete it to start anew"
        ) from error
    if found != FORMAT:
        raise WhotError("checkpoint", f"{path} has format {found!r}; allowed: {FORMAT}; delete it to start anew")
    return checkpoint


def run_identity(rules: Any, num_players: int, seed: int, hidden: int) -> dict[str, Any]:
    """What a run is; resuming with anything else would train another network."""
    return {"rules": rules, "players": num_players, "seed": seed, "layout": LAYOUT.hash, "hidden": hidden}


def check_same_run(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise ``WhotError`` naming the first thing that differs."""
    for name, value in wanted.items():
        if found.get(name) != value:
            raise WhotError(
                name,
                f"{path} was trained with {name} {found.get(name)!r}, not {value!r}; "
                "resume with the same value, or choose another --out",
            )
