"""Ratings of several agents from the games of all pairings: Bradley–Terry at two seats, Plackett–Luce at more."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whot_agents.arena import Pairing
from whot_agents.base import Array
from whot_env.errors import WhotError

ELO = 400 / np.log(10)
"""Elo points of a factor e of strength: 400 points are ten times the odds."""

ANCHOR = "heuristic"
"""Who has 0 points, if it takes part; else the mean of all has."""

BOOTSTRAPS = 1000

_BLOCKS = 2000
"""Deals are drawn in so many blocks at most; means of blocks of independent deals vary as the deals do."""

_ITERATIONS = 1000
_TOLERANCE = 1e-7


@dataclass(frozen=True)
class Rating:
    """Points of one agent with their 95 % interval: bootstrap over deals."""

    agent: str
    elo: float
    low: float
    high: float


def need_choix() -> Any:
    """The library ``choix``. Raises ``WhotError`` if it is not there."""
    try:
        import choix
    except ImportError as error:
        raise WhotError(
            "choix", "ratings of three or more agents need choix; install it with: pip install whot-env[arena]"
        ) from error
    return choix


def rate(names: Sequence[str], pairs: Sequence[tuple[int, int]], pairings: Sequence[Pairing]) -> list[Rating]:
    """Ratings, the best first.

    An agent of strength s wins a game with chance s / (sum of the seats' strengths). To every pairing one game shared
    fairly is added, so that who won all has a rating too. Games that were stopped are left out. The bootstrap draws
    deals, each with all its games of all pairings, because the pairings were played on the same deals.

    Args:
        names: of the K agents.
        pairs: for each pairing, the numbers of A and B; every agent must be linked to every other.
        pairings: their games, on deals counted from the same seed.

    Raises:
        WhotError: choix is not installed.
    """
    seats, seed = pairings[0].result.num_players, pairings[0].result.seed
    deals = max(p.result.deals for p in pairings)
    block = np.arange(deals) * min(_BLOCKS, deals) // deals
    counts = np.zeros((2, block[-1] + 1, len(pairings)))  # wins of A and games with an end, by block
    for i, pairing in enumerate(pairings):
        own = block[: pairing.result.deals]
        np.add.at(counts[0, :, i], own, pairing.shares.sum(axis=1))
        np.add.at(counts[1, :, i], own, (~pairing.truncated).sum(axis=1))
    rng = np.random.default_rng(np.random.SeedSequence([seed, len(names)]))
    drawn = rng.multinomial(len(counts[0]), np.full(len(counts[0]), 1 / len(counts[0])), size=BOOTSTRAPS)
    table = np.array(pairs)
    wins, games = counts.sum(axis=1)
    best = strengths(len(names), table, wins, games, seats)
    samples = np.array(
        [strengths(len(names), table, w, g, seats, best) for w, g in zip(*(drawn @ counts), strict=True)]
    )
    low, high = np.quantile(_points(names, samples), [0.025, 0.975], axis=0)
    rows = zip(names, _points(names, best), low, high, strict=True)
    ratings = [Rating(name, *(round(float(x), 1) + 0.0 for x in values)) for name, *values in rows]
    return sorted(ratings, key=lambda rating: -rating.elo)


def model_name(seats: int) -> str:
    """What the model is called at so many seats."""
    return "Bradley-Terry" if seats == 2 else "Plackett-Luce"


def _points(names: Sequence[str], logs: Array) -> Array:
    zero = logs[..., [list(names).index(ANCHOR)]] if ANCHOR in names else logs.mean(axis=-1, keepdims=True)
    return ELO * (logs - zero)


def strengths(agents: int, pairs: Array, wins: Array, games: Array, seats: int, start: Array | None = None) -> Array:
    """Logs of the likeliest strengths, float64[agents], by iterated Luce spectral ranking (Maystre and Grossglauser,
    "Fast and accurate inference of Plackett–Luce models", NeurIPS 2015).

    Args:
        agents: how many there are.
        pairs: int[N, 2], A and B of each pairing: one A against ``seats - 1`` B's.
        wins: float64[N], A's wins.
        games: float64[N], games that somebody won.
        seats: at the table.
        start: where to begin; None: all equal.
    """
    choix = need_choix()
    a, b = pairs.T
    wins, losses = wins + 1 / seats, games - wins + 1 - 1 / seats
    logs = np.zeros(agents) if start is None else start
    for _ in range(_ITERATIONS):
        # choix takes numbers of comparisons of two and divides each by the sum of the two strengths. A's game is a
        # choice among all seats: its win counts against each of the others, and the sum is that of all.
        strength = np.exp(logs)
        weight = (strength[a] + strength[b]) / (strength[a] + (seats - 1) * strength[b])
        beats = np.zeros((agents, agents))
        np.add.at(beats, (a, b), (seats - 1) * wins * weight)
        np.add.at(beats, (b, a), losses * weight)
        before, logs = logs, choix.lsr_pairwise_dense(beats, initial_params=logs)
        if np.abs(logs - before).max() < _TOLERANCE:
            break
    return logs
