"""The engine as plain Python plays the same bytes as compiled: states, masks and observations of batches.

So nothing rests on a number that wraps round, or on anything else that only compiled code does. `make coverage` runs
this file beside the cases and the differential test; it needs `NUMBA_DISABLE_JIT=1`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
TABLES: list[tuple[Any, int]] = [
    ("classic", 3),
    ("naija_life", 2),
    ("naija_whot", 4),
    ("arcade", 8),
    ({"preset": "house_table", "undo_seconds": 4}, 4),
    ({"preset": "naija_whot", "reverse_on_pick": True, "match": {"best_of": 3}}, 3),
    ({"preset": "nigerian", "hand_size": 3, "decks": 2, "multi_card": "same_number", "after_first_out": "vote"}, 6),
    ({"preset": "modern", "hand_size": 2, "match": {"elimination": 20}, "payoff": "placing"}, 4),
]


def digests() -> list[str]:
    """What two games of every table are, to the byte, over a hundred random steps and some host events."""
    from whot_env.actions import DRAW
    from whot_env.batch import Batch
    from whot_env.errors import EventError

    result = []
    for table, seats in TABLES:
        rng = np.random.default_rng(4)
        batch = Batch(table, seats, 2, seed=30)
        digest = hashlib.sha256()
        for number in range(100):
            masks = batch.action_mask()
            for part in (batch.states, masks, batch.observe()):
                digest.update(part.tobytes())
            chances = rng.random(masks.shape) * masks
            chances[:, DRAW] *= 0.3  # so that hands get empty
            actions = chances.argmax(1)
            status = batch.step(actions, lanes=None if number % 10 else [0])
            digest.update(status.tobytes())
            if number % 12 == 0:
                with contextlib.suppress(EventError):
                    batch.leave(0, int(rng.integers(seats)))
            if number % 3 == 0:  # until then a finished match is stepped without effect
                batch.reset(batch.over)
        result.append(digest.hexdigest())
    return result


def test_compiled_and_plain_are_equal_to_the_byte() -> None:
    assert numba.config.DISABLE_JIT, "run with NUMBA_DISABLE_JIT=1, as `make coverage` does"
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), environment.get("PYTHONPATH", "")])
    command = [sys.executable, __file__]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert digests() == json.loads(done.stdout)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(digests()))
