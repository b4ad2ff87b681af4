"""Which columns of the observation can vary at a table, and how large they usually are.

The observation serves every table with up to eight seats, so at one table most of its columns are constant. The network
reads only the others, which makes its first layer several times cheaper; the bundle takes the whole observation.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from whot_env.batch import Batch
from whot_env.policies import make_policy
from whot_train.tables import Tables

LANES = 256
SAMPLE_DECISIONS = 100_000


@dataclass(frozen=True)
class Columns:
    """Columns that the network reads, and what it divides them by."""

    index: np.ndarray[Any, Any]
    """int64[C], ascending."""
    scale: np.ndarray[Any, Any]
    """float32[C]: one over the root mean square of the values that are not 0, at most 1."""


def varying_columns(tables: Tables, seed: int = 0) -> Columns:
    """Columns that took more than one value in 100,000 decisions of games at these tables.

    Half of the games are played by ``uniform``, which wanders into long games, big hands and recycled markets, half by
    ``playful``, which reaches the ends of games. The same arguments give the same columns.
    """
    rng = np.random.default_rng(seed)
    rules, num_players = zip(*tables.lanes(LANES, rng), strict=True)
    batch = Batch(rules, num_players, LANES, seed)
    players = [(make_policy("uniform"), slice(0, LANES // 2)), (make_policy("playful"), slice(LANES // 2, LANES))]
    first = batch.observe()[:1].copy()
    varies = np.zeros(first.shape[1], bool)
    squares, count = np.zeros(first.shape[1]), np.zeros(first.shape[1])
    for _ in range(SAMPLE_DECISIONS // LANES):
        observation, mask = batch.observe(), batch.action_mask()
        varies |= (observation != first).any(axis=0)
        squares += np.square(observation, dtype=np.float64).sum(axis=0)
        count += (observation != 0).sum(axis=0)
        actions = np.zeros(LANES, np.int64)
        for policy, lanes in players:
            actions[lanes] = policy.act(observation[lanes], mask[lanes], rng)
        batch.step(actions)
        if batch.over.any():
            batch.reset(lanes=batch.over)
    index = np.flatnonzero(varies)
    usual = np.sqrt(squares[index] / np.maximum(count[index], 1))
    return Columns(index, (1 / np.maximum(usual, 1)).astype(np.float32))
