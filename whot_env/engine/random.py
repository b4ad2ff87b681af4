"""A counter generator in the record: value n of a game is a hash of the game's key and n (splitmix64 finaliser).

So a copied record replays identically, and game i of a batch seeded s plays as a single game seeded s + i.
"""

import math
from typing import Any

import numpy as np

from whot_env.engine.kernel import kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_S30, _S27, _S31, _S32, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32), np.uint64(11)


@kernel
def mix64(z: Any) -> Any:
    z = (z ^ (z >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)


@kernel
def seed_game(s: Any, seed: Any) -> None:
    s.key = mix64(np.uint64(seed) + GOLDEN)
    s.counter = np.uint64(0)


@kernel
def _next(s: Any) -> Any:
    s.counter = s.counter + _ONE
    return mix64(s.key + s.counter * GOLDEN)


@kernel
def below(s: Any, n: int) -> int:
    """A whole number from 0 to n - 1."""
    return int(((_next(s) >> _S32) * np.uint64(n)) >> _S32)


@kernel
def unit(word: Any) -> float:
    """A random word as a float in [0, 1)."""
    return np.float64(word >> _S11) * (1.0 / 9007199254740992.0)


@kernel
def uniform(s: Any) -> float:
    """A float in [0, 1)."""
    return unit(_next(s))


@kernel
def shuffle(s: Any, cards: Any, n: int) -> None:
    """Fisher-Yates over the first n entries."""
    for i in range(n - 1, 0, -1):
        j = below(s, i + 1)
        cards[i], cards[j] = cards[j], cards[i]


@kernel
def reaction_time(r: Any, s: Any, seat: int) -> float:
    """Seconds until ``seat`` presses (rules 4.8): log-normal, or the time given from outside, which is used up."""
    forced = s.forced[seat]
    if forced >= 0.0:
        s.forced[seat] = -1.0
        return forced
    u1 = uniform(s)
    u2 = uniform(s)
    z = math.sqrt(-2.0 * math.log(1.0 - u1)) * math.cos(2.0 * math.pi * u2)
    return min(math.exp(math.log(r.reaction_median) + r.reaction_sigma * z), 1e8)
