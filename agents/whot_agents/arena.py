"""The arena: two agents on the same deals, every seat in turn, with intervals."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from whot_agents.arena_games import Games, Stop
from whot_agents.arena_intervals import Settled, anytime_interval, bootstrap_interval
from whot_agents.base import Array, BatchAgent
from whot_env.batch import as_int, check_seed
from whot_env.errors import WhotError, shown
from whot_env.rules import Rules, RulesLike, as_rules

MAX_GAMES = 10_000_000
"""Games of one evaluation at most: a table of 170 MB, and an interval narrower than anybody needs."""

MAX_MOVES = 2000
MOST_MOVES = 1_000_000
"""The largest ``max_moves``, as large as the rules' own ``move_limit`` may be."""

Progress = Callable[[int, int], None]
"""Called with the games finished and the games at most."""


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
    """Lower end of the 95 % interval of ``win_rate``; see ``interval``."""
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
    stopping: str = "fixed"
    """``fixed``: all games were played, whatever came out; ``settled``: playing stopped when it was clear which of the
    two is better; ``limit``: all games were played and it was not; ``interrupted``: somebody stopped it."""
    better: str | None = None
    """``a`` or ``b`` where ``stopping`` is ``settled``; wrong with 5 % chance at most (see ``Settled``)."""
    interval: str = "bootstrap"
    """``bootstrap`` over deals, for a number of games fixed beforehand; ``anytime``: a confidence sequence, which is
    wider and holds although the results decided when to stop."""

    def to_json(self) -> dict[str, Any]:
        """The fields, as JSON."""
        return asdict(self)

    def __str__(self) -> str:
        rules = self.rules if isinstance(self.rules, str) else f"{self.rules['preset']} (changed)"
        cut = f", {self.truncated} stopped at {self.max_moves} moves" if self.truncated else ""
        name = self.agent_a if self.better == "a" else self.agent_b
        ends = {"settled": f"; {name} is better", "limit": "; not settled", "interrupted": "; interrupted"}
        return (
            f"{self.agent_a} against {self.agent_b}, {rules}, {self.num_players} seats: wins {self.win_rate:.1%} "
            f"[{self.low:.1%}, {self.high:.1%}] (fair {self.fair:.1%}), score {self.score:+.3f} "
            f"[{self.score_low:+.3f}, {self.score_high:+.3f}], {self.games} games on {self.deals} deals{cut}"
            f"{ends.get(self.stopping, '')}"
        )


@dataclass(frozen=True)
class Pairing:
    """``Result`` with what it was worked out from; arrays are [deals, seats]."""

    result: Result
    shares: Array
    """float64: A's share of the win of each deal, by A's seat; 0 where ``truncated``."""
    truncated: Array
    """bool: the game was stopped at ``max_moves``."""


def evaluate(
    agent_a: BatchAgent,
    agent_b: BatchAgent,
    rules: RulesLike,
    num_players: int | None = None,
    games: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
    max_moves: int = MAX_MOVES,
    *,
    sequential: bool = False,
) -> Result:
    """Play A against B's on duplicate deals: each deal once for each seat of A.

    The same arguments give the same result: a game depends on its deal and on A's seat alone.

    Args:
        agent_a: sits at one seat.
        agent_b: sits at all the others.
        rules: the table: preset name, JSON object or ``Rules``.
        num_players: seats; None: the table's default.
        games: at least this many, rounded up to whole deals.
        seed: of the first deal; deal i is dealt with ``seed + i``. The agents' chance comes from it too.
        progress: called now and then.
        max_moves: a round with this many moves is stopped.
        sequential: ``games`` is the most; playing stops when it is settled which of the two is better.

    Raises:
        WhotError: ``games`` or ``max_moves`` is out of range, the rules or seats are refused, or an agent chose an
            illegal action.
    """
    table, seats = check_arguments(rules, num_players, games, seed, max_moves)
    found = play_pairing((agent_a, agent_b), table, seats, games, seed, max_moves, sequential, progress, None)
    assert found is not None
    return found.result


def check_arguments(
    rules: RulesLike, num_players: int | None, games: int, seed: int, max_moves: int
) -> tuple[Rules, int]:
    """The table and its seats, of arguments as ``evaluate`` takes them. Raises as ``evaluate`` does."""
    table = as_rules(rules)
    seats = table.seats if num_players is None else num_players
    for key, number, most in (("games", games, MAX_GAMES), ("max_moves", max_moves, MOST_MOVES)):
        if not 1 <= (as_int(number) or 0) <= most:
            raise WhotError(key, f"{key} is {shown(number)}; allowed: a whole number from 1 to {most}")
    check_seed(seed)
    table.check_seats(seats)
    return table, seats


def play_pairing(
    agents: tuple[BatchAgent, BatchAgent],
    rules: Rules,
    seats: int,
    games: int,
    seed: int,
    max_moves: int,
    sequential: bool,
    progress: Progress | None,
    stop: Stop | None,
) -> Pairing | None:
    """``evaluate`` with arguments that were checked, and a ``stop`` that is asked between two steps: once it is true,
    the deals played so far are what there is. None: not one deal was."""
    start = time.perf_counter()
    played = Games(agents, rules, seats, -(-games // seats), seed, max_moves)
    settled = Settled(1 / seats)
    deals = 0
    for whole in played.play(stop):
        if sequential:
            # A game that was stopped speaks for nobody, which is what the fair share says.
            new = np.where(played.truncated[deals:whole], 1 / seats, played.shares[deals:whole])
            settled.see(new.mean(axis=1))
        deals = whole
        if progress is not None:
            progress(played.finished, played.jobs)
        if settled.better:
            deals = settled.deals
            break
    if not deals:
        return None
    if settled.better:
        stopping = "settled"
    elif deals < played.deals:
        stopping = "interrupted"
    else:
        stopping = "limit" if sequential else "fixed"
    shares, payoffs, truncated = played.shares[:deals], played.payoffs[:deals], played.truncated[:deals]

    def interval(per_deal: Array) -> tuple[float, float]:
        return anytime_interval(per_deal) if sequential else bootstrap_interval(per_deal, seed)

    low, high = interval(shares.mean(axis=1))
    score_low, score_high = (2 * end - 1 for end in interval((payoffs.mean(axis=1) + 1) / 2))
    result = Result(
        agent_a=agents[0].name,
        agent_b=agents[1].name,
        rules=rules.to_json(),
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
        truncated=int(truncated.sum()),
        max_moves=max_moves,
        seconds=round(time.perf_counter() - start, 3),
        stopping=stopping,
        better={1: "a", -1: "b"}.get(settled.better),
        interval="anytime" if sequential else "bootstrap",
    )
    return Pairing(result, shares, truncated)
