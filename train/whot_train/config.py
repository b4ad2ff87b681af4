"""Settings of a training run: one dataclass, read from TOML. ``configs/default.toml`` holds the defaults."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any

from whot_env.errors import WhotError, shown


@dataclass(frozen=True)
class TrainConfig:
    """Every setting of a run. Shares are of the lanes; what is left of them plays the network against itself."""

    envs: int
    """Games played at once (lanes of the batch)."""
    steps: int
    """Decisions a lane makes before each update."""
    batch_size: int
    """Decisions a gradient step sees."""
    epochs: int
    """Passes over the decisions of one update."""
    learning_rate: float
    """Adam's step size at the start of self-play."""
    learning_rate_end: float
    """... and at the end; linear in time between."""
    entropy: float
    """Weight of the policy's entropy at the start of self-play."""
    entropy_end: float
    """... and at the end; kept above 0, because cards are hidden and a predictable player is exploited."""
    gae_lambda: float
    """λ of the advantage estimate; the discount γ is 1."""
    clip: float
    """How far the probability ratio may leave 1 before its gradient is cut."""
    value_weight: float
    """Weight of the value's squared error."""
    max_grad_norm: float
    """Gradients longer than this are shortened to it."""
    hidden: int
    """Width of the network's two hidden layers."""
    snapshot_share: float
    """Lanes against a past snapshot of the network."""
    heuristic_share: float
    """Lanes against ``heuristic``."""
    playful_share: float
    """Lanes against ``playful``."""
    snapshot_decisions: int
    """Decisions between snapshots; a universal run then draws new house rules too."""
    snapshots_kept: int
    """Snapshots kept, spread over the run."""
    warm_start_decisions: int
    """Decisions of imitation of ``heuristic`` before self-play; 0 starts from nothing."""
    warm_start_share: float
    """... and at most this share of the whole run."""
    warm_start_learning_rate: float
    """Adam's step size while imitating."""
    max_decisions: int
    """A game of two seats longer than this is cut and counts for nobody; more seats have as many more."""
    checkpoint_seconds: float
    """Seconds between checkpoints: what a killed run loses at most."""
    eval_games: int
    """Games of the final evaluation against each opponent."""
    threads: int
    """Threads that play and learn; 0 is one a core, up to eight."""
    tensorboard: bool
    """Whether TensorBoard files are written to the run's folder."""


_FIELDS = {f.name: f for f in fields(TrainConfig)}
_MAY_BE_ZERO = {
    *("entropy", "entropy_end", "snapshot_share", "heuristic_share", "playful_share", "learning_rate_end"),
    *("warm_start_decisions", "warm_start_share", "threads", "value_weight"),
}
_MOST: dict[str, float] = {
    **dict.fromkeys(("gae_lambda", "clip", "snapshot_share", "heuristic_share", "playful_share"), 1),
    **dict.fromkeys(("warm_start_share", "learning_rate", "learning_rate_end", "warm_start_learning_rate"), 1),
    **dict.fromkeys(("entropy", "entropy_end"), 10),
    **dict.fromkeys(("value_weight", "max_grad_norm"), 1000),
    **{"checkpoint_seconds": 10_000_000, "snapshot_decisions": 1 << 36, "warm_start_decisions": 1 << 36},
    **{"envs": 65_536, "steps": 4096, "batch_size": 1 << 20, "epochs": 100, "hidden": 4096, "snapshots_kept": 1000},
    **{"max_decisions": 1_000_000, "eval_games": 10_000_000, "threads": 1024},
}
"""The largest value of each number: beyond it a run would fail for want of memory, or not do what was meant."""

_MAX_DECISIONS = 1 << 22
"""Largest product of ``envs`` and ``steps``: some 3 GB of decisions."""

_MAX_BYTES = 1 << 20
"""Longest config file that is read."""


def load_config(path: Path | None = None, **changes: Any) -> TrainConfig:
    """The defaults, overlaid by the TOML file ``path`` and then by ``changes`` (those that are not None).

    Raises:
        WhotError: an unreadable file, an unknown setting or a value that is not allowed; names it.
    """
    default = resources.files("whot_train").joinpath("configs/default.toml").read_text(encoding="utf-8")
    values = tomllib.loads(default)
    if path is not None:
        values.update(_read(path))
    values.update({name: value for name, value in changes.items() if value is not None})
    return _checked(values)


def to_toml(config: TrainConfig) -> str:
    """The settings as TOML; every value is a number or a boolean, whose JSON form is TOML too."""
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in asdict(config).items())


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        text = data.decode("utf-8")
    except (OSError, ValueError) as error:
        raise WhotError("config", f"config file '{path}' cannot be read: {error}") from error
    if len(data) > _MAX_BYTES:
        raise WhotError("config", f"config file '{path}' is too long; allowed: at most {_MAX_BYTES} bytes")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError also for a number of thousands of digits
        raise WhotError("config", f"config file '{path}' is not TOML: {error}") from error


def _checked(values: Mapping[str, Any]) -> TrainConfig:
    for name in values:
        if name not in _FIELDS:
            raise WhotError(name, f"training setting {shown(name)} is unknown; allowed: {', '.join(_FIELDS)}")
    checked = {name: _value(name, values[name], field.type) for name, field in _FIELDS.items()}
    shares = sum(float(checked[name]) for name in ("snapshot_share", "heuristic_share", "playful_share"))
    if shares > 1:
        raise WhotError("snapshot_share", f"the opponents' shares add up to {shares:g}; allowed: at most 1")
    decisions = checked["envs"] * checked["steps"]
    if decisions > _MAX_DECISIONS:
        raise WhotError("steps", f"envs times steps is {decisions}; allowed: at most {_MAX_DECISIONS}")
    return TrainConfig(**checked)


def _value(name: str, value: Any, kind: Any) -> Any:
    if kind is bool:
        if not isinstance(value, bool):
            raise WhotError(name, f"training setting {name!r} is {shown(value)}; allowed: true or false")
        return value
    number = not isinstance(value, bool) and isinstance(value, int if kind is int else (int, float))
    zero, most = name in _MAY_BE_ZERO, _MOST[name]
    if not number or not (0 <= value <= most) or (value == 0 and not zero):
        what, low = "a whole number" if kind is int else "a number", "at least 0" if zero else "above 0"
        allowed = f"{what} {low} and at most {most}"
        raise WhotError(name, f"training setting {name!r} is {shown(value)}; allowed: {allowed}")
    return kind(value)
