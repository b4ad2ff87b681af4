"""PettingZoo's usual wrappers, which catch misuse, without their cost.

The wrappers find each attribute of the game through ``__getattr__`` of every wrapper below, twenty times a decision,
which costs more than the game. Here they read it from the game itself; all that they check is PettingZoo's.
"""

from operator import attrgetter
from typing import Any

from pettingzoo.utils import wrappers

from whot_env.envs.aec import WhotAEC


class _Near:
    """The game's attributes as properties.

    Before the first ``reset`` there is no ``_game``: reading one then ends in the wrapper's own ``__getattr__``, with
    its own error.
    """

    agents = property(attrgetter("_game.agents"))
    agent_selection = property(attrgetter("_game.agent_selection"))
    rewards = property(attrgetter("_game.rewards"))
    terminations = property(attrgetter("_game.terminations"))
    truncations = property(attrgetter("_game.truncations"))
    infos = property(attrgetter("_game.infos"))
    _cumulative_rewards = property(attrgetter("_game._cumulative_rewards"))

    def reset(self: Any, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        super().reset(seed, options)  # pyright: ignore[reportAttributeAccessIssue]
        self._game = self.unwrapped


class _TerminateIllegal(_Near, wrappers.TerminateIllegalWrapper[str, Any, Any]):
    pass


class _AssertOutOfBounds(_Near, wrappers.AssertOutOfBoundsWrapper[str, Any, Any]):
    pass


class _OrderEnforcing(_Near, wrappers.OrderEnforcingWrapper[str, Any, Any]):
    def __str__(self) -> str:
        return str(self.env)  # as PettingZoo's own says, which tells a subclass by its name


def guard(game: WhotAEC) -> wrappers.OrderEnforcingWrapper[str, Any, Any]:
    """``game`` in PettingZoo's wrappers."""
    return _OrderEnforcing(_AssertOutOfBounds(_TerminateIllegal(game, illegal_reward=-1)))
