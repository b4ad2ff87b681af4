"""Stable-Baselines3: the native VecEnv against DummyVecEnv, MaskablePPO on it, and changing opponents."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from gymnasium.error import ResetNeeded
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from whot_env.envs.sb3 import WhotVecEnv
from whot_env.envs.single import WhotEnv
from whot_env.errors import ActionError, WhotError
from whot_env.policies import Playful, Uniform
from whot_env.rules import PRESETS


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small are slower on many threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def legal_actions(masks: Any, rng: np.random.Generator) -> Any:
    return Playful().act(masks.astype(np.int8), masks.astype(np.int8), rng)


@pytest.mark.parametrize("options", [{}, {"num_players": 3, "opponents": "uniform", "max_moves": 40}])
def test_equals_sb3s_own_vector_of_singles(options: dict[str, Any]) -> None:
    lanes = 5
    ours, theirs = WhotVecEnv(lanes, seed=3, **options), DummyVecEnv([lambda: WhotEnv(**options)] * lanes)
    theirs.seed(3)
    first, second = ours.reset(), theirs.reset()
    rng, ends, cut = np.random.default_rng(0), 0, 0
    for _ in range(200):
        assert np.array_equal(first, second)
        masks = ours.action_masks()
        assert np.array_equal(masks, get_action_masks(theirs))
        actions = legal_actions(masks, rng)
        wrong = rng.random(lanes) < 0.01
        actions[wrong] = (~masks[wrong]).argmax(axis=1)
        first, rewards, dones, infos = ours.step(actions)
        second, rewards2, dones2, infos2 = theirs.step(actions)
        assert rewards.dtype == rewards2.dtype
        assert np.array_equal(rewards, rewards2)
        assert np.array_equal(dones, dones2)
        assert len({id(info) for info in infos}) == lanes
        for lane in np.flatnonzero(dones):
            for key in ("TimeLimit.truncated", "illegal_action"):
                assert infos[lane][key] == infos2[lane][key]
            assert np.array_equal(infos[lane]["terminal_observation"], infos2[lane]["terminal_observation"])
            cut += infos[lane]["TimeLimit.truncated"]
        ends += dones.sum()
    assert ends > 10
    assert cut > 0 or "max_moves" not in options


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset(preset: str) -> None:
    envs, rng = WhotVecEnv(8, preset, seed=0, max_moves=300), np.random.default_rng(0)
    observations = envs.reset()
    for _ in range(40):
        assert all(envs.observation_space.contains(observation) for observation in observations)
        observations, rewards, dones, _ = envs.step(legal_actions(envs.action_masks(), rng))
        assert not rewards[~dones].any()


def test_maskable_ppo_learns_on_it() -> None:
    envs = VecMonitor(WhotVecEnv(16, "naija_whot", 2, "playful"))
    assert is_masking_supported(envs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MaskablePPO("MlpPolicy", envs, n_steps=16, batch_size=64, n_epochs=1, seed=0, device="cpu")
        model.learn(512)
        returns, _ = evaluate_policy(model, VecMonitor(WhotVecEnv(4, "naija_whot", 2, seed=1)), n_eval_episodes=4)
    assert -1 <= returns <= 1


def test_maskable_ppo_on_the_single_environment() -> None:
    model = MaskablePPO(
        "MlpPolicy", WhotEnv(max_moves=200), n_steps=32, batch_size=32, n_epochs=1, seed=0, device="cpu"
    )
    model.learn(64)


def test_masks_and_attributes() -> None:
    envs = WhotVecEnv(3, seed=0)
    envs.reset()
    masks = envs.action_masks()
    assert masks.shape == (3, 76)
    assert masks.dtype == np.bool_
    assert np.array_equal(np.stack(envs.env_method("action_masks", indices=[2, 0])), masks[[2, 0]])
    assert envs.get_attr("render_mode") == [None] * 3
    assert envs.get_attr("num_envs", 1) == [3]
    assert not envs.has_attr("nothing")
    with pytest.raises(AttributeError, match="action_masks, render"):
        envs.env_method("dance")
    with pytest.raises(WhotError, match="indices"):
        envs.set_attr("note", 1, indices=[0])
    envs.set_attr("note", 1)
    assert envs.get_attr("note") == [1, 1, 1]
    assert envs.env_is_wrapped(VecMonitor) == [False] * 3  # type: ignore[arg-type]


def test_seeds() -> None:
    first, second = WhotVecEnv(4, seed=9), WhotVecEnv(4)
    second.seed(9)
    assert np.array_equal(first.reset(), second.reset())
    assert np.array_equal(first.reset(), second.reset())  # go on alike
    again = WhotVecEnv(4, seed=9)
    assert not np.array_equal(again.reset(), first.reset())
    np.random.seed(1)  # noqa: NPY002 - to see that it is left alone
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    WhotVecEnv(2).reset()
    assert np.array_equal(state, np.random.get_state()[1])  # noqa: NPY002


class Counting:
    """Uniform, and how many games it played in last."""

    def __init__(self, name: str) -> None:
        self.name, self.games = name, 0

    def act(self, observation: Any, action_mask: Any, rng: Any) -> Any:
        self.games = max(self.games, len(action_mask))
        return Uniform().act(observation, action_mask, rng)


def test_changing_opponents() -> None:
    envs, rng = WhotVecEnv(12, "classic", 3, "playful", seed=0, max_moves=60), np.random.default_rng(0)
    envs.reset()
    old, new = Counting("old"), Counting("new")
    envs.set_opponents([old, [new, new], "playful"], shares=[2, 3, 1])
    assert np.bincount(envs.team).tolist() == [4, 6, 2]
    for _ in range(30):
        envs.step(legal_actions(envs.action_masks(), rng))
    assert 0 < old.games <= 4
    assert 0 < new.games <= 6
    envs.set_opponents(["uniform", "playful"])
    assert np.bincount(envs.team).tolist() == [6, 6]
    for shares in ([1], [-1, 2], [0, 0], [np.nan, 1], ["a", 1], ["a"], [[1], [1, 2]], [10**400, 1], [None, 1], {}):
        with pytest.raises(WhotError, match="shares"):
            envs.set_opponents(["uniform", "playful"], shares)
    with pytest.raises(WhotError, match="shares"):
        envs.set_opponents([])
    for teams in (None, 3, "playful", Uniform(), [Uniform]):
        with pytest.raises(WhotError, match="opponent"):
            envs.set_opponents(teams)  # type: ignore[arg-type]
    assert np.bincount(envs.team).tolist() == [6, 6]


def test_rendering() -> None:
    envs = WhotVecEnv(2, render_mode="rgb_array", seed=0)
    envs.reset()
    image = envs.render()
    assert image is not None
    assert image.ndim == 3


def test_misuse_is_named() -> None:
    envs = WhotVecEnv(2, seed=0)
    with pytest.raises(ResetNeeded, match="reset"):
        envs.step(np.array([0, 0]))
    envs.reset()
    envs.step(envs.action_masks().argmax(axis=1))
    with pytest.raises(ActionError):
        envs.step(np.array([0, 76]))
    for option, key in (({"opponents": "nobody"}, "opponents"), ({"seed": -1}, "seed"), ({"num_envs": 0}, "num_envs")):
        with pytest.raises(WhotError) as caught:
            WhotVecEnv(**option)  # type: ignore[arg-type]
        assert caught.value.key == key
