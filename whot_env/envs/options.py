"""The options that every environment takes, checked in one place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from whot_env.errors import WhotError, shown
from whot_env.policies import Policy, make_policy
from whot_env.rules import Rules, RulesLike, as_rules

REWARDS = ("payoff",)
"""``payoff``: a seat's payoff of the match, at its end."""

RENDER_MODES = ("human", "ansi", "rgb_array")
"""``human`` writes text to standard output, ``ansi`` returns it, ``rgb_array`` returns drawn cards."""

Opponents = str | Policy | Sequence[str | Policy]
"""One policy for all other seats, or one for each of them, clockwise by seat number from the learner."""


@dataclass(frozen=True, slots=True)
class Options:
    """Checked options of one table.

    Attributes:
        rules: the table's rules.
        num_players: seats.
        max_moves: moves (completed plays and draws) after which an episode is truncated; None: never.
        render_mode: one of ``RENDER_MODES``, or None.
    """

    rules: Rules
    num_players: int
    max_moves: int | None
    render_mode: str | None


def check_options(
    rules: RulesLike, num_players: int | None, reward: str, max_moves: int | None, render_mode: str | None
) -> Options:
    """The options as one value.

    Raises:
        WhotError: the first option that is wrong, with its value and what is allowed.
    """
    table = as_rules(rules)
    seats = table.seats if num_players is None else num_players
    table.check_seats(seats)
    _one_of("reward", reward, REWARDS)
    if render_mode is not None:
        _one_of("render_mode", render_mode, RENDER_MODES)
    if max_moves is not None:
        check_count("max_moves", max_moves, " or None")
    return Options(table, seats, max_moves, render_mode)


def check_count(key: str, value: Any, others: str = "") -> int:
    """``value``, which must be a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise WhotError(key, f"{key} is {shown(value)}; allowed: a whole number of at least 1{others}")
    return value


def check_seat(seat: Any, num_players: int) -> int | None:
    """The learner's seat; None: another one each episode."""
    if seat is not None and (isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < num_players):
        raise WhotError("seat", f"seat is {shown(seat)}; allowed: 0 to {num_players - 1}, or None for a random one")
    return seat


def check_seed(seed: Any) -> int:
    """The seed as the engine takes it: any whole number from 0, modulo 2**63."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise WhotError("seed", f"seed is {shown(seed)}; allowed: a whole number from 0")
    return int(seed) % (1 << 63)


def check_opponents(opponents: Opponents, num_players: int) -> list[Policy]:
    """``num_players - 1`` policies; seats that name the same policy share one object.

    Raises:
        WhotError: an unknown name, an object that is no policy, or a list of another length.
    """
    others = num_players - 1
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        return [make_policy(opponents)] * others
    chosen = list(cast(Sequence[str | Policy], opponents))
    if len(chosen) != others:
        raise WhotError(
            "opponents",
            f"opponents has {len(chosen)} entries; allowed: one policy, or one for each of {others}",
        )
    named = {name: make_policy(name) for name in chosen if isinstance(name, str)}
    return [named[policy] if isinstance(policy, str) else make_policy(policy) for policy in chosen]


def _one_of(key: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise WhotError(key, f"{key} is {shown(value)}; allowed: {', '.join(allowed)}")
