"""Copies and pickles taken at any decision go on identically and share nothing with the original."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Host, Play, do, examples, next_deed, plays

from whot_env import whot_v0
from whot_env.actions import ACTION_ID
from whot_env.batch import Batch
from whot_env.envs.single import WhotEnv
from whot_env.envs.vector import WhotVectorEnv
from whot_env.game import Game
from whot_env.policies import Playful


def by_pickle(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


DEEP = (copy.deepcopy, by_pickle)
GAME_ONLY = (copy.copy, Game.copy)
"""A game's record is its own in a shallow copy too; a batch and the environments follow Python's custom there."""

Trace = list[Any]


def trace_game(game: Game, host: Host, deeds: int) -> Trace:
    trace: Trace = []
    for _ in range(deeds):
        if game.match_over:
            break
        deed = next_deed(host, game)
        trace += [deed, do(game, deed), game.state.tobytes(), game.observation().tobytes(), list(game.log)]
    return trace


@given(plays(), st.sampled_from((*DEEP, *GAME_ONLY)))
@examples(150)
def test_games(play: Play, again: Callable[[Game], Game]) -> None:
    game, host = play.new(), Host(play)
    trace_game(game, host, play.length)
    kept, log = game.state.tobytes(), list(game.log)
    twin, other = again(game), copy.deepcopy(host)
    expected = trace_game(twin, other, 30)
    assert (game.state.tobytes(), game.log) == (kept, log)
    assert trace_game(game, host, 30) == expected


def trace_batch(batch: Batch, seed: int, steps: int) -> Trace:
    rng, trace = np.random.default_rng(seed), []
    for _ in range(steps):
        mask = batch.action_mask()
        trace += [batch.step((rng.random(mask.shape) * mask).argmax(1)).tobytes(), batch.states.tobytes()]
        batch.reset(batch.over)
    return trace


@given(plays(60), st.sampled_from(DEEP))
@examples(80)
def test_batches(play: Play, again: Callable[[Batch], Batch]) -> None:
    batch = Batch([play.rules, "arcade", play.rules], [play.seats, 3, play.seats], 3, seed=play.deal)
    trace_batch(batch, play.choices, play.length)
    kept, twin = batch.states.tobytes(), again(batch)
    expected = trace_batch(twin, play.choices, 20)
    assert batch.states.tobytes() == kept
    assert trace_batch(batch, play.choices, 20) == expected


def trace_aec(env: Any, host: Host, deeds: int) -> Trace:
    """Steps and host events; agents that are done are stepped out."""
    trace: Trace = []
    for _ in range(deeds):
        if not env.agents:
            break
        agent = env.agent_selection
        observation, *rest = env.last()
        trace += [agent, *rest, observation["observation"].tobytes(), observation["action_mask"].tobytes()]
        if rest[1] or rest[2]:
            env.step(None)
            continue
        kind, value = host.deed(int(agent[-1]), observation["action_mask"])
        if kind == "step":
            env.step(ACTION_ID[value])
        elif "end_game" in value:
            env.unwrapped.leave(agent)  # anyone who is asked may leave
    return trace


@pytest.mark.parametrize("make", [whot_v0.raw_env, whot_v0.env])
@given(plays(60), st.sampled_from(DEEP), st.sampled_from((None, 40)), st.sampled_from((None, "ansi")))
@examples(60)
def test_one_agent_at_a_time(
    make: Any, play: Play, again: Callable[[Any], Any], max_moves: int | None, render_mode: str | None
) -> None:
    env = make(rules=play.rules, num_players=play.seats, max_moves=max_moves, render_mode=render_mode)
    host = Host(play)
    env.reset(seed=play.deal)
    trace_aec(env, host, play.length)
    kept, twin, other = env.unwrapped.state(), again(env), copy.deepcopy(host)
    agents = list(env.agents)
    expected = trace_aec(twin, other, 30)
    assert np.array_equal(env.unwrapped.state(), kept)
    assert env.agents == agents
    assert trace_aec(env, host, 30) == expected
    env.reset()  # unseeded: their generators too stand at the same place
    twin.reset()
    assert np.array_equal(env.unwrapped.state(), twin.unwrapped.state())


def trace_learner(env: Any, state: Any, seed: int, steps: int) -> tuple[Trace, Any]:
    """``state`` is the mask of the last result, of one lane or of many; the mask in the end is given back with it."""
    rng, trace = np.random.default_rng(seed), []
    for _ in range(steps):
        mask = np.atleast_2d(state)
        actions = (rng.random(mask.shape) * mask).argmax(1)
        observation, reward, terminated, truncated, info = env.step(actions if state.ndim == 2 else int(actions[0]))
        trace += [observation.tobytes(), np.array(reward).tolist(), np.array(terminated).tolist()]
        if state.ndim == 1 and (terminated or truncated):
            observation, info = env.reset()
            trace.append(observation.tobytes())
        state = info["action_mask"]
    return trace, state


def make_single(play: Play, opponents: Any) -> WhotEnv:
    return WhotEnv(play.rules, play.seats, opponents, max_moves=60)


def make_vector(play: Play, opponents: Any) -> WhotVectorEnv:
    return WhotVectorEnv(3, play.rules, play.seats, opponents, max_moves=60)


@pytest.mark.parametrize("make", [make_single, make_vector])
@given(plays(25), st.sampled_from(DEEP), st.sampled_from(("playful", "uniform", "heuristic", "mixed")))
@examples(30)
def test_one_learner(make: Any, play: Play, again: Callable[[Any], Any], opponents: Any) -> None:
    if opponents == "mixed":
        opponents = [Playful(), *["uniform"] * (play.seats - 2)]
    env = make(play, opponents)
    _, info = env.reset(seed=play.deal)
    _, mask = trace_learner(env, info["action_mask"], play.choices, play.length)
    kept, twin = env.action_masks(), again(env)
    expected = trace_learner(twin, mask, play.choices, 15)
    assert np.array_equal(env.action_masks(), kept)
    found = trace_learner(env, mask, play.choices, 15)
    assert found[0] == expected[0]


@given(plays(0), st.sampled_from(DEEP))
@examples(20)
def test_sb3(play: Play, again: Callable[[Any], Any]) -> None:
    sb3 = pytest.importorskip("whot_env.envs.sb3")
    envs = sb3.WhotVecEnv(3, play.rules, play.seats, seed=play.deal, max_moves=60)
    envs.reset()
    traces: list[Trace] = []
    twin = again(envs)
    for one in (twin, envs):
        rng, trace = np.random.default_rng(play.choices), [one.action_masks().tobytes()]
        for _ in range(20):
            mask = one.action_masks()
            observation, reward, done, _ = one.step((rng.random(mask.shape) * mask).argmax(1))
            trace += [observation.tobytes(), reward.tolist(), done.tolist()]
        traces.append(trace)
    assert traces[0] == traces[1]
