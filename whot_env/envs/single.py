"""Gymnasium: one seat learns, policies play the others."""

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from whot_env.envs.lanes import Lanes
from whot_env.envs.options import RENDER_MODES, Opponents, check_options, check_seat, check_seed
from whot_env.envs.spaces import action_space, observation_box
from whot_env.errors import ActionError, shown
from whot_env.rules import RulesLike

Observation = npt.NDArray[np.int8]


class WhotEnv(gymnasium.Env[Observation, np.int64]):
    """One seat of a table of Whot; an episode is a match.

    Observation: int8[LAYOUT.size] (``print(whot_env.LAYOUT)``). Actions: the 76 of ``whot_env.ACTION_NAMES``; those
    legal now are marked in ``info["action_mask"]`` (int8[76]) and by ``action_masks()`` (bool[76], sb3-contrib's name).
    Reward: 0 until the match is over, then the seat's payoff (rules 4.10). An illegal action ends the episode as a loss
    (-1, ``info["illegal_action"]`` True); it is never replaced. Matches that end before the seat was ever asked are
    dealt again by ``reset``.

    Args:
        rules: a preset name, an object as in a position, or ``Rules``.
        num_players: seats; None: the table's default.
        opponents: a policy's name, an object with ``name`` and ``act``, or a list of them, one for each other seat,
            clockwise by seat number from the learner.
        seat: the learner's seat; None: drawn anew for each episode.
        reward: ``payoff``.
        max_moves: moves (of all seats) after which the episode is truncated; None: never.
        render_mode: ``human`` (text on standard output), ``ansi`` (text), ``rgb_array`` (drawn cards), or None.

    Raises:
        WhotError: an option is wrong.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 - Gymnasium's own declaration

    def __init__(
        self,
        rules: RulesLike = "arcade",
        num_players: int | None = None,
        opponents: Opponents = "playful",
        seat: int | None = None,
        reward: str = "payoff",
        max_moves: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        options = check_options(rules, num_players, reward, max_moves, render_mode)
        self._lanes = Lanes(options, 1, check_seat(seat, options.num_players), opponents)
        self._seeded = False
        self.observation_space = observation_box()
        self.action_space = action_space()
        self.render_mode = render_mode

    @property
    def seat(self) -> int:
        """The learner's seat in this episode."""
        return int(self._lanes.seat[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """A new match, up to the learner's first decision.

        Args:
            seed: of the deals, the seat and the opponents' choices; None: they go on from where they are.
            options: none are known; ignored.
        """
        given = None if seed is None else check_seed(seed)
        super().reset(seed=given)
        seeds = None
        if given is not None or not self._seeded:
            start = self.np_random.integers(1 << 62) if given is None else given
            seeds = np.array([start], np.uint64)
            self._seeded = True
        self._lanes.reset(np.zeros(1, np.intp), seeds)
        return self._result()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """The learner's action, then the others' until it is asked again or the match is over.

        Raises:
            ActionError: ``action`` is outside the action space (a legal one is not required, see the class).
            ResetNeeded: the episode is over or was never started.
        """
        lanes = self._lanes
        if lanes.done[0]:
            raise gymnasium.error.ResetNeeded("the episode is over; allowed: reset() before the next step")
        if isinstance(action, (bool, np.bool_)) or not self.action_space.contains(action):
            raise ActionError("action", f"action is {shown(action)}; allowed: a whole number from 0 to 75")
        lanes.step(np.array([action], np.int64))
        observation, info = self._result()
        return observation, float(lanes.rewards[0]), bool(lanes.terminated[0]), bool(lanes.truncated[0]), info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool[76]: the legal actions."""
        return self._lanes.action_mask()[0].astype(np.bool_)

    def render(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The table as the learner sees it: uint8[height, width, 3], text, or None (see ``render_mode``)."""
        return self._lanes.render()

    def _result(self) -> tuple[Observation, dict[str, Any]]:
        if self.render_mode == "human":
            self._lanes.render()
        lanes = self._lanes
        info = {"action_mask": lanes.action_mask()[0], "illegal_action": bool(lanes.illegal[0])}
        return lanes.observe()[0], info
