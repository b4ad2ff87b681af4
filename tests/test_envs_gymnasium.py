"""Gymnasium, one game: its checker and SB3's, seeds, ends, options, registration."""

import copy
import json
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from whot_env.envs.single import WhotEnv
from whot_env.errors import ActionError, WhotError
from whot_env.policies import Playful, Uniform
from whot_env.registration import gymnasium_id, register_gymnasium
from whot_env.rules import PRESETS, Rules

register_gymnasium()
TABLES = [(preset, n) for preset in PRESETS for n in (2, 3, 4) if Rules.preset(preset).seat_range[1] >= n]


def play(env: Any, seed: int | None, policy: Any = None, limit: int = 3000) -> list[Any]:
    """Everything an episode gives, in order."""
    rng, policy = np.random.default_rng(0), policy or Playful()
    observation, info = env.reset(seed=seed)
    seen: list[Any] = [observation]
    for _ in range(limit):
        action = int(policy.act(observation[None], info["action_mask"][None], rng)[0])
        observation, reward, terminated, truncated, info = env.step(action)
        seen += [action, observation, reward, terminated, truncated, info["action_mask"]]
        if terminated or truncated:
            return seen
    raise AssertionError("the episode does not end")


def equal(first: list[Any], second: list[Any]) -> bool:
    return len(first) == len(second) and all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("preset", PRESETS)
def test_checkers_are_content(preset: str) -> None:
    env = gym.make(gymnasium_id(preset))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=preset != "arcade")


def test_sb3_checker_is_content() -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checker.check_env(WhotEnv(num_players=3), skip_render_check=False)


@pytest.mark.parametrize(("preset", "n"), TABLES)
def test_episodes(preset: str, n: int) -> None:
    env = gym.make(gymnasium_id(preset), num_players=n)
    for seed in range(4):
        seen = play(env, seed)
        rewards = [float(r) for r in seen[3::6]]
        assert not any(rewards[:-1])
        assert rewards[-1] == pytest.approx(1) or rewards[-1] == pytest.approx(-1 / (n - 1))
        assert seen[-3] is True  # terminated
        assert not seen[-1].any()  # nothing is legal after the end
        assert all(mask.any() for mask in seen[6:-6:6])


def test_ids_and_json() -> None:
    register_gymnasium()  # again: no warning, nothing overridden
    ids = {gymnasium_id(preset) for preset in PRESETS} | {"Whot-v0"}
    assert {"whot/NaijaWhot-v0", "whot/Variant1478-v0"} < ids
    for name in ids:
        spec = gym.spec(name)
        assert json.loads(json.dumps(spec.kwargs)) == spec.kwargs
        assert gym.spec(name).vector_entry_point == "whot_env.envs.vector:WhotVectorEnv"
        assert spec.to_json()
    env = gym.make("Whot-v0", rules={"preset": "nigerian", "hand_size": 4}, num_players=3)
    again = gym.make(env.spec)
    assert equal(play(env, 1), play(again, 1))


def test_seeds() -> None:
    assert equal(play(WhotEnv(), 5), play(WhotEnv(), 5))
    assert not equal(play(WhotEnv(), 5), play(WhotEnv(), 6))
    assert not equal(play(WhotEnv(), None), play(WhotEnv(), None))
    first, second = WhotEnv(num_players=3), WhotEnv(num_players=3)
    for _ in range(3):  # later episodes go on from the seed
        assert equal(play(first, None if first._seeded else 9), play(second, None if second._seeded else 9))
    np.random.seed(1)  # noqa: NPY002 - to see that it is left alone
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    play(WhotEnv(opponents="uniform", max_moves=60), 3)
    assert np.array_equal(state, np.random.get_state()[1])  # noqa: NPY002


def test_seeds_of_every_kind() -> None:
    env = WhotEnv()
    expected, _ = env.reset(seed=3)
    found, _ = env.reset(seed=np.int64(3))  # type: ignore[arg-type]
    assert np.array_equal(found, expected)
    for seed in (1.5, -1, True, "3"):
        with pytest.raises(WhotError) as refused:
            env.reset(seed=seed)  # type: ignore[arg-type]
        assert refused.value.key == "seed"


def test_seats() -> None:
    env = WhotEnv(num_players=4)
    seats = {env.reset(seed=seed) and env.seat for seed in range(40)}
    assert seats == {0, 1, 2, 3}
    for seat in range(4):
        fixed = WhotEnv(num_players=4, seat=seat)
        fixed.reset(seed=1)
        assert fixed.seat == seat


def test_illegal_action_is_a_loss() -> None:
    env = WhotEnv(num_players=3)
    _, info = env.reset(seed=0)
    action = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated, info["illegal_action"]) == (-1.0, True, False, True)
    assert not info["action_mask"].any()
    assert not env.action_masks().any()
    with pytest.raises(gym.error.ResetNeeded):
        env.step(action)
    _, info = env.reset()
    assert info["illegal_action"] is False
    assert info["action_mask"].any()


@pytest.mark.parametrize("action", [76, -1, None, 1.5, "draw", True])
def test_what_is_no_action(action: Any) -> None:
    env = WhotEnv()
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)
    env.reset(seed=0)
    with pytest.raises(ActionError, match="0 to 75"):
        env.step(action)


@pytest.mark.parametrize("match", ["single", {"best_of": 3}])
def test_truncation_counts_moves_of_all_seats(match: Any) -> None:
    env = WhotEnv(rules={"preset": "naija_whot", "match": match}, num_players=3, max_moves=30, seat=0)
    truncations = 0
    for seed in range(20):
        seen = play(env, seed)
        assert seen[-3] != seen[-2]  # terminated or truncated, never both
        if seen[-2]:
            truncations += 1
            assert seen[-4] == 0.0
            assert not seen[-1].any()
            if match == "single":
                assert env._lanes.batch.states["moves"][0] == 30
    assert truncations


def test_short_matches_are_dealt_until_the_learner_is_asked() -> None:
    env = WhotEnv(rules={"preset": "classic", "hand_size": 1}, num_players=4, seat=2)
    for seed in range(30):
        _, info = env.reset(seed=seed)
        assert info["action_mask"].any()
        assert env._lanes.batch.asked[0] == 2


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    text = WhotEnv(render_mode="ansi", seat=1)
    text.reset(seed=0)
    assert "Seat 1 (you)" in text.render()
    image = WhotEnv(render_mode="rgb_array", num_players=3)
    image.reset(seed=0)
    frame = image.render()
    assert frame.dtype == np.uint8
    assert frame.shape[2] == 3
    human = WhotEnv(render_mode="human")
    human.reset(seed=0)
    assert human.render() is None
    assert "Whot" in capsys.readouterr().out
    with pytest.raises(WhotError, match="render_mode is None"):
        WhotEnv().render()


def test_copies_go_on_alike() -> None:
    env = WhotEnv(num_players=3)
    env.reset(seed=1)
    other = copy.deepcopy(env)
    assert equal(play(other, None), play(env, None))


class Named:
    """Plays like another policy and counts its calls."""

    def __init__(self, name: str) -> None:
        self.name, self.calls = name, 0

    def act(self, observation: Any, action_mask: Any, rng: Any) -> Any:
        self.calls += 1
        return Uniform().act(observation, action_mask, rng)


def test_each_other_seat_has_its_policy() -> None:
    first, second = Named("first"), Named("second")
    env = WhotEnv(num_players=4, opponents=[first, "playful", second], seat=0, max_moves=60)
    play(env, 1)
    assert first.calls > 0
    assert second.calls > 0


class Cheat:
    name = "cheat"

    def act(self, observation: Any, action_mask: Any, rng: Any) -> Any:
        return (action_mask == 0).argmax(axis=1)


class Vague:
    name = "vague"

    def act(self, observation: Any, action_mask: Any, rng: Any) -> Any:
        return rng.random(len(action_mask))


@pytest.mark.parametrize("policy", [Cheat(), Vague()], ids=["illegal", "no integers"])
def test_opponent_that_breaks_the_rules_is_named(policy: Any) -> None:
    with pytest.raises(ActionError, match=f"'{policy.name}'"):
        play(WhotEnv(opponents=policy), 0)


@pytest.mark.parametrize(
    ("option", "key"),
    [
        ({"opponents": "grandmaster"}, "opponents"),
        ({"opponents": ["playful"]}, "opponents"),
        ({"opponents": 3}, "opponents"),
        ({"opponents": Uniform}, "opponents"),
        ({"opponents": [Uniform(), Uniform]}, "opponents"),
        ({"opponents": [Uniform(), "nobody"]}, "opponents"),
        ({"seat": 3}, "seat"),
        ({"reward": "score"}, "reward"),
        ({"max_moves": -1}, "max_moves"),
        ({"render_mode": "gif"}, "render_mode"),
        ({"rules": "whist"}, "preset"),
    ],
)
def test_wrong_options(option: dict[str, Any], key: str) -> None:
    with pytest.raises(WhotError) as caught:
        WhotEnv(**{"num_players": 3, **option})
    assert caught.value.key == key
    assert "allowed" in str(caught.value)
    assert "\n" not in str(caught.value)
