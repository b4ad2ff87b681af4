"""What the arena may conclude from deals: intervals, and when to stop.

Everything here works on one number a deal, the mean over the seats that A played it from, because the games of one
deal are not independent and deals are.
"""

import numpy as np

from whot_agents.base import Array

ERROR = 0.05
"""Chance of a wrong statement: an interval that misses, or a question settled the wrong way or without cause."""

BOOTSTRAPS = 10_000

STAKES = np.append(2.0 ** np.arange(-9, 0, 0.5), 0.95)
"""Shares of the capital that the gamblers below stake. The best one is about fair * (mean - fair) / variance, so these
serve from differences of 0.1 % up."""

_NEEDED = np.log(2 / ERROR)
"""Log of the capital that counts as proof: two gamblers, one for each direction, share ``ERROR``."""

_HALVINGS = 40


def bootstrap_interval(per_deal: Array, seed: int) -> tuple[float, float]:
    """95 % percentile interval of the mean of float64[D], by bootstrap over deals; for a number of deals that was fixed
    beforehand."""
    # Few values differ, so drawing how often each is taken is the same as drawing deals, and fast.
    values, counts = np.unique(per_deal.round(6), return_counts=True)
    rng = np.random.default_rng(np.random.SeedSequence([seed, len(per_deal)]))
    taken = rng.multinomial(len(per_deal), counts / counts.sum(), size=BOOTSTRAPS)
    low, high = np.quantile(taken @ values / len(per_deal), [ERROR / 2, 1 - ERROR / 2])
    return float(low), float(high)


def anytime_interval(per_deal: Array) -> tuple[float, float]:
    """95 % confidence sequence for the mean of float64[D] in [0, 1], D at least 1.

    It holds at all D at once, so also where the playing stopped because of what was seen: the means that neither
    gambler of ``Settled`` would have disproved.
    """
    values, counts = np.unique(per_deal.round(6), return_counts=True)
    return _lower(values, counts), 1 - _lower(1 - values, counts)


def _lower(values: Array, counts: Array) -> float:
    """The largest mean that a gambler on more has disproved (0 if none): his capital falls as the mean rises."""
    low, high = 0.0, float(values @ counts / counts.sum())
    if high == 0:
        return 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        won = float(_capital(_log_gains(values, middle) @ counts)) >= _NEEDED
        low, high = (middle, high) if won else (low, middle)
    return low


def _log_gains(results: Array, mean: float) -> Array:
    """float64[stakes, D]: log of what one deal makes of the capital of who bets that results are above ``mean``: the
    stake is lost, and result / mean times the stake is paid."""
    return np.log1p(STAKES[:, None] * (results / mean - 1))


def _capital(logs: Array) -> Array:
    """Log of the mean over axis 0 of exp(logs)."""
    return np.logaddexp.reduce(logs, axis=0) - np.log(len(STAKES))


class Settled:
    """Watches which of two is better, deal after deal, and may be asked after each without harm.

    One gambler bets that the mean is above ``fair``, one that it is below; each spreads his capital over ``STAKES``. At
    each deal the stake is fixed before its result, so if his bet is wrong his capital is expected not to grow, and by
    Ville's inequality it ever reaches 40 with chance 1/40 at most. Hence: of equal players, one is called better with
    chance 5 % at most, however long they play; and the worse of two unequal ones with 2.5 % at most. (Waudby-Smith and
    Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86(1), 2024: a mixture over fixed stakes.)

    Args:
        fair: the mean of equals, strictly between 0 and 1.
    """

    def __init__(self, fair: float) -> None:
        self.fair = fair
        self.deals = 0
        """Deals seen."""
        self.better = 0
        """1: the mean is above ``fair``; -1: it is below; 0: not settled."""
        self._logs = np.zeros((2, len(STAKES), 1))

    def see(self, per_deal: Array) -> bool:
        """Look at the next deals, float64[D] in [0, 1], one after the other up to the one that settles the question;
        whether it is settled. ``deals`` is then the number of deals that it took."""
        if self.better or not len(per_deal):
            return bool(self.better)
        gains = np.stack([_log_gains(per_deal, self.fair), _log_gains(1 - per_deal, 1 - self.fair)])
        logs = np.concatenate([self._logs, gains], axis=2).cumsum(axis=2)[:, :, 1:]
        reached = _capital(logs.swapaxes(0, 1)) >= _NEEDED
        if reached.any():
            first = int(reached.any(axis=0).argmax())
            self.better = 1 if reached[0, first] else -1
            self.deals += first + 1
        else:
            self._logs = logs[:, :, -1:]
            self.deals += len(per_deal)
        return bool(self.better)
