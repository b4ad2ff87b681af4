"""Checkpoints that are damaged, of another run or hostile are refused in one sentence that names the file."""

import copy
import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

import torch

from whot_agents.files import write_atomically
from whot_env.errors import WhotError
from whot_env.observation import LAYOUT
from whot_env.rules import Rules
from whot_train.checkpoint import load, save
from whot_train.config import load_config
from whot_train.progress import Display
from whot_train.run import Options, Run
from whot_train.tables import Tables

CONFIG = load_config(hidden=8, envs=16, steps=8, batch_size=64)


def options(folder: Path) -> Options:
    return Options(Tables(Rules.preset("naija_whot"), 2), 1.0, None, folder, 0, CONFIG)


def start(given: Options) -> Run:
    return Run(given, Display())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a good checkpoint, with a snapshot."""
    folder = tmp_path_factory.mktemp("good")
    run = start(options(folder))
    run.snapshots.append(copy.deepcopy(run.ppo.policy.state_dict()))
    run.progress.decisions = 7
    run.save()
    return (folder / "checkpoint.pt").read_bytes()


@pytest.fixture
def path(tmp_path: Path, whole: bytes) -> Path:
    path = tmp_path / "checkpoint.pt"
    path.write_bytes(whole)
    return path


def refusal(given: Options) -> str:
    """The sentence with which resuming is refused."""
    with pytest.raises(WhotError) as error:
        start(given)
    sentence = str(error.value)
    assert str(given.out / "checkpoint.pt") in sentence
    assert "\n" not in sentence
    return sentence


def test_a_good_checkpoint_is_taken(path: Path) -> None:
    assert start(options(path.parent)).progress.decisions == 7


@pytest.mark.parametrize("cut", [0, 1, 3, 100, 5000, -5000, -100, -1])
def test_a_truncated_checkpoint_is_refused(path: Path, whole: bytes, cut: int) -> None:
    path.write_bytes(whole[:cut])
    assert "is not a usable checkpoint" in refusal(options(path.parent))


def test_noise_never_reaches_the_weights(path: Path, whole: bytes) -> None:
    good = load(path)
    rng = np.random.default_rng(4)
    refused = 0
    for _ in range(200):
        broken = bytearray(whole)
        at = int(rng.integers(len(whole)))
        broken[at : at + 16] = rng.bytes(16)
        path.write_bytes(broken)
        try:
            found = load(path)
        except WhotError:
            refused += 1
        else:  # the padding between the parts means nothing
            assert found.progress == good.progress
            assert all(torch.equal(found.weights[name], value) for name, value in good.weights.items())
    assert refused > 100


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tables": Tables(Rules.preset("classic"), 2)}, "trained with rules 'naija_whot', not 'classic'"),
        ({"tables": Tables(Rules.preset("naija_whot"), 3)}, "trained with players 2, not 3"),
        ({"seed": 1}, "trained with seed 0, not 1"),
        ({"config": replace(CONFIG, hidden=16)}, "trained with hidden 8, not 16"),
    ],
)
def test_another_runs_checkpoint_is_refused(path: Path, change: dict[str, Any], said: str) -> None:
    sentence = refusal(replace(options(path.parent), **change))
    assert said in sentence
    assert "choose another --out" in sentence


def test_a_checkpoint_of_another_observation_layout_is_refused(path: Path) -> None:
    checkpoint = load(path)
    checkpoint.run["layout"] = "feedfeedfeedfeed"
    save(path, checkpoint)
    sentence = refusal(options(path.parent))
    assert f"trained with layout 'feedfeedfeedfeed', not '{LAYOUT.hash}'" in sentence
    assert "train anew in another --out" in sentence


def _longer(values: dict[str, Any]) -> None:
    values["columns"]["index"][-1] = LAYOUT.size


def _negative(values: dict[str, Any]) -> None:
    values["columns"]["index"][0] = -1


def _other_scale(values: dict[str, Any]) -> None:
    values["columns"]["scale"] = values["columns"]["scale"][1:]


def _fewer_columns(values: dict[str, Any]) -> None:
    values["columns"] = {name: value[1:] for name, value in values["columns"].items()}


def _no_weights(values: dict[str, Any]) -> None:
    values["weights"] = {}


def _other_snapshot(values: dict[str, Any]) -> None:
    values["snapshots"][0]["action_net.bias"] = torch.zeros(3)


def _no_optimizer(values: dict[str, Any]) -> None:
    values["optimizer"] = {}


def _run_is_a_list(values: dict[str, Any]) -> None:
    values["run"] = [1, 2]


def _no_progress(values: dict[str, Any]) -> None:
    del values["progress"]


@pytest.mark.parametrize(
    "change",
    [
        *(_longer, _negative, _other_scale, _fewer_columns, _no_weights),
        *(_other_snapshot, _no_optimizer, _run_is_a_list, _no_progress),
    ],
)
def test_parts_that_do_not_fit_are_refused(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    values = torch.load(path, weights_only=True)
    change(values)
    torch.save(values, path)
    assert "is not a usable checkpoint" in refusal(options(path.parent))


def test_another_format_is_named(path: Path) -> None:
    torch.save({"format": 99, "what": "other versions hold"}, path)
    assert "has format 99; allowed: 2" in refusal(options(path.parent))


class _Hostile:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.target),)


@pytest.mark.parametrize("plain_pickle", [False, True])
def test_code_in_a_checkpoint_never_runs(path: Path, plain_pickle: bool) -> None:
    target = path.parent / "was here"
    hostile = {"format": 1, "run": _Hostile(target)}
    if plain_pickle:
        path.write_bytes(pickle.dumps(hostile, protocol=2))
    else:
        torch.save(hostile, path)
    sentence = refusal(options(path.parent))
    assert not target.exists()
    assert "weights_only" not in sentence, "that would be the advice to run it"


def test_a_failed_write_keeps_the_old_file_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def fail(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(WhotError, match="file cannot be written: No space left on device; make room there"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [left.name for left in tmp_path.iterdir()] == ["file"]
