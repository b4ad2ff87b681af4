"""PettingZoo, all agents in one call, for libraries that know only that form."""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from pettingzoo import AECEnv, ParallelEnv

from whot_env.errors import ActionError, shown

Observations = dict[str, Any]
Step = tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]


class WhotParallel(ParallelEnv[str, Any, int]):
    """A turn-based environment in PettingZoo's parallel form: each step is one action of the agent that is asked.

    It is the agent whose action mask is not empty. The actions of all others are ignored, whatever they are, and may be
    left out. An agent that terminates is reported once and then leaves ``agents``, as the interface asks.

    Args:
        game: the environment of one agent at a time. No one else may step it.
    """

    def __init__(self, game: AECEnv[str, Any, Any]) -> None:
        self._game = game
        self.metadata = {**game.metadata, "is_parallelizable": True}
        self.render_mode = getattr(game, "render_mode", None)
        self.state_space = getattr(game, "state_space", None)
        self.possible_agents = game.possible_agents
        self.agents = []

    def observation_space(self, agent: str) -> Any:
        """That of one agent at a time."""
        return self._game.observation_space(agent)

    def action_space(self, agent: str) -> Any:
        """That of one agent at a time."""
        return self._game.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, dict[str, Any]]]:
        """A new match; see ``WhotAEC.reset``."""
        self._game.reset(seed=seed, options=options)
        self.agents = self._game.agents.copy()
        return self._observe(), {agent: dict(self._game.infos[agent]) for agent in self.agents}

    def step(self, actions: dict[str, int]) -> Step:
        """The action of the agent that is asked.

        Raises:
            ActionError: ``actions`` has none for it, or one outside the action space.
        """
        game = self._game
        if not game.agents:
            return {}, {}, {}, {}, {}
        asked = game.agent_selection
        if not isinstance(actions, Mapping) or asked not in actions:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ActionError("actions", f"actions are {shown(actions)}; allowed: an object with one of {asked}")
        game.step(actions[asked])
        observations = self._observe()
        rewards, terminations, truncations = dict(game.rewards), dict(game.terminations), dict(game.truncations)
        infos = {agent: dict(game.infos[agent]) for agent in game.agents}
        while game.agents and (game.terminations[game.agent_selection] or game.truncations[game.agent_selection]):
            game.step(None)
        self.agents = game.agents.copy()
        return observations, rewards, terminations, truncations, infos

    def state(self) -> np.ndarray[Any, Any]:
        """int8[num_players, LAYOUT.size]: what all seats see."""
        return self._game.state()

    def render(self) -> Any:
        """See ``WhotAEC.render``."""
        return self._game.render()

    def close(self) -> None:
        """Release what the game holds."""
        self._game.close()

    def _observe(self) -> Observations:
        return {agent: cast(Any, self._game.observe(agent)) for agent in self._game.agents}
