"""Checkpoints: the whole of a run in one file, replaced atomically, so that a killed run resumes."""

import io
import pickle
import zipfile
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from whot_agents.files import write_atomically
from whot_env.errors import WhotError
from whot_env.observation import LAYOUT

FORMAT = 2
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
    warm_share: float = 0.0
    """Share of the run that it took."""
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
        # Torch does not look at the checksums that it writes.
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
        if damaged is not None:
            raise ValueError(f"its part {damaged} is damaged")
        values = torch.load(path, map_location="cpu", weights_only=True)
        found = values.pop("format")
        if found != FORMAT:
            raise WhotError("checkpoint", f"{path} has format {found!r}; allowed: {FORMAT}; delete it to start anew")
        checkpoint = Checkpoint(**{**values, "run": dict(values["run"]), "progress": Progress(**values["progress"])})
        _check_columns(**checkpoint.columns)
    except pickle.UnpicklingError as error:
        # The library's own words advise to load it as code.
        raise unusable(path, "it is damaged, or holds more than tensors and plain values") from error
    except (
        *(OSError, RuntimeError, EOFError, LookupError, TypeError, AttributeError, ValueError),
        *(zipfile.BadZipFile, zlib.error),
    ) as error:
        if isinstance(error, WhotError):
            raise
        raise unusable(path, error) from error
    return checkpoint


def unusable(path: Path, reason: object) -> WhotError:
    """The sentence for a file that is no checkpoint."""
    lines = str(reason).splitlines() or [type(reason).__name__]
    return WhotError("checkpoint", f"{path} is not a usable checkpoint ({lines[0].strip()}); delete it to start anew")


def _check_columns(index: torch.Tensor, scale: torch.Tensor) -> None:
    # Compiled code reads the observation at these columns without looking at its bounds.
    ascending = index.dtype == torch.int64 and index.dim() == 1 and bool((index.diff() > 0).all())
    if not (ascending and len(index) and index[0] >= 0 and index[-1] < LAYOUT.size):
        raise ValueError(f"its columns are not ascending numbers from 0 to {LAYOUT.size - 1}")
    if scale.dtype != torch.float32 or scale.shape != index.shape:
        raise ValueError("its scale does not fit its columns")


def run_identity(rules: Any, num_players: int | None, seed: int, hidden: int) -> dict[str, Any]:
    """What a run is; resuming with anything else would train another network."""
    return {"rules": rules, "players": num_players, "seed": seed, "layout": LAYOUT.hash, "hidden": hidden}


def check_same_run(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise ``WhotError`` naming the first thing that differs."""
    for name, value in wanted.items():
        if found.get(name) != value:
            if name == "layout":
                remedy = "observations mean something else in this version: train anew in another --out"
            else:
                remedy = "resume with the same value, or choose another --out"
            raise WhotError(name, f"{path} was trained with {name} {found.get(name)!r}, not {value!r}; {remedy}")
