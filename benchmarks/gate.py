"""``python benchmarks/gate.py``: whether the engine is as fast as it was, on any machine.

Its decisions per second are divided by the rows per second of a NumPy loop, measured in turns in CPU time, so that a
slow or busy machine slows both. The floor lies at 70 % of what the ratio was where it was set: half the speed fails.
"""

import json
import sys
from pathlib import Path

from measure import Rate, calibration, in_turns, rate_of

from whot_env.batch import Batch

FLOOR = Path(__file__).resolve().with_name("floor.json")
LANES, TURNS, SECONDS = 1024, 20, 0.05


def engine(batch: Batch) -> Rate:
    """Observation, mask, step and reset through ``Batch``; the action is the first legal one: a card before drawing."""
    observation, mask = batch.observe(), batch.action_mask()

    def play() -> int:
        batch.observe(out=observation)
        batch.action_mask(mask)
        batch.step(mask.argmax(axis=1))
        over = batch.over
        if over.any():
            batch.reset(over)
        return len(mask)

    return rate_of(play)


def ratio(batch: Batch) -> float:
    """Decisions per NumPy row, each at its best turn: the one that other programs disturbed least."""
    ours, rows = in_turns(engine(batch), calibration(LANES), TURNS, SECONDS)
    return max(ours) / max(rows)


def floor() -> float:
    """The least ratio that passes."""
    values = json.loads(FLOOR.read_text(encoding="utf-8"))
    return values["ratio"] * values["share"]


if __name__ == "__main__":
    found, least = ratio(Batch("naija_whot", 2, LANES)), floor()
    print(f"{found:.3f} decisions per NumPy row; allowed: at least {least:.3f}")
    sys.exit(found < least)
