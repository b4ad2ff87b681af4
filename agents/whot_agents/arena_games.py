"""The games of one pairing, many at a time: every deal once for each seat of A."""

import time
from collections.abc import Callable, Iterator

import numpy as np

from whot_agents.base import Array, BatchAgent
from whot_env.actions import NUM_ACTIONS
from whot_env.batch import Batch
from whot_env.engine import run
from whot_env.errors import WhotError
from whot_env.lane_random import LaneRandom
from whot_env.observation import LAYOUT
from whot_env.rules import MAX_SEATS, Rules
from whot_env.state import STATE

LANES = 1024
"""Games played at a time, at most. What comes out does not depend on it."""

_FIRST_LANES = 16
_STEP_SECONDS = 0.1
"""More games are played at a time until a step of all takes this long: a slow agent is asked about few games at once,
so that progress is seen, a stop is obeyed soon, and little is played in vain once the question is settled."""

_RECORD = np.dtype((np.void, STATE.itemsize))
_NOTHING = -1
"""An action that no lane takes: the record stays as it is."""

Stop = Callable[[], bool]


class Games:
    """Job j is deal ``j // seats`` with A at seat ``j % seats``; a lane that ends its game takes the next job, so the
    batch stays full. A game depends on its deal and on A's seat alone, never on the lanes beside it.

    Args:
        agents: A and B.
        rules: the table.
        seats: at the table.
        deals: to be played at most.
        seed: of deal 0; deal i is dealt with ``seed + i``.
        max_moves: a round with this many moves is stopped.
    """

    def __init__(
        self, agents: tuple[BatchAgent, BatchAgent], rules: Rules, seats: int, deals: int, seed: int, max_moves: int
    ) -> None:
        self.agents, self.seats, self.deals, self.seed, self.max_moves = agents, seats, deals, seed, max_moves
        self.jobs = deals * seats
        self.finished = 0
        """Games that have ended."""
        self.shares = np.zeros((deals, seats))
        """float64[deals, seats]: A's share of the win, 1/k for a win shared by k; 0 in a game that was stopped."""
        self.payoffs = np.zeros((deals, seats))
        """float64[deals, seats]: A's payoff; 0 in a game that was stopped."""
        self.truncated = np.zeros((deals, seats), np.bool_)
        """bool[deals, seats]: the game was stopped at ``max_moves``."""
        self._left = np.full(deals, seats, np.int8)  # games of each deal that have not ended
        self._whole = 0
        lanes = min(LANES, self.jobs)
        self._batch = Batch(rules, seats, lanes)
        self._out = self._batch.outputs()
        self._random = LaneRandom(lanes)
        self._job = np.zeros(lanes, np.int64)
        self._playing = np.zeros(lanes, np.bool_)
        self._next = 0  # the job that is taken next

    def play(self, stop: Stop | None = None) -> Iterator[int]:
        """Play until all is played, ``stop()`` is true or the iterator is closed; yields, now and then, the number of
        deals from the first on of which all games have ended. Later deals may be unfinished, so only those count: which
        deals they are does not depend on how their games went."""
        self._take(np.arange(min(_FIRST_LANES, len(self._job))))
        while self._playing.any() and not (stop is not None and stop()):
            start = time.perf_counter()
            done = self._step()
            quick = time.perf_counter() - start < _STEP_SECONDS
            if len(done):
                self._record(done)
                self._take(done)
                yield self._count_whole()
            idle = np.flatnonzero(~self._playing)
            if quick and self._next < self.jobs and len(idle):
                self._take(idle[: int(self._playing.sum())])

    def _step(self) -> Array:
        """One action in every lane that plays; the lanes whose game has ended, int64[N]."""
        out = self._out
        actions = np.full(len(self._job), _NOTHING)
        is_a = self._batch.asked == self._job % self.seats
        for agent, chosen in zip(self.agents, (is_a, ~is_a), strict=True):
            rows = np.flatnonzero(chosen & self._playing)
            if len(rows):
                seen, mask = out.observation[rows], out.action_mask[rows]
                actions[rows] = self._choose(agent, seen, mask, rows)
        self._batch.advance(actions, out)
        # A match that ended is over and the next one dealt, so its count of moves is 0.
        return np.flatnonzero(self._playing & (out.done | (self._batch.states["moves"] >= self.max_moves)))

    def _choose(self, agent: BatchAgent, observation: Array, mask: Array, rows: Array) -> Array:
        actions = np.asarray(agent.act(observation, mask, self._random.source(rows)))
        if actions.shape != (len(rows),) or actions.dtype.kind not in "iu":
            what = f"{actions.dtype}{list(actions.shape)}"
            raise WhotError("action", f"agent {agent.name!r} chose {what}; allowed: integers [{len(rows)}]")
        known = (actions >= 0) & (actions < NUM_ACTIONS)
        legal = known & (mask[np.arange(len(rows)), np.where(known, actions, 0)] > 0)
        if not legal.all():
            wrong = actions[int(legal.argmin())]
            raise WhotError("action", f"agent {agent.name!r} chose action {wrong}, which is not legal")
        return actions

    def _take(self, lanes: Array) -> None:
        """Give the next jobs to ``lanes``, as far as there are any."""
        lanes, rest = lanes[: self.jobs - self._next], lanes[self.jobs - self._next :]
        self._playing[rest] = False
        if not len(lanes):
            return
        self._playing[lanes] = True
        self._job[lanes] = self._next + np.arange(len(lanes))
        self._next += len(lanes)
        deals, own = np.divmod(self._job, self.seats)
        seeds = (self.seed + deals).astype(np.uint64)
        self._batch.reset(lanes, seeds)
        self._random.seed(lanes, seeds[lanes] * np.uint64(MAX_SEATS) + own[lanes].astype(np.uint64))
        # Copied as plain bytes, because NumPy copies structured records field by field.
        states = self._batch.states.view(_RECORD)[lanes].view(STATE)
        seen, mask = np.empty((len(lanes), LAYOUT.size), np.int8), np.empty((len(lanes), NUM_ACTIONS), np.int8)
        run.observe_batch(self._batch.table, states, np.ascontiguousarray(states["asked"]), LAYOUT.records(seen))
        run.legal_batch(self._batch.table, states, mask)
        self._out.observation[lanes], self._out.action_mask[lanes] = seen, mask

    def _record(self, lanes: Array) -> None:
        deals, own = np.divmod(self._job[lanes], self.seats)
        over = self._out.done[lanes]
        payoffs = self._out.rewards[lanes].astype(np.float64)
        # Winners have the largest payoff under either payoff rule (rules 4.10).
        wins = np.isclose(payoffs, payoffs.max(axis=1, keepdims=True))
        rows = np.arange(len(lanes))
        self.payoffs[deals, own] = np.where(over, payoffs[rows, own], 0)
        self.shares[deals, own] = np.where(over, wins[rows, own] / wins.sum(axis=1), 0)
        self.truncated[deals, own] = ~over
        np.subtract.at(self._left, deals, 1)
        self.finished += len(lanes)

    def _count_whole(self) -> int:
        ahead = self._left[self._whole : self._next // self.seats + 1] > 0
        self._whole += int(ahead.argmax()) if ahead.any() else len(ahead)
        return self._whole
