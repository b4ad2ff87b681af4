"""The arena: two agents on the same deals, every seat in turn, with intervals."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from whot_agents.base import Array, BatchAgent
from whot_env.batch import Batch, as_int, check_seed
from whot_env.errors import WhotError, shown
from whot_env.rules import RulesLike, as_rules

LANES = 1024
"""Games played at a time. The result depends on it (through the order of an agent's random numbers), so it is fixed."""

MAX_GAMES = 10_000_000
"""Games of one evaluation at most: a table of 160 MB, and an interval narrower than anybody needs."""

MAX_MOVES = 2000
MOST_MOVES = 1_000_000
"""The largest ``max_moves``, as large as the rules' own ``move_limit`` may be."""

BOOTSTRAPS = 10_000

Progress = Callable[[int, int], None]
"""Called with the games finished and the games in all."""


@dataclass(frozen=True)
class Result:
    """How agent A fared: one A against ``num_players - 1`` B's."""

    agent_a: str
    agent_b: str
    rules: Any
    """In JSON form."""
    num_players: int
    seed: int
    deals: int
    games: int
    """Every deal once for each seat of A."""
    win_rate: float
    """Mean share of the win: 1 for a win, 1/k for a win shared by k seats, 0 else."""
    low: float
    """Lower end of the 95 % interval of ``win_rate``: bootstrap over deals."""
    high: float
    fair: float
    """Win rate of equals: 1 / num_players."""
    score: float
    """Mean payoff of A, -1 to 1."""
    score_low: float
    score_high: float
    truncated: int
    """Games stopped at ``max_moves``; nobody's win, payoff 0."""
    max_moves: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """The fields, as JSON."""
        return asdict(self)

    def __str__(self) -> str:
        rules = self.rules if isinstance(self.rules, str) else f"{self.rules['preset']} (changed)"
        cut = f", {self.truncated} stopped at {self.max_moves} moves" if self.truncated else ""
        return (
            f"{self.agent_a} against {self.agent_b}, {rules}, {self.num_players} seats: wins {self.win_rate:.1%} "
            f"[{self.low:.1%}, {self.high:.1%}] (fair {self.fair:.1%}), score {self.score:+.3f} "
            f"[{self.score_low:+.3f}, {self.score_high:+.3f}], {self.games} games on {self.deals} deals{cut}"
        )


def evaluate(
    agent_a: BatchAgent,
    agent_b: BatchAgent,
    rules: RulesLike,
    num_players: int | None = None,
    games: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
    max_moves: int = MAX_MOVES,
) -> Result:
    """Play A against B's on duplicate deals: each deal once for each seat of A.

    Args:
        agent_a: sits at one seat.
        agent_b: sits at all the others.
        rules: the table: preset name, JSON object or ``Rules``.
        num_players: seats; None: the table's default.
        games: at least this many, rounded up to whole deals.
        seed: of the first deal; deal i is dealt with ``seed + i``. The agents' chance comes from it too.
        progress: called now and then.
        max_moves: a round with this many moves is stopped.

    Raises:
        WhotError: ``games`` or ``max_moves`` is out of range, or the rules or seats are refused.
    """
    table = as_rules(rules)
    seats = table.seats if num_players is None else num_players
    for key, number, most in (("games", games, MAX_GAMES), ("max_moves", max_moves, MOST_MOVES)):
        if not 1 <= (as_int(number) or 0) <= most:
            raise WhotError(key, f"{key} is {shown(number)}; allowed: a whole number from 1 to {most}")
    check_seed(seed)
    table.check_seats(seats)
    deals = -(-games // seats)
    start = time.perf_counter()
    match = _Match(agent_a, agent_b, table, seats, deals, seed, max_moves)
    shares, payoffs, truncated = match.play(progress)
    low, high = _interval(shares.mean(axis=1), seed)
    score_low, score_high = _interval(payoffs.mean(axis=1), seed)
    return Result(
        agent_a=agent_a.name,
        agent_b=agent_b.name,
        rules=table.to_json(),
        num_players=seats,
        seed=seed,
        deals=deals,
        games=deals * seats,
        win_rate=float(shares.mean()),
        low=low,
        high=high,
        fair=1 / seats,
        score=float(payoffs.mean()),
        score_low=score_low,
        score_high=score_high,
        truncated=truncated,
        max_moves=max_moves,
        seconds=round(time.perf_counter() - start, 3),
    )


class _Match:
    """All games of one evaluation. Job j is deal ``j // seats`` with A at seat ``j % seats``; a lane that ends its game
    takes the next job, so the batch stays full."""

    def __init__(
        self, agent_a: BatchAgent, agent_b: BatchAgent, rules: Any, seats: int, deals: int, seed: int, max_moves: int
    ) -> None:
        self.agents = (agent_a, agent_b)
        self.seats, self.jobs, self.seed, self.max_moves = seats, deals * seats, seed, max_moves
        self.lanes = min(LANES, self.jobs)
        self.batch = Batch(rules, seats, self.lanes)
        self.rngs = [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2)]
        self.job = np.arange(self.lanes)
        self.shares = np.zeros(self.jobs)
        self.payoffs = np.zeros(self.jobs)
        self.truncated = 0

    def play(self, progress: Progress | None) -> tuple[Array, Array, int]:
        """Shares of the win and payoffs of A, float64[deals, seats], and the number of truncated games."""
        self._deal(np.arange(self.lanes))
        next_job = self.lanes
        finished = 0
        playing = np.ones(self.lanes, bool)
        actions = np.zeros(self.lanes, np.int64)
        while playing.any():
            observation, mask = self.batch.observe(), self.batch.action_mask()
            is_a = self.batch.asked == self.job % self.seats
            for agent, rng, chosen in zip(self.agents, self.rngs, (is_a, ~is_a), strict=True):
                rows = np.flatnonzero(chosen & playing)
                if len(rows):
                    actions[rows] = agent.act(observation[rows], mask[rows], rng)
            status = self.batch.step(actions, playing)
            if (status[playing] != 0).any():
                lane = int(np.flatnonzero(playing & (status != 0))[0])
                name = self.agents[0 if is_a[lane] else 1].name
                raise WhotError("action", f"agent {name!r} chose action {actions[lane]}, which is not legal")
            done = np.flatnonzero(playing & (self.batch.over | (self.batch.states["moves"] >= self.max_moves)))
            if not len(done):
                continue
            self._record(done)
            finished += len(done)
            refill = done[: self.jobs - next_job]
            self.job[refill] = next_job + np.arange(len(refill))
            next_job += len(refill)
            playing[done[len(refill) :]] = False
            if len(refill):
                self._deal(refill)
            if progress is not None:
                progress(finished, self.jobs)
        shape = (-1, self.seats)
        return self.shares.reshape(shape), self.payoffs.reshape(shape), self.truncated

    def _deal(self, lanes: Array) -> None:
        seeds = (self.seed + self.job // self.seats).astype(np.uint64)
        self.batch.reset(lanes, seeds)

    def _record(self, lanes: Array) -> None:
        over = self.batch.over[lanes]
        self.truncated += int((~over).sum())
        lanes = lanes[over]
        jobs = self.job[lanes]
        payoffs = self.batch.payoffs[lanes, : self.seats]
        # Winners have the largest payoff under either payoff rule (rules 4.10).
        wins = np.isclose(payoffs, payoffs.max(axis=1, keepdims=True))
        own = jobs % self.seats
        rows = np.arange(len(lanes))
        self.payoffs[jobs] = payoffs[rows, own]
        self.shares[jobs] = wins[rows, own] / wins.sum(axis=1)


def _interval(per_deal: Array, seed: int) -> tuple[float, float]:
    """95 % percentile interval of the mean of float64[D], by bootstrap over deals."""
    # Few values differ, so drawing how often each is taken is the same as drawing deals, and fast.
    values, counts = np.unique(per_deal.round(12), return_counts=True)
    rng = np.random.default_rng(np.random.SeedSequence([seed, len(per_deal)]))
    taken = rng.multinomial(len(per_deal), counts / counts.sum(), size=BOOTSTRAPS)
    low, high = np.quantile(taken @ values / len(per_deal), [0.025, 0.975])
    return float(low), float(high)
