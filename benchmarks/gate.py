"""``python benchmarks/gate.py``: whether the engine is as fast as it was, whatever the machine.

Its decisions per second are divided by the decks per second that NumPy shuffles, both in CPU time and in turns, so that
a slow or busy machine slows both. Each counts at its best turn, the one that other programs disturbed least, and what
falls below the floor is measured again: a disturbance passes, a slower engine stays.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from measure import Rate, calibration, in_turns, rate_of

from whot_env.batch import Batch

FLOOR = Path(__file__).resolve().with_name("floor.json")
GAMES, TURNS, SECONDS, ATTEMPTS = 1024, 12, 0.05, 3


def engine(batch: Batch) -> Rate:
    """``Batch.play``: everything that a decision writes, its action drawn in the kernel."""
    out, keys = batch.outputs(), np.arange(batch.num_games, dtype=np.uint64)

    def play() -> int:
        batch.play("uniform", 4, keys, out)
        return 4 * batch.num_games

    return rate_of(play, time.process_time)


def ratio(batch: Batch) -> float:
    """Decisions per shuffled deck."""
    ours, decks = in_turns(engine(batch), calibration(GAMES, time.process_time), TURNS, SECONDS)
    return max(ours) / max(decks)


def floor() -> float:
    """The least ratio that passes: a share of what it was when the floor was set."""
    values = json.loads(FLOOR.read_text(encoding="utf-8"))
    return values["ratio"] * values["share"]


def passes(batch: Batch) -> tuple[bool, float]:
    """Whether the engine is fast enough, and the best ratio found."""
    best, least = 0.0, floor()
    for _ in range(ATTEMPTS):
        best = max(best, ratio(batch))
        if best >= least:
            return True, best
    return False, best


if __name__ == "__main__":
    fast, found = passes(Batch("naija_whot", 2, GAMES))
    print(f"{found:.3f} decisions per shuffled deck; allowed: at least {floor():.3f}")
    sys.exit(not fast)
