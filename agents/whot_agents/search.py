"""``search:N`` and ``flat:N``: play the legal actions out in worlds that the seat asked cannot tell from the real one.

A decision costs N playouts. ``flat`` shares them out evenly, in worlds drawn evenly, with playful playouts: the plain
method that others are measured against. ``search`` halves the actions again and again (sequential halving), so that
the good ones get most of the playouts; draws worlds that fit what the other seats declined; plays out by a rule of its
own; and takes the heuristic's advice unless the playouts speak clearly against it. Both try all actions left in each
world, so that the luck of a world falls on all of them, and both announce and catch without a thought.
"""

from typing import Any

import numpy as np

from whot_agents.base import Array
from whot_agents.compiled import entry, kernel
from whot_agents.heuristic import HeuristicAgent
from whot_agents.search_playout import SAID, play_out
from whot_agents.search_worlds import draw_world
from whot_env.batch import as_int
from whot_env.engine.imagine import imagine_batch, observed_rules
from whot_env.engine.log import NO_LOG
from whot_env.engine.random import mix64
from whot_env.engine.run import DONE, step_record
from whot_env.errors import WhotError, shown
from whot_env.observation import LAYOUT
from whot_env.state import STATE

KINDS = ("search", "flat")

MAX_PLAYOUTS = 1_000_000

_TRIES = 16
"""Worlds drawn at most until one fits."""

_TRUST = 1.0
"""How far the advised action stays ahead, in standard errors of a sum of payoffs: what playouts cannot tell apart, the
heuristic decides."""

_MAX_MOVES = 300
"""Moves after which a playout is given up and pays nothing."""


class SearchAgent:
    """Chooses by the mean payoff of playouts; equal observations and equal chance get equal actions.

    It plays for the round's payoff; of a match it sees no more than the round.

    Args:
        playouts: for each decision, 1 to 1,000,000; at least one for each legal action is made.
        kind: ``search`` or ``flat``.

    Raises:
        WhotError: an argument is out of range.
    """

    def __init__(self, playouts: int, kind: str = "search") -> None:
        if not 1 <= (as_int(playouts) or 0) <= MAX_PLAYOUTS:
            allowed = f"a whole number from 1 to {MAX_PLAYOUTS}"
            raise WhotError("playouts", f"playouts of {kind} are {shown(playouts)}; allowed: {allowed}")
        if kind not in KINDS:
            raise WhotError("kind", f"kind is {shown(kind)}; allowed: {', '.join(KINDS)}")
        self.playouts, self.kind = playouts, kind
        self._adviser = HeuristicAgent()
        self.name = f"{kind}:{playouts}"

    def act(self, observation: Array, action_mask: Array, rng: np.random.Generator) -> Array:
        """int64[N] legal actions; see ``BatchAgent.act``.

        Raises:
            WhotError: an observation that no seat asked can have.
        """
        n = len(observation)
        observation = np.ascontiguousarray(observation)
        seeds = (rng.random(n) * (1 << 53)).astype(np.uint64)
        rules, roots, possible = observed_rules(observation), np.zeros(n, STATE), np.zeros(n, np.bool_)
        imagine_batch(rules, LAYOUT.records(observation), seeds, roots, possible)
        if not possible.all():
            lane = int(possible.argmin())
            raise WhotError("observation", f"observation {lane} is of no table; allowed: what the seat asked sees")
        actions = np.empty(n, np.int64)
        sharp = self.kind == "search"
        # What `actions` holds before is the advice; none for `flat`.
        actions[:] = self._adviser.act(observation, action_mask, rng) if sharp else -1
        _search_all(rules, roots, action_mask, seeds, int(self.playouts), sharp, np.zeros(2, STATE), NO_LOG, actions)
        return actions


@entry
def _search_all(
    rules: Any, roots: Any, mask: Any, seeds: Any, playouts: int, sharp: bool, work: Any, log: Any, actions: Any
) -> None:
    for i in range(len(roots)):
        actions[i] = _search(rules[i], roots[i], mask[i], seeds[i], playouts, sharp, work, log, actions[i])


@kernel
def _search(
    r: Any, root: Any, mask: Any, seed: Any, playouts: int, sharp: bool, work: Any, log: Any, advice: int
) -> int:
    """The action of the best mean payoff to seat 0, whose observation ``root`` was imagined from."""
    for said in SAID:
        if mask[said]:
            return said
    left = np.flatnonzero(mask)
    if len(left) == 1:
        return left[0]
    payoffs = np.zeros(len(left))
    rounds = 1
    while sharp and 1 << rounds < len(left):
        rounds += 1
    worlds = 0
    for _ in range(rounds):
        for _ in range(max(playouts // (rounds * len(left)), 1)):
            work[0] = root
            draw_world(r, work[0], 0, mix64(seed + np.uint64(worlds)), _TRIES if sharp else 0)
            worlds += 1
            for i in range(len(left)):
                work[1] = work[0]
                s = work[1]
                if step_record(r, s, log, left[i]) == DONE and play_out(r, s, log, sharp, _MAX_MOVES):
                    payoffs[i] += s.payoffs[0]
        # Sums of as many playouts each, so they compare like means; equal ones keep the order of the ids.
        worth = payoffs + _TRUST * np.sqrt(worlds) * (left == advice)
        order = np.argsort(-worth, kind="mergesort")[: (len(left) + 1) // 2]
        left, payoffs = left[order], payoffs[order]
    return left[0]
