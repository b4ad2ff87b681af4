"""Gymnasium, vectorised: many games in one call, each as the single environment would play it."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from whot_env.envs.lanes import Lanes, Rows, check_actions
from whot_env.envs.options import RENDER_MODES, Opponents, check_count, check_options, check_seat, check_seed
from whot_env.envs.spaces import action_space, observation_box
from whot_env.errors import WhotError
from whot_env.rules import RulesLike

Observations = npt.NDArray[np.int8]
Step = tuple[Observations, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]


class WhotVectorEnv(VectorEnv[Observations, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """``num_envs`` games of one table; lane i seeded s + i plays exactly as ``WhotEnv`` seeded s + i.

    Observations int8[B, LAYOUT.size]; ``infos["action_mask"]`` int8[B, 76] and ``infos["illegal_action"]`` bool[B],
    always for all lanes. Rewards, ends and the other arguments are those of ``WhotEnv``.

    Args:
        num_envs: games, B.
        autoreset_mode: ``NextStep`` (a finished lane is reset by the next step, whose action it ignores), ``SameStep``
            (it is reset at once, and ``infos`` hold ``final_obs`` and ``final_info``) or ``Disabled`` (reset it with
            ``reset(options={"reset_mask": bool[B]})``).

    Raises:
        WhotError: an option is wrong.
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: RulesLike = "arcade",
        num_players: int | None = None,
        opponents: Opponents = "playful",
        seat: int | None = None,
        reward: str = "payoff",
        max_moves: int | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        options = check_options(rules, num_players, reward, max_moves, render_mode)
        self.num_envs = check_count("num_envs", num_envs)
        self._mode = _autoreset_mode(autoreset_mode)
        self._lanes = Lanes(options, num_envs, check_seat(seat, options.num_players), opponents)
        self._seeded = np.zeros(num_envs, np.bool_)
        self.metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2, "autoreset_mode": self._mode}
        self.render_mode = render_mode
        self.single_observation_space = observation_box()
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """New matches, up to each learner's first decision.

        Args:
            seed: s seeds lane i with s + i; a list seeds each lane; None: the lanes' generators go on.
            options: ``reset_mask`` bool[B] resets only the lanes it marks.

        Raises:
            WhotError: a seed or the mask is wrong.
        """
        rows, seeds = self._reset_rows(options), self._seeds(seed)
        super().reset(seed=check_seed(seed) if isinstance(seed, (int, np.integer)) else None)
        self._reset(rows, seeds)
        return self._lanes.observe(), self._infos()

    def step(self, actions: npt.NDArray[np.int64]) -> Step:
        """One action in each lane, then the others' moves; see the class.

        Raises:
            ActionError: a value outside the action space (illegal ones inside it end their episodes as losses).
            ResetNeeded: a lane is over in the mode ``Disabled``, or nothing was ever reset.
        """
        lanes = self._lanes
        actions = check_actions(actions, self.num_envs)
        over = np.flatnonzero(lanes.done)
        if over.size and (self._mode == AutoresetMode.DISABLED or not self._seeded.all()):
            raise gymnasium.error.ResetNeeded(f"lanes {over.tolist()} are over; allowed: reset() before the next step")
        lanes.step(actions, np.flatnonzero(~lanes.done))
        result = lanes.rewards, lanes.terminated, lanes.truncated
        if self._mode == AutoresetMode.NEXT_STEP:
            self._reset(over, None)
        infos = self._infos()
        ended = np.flatnonzero(lanes.done)
        if self._mode == AutoresetMode.SAME_STEP and ended.size:
            final = self._finals(ended, infos)
            self._reset(ended, None)
            infos = {**final, **self._infos()}
        return lanes.observe(), *result, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool[B, 76]: the legal actions."""
        return self._lanes.action_mask().astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """Each lane's table as its learner sees it, without a log; None in the mode ``human``, which writes it."""
        frames = tuple(self._lanes.render(lane) for lane in range(self.num_envs))
        return None if self.render_mode == "human" else frames

    def _infos(self) -> dict[str, Any]:
        every = np.ones(self.num_envs, np.bool_)
        return {
            **{"action_mask": self._lanes.action_mask(), "_action_mask": every},
            **{"illegal_action": self._lanes.illegal.copy(), "_illegal_action": every.copy()},
        }

    def _finals(self, ended: Rows, infos: dict[str, Any]) -> dict[str, Any]:
        """``final_obs`` and ``final_info`` of the lanes ``ended``, in the form that Gymnasium's own give them."""
        mask = np.zeros(self.num_envs, np.bool_)
        mask[ended] = True
        observations = np.full(self.num_envs, None, dtype=object)
        for lane, observation in zip(ended, self._lanes.observe(ended), strict=True):
            observations[lane] = observation
        info: dict[str, Any] = {}
        for key in ("action_mask", "illegal_action"):
            info[key] = np.zeros_like(infos[key])
            info[key][ended] = infos[key][ended]
            info[f"_{key}"] = mask.copy()
        return {"final_obs": observations, "_final_obs": mask.copy(), "final_info": info, "_final_info": mask}

    def _reset(self, rows: Rows, seeds: Sequence[int | None] | None) -> None:
        """Reset ``rows``: those with a seed from it, those never seeded from ``np_random``, the others go on."""
        given = [None] * self.num_envs if seeds is None else seeds
        fresh = [row for row in rows if given[row] is not None or not self._seeded[row]]
        start = 0
        if any(given[row] is None for row in fresh):
            start = int(self.np_random.integers(1 << 62))
        values = [start + int(row) if (seed := given[row]) is None else seed for row in fresh]
        self._seeded[fresh] = True
        self._lanes.reset(np.array(fresh, np.intp), np.array(values, np.uint64))
        self._lanes.reset(np.setdiff1d(rows, fresh))

    def _reset_rows(self, options: dict[str, Any] | None) -> Rows:
        if options is None or "reset_mask" not in options:
            return np.arange(self.num_envs)
        mask = options["reset_mask"]
        ok = isinstance(mask, np.ndarray) and mask.shape == (self.num_envs,) and mask.dtype == np.bool_ and mask.any()
        if not ok:
            allowed = f"a bool array of shape ({self.num_envs},) that marks at least one lane"
            raise WhotError("reset_mask", f"reset_mask is {mask!r}; allowed: {allowed}")
        return np.flatnonzero(mask)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None] | None:
        if seed is None:
            return None
        if isinstance(seed, (Sequence, np.ndarray)) and not isinstance(seed, str):
            given = list(seed)
        else:
            start = check_seed(seed)
            given = [start + lane for lane in range(self.num_envs)]
        if len(given) != self.num_envs:
            raise WhotError("seed", f"seed has {len(given)} entries; allowed: a whole number, or {self.num_envs}")
        return [None if value is None else check_seed(value) for value in given]


def _autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = ", ".join(m.value for m in AutoresetMode)
        raise WhotError("autoreset_mode", f"autoreset_mode is {mode!r}; allowed: {allowed}") from None
