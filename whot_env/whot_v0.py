"""Whot as PettingZoo knows its environments: ``env``, ``raw_env`` and ``parallel_env``, and the registry's id.

All take the arguments of ``WhotAEC``.
"""

# pyright: basic
# (PettingZoo ships no types that pyright takes for stubs)
from typing import Any

from pettingzoo.utils import wrappers

from whot_env.envs.aec import WhotAEC
from whot_env.envs.guards import guard
from whot_env.envs.parallel import WhotParallel
from whot_env.registration import register_pettingzoo
from whot_env.rules import RulesLike

__all__ = ["env", "parallel_env", "raw_env"]


def raw_env(
    rules: RulesLike = "arcade",
    num_players: int | None = None,
    reward: str = "payoff",
    max_moves: int | None = None,
    render_mode: str | None = None,
) -> WhotAEC:
    """One agent at a time, without wrappers: the fastest, and the one with the host events."""
    return WhotAEC(rules, num_players, reward, max_moves, render_mode)


def env(**options: Any) -> wrappers.OrderEnforcingWrapper[str, Any, Any]:
    """``raw_env`` in PettingZoo's usual wrappers, which catch misuse.

    An illegal action then ends the game as PettingZoo has it: -1 for the offender, 0 for the others, all truncated.
    """
    return guard(raw_env(**options))


def parallel_env(**options: Any) -> WhotParallel:
    """All agents in one call; only the action of the agent that is asked counts."""
    return WhotParallel(raw_env(**options))


register_pettingzoo()
