"""``whot train`` from the outside: a whole small run, refusals, a killed run and one stopped by Ctrl-C."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from whot_agents.bundle import read_bundle
from whot_agents.coach import Coach
from whot_env.errors import WhotError
from whot_train.checkpoint import load
from whot_train.cli import add_commands

ROOT = Path(__file__).resolve().parents[1]
SMALL = """
envs = 32
steps = 16
batch_size = 128
hidden = 32
eval_games = 40
checkpoint_seconds = 0.3
snapshot_decisions = 2000
warm_start_decisions = 2000
threads = 1
"""
COMMAND = """
import argparse, sys
from whot_env.errors import WhotError
from whot_train.cli import add_commands
parser = argparse.ArgumentParser()
add_commands(parser.add_subparsers())
args = parser.parse_args(sys.argv[1:])
try:
    sys.exit(args.run(args))
except WhotError as error:
    sys.exit(f"whot: {error}")
"""


def start(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    config = folder / "small.toml"
    config.write_text(SMALL, encoding="utf-8")
    path = os.pathsep.join(str(ROOT / part) for part in ("", "agents", "train"))
    given = ["--config", str(config), "--out", str(folder / "run"), *arguments]
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "train", *given],
        env={**os.environ, "PYTHONPATH": path},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish(process: "subprocess.Popen[str]") -> tuple[int, str]:
    output, _ = process.communicate(timeout=900)
    return process.returncode, output


def wait_for_checkpoint(process: "subprocess.Popen[str]", path: Path) -> float:
    """Seconds trained, once a checkpoint with self-play is there."""
    deadline = time.monotonic() + 900
    while time.monotonic() < deadline and process.poll() is None:
        if path.exists():
            progress = load(path).progress
            if progress.updates:
                return progress.seconds
        time.sleep(0.1)
    raise AssertionError(f"no checkpoint came: {process.communicate()[0]}")


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "players"), [("naija_whot", "2"), ("arcade", "3")])
def test_a_run_trains_writes_and_knows_that_it_is_finished(tmp_path: Path, rules: str, players: str) -> None:
    arguments = ("--rules", rules, "--players", players, "--minutes", "0.05")
    status, output = finish(start(tmp_path, *arguments))
    assert status == 0, output
    assert "whot play --coach" in output
    folder = tmp_path / "run"
    names = {path.name for path in folder.iterdir()}
    assert names >= {"checkpoint.pt", "coach.whotcoach", "config.toml", "strength.md", "strength.json"}
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    strength = json.loads((folder / "strength.json").read_text(encoding="utf-8"))["strength"]
    assert [row["agent_b"] for row in strength] == ["playful", "heuristic"]
    assert all(row["low"] <= row["win_rate"] <= row["high"] and row["games"] >= 40 for row in strength)
    bundle = read_bundle(folder / "coach.whotcoach")
    assert (bundle.rules.base, bundle.num_players) == (rules, int(players))
    assert [dict(row) for row in bundle.strength] == strength
    Coach.load(folder / "coach.whotcoach")
    status, output = finish(start(tmp_path, *arguments))
    assert status == 0
    assert "is finished" in output


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_killed_and_stopped_runs_resume(tmp_path: Path) -> None:
    path = tmp_path / "run" / "checkpoint.pt"
    process = start(tmp_path, "--players", "2", "--minutes", "30")
    trained = wait_for_checkpoint(process, path)
    process.kill()
    finish(process)
    before = load(path).progress.seconds
    assert before >= trained > 0
    process = start(tmp_path, "--players", "2", "--minutes", "30")
    while load(path).progress.seconds <= before:
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    status, output = finish(process)
    assert status == 130, output
    assert "resuming" in output
    assert "the same command resumes" in output
    assert load(path).progress.seconds > before
    assert not list(path.parent.glob("*.whotpart"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--minutes", "0"), "minutes is 0"),
        (("--minutes", "nan"), "minutes is nan"),
        (("--players", "9"), "num_players is 9"),
        (("--rules", "poker"), "'poker'"),
        (("--rules", "{"), "no JSON object"),
        (("--seed", "-1"), "seed is -1"),
        (("--envs", "0"), "'envs' is 0"),
        (("--config", "missing.toml"), "missing.toml"),
        (("--out", "small.toml"), "which is a file"),
    ],
)
def test_bad_arguments_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    parser = argparse.ArgumentParser()
    add_commands(parser.add_subparsers())
    args = parser.parse_args(["train", *arguments])
    with pytest.raises(WhotError) as error:
        args.run(args)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["small.toml"]
