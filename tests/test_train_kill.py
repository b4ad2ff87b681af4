"""Training runs that are killed, interrupted or out of disk: what is on disk is whole, and the next start goes on."""

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from whot_agents.bundle import read_bundle
from whot_train.checkpoint import Progress, load

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs fork and POSIX signals"),
]

ROOT = Path(__file__).resolve().parents[1]
KILLS = 20
SMALL = """
envs = 16
steps = 8
batch_size = 64
hidden = 8
eval_games = 20
checkpoint_seconds = 1e-6
snapshot_decisions = 2000
snapshots_kept = 2
warm_start_decisions = 1500
threads = 1
tensorboard = true
"""
RESULTS = ("coach.whotcoach", "strength.json", "strength.md", "learning_curve.png")
FOREVER = 30.0
"""Minutes that no test waits for."""


class Server:
    """Starts runs in ``folder`` and hears what they say; see train_server.py."""

    def __init__(self) -> None:
        path = os.pathsep.join(str(ROOT / part) for part in ("", "agents", "train"))
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "train_server.py")],
            env={**os.environ, "PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": ""},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))

    def next_line(self) -> str:
        # Long, because compiling the engine may come first.
        return self._lines.get(timeout=600)

    def start(self, folder: Path, minutes: float, *arguments: str, **hooks: Any) -> "Running":
        config = folder.parent / "small.toml"
        given = ["--players", "2", "--minutes", str(minutes), "--config", str(config), "--out", str(folder)]
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"arguments": given + list(arguments), "hooks": hooks}) + "\n")
        self.process.stdin.flush()
        return Running(self)


class Running:
    """One training process."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.said: list[str] = []
        self.output = ""
        self.pid = int(self.hear("pid")[0])

    def hear(self, what: str) -> list[Any]:
        """What follows the word ``what`` once the process has said it."""
        while True:
            line = self._server.next_line()
            if not line.startswith("@"):
                self.output += line + "\n"
                continue
            self.said.append(line)
            word, _, rest = line[1:].partition(" ")
            if word == what:
                return json.loads(rest) if rest.startswith("[") else rest.split()
            assert word != "exit", f"the run ended before it said {what}: {self.said[-9:]} {self.output}"

    @property
    def ticks(self) -> list[int]:
        """Decisions after each round, as the process said before it saved."""
        return [int(line.split()[1]) for line in self.said if line.startswith("@tick")]

    def end(self, number: signal.Signals | None = None) -> int:
        """Exit status, after the signal ``number``."""
        if number is not None:
            os.kill(self.pid, number)
        return int(self.hear("exit")[0])


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.process.kill()
    server.process.wait()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    return tmp_path / "run"


def progress_in(folder: Path) -> Progress:
    """What the checkpoint says, which must be whole if it is there."""
    path = folder / "checkpoint.pt"
    return load(path).progress if path.exists() else Progress()


def leftovers(folder: Path) -> list[str]:
    known = {*RESULTS, "checkpoint.pt", "config.toml", "tensorboard"}
    return sorted(path.name for path in folder.iterdir() if path.name not in known)


def check_results(folder: Path) -> None:
    """Every file of a finished run is there and whole, and they say the same."""
    assert leftovers(folder) == []
    progress = progress_in(folder)
    assert progress.evaluated
    strength = json.loads((folder / "strength.json").read_text(encoding="utf-8"))
    assert strength["provenance"]["decisions"] == progress.decisions
    bundle = read_bundle(folder / "coach.whotcoach")
    assert [dict(row) for row in bundle.strength] == strength["strength"]
    assert "- evaluation seed: " in (folder / "strength.md").read_text(encoding="utf-8")
    assert b"IEND" in (folder / "learning_curve.png").read_bytes()[-12:]


def check_curves(folder: Path) -> None:
    """TensorBoard shows each point of the checkpoint's curve once, and no other."""
    curve = progress_in(folder).curve
    assert len(curve) > KILLS / 2
    decisions, seconds = ([point[name] for point in curve] for name in ("decisions", "seconds"))
    assert decisions == sorted(set(decisions)), "a point is there twice"
    assert seconds == sorted(seconds)
    board = EventAccumulator(str(folder / "tensorboard"), {"scalars": 0})
    board.Reload()
    assert [event.step for event in board.Scalars("run/decisions")] == decisions
    shown = [event.value for event in board.Scalars("run/seconds")]
    np.testing.assert_allclose(shown, seconds, rtol=1e-6)


def kill_while_it_trains(run: Running, folder: Path, way: str, rng: np.random.Generator) -> None:
    if way == "half written":
        run.hear("half")
    elif way == "while writing":
        deadline = time.monotonic() + 60
        while not list(folder.glob("checkpoint.pt.*")):
            assert time.monotonic() < deadline, "no temporary file came"
    else:
        time.sleep(float(rng.uniform(0, 0.8)))
    assert run.end(signal.SIGKILL) == -signal.SIGKILL


def test_twenty_kills_lose_nothing_that_was_saved(server: Server, folder: Path) -> None:
    rng = np.random.default_rng(20)
    known = Progress()
    for number in range(KILLS):
        way = ("any moment", "while writing", "any moment", "half written")[number % 4]
        run = server.start(folder, FOREVER, **({"halve": "checkpoint.pt"} if way == "half written" else {}))
        assert run.hear("trains") == [known.seconds, known.decisions, len(known.curve)], way
        kill_while_it_trains(run, folder, way, rng)
        found = progress_in(folder)
        assert found.seconds >= known.seconds, way
        # Every round ends in a checkpoint, so only the round that was being saved may be missing.
        assert found.decisions >= ([known.decisions] * 2 + run.ticks)[-2], way
        assert found.curve[: len(known.curve)] == known.curve, way
        known = found
    assert known.warm_started
    assert known.updates > KILLS

    minutes = (known.seconds + 0.5) / 60
    run = server.start(folder, minutes)
    run.hear("evaluates")
    assert run.end(signal.SIGKILL) == -signal.SIGKILL
    for name in (*RESULTS, "checkpoint.pt"):
        run = server.start(folder, minutes, halve=name)
        run.hear("half")
        assert not run.ticks, "a trained run trains no more"
        assert run.end(signal.SIGKILL) == -signal.SIGKILL
        assert not progress_in(folder).evaluated
        assert name == "checkpoint.pt" or not (folder / name).exists(), "half a file"
    run = server.start(folder, minutes)
    assert run.end() == 0, run.output
    check_results(folder)
    check_curves(folder)

    for name in RESULTS:
        before = (folder / name).read_bytes()
        run = server.start(folder, minutes, "--evaluate", halve=name)
        run.hear("half")
        assert run.end(signal.SIGKILL) == -signal.SIGKILL
        assert (folder / name).read_bytes() == before
    run = server.start(folder, minutes)
    assert run.end() == 0
    assert "@evaluates" in run.said, "the files would be of two evaluations"
    check_results(folder)


def test_ctrl_c_saves_and_the_next_start_goes_on(server: Server, folder: Path) -> None:
    run = server.start(folder, FOREVER)
    run.hear("trains")
    assert run.end(signal.SIGINT) == 130, run.output
    assert "the same command resumes" in run.output
    assert "Traceback" not in run.output
    known = progress_in(folder)
    assert known.decisions == run.ticks[-1]
    assert leftovers(folder) == []
    minutes = (known.seconds + 0.2) / 60
    run = server.start(folder, minutes)
    assert run.hear("trains") == [known.seconds, known.decisions, len(known.curve)]
    run.hear("evaluates")
    assert run.end(signal.SIGINT) == 130
    assert leftovers(folder) == []
    run = server.start(folder, minutes)
    assert run.end() == 0, run.output
    assert not run.ticks
    check_results(folder)


def check_one_error(run: Running, name: str, reason: str) -> None:
    """The run ended with one sentence that names the file and says what to do."""
    assert run.end() == 2, run.output
    assert "Traceback" not in run.output, run.output
    errors = [line for line in run.output.splitlines() if line.startswith("whot:") or "Exception" in line]
    assert len(errors) == 1, run.output
    assert name in errors[0]
    assert f"cannot be written: {reason}; make room there or choose another folder" in errors[0]


def test_a_file_that_cannot_grow_is_one_error_and_the_last_checkpoint_stays(server: Server, folder: Path) -> None:
    run = server.start(folder, FOREVER)
    run.hear("trains")
    assert run.end(signal.SIGINT) == 130
    good = (folder / "checkpoint.pt").read_bytes()
    run = server.start(folder, FOREVER, limit=len(good) // 2)
    check_one_error(run, str(folder / "checkpoint.pt"), "File too large")
    assert (folder / "checkpoint.pt").read_bytes() == good
    assert leftovers(folder) == []
    minutes = (progress_in(folder).seconds + 0.2) / 60
    for name in RESULTS:
        run = server.start(folder, minutes, limit=64, limit_at=name)
        check_one_error(run, str(folder / name), "File too large")
        assert not (folder / name).exists()
        assert leftovers(folder) == []
    assert server.start(folder, minutes).end() == 0
    check_results(folder)


def test_tensorboards_file_that_cannot_grow_is_one_error(server: Server, folder: Path) -> None:
    config = folder.parent / "small.toml"
    config.write_text(SMALL.replace("checkpoint_seconds = 1e-6", "checkpoint_seconds = 1e6"), encoding="utf-8")
    run = server.start(folder, FOREVER, limit=150)
    check_one_error(run, str(folder / "tensorboard"), "File too large")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a file system of 8 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("there is no mount command")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "whot-test", str(disk)], check=False, capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_one_error_and_with_room_the_run_goes_on(server: Server, small_disk: Path) -> None:
    folder = small_disk / "run"
    (small_disk / "small.toml").write_text(SMALL, encoding="utf-8")
    run = server.start(folder, FOREVER)
    run.hear("trains")
    assert run.end(signal.SIGINT) == 130
    good = (folder / "checkpoint.pt").read_bytes()
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(shutil.disk_usage(small_disk).free - len(good) // 2))
    run = server.start(folder, FOREVER)
    check_one_error(run, str(folder / "checkpoint.pt"), "No space left on device")
    assert (folder / "checkpoint.pt").read_bytes() == good
    assert leftovers(folder) == []
    ballast.unlink()
    minutes = (progress_in(folder).seconds + 0.2) / 60
    run = server.start(folder, minutes)
    assert run.end() == 0, run.output
    check_results(folder)
