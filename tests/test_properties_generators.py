"""The global generators of NumPy and Python belong to the user: nothing here draws from them or seeds them."""

import io
import pickle
import random
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from typing import Any

import gymnasium
import numpy as np
import pytest
from strategies import Play, do, walk

from whot_agents.arena import evaluate
from whot_agents.spec import make_agent
from whot_env import whot_v0
from whot_env.actions import DRAW
from whot_env.batch import Batch
from whot_env.cli import main
from whot_env.game import Game
from whot_env.policies import make_policy, policy_names
from whot_env.rules import Rules


def global_states() -> bytes:
    return pickle.dumps((random.getstate(), np.random.get_state()))  # noqa: NPY002 - the point is that they stay


@pytest.fixture(autouse=True)
def untouched() -> Iterator[None]:
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002 - see above
    before = global_states()
    yield
    assert global_states() == before


def use_game() -> None:
    for game in walk(Play({"preset": "arcade", "match": {"best_of": 3}}, 3, 1, 2, 200, 0.05)):
        game.observation()
        game.view(0)
        game.copy()
        Game.from_position(game.position())
    game = Game.new("house_table", 4)
    game.reaction({0: 1.5})
    do(game, ("event", {"leave": 1}))
    do(game, ("event", {"end_game": True}))
    Rules.preset("modern", hand_size=3)


def use_batch() -> None:
    batch = Batch(["arcade", "naija_whot"], None, 2)
    for _ in range(50):
        batch.step(batch.action_mask().argmax(1))
        batch.observe()
        batch.reset(batch.over)
    batch.leave(0, 0)
    batch.end_game(1)


def play_aec(env: Any, seed: int | None) -> None:
    env.reset(seed=seed)
    for agent in env.agent_iter(120):
        observation, _, terminated, truncated, _ = env.last()
        done = terminated or truncated
        env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))
    env.close()


def play_parallel(seed: int | None) -> None:
    env = whot_v0.parallel_env(num_players=3)
    observations, _ = env.reset(seed=seed)
    for _ in range(60):
        if not env.agents:
            break
        moves = {agent: env.action_space(agent).sample(observations[agent]["action_mask"]) for agent in env.agents}
        observations, *_ = env.step(moves)
    env.state()


def play_single(seed: int | None) -> None:
    env = gymnasium.make("whot/NaijaWhot-v0", opponents=["heuristic", "uniform", "playful"])
    env.observation_space.sample()
    _, info = env.reset(seed=seed)
    for _ in range(60):
        _, _, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        if terminated or truncated:
            _, info = env.reset()
    env.close()


def play_vector(mode: str) -> None:
    envs = gymnasium.make_vec("whot/Arcade-v0", num_envs=4, opponents="uniform", autoreset_mode=mode, max_moves=30)
    _, infos = envs.reset()
    for _ in range(60):
        *_, ended, cut, infos = envs.step(infos["action_mask"].argmax(1))
        if mode == "Disabled" and (ended | cut).any():
            _, infos = envs.reset(options={"reset_mask": ended | cut})


def play_sb3(seed: int | None) -> None:
    sb3 = pytest.importorskip("whot_env.envs.sb3")
    envs = sb3.WhotVecEnv(4, seed=seed)
    envs.reset()
    for _ in range(40):
        envs.step(envs.action_masks().argmax(1))
    envs.seed()
    envs.reset()


def draw_pictures() -> None:
    for mode in ("ansi", "rgb_array", "human"):
        env = whot_v0.raw_env(render_mode=mode)
        env.reset()
        env.step(DRAW)
        env.render()


def use_commands() -> None:
    for line in ("rules arcade", "actions", "layout", "arena heuristic uniform --games 20"):
        main(line.split())


USES: dict[str, Callable[[], Any]] = {
    "Game": use_game,
    "Batch": use_batch,
    "raw_env": lambda: play_aec(whot_v0.raw_env(), 1),
    "raw_env unseeded": lambda: play_aec(whot_v0.raw_env(), None),
    "env": lambda: play_aec(whot_v0.env(num_players=4), 1),
    "env unseeded": lambda: play_aec(whot_v0.env(num_players=4), None),
    "parallel_env": lambda: play_parallel(1),
    "parallel_env unseeded": lambda: play_parallel(None),
    "single": lambda: play_single(1),
    "single unseeded": lambda: play_single(None),
    **{f"vector {mode}": lambda mode=mode: play_vector(mode) for mode in ("NextStep", "SameStep", "Disabled")},
    "SB3": lambda: play_sb3(1),
    "SB3 unseeded": lambda: play_sb3(None),
    "pictures": draw_pictures,
    "evaluate": lambda: evaluate(make_agent("playful"), make_agent("heuristic"), "arcade", 3, games=60),
    "commands": use_commands,
}


@pytest.mark.parametrize("name", USES)
def test_nothing_touches_the_global_generators(name: str) -> None:
    with redirect_stdout(io.StringIO()):
        USES[name]()


@pytest.mark.parametrize("name", policy_names())
def test_policies_draw_from_the_generator_they_are_given(name: str) -> None:
    policy, batch = make_policy(name), Batch("arcade", 3, 16)
    for seed in range(30):
        observation, mask = batch.observe(), batch.action_mask()
        chosen = [policy.act(observation, mask, np.random.default_rng(seed)) for _ in range(2)]
        assert np.array_equal(*chosen)
        batch.step(chosen[0])
        batch.reset(batch.over)
