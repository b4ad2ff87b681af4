"""Speed: the gate lets today's engine pass and stops one of half its speed; the published figures are whole."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from whot_env.batch import Batch
from whot_env.outputs import Outputs

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def scripts() -> Iterator[None]:
    """benchmarks/ on the path: its scripts find their neighbours there."""
    sys.path.insert(0, str(FOLDER))
    yield
    sys.path.remove(str(FOLDER))


@pytest.fixture
def gate(scripts: None) -> Any:
    return importlib.import_module("gate")


class Twice(Batch):
    """An engine of half the speed: it does everything twice, the second time for nothing."""

    def play(self, policy: str, steps: int, keys: npt.NDArray[np.uint64], out: Outputs, threads: int = 1) -> None:
        super().play(policy, steps, keys, out, threads)
        if not hasattr(self, "twin"):
            self.twin, self.spare = Batch("naija_whot", 2, self.num_games), self.outputs()
        self.twin.play(policy, steps, keys.copy(), self.spare, threads)


def test_the_engine_is_as_fast_as_it_was(gate: Any) -> None:
    fast, found = gate.passes(Batch("naija_whot", 2, gate.GAMES))
    assert fast, f"{found:.3f} decisions per shuffled deck; allowed: at least {gate.floor():.3f}"


def test_half_the_speed_does_not_pass(gate: Any) -> None:
    fast, found = gate.passes(Twice("naija_whot", 2, gate.GAMES))
    assert not fast, f"{found:.3f} decisions per shuffled deck reach the floor {gate.floor():.3f}"


def test_the_results_are_of_every_pair_with_their_machine_and_spread(scripts: None) -> None:
    results = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    assert results["turns"] >= 5 and results["machine"]["cpu"] and results["machine"]["cores"]
    assert [pair["key"] for pair in results["pairs"]] == [pair.key for pair in importlib.import_module("pairs").PAIRS]
    for pair in results["pairs"]:
        for low, middle, high in (pair["ratio"], pair["ours"]["per_second"], pair["theirs"]["per_second"]):
            assert 0 < low <= middle <= high
