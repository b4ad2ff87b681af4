"""The ``whot`` command: what it prints, and that bad input gives one sentence and exit status 2, never a traceback."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from whot_env.cli import main
from whot_env.rules import PRESETS

CASES = sorted((Path(__file__).parent / "cases").glob("*.jsonl"))


def test_check_holds_every_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *map(str, CASES)]) == 0
    printed = capsys.readouterr().out
    assert "0 fail" in printed
    assert int(printed.split()[0]) >= 176


def test_check_names_a_failing_case_with_step_expected_and_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = json.loads(CASES[0].read_text().splitlines()[0])
    case["steps"] = [{"expect": {"turn": 1}}, *case["steps"]]
    path = tmp_path / "wrong.jsonl"
    path.write_text(json.dumps(case) + "\n")
    assert main(["check", str(path)]) == 1
    printed = capsys.readouterr().out
    for part in (case["id"], "step 1", "expected 1", "found 0", "1 fail"):
        assert part in printed


@pytest.mark.parametrize("preset", PRESETS)
def test_rules_of_a_preset(preset: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", preset]) == 0
    assert "hold_on" in capsys.readouterr().out
    assert main(["rules", preset, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["decks"] == 1


def test_tables_actions_and_layout(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    assert all(preset in capsys.readouterr().out for preset in PRESETS[:1])
    assert main(["actions"]) == 0
    assert "57 draw" in capsys.readouterr().out
    assert main(["layout"]) == 0
    assert "| hand | 0 | 49 | 50 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["rules", "street"], ["street", "arcade"]),
        (["check", "no-such-file.jsonl"], ["no-such-file.jsonl"]),
        (["check", "BINARY"], ["cannot be read"]),
        (["check", "TRUNCATED"], ["line 1", "no JSON"]),
        (["check", "NO_CASE"], ["line 1", "no case"]),
        (["check", "DEEP"], ["no JSON"]),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(
    argv: list[str], words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = {"BINARY": b"\xff\xfe\x00", "TRUNCATED": b'{"id": ', "NO_CASE": b"[1]", "DEEP": b"[" * 100_000}
    if argv[-1] in content:
        path = tmp_path / "cases.jsonl"
        path.write_bytes(content[argv[-1]])
        argv = [argv[0], str(path)]
    assert main(argv) == 2
    error = capsys.readouterr().err
    assert error.startswith("whot: ")
    assert error.count("\n") == 1
    assert all(word in error for word in words)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device that is always full")
@pytest.mark.parametrize(
    "command", [("rules", "--json"), ("arena", "playful", "playful", "--games", "2", "--players", "2", "--json")]
)
def test_output_to_a_full_disk_is_one_error(command: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "whot_env", *command],
            check=False,
            cwd=Path(__file__).parents[1],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (done.returncode, done.stderr) == (2, "whot: the output: No space left on device\n")
