"""How fast the engine is here, counted in decisions: one action chosen by one seat and carried out."""

import time

import numpy as np

from whot_env.batch import Batch
from whot_env.rules import RulesLike

_WARM_UP = 300
"""Decisions a game before the clock starts: games spread over all stages, and the kernel is compiled."""

_SLICE = 0.05
"""Seconds between two looks at the clock, about."""


def decisions_per_second(
    rules: RulesLike = "naija_whot",
    num_players: int | None = 2,
    batch: int = 4096,
    seconds: float = 3.0,
    threads: int = 1,
    policy: str = "uniform",
    seed: int = 0,
) -> float:
    """Decisions a second of ``Batch.play``.

    Each decision draws an action by ``policy`` in the kernel, carries it out, deals the next round or match where one
    is over, and writes reward, end, observation and action mask of the seat asked next. All of it is counted.

    Args:
        rules: a preset name, an object or ``Rules``.
        num_players: seats; None: the table's default.
        batch: games side by side.
        seconds: how long to measure.
        threads: cores to use.
        policy: ``uniform`` over the legal actions, or ``playful``.
        seed: of the games and the choices.

    Raises:
        WhotError: an argument is wrong.
    """
    games = Batch(rules, num_players, batch, seed=seed)
    out = games.outputs()
    keys = np.random.default_rng(seed).integers(0, 1 << 64, size=batch, dtype=np.uint64)
    games.play(policy, _WARM_UP, keys, out, threads)
    steps, played = 1, 0
    start = now = time.perf_counter()
    while now - start < seconds:
        before = now
        games.play(policy, steps, keys, out, threads)
        now = time.perf_counter()
        played += steps
        steps = max(1, round(steps * min(_SLICE / max(now - before, 1e-9), 4.0)))
    return played * batch / (now - start)
