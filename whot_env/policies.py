"""Policies that play the other seats of an environment, and how to find one by name.

A policy is an object with a ``name`` and ``act`` (see ``Policy``). Two come with the environment; other packages add
theirs under the entry-point group ``whot_env.policies`` (name -> a function without arguments that makes one).
"""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from whot_env.actions import CHECK_UP, DRAW, LAST_CARD
from whot_env.errors import WhotError

GROUP = "whot_env.policies"
"""Entry-point group in which packages name their policies."""


@runtime_checkable
class Policy(Protocol):
    """Plays one seat in each of N games at a time, knowing only what the seat asked may see."""

    @property
    def name(self) -> str:
        """What tables and messages call it."""
        ...

    def act(
        self, observation: npt.NDArray[np.int8], action_mask: npt.NDArray[np.int8], rng: np.random.Generator
    ) -> npt.NDArray[Any]:
        """Choose one legal action in each game.

        Args:
            observation: int8[N, LAYOUT.size], what the seats asked know.
            action_mask: int8[N, 76], 1 where an action is legal; at least one in each row.
            rng: all chance must come from ``rng.random(size)`` with ``size`` N or (N, ...). Environments pass a source
                that keeps one stream a game, so that a game does not depend on the games beside it; it has no other
                method.

        Returns:
            integers [N]: action ids.
        """
        ...


def _pick(action_mask: npt.NDArray[np.int8], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """int64[N]: one of the marked actions of each row, all equally likely."""
    marked = np.cumsum(action_mask, axis=1, dtype=np.int8)  # 76 actions: counts fit
    wanted = (rng.random(len(action_mask)) * marked[:, -1]).astype(np.int8)
    return (marked > wanted[:, None]).argmax(axis=1)


class Uniform:
    """Every legal action is equally likely, drawing included; games between such players are long."""

    name = "uniform"

    def act(
        self, observation: npt.NDArray[np.int8], action_mask: npt.NDArray[np.int8], rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """int64[N] actions; see ``Policy.act``."""
        return _pick(action_mask, rng)


class Playful:
    """Plays any card it can, all equally likely, and draws only when nothing can be played; always announces."""

    name = "playful"

    def act(
        self, observation: npt.NDArray[np.int8], action_mask: npt.NDArray[np.int8], rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """int64[N] actions; see ``Policy.act``."""
        choice = action_mask.copy()
        choice[:, DRAW] = 0
        stuck = ~choice.any(axis=1)
        choice[stuck, DRAW] = action_mask[stuck, DRAW]
        actions = _pick(choice, rng)
        for said in (LAST_CARD, CHECK_UP):
            actions[action_mask[:, said] == 1] = said
        return actions


_BUILT_IN: dict[str, Callable[[], Policy]] = {"uniform": Uniform, "playful": Playful}


def policy_names() -> tuple[str, ...]:
    """Names that ``make_policy`` knows here: the built-in ones, then those of the installed packages."""
    added = sorted({point.name for point in entry_points(group=GROUP)} - set(_BUILT_IN))
    return (*_BUILT_IN, *added)


def make_policy(policy: str | Policy) -> Policy:
    """The policy called ``policy``; an object with ``name`` and ``act`` is returned as it is.

    Raises:
        WhotError: no policy has this name, or the object is none.
    """
    if isinstance(policy, str):
        if policy in _BUILT_IN:
            return _BUILT_IN[policy]()
        for point in entry_points(group=GROUP, name=policy):
            return cast(Policy, point.load()())
    elif isinstance(policy, Policy) and not isinstance(policy, type):  # pyright: ignore[reportUnnecessaryIsInstance]
        return policy
    allowed = f"{', '.join(policy_names())}, or an object with name and act"
    raise WhotError("opponents", f"opponent {policy!r} is unknown; allowed: {allowed}")
