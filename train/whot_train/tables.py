"""Which tables a run trains at: one, or every one that there is."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from whot_env.rules import PRESETS, Rules, as_rules
from whot_train.house_rules import SEATS, house_rules

HOUSE_SHARE = 0.25
"""Share of a universal network's lanes that play random house rules."""

SEAT_SHARES = (0.5, 0.2, 0.3)
"""... and shares of its lanes with each number of ``SEATS``: most people play in twos."""


@dataclass(frozen=True)
class Tables:
    """What is played: ``rules`` at ``num_players`` seats; None of either: every table, for a universal network."""

    rules: Rules | None
    num_players: int | None

    @property
    def universal(self) -> bool:
        return self.rules is None

    @property
    def most_seats(self) -> int:
        """Seats of the largest table."""
        return self.num_players or max(SEATS)

    @property
    def name(self) -> str:
        """As folders and Coaches are called."""
        return "universal" if self.rules is None else f"{self.rules.base}-{self.num_players}"

    def lanes(self, count: int, rng: np.random.Generator) -> list[tuple[Rules, int]]:
        """A table for each of ``count`` lanes; house rules are drawn anew by every call."""
        if self.rules is not None and self.num_players is not None:
            return [(self.rules, self.num_players)] * count
        return [self._any(rng) for _ in range(count)]

    def _any(self, rng: np.random.Generator) -> tuple[Rules, int]:
        if rng.random() < HOUSE_SHARE:
            while (table := house_rules(rng)) in held_out():
                pass
            return table
        rules = Rules.preset(PRESETS[rng.integers(len(PRESETS))])
        seats = int(rng.choice(SEATS, p=SEAT_SHARES))
        return rules, min(seats, rules.seat_range[1])

    def evaluated(self) -> list[tuple[Rules, int]]:
        """The tables that a finished run is measured at."""
        if self.rules is not None and self.num_players is not None:
            return [(self.rules, self.num_players)]
        return [(Rules.preset(name), 2) for name in PRESETS]

    def to_json(self) -> Any:
        """The rules in JSON form; None: every table."""
        return None if self.rules is None else self.rules.to_json()


@cache
def held_out() -> tuple[tuple[Rules, int], ...]:
    """Tables that no training deals: on them a universal network shows what it makes of rules that it never saw."""
    text = resources.files("whot_train").joinpath("configs/held_out.json").read_text(encoding="utf-8")
    return tuple((as_rules(table["rules"]), table["num_players"]) for table in json.loads(text))
