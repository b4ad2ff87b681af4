"""Breaks one rule at a time in a copy of the engine and sees which check notices: `python tests/mutations.py`.

The list is mutations.toml. Each mutation meets the rule cases, then the reference, then the tests named in the list,
and is done with the first that fails. The engine runs as plain Python (tests/plain.py), so nothing is compiled anew.
Exit status 1 when a mutation survives, when its line is not there exactly once, or when a check fails without any.
`mutations.json` keeps the result for docs/testing.md; `--only ID…` runs some and keeps nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tests" / "mutations.toml"
RESULT = ROOT / "tests" / "mutations.json"
DECISIONS = 10_000


@dataclass(frozen=True)
class Mutation:
    """One line of the engine, changed."""

    id: str
    file: str
    breaks: str
    line: str
    mutated: str

    def times(self, text: str) -> int:
        """How often the line stands in ``text``."""
        return [line.strip() for line in text.splitlines()].count(self.line)

    def apply(self, text: str) -> str:
        """``text`` with the changed line."""
        lines = text.splitlines(keepends=True)
        return "".join(x.replace(self.line, self.mutated) if x.strip() == self.line else x for x in lines)


@dataclass(frozen=True)
class Check:
    """A command that a mutation meets, and the pattern by which its output names what noticed first."""

    name: str
    command: list[str]
    noticed: str
    seconds: float

    def run(self, folder: Path) -> str | None:
        """None where it passes in ``folder``, else what noticed."""
        environment = os.environ | {
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONDONTWRITEBYTECODE": "1",  # a mutated file may have the size and second of the one before it
            "PYTHONPATH": os.pathsep.join(str(folder / part) for part in (".", "agents", "train")),
        }
        command = [sys.executable, *self.command]
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=self.seconds
            )
        except subprocess.TimeoutExpired:
            return "does not end"
        if done.returncode == 0:
            return None
        first = re.search(self.noticed, done.stdout, re.MULTILINE)
        return first[1] if first else done.stderr.strip().splitlines()[-1]


def read_list() -> tuple[list[Mutation], list[str]]:
    """The mutations, and the patterns of the tests that they meet last."""
    table = tomllib.loads(LIST.read_text(encoding="utf-8"))
    return [Mutation(**entry) for entry in table["mutation"]], table["files"]


def misplaced(mutations: list[Mutation]) -> list[str]:
    """One sentence for each mutation whose line does not stand in its file exactly once."""
    engine = ROOT / "whot_env" / "engine"
    counts = [(m, m.times((engine / m.file).read_text(encoding="utf-8"))) for m in mutations]
    return [f"{m.id}: line {m.line!r} stands {n} times in {m.file}; allowed: once" for m, n in counts if n != 1]


def checks(patterns: list[str]) -> list[Check]:
    """The checks in the order in which mutations meet them."""
    cases = [f"tests/cases/{path.name}" for path in sorted((ROOT / "tests" / "cases").glob("*.jsonl"))]
    pytest = ["-m", "pytest", "-x", "-q", "--tb=short", "-p", "no:cacheprovider"]
    reference = [*pytest, "tests/test_differential.py", "--fuzz-decisions", str(DECISIONS)]
    result = [
        Check("cases", ["tests/plain.py", *cases], r"^FAILED ([^\s:]+)", 60),
        Check("reference", reference, r"differ: (seed \d+, game \d+)", 300),
    ]
    files = []
    for pattern, colons, test in (pattern.partition("::") for pattern in patterns):
        files += [f"{path.relative_to(ROOT).as_posix()}{colons}{test}" for path in sorted(ROOT.glob(pattern))]
    if files:
        result.append(Check("tests", [*pytest, *files], r"^FAILED tests/(\S+)", 1200))
    return result


def copy_tree(folder: Path) -> None:
    """What the checks need, without caches."""
    for name in ("whot_env", "agents", "train", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)


def first_notice(all_checks: list[Check], folder: Path) -> tuple[str, str] | None:
    """The first check that fails in ``folder``, and what noticed."""
    for check in all_checks:
        notice = check.run(folder)
        if notice is not None:
            return check.name, notice
    return None


def main(arguments: list[str] | None = None) -> int:
    """Run the list; 0 when everything was caught."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="ID", help="these mutations; the result is not kept")
    options = parser.parse_args(arguments)
    mutations, patterns = read_list()
    faults = misplaced(mutations)
    if faults:
        sys.stdout.write("\n".join(faults) + "\n")
        return 1
    if options.only:
        mutations = [m for m in mutations if m.id in options.only]
    all_checks = checks(patterns)
    started, results = time.monotonic(), []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_tree(folder)
        if (notice := first_notice(all_checks, folder)) is not None:
            sys.stdout.write(f"without any mutation {notice[0]} fail: {notice[1]}\n")
            return 1
        for mutation in mutations:
            path = folder / "whot_env" / "engine" / mutation.file
            text = path.read_text(encoding="utf-8")
            path.write_text(mutation.apply(text), encoding="utf-8")
            caught_by, notice_of = first_notice(all_checks, folder) or ("nothing", "SURVIVES")
            path.write_text(text, encoding="utf-8")
            results.append({"id": mutation.id, "caught_by": caught_by, "noticed": notice_of})
            sys.stdout.write(f"{mutation.id:<36}{mutation.breaks:<20}{caught_by:<12}{notice_of}\n")
            sys.stdout.flush()
    survivors = [result["id"] for result in results if result["caught_by"] == "nothing"]
    sys.stdout.write(f"{len(results)} mutations, {len(survivors)} survive; {time.monotonic() - started:.0f} s\n")
    if not options.only:
        RESULT.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8", newline="\n")
    return 1 if survivors or not results else 0


if __name__ == "__main__":
    sys.exit(main())
