"""Compares the engine with the slow reference: `python tests/fuzz.py --decisions 200000 --seconds 600`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

for _folder in (Path(__file__).resolve().parent / "reference", Path(__file__).resolve().parent.parent):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

from whot_lockstep import Mismatch, Tally, play_game  # noqa: E402  (needs the path above)


def main(arguments: list[str] | None = None) -> int:
    """Play until the decisions or the seconds are used up; 0 when nothing differed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--game", type=int, help="this game of the seed only")
    parser.add_argument("--faults", type=int, default=1, help="go on until so many different faults were seen")
    options = parser.parse_args(arguments)
    tally, faults, number = Tally(), set(), options.game or 0
    end = time.monotonic() + options.seconds
    while tally.decisions < options.decisions and time.monotonic() < end:
        try:
            play_game(options.seed, number, tally)
        except Mismatch as mismatch:
            if mismatch.group not in faults:
                sys.stdout.write(f"{mismatch}\n")
                sys.stdout.flush()
            faults.add(mismatch.group)
            if len(faults) >= options.faults:
                break
        if options.game is not None:
            break
        number += 1
    sys.stdout.write(tally.table() + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
