"""Gymnasium, many games: lane i is the single environment seeded s + i, in all autoreset modes."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from whot_env.envs.single import WhotEnv
from whot_env.envs.vector import WhotVectorEnv
from whot_env.errors import ActionError, WhotError
from whot_env.policies import Playful, Uniform
from whot_env.registration import register_gymnasium
from whot_env.rules import PRESETS, Rules

register_gymnasium()
TABLES = [(preset, n) for preset in PRESETS for n in (2, 3, 4) if Rules.preset(preset).seat_range[1] >= n]


def same(first: Any, second: Any) -> bool:
    """Whether two infos hold the same, arrays of objects included."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, np.ndarray) and first.dtype == object:
        return all(same(a, b) for a, b in zip(first, second, strict=True))
    return np.array_equal(first, second)


def actions_of(masks: Any, rng: np.random.Generator, illegal: float) -> Any:
    """Playful actions, sometimes illegal ones; 0 where nothing is legal."""
    live = masks.any(axis=1)
    actions = np.zeros(len(masks), np.int64)
    actions[live] = Playful().act(masks[live], masks[live], rng)
    wrong = rng.random(len(masks)) < illegal
    actions[wrong] = (masks[wrong] == 0).argmax(axis=1)
    return actions


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("options", [{}, {"num_players": 3, "opponents": ["uniform", "playful"], "max_moves": 40}])
def test_equals_gymnasiums_own_vector_of_singles(mode: AutoresetMode, options: dict[str, Any]) -> None:
    lanes = 6
    ours = WhotVectorEnv(lanes, autoreset_mode=mode, **options)
    theirs = SyncVectorEnv([lambda: WhotEnv(**options)] * lanes, autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] is mode
    rng = np.random.default_rng(0)
    a, b = ours.reset(seed=7), theirs.reset(seed=7)
    ends = 0
    for _ in range(150):
        assert np.array_equal(a[0], b[0])
        assert same(a[-1], b[-1])
        masks = a[-1]["action_mask"]
        actions = actions_of(masks, rng, illegal=0.01)
        a, b = ours.step(actions), theirs.step(actions)
        assert all(np.array_equal(x, y) for x, y in zip(a[1:4], b[1:4], strict=True))
        done = a[2] | a[3]
        ends += done.sum()
        if mode is AutoresetMode.DISABLED and done.any():
            assert np.array_equal(a[0], b[0])
            obs, infos = ours.reset(options={"reset_mask": done})
            other, reset_infos = theirs.reset(options={"reset_mask": done.copy()})
            assert np.array_equal(obs, other)
            assert np.array_equal(infos["action_mask"][done], reset_infos["action_mask"][done])
            a, b = (obs, infos), (other, infos)
    assert ends > 10


@pytest.mark.parametrize(("preset", "n"), TABLES)
def test_lane_is_the_single_environment(preset: str, n: int) -> None:
    lanes, steps = 4, 60
    many = WhotVectorEnv(lanes, preset, n, opponents="uniform", max_moves=100)
    observations, infos = many.reset(seed=11)
    singles = [WhotEnv(preset, n, opponents="uniform", max_moves=100) for _ in range(lanes)]
    results: list[Any] = [env.reset(seed=11 + i) for i, env in enumerate(singles)]
    rng = np.random.default_rng(0)
    for _ in range(steps):
        for lane, result in enumerate(results):
            assert np.array_equal(observations[lane], result[0])
            assert np.array_equal(infos["action_mask"][lane], result[-1]["action_mask"])
        actions = actions_of(infos["action_mask"], rng, illegal=0.0)
        over = [len(result) == 5 and (result[2] or result[3]) for result in results]
        results = [
            (*env.reset(), 0)[:2] if ended else env.step(action)
            for env, ended, action in zip(singles, over, actions.tolist(), strict=True)
        ]
        observations, rewards, *_, infos = many.step(actions)
        for lane, result in enumerate(results):
            assert rewards[lane] == (result[1] if len(result) == 5 else 0.0)


def test_lanes_do_not_depend_on_their_number() -> None:
    wide, narrow = WhotVectorEnv(5), WhotVectorEnv(2)
    a, b = wide.reset(seed=[1, 2, 3, 4, 5]), narrow.reset(seed=[3, 4])
    rng = np.random.default_rng(0)
    for _ in range(60):
        assert np.array_equal(a[0][2:4], b[0])
        actions = actions_of(a[-1]["action_mask"], rng, illegal=0.0)
        a, b = wide.step(actions), narrow.step(actions[2:4])


def test_make_vec() -> None:
    envs = gym.make_vec("whot/NaijaLife-v0", num_envs=3, opponents="uniform", autoreset_mode="SameStep")
    assert isinstance(envs, WhotVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert "autoreset_mode" not in WhotVectorEnv.metadata
    observations, infos = envs.reset(seed=0)
    assert envs.observation_space.contains(observations)
    assert infos["action_mask"].shape == (3, 76)
    assert np.array_equal(envs.action_masks(), infos["action_mask"])
    envs.close()


@pytest.mark.parametrize("seed", [np.int64(3), np.uint8(3), [3, 4, 5], np.array([3, 4, 5])])
def test_seeds_of_numpy(seed: Any) -> None:
    expected, _ = gym.make_vec("whot/Arcade-v0", num_envs=3).reset(seed=3)
    found, _ = gym.make_vec("whot/Arcade-v0", num_envs=3).reset(seed=seed)
    assert np.array_equal(found, expected)


def test_results_are_not_reused() -> None:
    envs = WhotVectorEnv(2)
    first, infos = envs.reset(seed=0)
    kept, mask = first.copy(), infos["action_mask"].copy()
    rewards = envs.step(mask.argmax(axis=1))[1]
    rewards[:] = 5
    assert np.array_equal(first, kept)
    assert np.array_equal(infos["action_mask"], mask)
    assert not envs.step(envs.step(envs.action_masks().argmax(axis=1))[-1]["action_mask"].argmax(axis=1))[1].any()


def test_rendering() -> None:
    envs = WhotVectorEnv(2, render_mode="ansi")
    envs.reset(seed=0)
    frames = envs.render()
    assert frames is not None
    assert len(frames) == 2
    assert all("Whot" in frame for frame in frames)


def test_misuse_is_named() -> None:
    envs = WhotVectorEnv(2, autoreset_mode="Disabled")
    with pytest.raises(gym.error.ResetNeeded):
        envs.step(np.zeros(2, np.int64))
    envs.reset(seed=0)
    for actions in (np.array([0, 76]), np.zeros(3, np.int64), np.zeros(2)):
        with pytest.raises(ActionError):
            envs.step(actions)
    wrong = (~envs.action_masks()).argmax(axis=1)
    *_, infos = envs.step(wrong)
    assert infos["illegal_action"].all()
    with pytest.raises(gym.error.ResetNeeded):
        envs.step(wrong)
    for mask in ([True, False], np.array([True]), np.zeros(2, np.bool_)):
        with pytest.raises(WhotError, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    before = envs.np_random.bit_generator.state
    for seed in ([1], 1.5, -1, True, "12", [1, 1.5], np.array([0.5, 1])):
        with pytest.raises(WhotError) as refused:
            envs.reset(seed=seed)  # type: ignore[arg-type]
        assert refused.value.key == "seed"
    assert envs.np_random.bit_generator.state == before
    with pytest.raises(ActionError):
        envs.step([[1], [1, 2]])  # type: ignore[arg-type]
    with pytest.raises(WhotError, match="NextStep, SameStep, Disabled"):
        WhotVectorEnv(2, autoreset_mode="Never")
    with pytest.raises(WhotError, match="num_envs"):
        WhotVectorEnv(0)


class AskedInPython(Uniform):
    """Uniform as any policy that only Python can ask."""


class PlayfulInPython(Playful):
    """Playful as any policy that only Python can ask."""


@pytest.mark.parametrize(("preset", "seats"), TABLES)
def test_opponents_play_the_same_in_the_kernel_and_in_python(preset: str, seats: int) -> None:
    """Whoever asks them, one seat's or several, with and without a limit of moves."""
    compiled = ([Uniform(), Playful()] * seats)[1:seats]
    asked = ([AskedInPython(), PlayfulInPython()] * seats)[1:seats]
    mixed = ([AskedInPython(), Playful()] * seats)[1:seats]
    for max_moves in (None, 25):
        lanes = [
            WhotVectorEnv(16, preset, seats, opponents, max_moves=max_moves) for opponents in (compiled, asked, mixed)
        ]
        results = [env.reset(seed=3) for env in lanes]
        for _ in range(60):
            assert all(np.array_equal(results[0][0], other[0]) for other in results[1:])
            assert all(same(results[0][-1], other[-1]) for other in results[1:])
            actions = results[0][-1]["action_mask"].argmax(axis=1)  # the lowest id: cards first, drawing last
            results = [env.step(actions) for env in lanes]
            for k in (1, 2, 3):
                assert all(np.array_equal(results[0][k], other[k]) for other in results[1:])
