"""Settings of a training run: one dataclass, read from TOML. ``configs/default.toml`` holds the defaults."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any

from whot_env.errors import WhotError


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
    snapshot_seconds: float
    """Seconds of training between snapshots."""
    snapshots_kept: int
    """Snapshots kept, spread over the run."""
    warm_start_seconds: float
    """Longest imitation of ``heuristic`` before self-play; 0 starts from nothing."""
    warm_start_share: float
    """... and at most this share of the whole time."""
    warm_start_learning_rate: float
    """Adam's step size while imitating."""
    max_decisions: int
    """A game longer than this is cut and counts for nobody."""
    checkpoint_seconds: float
    """Seconds between checkpoints: what a killed run loses at most."""
    eval_games: int
    """Games of the final evaluation against each opponent."""
    threads: int
    """Threads of torch; 0 is one a core."""
    tensorboard: bool
    """Whether TensorBoard files are written to the run's folder."""


_FIELDS = {f.name: f for f in fields(TrainConfig)}
_MAY_BE_ZERO = {
    *("entropy", "entropy_end", "snapshot_share", "heuristic_share", "playful_share", "learning_rate_end"),
    *("warm_start_seconds", "warm_start_share", "threads", "value_weight"),
}
_AT_MOST_ONE = {"gae_lambda", "clip", "snapshot_share", "heuristic_share", "playful_share", "warm_start_share"}


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
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise WhotError("config", f"config file '{path}' cannot be read: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise WhotError("config", f"config file '{path}' is not TOML: {error}") from error


def _checked(values: Mapping[str, Any]) -> TrainConfig:
    for name in values:
        if name not in _FIELDS:
            raise WhotError(name, f"training setting {name!r} is unknown; allowed: {', '.join(_FIELDS)}")
    checked = {name: _value(name, values[name], field.type) for name, field in _FIELDS.items()}
    shares = sum(float(checked[name]) for name in ("snapshot_share", "heuristic_share", "playful_share"))
    if shares > 1:
        raise WhotError("snapshot_share", f"the opponents' shares add up to {shares:g}; allowed: at most 1")
    return TrainConfig(**checked)


def _value(name: str, value: Any, kind: Any) -> Any:
    if kind is bool:
        if not isinstance(value, bool):
            raise WhotError(name, f"training setting {name!r} is {value!r}; allowed: true or false")
        return value
    number = not isinstance(value, bool) and isinstance(value, int if kind is int else (int, float))
    low = "at least 0" if name in _MAY_BE_ZERO else "above 0"
    high = " and at most 1" if name in _AT_MOST_ONE else ""
    inside = number and (value >= 0 if name in _MAY_BE_ZERO else value > 0) and (not high or value <= 1)
    if not inside:
        what = "a whole number" if kind is int else "a number"
        raise WhotError(name, f"training setting {name!r} is {value!r}; allowed: {what} {low}{high}")
    return kind(value)
