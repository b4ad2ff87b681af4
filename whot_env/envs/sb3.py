"""Stable-Baselines3: a native ``VecEnv`` over the batch engine, with action masks for sb3-contrib's MaskablePPO."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices

from whot_env.envs.lanes import Lanes
from whot_env.envs.options import Opponents, check_count, check_options, check_seat, check_seed
from whot_env.envs.spaces import action_space, observation_box
from whot_env.errors import WhotError
from whot_env.rules import RulesLike

Step = tuple[npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]


class WhotVecEnv(VecEnv):
    """``num_envs`` games of one table in one process; in each, one seat learns and policies play the others.

    Observations int8[B, LAYOUT.size]; rewards float32[B]: 0, and the payoff of the match at its end. An illegal action
    ends the episode as a loss (-1). The info of a lane whose episode ended has ``terminal_observation``,
    ``TimeLimit.truncated`` and ``illegal_action``; every other info is empty.

    Args:
        num_envs: games, B.
        rules: a preset name, an object as in a position, or ``Rules``.
        num_players: seats; None: the table's default.
        opponents: a policy's name, an object with ``name`` and ``act``, or a list of them, one for each other seat.
        seed: lane i is seeded seed + i at the next reset; None: from the system's entropy.
        seat: the learner's seat; None: drawn anew for each episode.
        reward: ``payoff``.
        max_moves: moves (of all seats) after which an episode is truncated; None: never.
        render_mode: ``human``, ``ansi``, ``rgb_array``, or None.

    Raises:
        WhotError: an option is wrong.
    """

    def __init__(
        self,
        num_envs: int = 16,
        rules: RulesLike = "arcade",
        num_players: int | None = None,
        opponents: Opponents = "playful",
        seed: int | None = None,
        seat: int | None = None,
        reward: str = "payoff",
        max_moves: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        options = check_options(rules, num_players, reward, max_moves, render_mode)
        count = check_count("num_envs", num_envs)
        self._lanes = Lanes(options, count, check_seat(seat, options.num_players), opponents)
        self._every = np.arange(count)
        self._actions = np.zeros(count, np.int64)
        self.render_mode = render_mode  # the base class asks for it before it sets it
        super().__init__(count, observation_box(), action_space())
        self.seed(seed)

    @property
    def team(self) -> npt.NDArray[np.int64]:
        """int[B]: which of the opponents given to ``set_opponents`` plays in each lane."""
        return self._lanes.team

    def set_opponents(self, teams: Sequence[Opponents], shares: Sequence[float] | None = None) -> None:
        """Change the opponents from their next action on, as self-play against past selves does.

        Args:
            teams: each what ``opponents`` may be; the lanes are divided among them in blocks, in order.
            shares: each team's part of the lanes, in any unit; None: equal parts.

        Raises:
            WhotError: a policy that is none, or shares that are no shares.
        """
        self._lanes.set_opponents(teams, shares)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool[B, 76]: the legal actions."""
        return self._lanes.action_mask().astype(np.bool_)

    def seed(self, seed: int | None = None) -> list[int]:
        """Seed the next reset: lane i with seed + i. None takes the seed from the system's entropy."""
        # Not the base class's, which would draw from NumPy's global generator.
        start = int(np.random.default_rng().integers(1 << 62)) if seed is None else check_seed(seed)
        seeds = [start + lane for lane in range(self.num_envs)]
        self._seeds = [*seeds]
        return seeds

    def reset(self) -> npt.NDArray[np.int8]:
        """int8[B, LAYOUT.size]: new matches, seeded if ``seed`` was called since the last reset."""
        seeds = None if self._seeds[0] is None else np.array(self._seeds, np.uint64)
        self._lanes.reset(self._every, seeds)
        self._reset_seeds()
        self._reset_options()
        return self._lanes.observe()

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Keep the actions for ``step_wait``."""
        self._actions = actions

    def step_wait(self) -> Step:
        """Step every lane; those whose episode ended are reset at once.

        Raises:
            ActionError: a value outside the action space (illegal ones inside it end their episodes as losses).
            ResetNeeded: ``reset`` was never called.
        """
        lanes = self._lanes
        if lanes.done.any():
            raise ResetNeeded("no match was started; allowed: reset() before the first step")
        lanes.step(self._actions)
        rewards, dones = lanes.rewards.astype(np.float32), lanes.terminated | lanes.truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(dones)
        if ended.size:
            for lane, last in zip(ended.tolist(), lanes.observe(ended), strict=True):
                info = infos[lane]
                info["terminal_observation"] = last
                info["TimeLimit.truncated"] = bool(lanes.truncated[lane])
                info["illegal_action"] = bool(lanes.illegal[lane])
            lanes.reset(ended)
        return lanes.observe(), rewards, dones, infos

    def close(self) -> None:
        """Nothing to release."""

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """uint8[height, width, 3] of each lane (``render_mode="rgb_array"``)."""
        return self.env_method("render")

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute once for each of ``indices``; the lanes are not objects, so that all share one."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute for all lanes; refused for some of them.

        Raises:
            WhotError: ``indices`` leaves lanes out.
        """
        if sorted(self._get_indices(indices)) != list(range(self.num_envs)):
            raise WhotError(
                "indices", f"indices are {indices!r}; allowed: None, because all lanes share their attributes"
            )
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """``action_masks`` (bool[76]) or ``render`` of each of ``indices``.

        Raises:
            AttributeError: another method.
        """
        lanes = list(self._get_indices(indices))
        if method_name == "action_masks":
            masks = self.action_masks()
            return [masks[lane] for lane in lanes]
        if method_name == "render":
            return [self._lanes.render(lane) for lane in lanes]
        raise AttributeError(f"a lane has no method {method_name!r}; allowed: action_masks, render")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """False for each of ``indices``: the lanes have no wrappers."""
        return [False] * len(list(self._get_indices(indices)))
