"""Who plays the compared games: the policies that environments offer, and two that go where those seldom do."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from whot_agents.heuristic import make_heuristic
from whot_env.actions import ACTION_NAMES
from whot_env.policies import make_policy

_SHIPPED = {"uniform": make_policy("uniform"), "playful": make_policy("playful"), "heuristic": make_heuristic()}
POLICIES = (*_SHIPPED, "shed", "silent")
"""`shed` lays as many cards as it can; `silent` forgets what it should say, so that penalties are owed."""


class Players:
    """A policy for each seat. One decision in twenty is uniform whoever makes it, so that no policy avoids a branch."""

    def __init__(self, random: Random, seats: int) -> None:
        self.random = random
        self.rng = np.random.default_rng(random.randrange(2**32))
        self.policies = [random.choice(POLICIES) for _ in range(seats)]

    def choose(self, game: Any) -> tuple[str, str]:
        """The policy that decides now, and its action in the engine's game."""
        policy = "uniform" if self.random.random() < 0.05 else self.policies[game.asked]
        if policy in _SHIPPED:
            action = _SHIPPED[policy].act(game.observation()[None], game.action_mask()[None], self.rng)[0]
            return policy, ACTION_NAMES[action]
        return policy, imitate(self.random, policy, game.legal())


def imitate(random: Random, policy: str, names: list[str]) -> str:
    """An action of ``shed``, ``silent``, ``uniform`` or roughly ``playful``, from the names of the legal ones."""
    if policy == "uniform":
        return random.choice(names)
    if policy == "silent":
        names = [name for name in names if name not in ("last-card", "check-up")] or names
    elif {"last-card", "check-up"} & set(names):
        names = [name for name in names if name in ("last-card", "check-up")]
    if "stop" in names and random.random() < 0.8:
        return "play-on"
    if "undo" in names and random.random() < 0.5:
        return "pass"
    playable = [name for name in names if name not in ("draw", "pass")]
    if policy == "shed" and len(playable) > 1:
        playable = [name for name in playable if name not in ("end", "catch")]
    return random.choice(playable or names)
