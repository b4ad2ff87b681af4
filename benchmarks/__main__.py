"""``python benchmarks`` (or ``make bench``): measures every pair and curve, writes results.json and the pictures.

    --only KEY ...   measure these pairs alone (and no curve), print them and write nothing
    --turns N        turns of each pair, at least 5 for a result that is written
    --seconds S      length of a turn

Then ``make docs`` brings docs/performance.md up to date.
"""

import argparse
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from measure import machine, measured
from pairs import PAIRS

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
LEAST_TURNS = 5
COMPILE = "from whot_env.bench import decisions_per_second; decisions_per_second(batch=64, seconds=0.1)"


def main(arguments: list[str]) -> int:
    """The exit status: 1 if a pair is below its target."""
    parser = argparse.ArgumentParser(prog="benchmarks", description="whot-env and its peers, measured in turns")
    parser.add_argument("--only", nargs="+", choices=[pair.key for pair in PAIRS], metavar="KEY")
    parser.add_argument("--turns", type=int, default=LEAST_TURNS)
    parser.add_argument("--seconds", type=float, default=1.0)
    chosen = parser.parse_args(arguments)
    if chosen.only is None and chosen.turns < LEAST_TURNS:
        parser.error(f"--turns is {chosen.turns}; allowed: at least {LEAST_TURNS} for a result that is written")
    # The process that compiles the engine runs it up to a third slower than all later ones, which load it.
    subprocess.run([sys.executable, "-c", COMPILE], check=True)
    entries = []
    for pair in PAIRS:
        if chosen.only is None or pair.key in chosen.only:
            entries.append(measured(pair, chosen.turns, chosen.seconds))
            print(_line(entries[-1]), flush=True)
    if chosen.only is None:
        from picture import draw
        from scaling import curves

        result = {
            "machine": machine(),
            "date": datetime.now(UTC).date().isoformat(),
            "turns": chosen.turns,
            "seconds": chosen.seconds,
            "pairs": entries,
            "scaling": curves(chosen.seconds / 2),
        }
        RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8", newline="\n")
        draw(result, HERE.parent / "docs" / "images")
    missed = [entry["key"] for entry in entries if entry["target"] is not None and entry["ratio"][1] < entry["target"]]
    if missed:
        print("below target:", ", ".join(missed))
    return 1 if missed else 0


def _line(entry: dict) -> str:
    ours, theirs, ratio = entry["ours"]["per_second"][1], entry["theirs"]["per_second"][1], entry["ratio"]
    return f"{entry['key']:18} {ours:12,} {theirs:12,}   ×{ratio[1]:g} ({ratio[0]:g} to {ratio[2]:g})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
