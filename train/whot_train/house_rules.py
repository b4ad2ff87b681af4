"""Random tables: a preset with some of its rules changed, so that a network learns rules and not tables."""

from typing import Any, get_args

import numpy as np

from whot_env import rules as r
from whot_env.errors import RulesError
from whot_env.rules import EFFECTS, PRESETS, Rules

SEATS = (2, 3, 4)
"""Seats that training deals to."""

_CHANGES: dict[str, tuple[Any, ...]] = {
    "hand_size": (3, 4, 5, 6, 7, 8),
    "whots": (0, 2, 4, 5),
    "start_card": get_args(r.StartCard),
    "pick_mode": get_args(r.PickMode),
    "answers": get_args(r.Answers),
    "whot_on_debt": get_args(r.WhotOnDebt),
    "multi_card": get_args(r.MultiCard),
    "multi_whot": (False, True),
    "star_as_double": (False, True),
    "whot_power": (False, True),
    "reverse_on_pick": (False, True),
    "finish": get_args(r.Finish),
    "last_card": (None, *get_args(r.LastCard)),
    "check_up": (None, *get_args(r.CheckUp)),
    "announce_penalty": (1, 2, 3),
    "recycle": get_args(r.Recycle),
    "nothing_left": get_args(r.NothingLeft),
    "star_score": get_args(r.StarScore),
    "payoff": get_args(r.Payoff),
}
"""Fields that change what a good move is, and values that people play by."""

_MOST_CHANGES = 6
_NUMBERS = (1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 13, 14)


def house_rules(rng: np.random.Generator) -> tuple[Rules, int]:
    """A valid table with two to six changes, and its seats (2 to 4)."""
    while True:
        preset = PRESETS[rng.integers(len(PRESETS))]
        changes: dict[str, Any] = {"seats": 2, "seat_range": (2, 8), "hand_range": None}
        for name in rng.choice(list(_CHANGES), rng.integers(2, _MOST_CHANGES + 1), replace=False):
            values = _CHANGES[str(name)]
            changes[str(name)] = values[rng.integers(len(values))]
        if rng.random() < 0.5:
            changes.update(_effects(rng))
        try:
            rules = Rules.preset(preset, **changes)
        except RulesError:
            continue  # two changes that exclude one another
        return rules, SEATS[rng.integers(len(SEATS))]


def _effects(rng: np.random.Generator) -> dict[str, Any]:
    """Which number does what: each effect has a number of its own, or is not played."""
    numbers = rng.permutation(_NUMBERS).tolist()
    effects = {effect: numbers[i] if rng.random() < 0.75 else None for i, effect in enumerate(EFFECTS)}
    picks = [n for n in (effects["pick_two"], effects["pick_three"]) if n is not None]
    return {**effects, "stackable": tuple(n for n in picks if rng.random() < 0.7)}
