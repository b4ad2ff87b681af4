"""The benchmarks run, at sizes that measure nothing."""

import json
import runpy
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


def run(monkeypatch: pytest.MonkeyPatch, name: str, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    threads = torch.get_num_threads()
    runpy.run_path(str(BENCHMARKS / name), run_name="__main__")
    torch.set_num_threads(threads)


def test_training_beside_sb3(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run(monkeypatch, "training.py", "--envs", "20", "--steps", "8", "--turns", "1", "--seconds", "0")
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    for name in ("whot train", "SB3 MaskablePPO, DummyVecEnv"):
        assert 0 < result[name]["learned"] < result[name]["played"]


def test_training_profile_sees_every_part(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run(monkeypatch, "training.py", "--envs", "20", "--steps", "8", "--turns", "1", "--profile")
    shares = [line.split("|")[3] for line in capsys.readouterr().out.splitlines() if "%" in line]
    assert sum(float(share.strip(" %")) for share in shares) == pytest.approx(100, abs=1)
