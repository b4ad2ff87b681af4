"""What is shipped: the wheel holds the three packages only, loads light, and plays outside the checkout."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"whot_env", "whot_agents", "whot_train"}
HEAVY = ("torch", "stable_baselines3", "sb3_contrib", "onnxruntime", "matplotlib", "whot_agents", "whot_train")

PLAY_EVERY_PRESET = """
import random
from whot_env import Game
from whot_env.rules import PRESETS
pick = random.Random(0)
for preset in PRESETS:
    game = Game.new(preset, seed=1)
    for _ in range(300):
        if game.over:
            break
        plays = [name for name in game.legal() if name != "draw"]
        game.step(pick.choice(plays or ["draw"]))
    assert game.log, preset
"""


def run_python(code: str, path: Path, cwd: Path) -> str:
    """Standard output of ``code`` in a fresh interpreter that finds our packages in ``path`` first."""
    environment = {**os.environ, "PYTHONPATH": str(path)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the unpacked wheel, as an installer would lay it."""
    dist, folder = tmp_path_factory.mktemp("dist"), tmp_path_factory.mktemp("site")
    # Without isolation: the build backend is a `dev` dependency, and a test should not depend on a network.
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(dist), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_wheel_holds_the_three_packages_only(site: Path) -> None:
    top = {path.name for path in site.iterdir() if not path.name.endswith(".dist-info")}
    assert top == PACKAGES


def test_wheel_is_typed_and_named(site: Path) -> None:
    assert all((site / package / "py.typed").is_file() for package in PACKAGES)
    (info,) = site.glob("*.dist-info")
    assert (info / "licenses" / "LICENSE").is_file()
    assert "whot = whot_env.cli:main" in (info / "entry_points.txt").read_text()
    code = "import whot_env; print(whot_env.__version__, whot_env.__file__)"
    version, file = run_python(code, site, site.parent).split(maxsplit=1)
    assert info.name == f"whot_env-{version}.dist-info"
    assert Path(file.strip()).is_relative_to(site)


@pytest.mark.slow
def test_wheel_plays_every_preset_outside_the_checkout(site: Path, tmp_path: Path) -> None:
    run_python(PLAY_EVERY_PRESET, site, tmp_path)
    assert list((site / "whot_env").rglob("*.nbi")), "compiled code is kept on disk"


def test_importing_the_environment_is_light() -> None:
    code = f"import json, sys, whot_env; print(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    assert json.loads(run_python(code, ROOT, ROOT)) == []


def test_the_command_needs_no_extra() -> None:
    # None in sys.modules makes an import fail, as it does where the package is not installed.
    hidden = ("torch", "stable_baselines3", "sb3_contrib", "onnx", "onnxruntime", "tensorboard")
    hidden += ("matplotlib", "rich", "choix", "scipy")
    code = f"""
import sys
sys.modules.update(dict.fromkeys({hidden}))
from whot_env.cli import main
assert main("arena playful playful --games 2".split()) == 0
raise SystemExit(main(["rules", "arcade"]))
"""
    assert "stackable" in run_python(code, ROOT, ROOT)


def test_importing_is_quick() -> None:
    # Processor time and the best of three: a test machine may be busy with other things.
    code = "import time; import whot_env; print(time.process_time())"
    assert min(float(run_python(code, ROOT, ROOT)) for _ in range(3)) < 0.5


def test_plain_folders_stay_plain() -> None:
    for folder in ("agents", "train", "benchmarks", "tests", "docs"):
        assert not (ROOT / folder / "__init__.py").exists(), f"{folder}/ would become an importable package"
