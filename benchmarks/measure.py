"""Measuring two contenders in turns, and what it was measured on."""

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

Rate = Callable[[float], float]
"""Runs for about so many seconds; decisions per second. Games go on from one call to the next."""

VERSIONS = (
    *("numpy", "numba", "gymnasium", "pettingzoo", "stable-baselines3"),
    *("open-spiel", "rlcard", "pgx", "jax", "envpool"),
)


@dataclass(frozen=True, slots=True)
class Contender:
    """One side of a pair.

    Attributes:
        name: what the table calls it.
        writes: what each decision writes for the learner.
        make: builds it and warms it up.
        cores: processor cores that it may use, by its own design.
    """

    name: str
    writes: str
    make: Callable[[], Rate]
    cores: int = 1


@dataclass(frozen=True, slots=True)
class Pair:
    """Ours against theirs; ``target``: the ratio that we promise, or None."""

    key: str
    ours: Contender
    theirs: Contender
    target: float | None = None


def rate_of(play: Callable[[], int], clock: Callable[[], float] = time.perf_counter) -> Rate:
    """The rate at which ``play`` makes the decisions whose number it returns."""

    def rate(seconds: float) -> float:
        decisions, start = 0, clock()
        while (spent := clock() - start) < seconds:
            decisions += play()
        return decisions / spent

    return rate


def calibration(lanes: int = 4096, clock: Callable[[], float] = time.perf_counter) -> Rate:
    """Decks shuffled by NumPy alone, a second: how fast this machine is just now.

    Shuffling is scalar work on small integers in memory, as the engine's is. Arithmetic on whole arrays would not do:
    its speed depends on the width of a processor's vectors, by a factor of three between machines that run the
    engine alike.
    """
    rng = np.random.default_rng(0)
    decks = np.tile(np.arange(54, dtype=np.int8), (lanes, 1))

    def play() -> int:
        rng.permuted(decks, axis=1, out=decks)
        return lanes

    return rate_of(play, clock)


def in_turns(ours: Rate, theirs: Rate, turns: int, seconds: float) -> tuple[list[float], list[float]]:
    """Rates of both, measured A B A B …, after a short turn each that does not count."""
    ours(seconds / 4)
    theirs(seconds / 4)
    rates = [(ours(seconds), theirs(seconds)) for _ in range(turns)]
    return [a for a, _ in rates], [b for _, b in rates]


def spread(values: list[float]) -> list[float]:
    """[least, median, greatest]."""
    return [min(values), median(values), max(values)]


def measured(pair: Pair, turns: int, seconds: float) -> dict[str, Any]:
    """The pair's entry in the result file."""
    ours, theirs = in_turns(pair.ours.make(), pair.theirs.make(), turns, seconds)
    sides = {
        side: {"name": c.name, "writes": c.writes, "cores": c.cores, "per_second": [round(r) for r in spread(rates)]}
        for side, c, rates in (("ours", pair.ours, ours), ("theirs", pair.theirs, theirs))
    }
    ratio = spread([a / b for a, b in zip(ours, theirs, strict=True)])
    return {"key": pair.key, **sides, "ratio": [float(f"{r:.3g}") for r in ratio], "target": pair.target}


def machine() -> dict[str, Any]:
    """The processor, its cores, Python and the versions of what was measured."""
    found = {}
    for package in VERSIONS:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": found,
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())
