"""Odd arguments are refused in one sentence that says what is allowed, and nothing moves."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from whot_env import whot_v0
from whot_env.actions import ACTION_NAMES
from whot_env.batch import Batch
from whot_env.envs.single import WhotEnv
from whot_env.envs.vector import WhotVectorEnv
from whot_env.errors import WhotError
from whot_env.game import Game

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), -1)
    | st.integers(100, 2**70)
    | st.floats()
    | st.text()
    | st.binary(max_size=3)
)
odd = _SCALARS | st.lists(_SCALARS, max_size=3) | st.dictionaries(st.text() | st.integers(), _SCALARS, max_size=2)
odd |= st.tuples(_SCALARS) | st.sampled_from([np.zeros(2), np.array(1), np.float32(1), object(), {1}, Game])
"""Neither a seat, nor an agent, nor an action, nor an event."""


def refused(call: Any, *arguments: Any) -> None:
    with pytest.raises(WhotError, match="allowed") as error:
        call(*arguments)
    assert "\n" not in str(error.value)


@given(odd)
@examples(60)
def test_a_game(value: Any) -> None:
    game = Game.new("house_table", 3, seed=5)
    before = game.state.tobytes()
    refused(game.step, value)
    refused(game.event, value)
    for event in ("leave", "timeout", "pause"):
        refused(game.event, {event: value})
    if value is not True:
        refused(game.event, {"end_game": value})
    if value is not None:
        refused(game.observation, value)
    refused(game.reaction, {0: 1.0, 5: value})
    refused(game.reaction, {0: 1.0, 1: "soon"})
    assert game.state.tobytes() == before


@given(odd)
@examples(60)
def test_a_batch(value: Any) -> None:
    batch = Batch("house_table", 3, 4, seed=5)
    before = batch.states.tobytes()
    for event in (batch.leave, batch.timeout):
        refused(event, 0, value)
        refused(event, value, 0)
    refused(batch.end_game, value)
    assert batch.states.tobytes() == before


@given(odd)
@examples(60)
def test_one_agent_at_a_time(value: Any) -> None:
    for env in (whot_v0.raw_env("house_table", 3), whot_v0.env(rules="house_table", num_players=3).unwrapped):
        refused(env.leave, "player_0")  # before the start
        env.reset(seed=5)
        before = env.state()
        for call in (env.leave, env.timeout, env.step):
            refused(call, value)
        assert np.array_equal(env.state(), before)
        assert env.agents == env.possible_agents


@given(odd)
@examples(30)
def test_one_learner(value: Any) -> None:
    single, vector = WhotEnv(), WhotVectorEnv(2)
    single.reset(seed=5)
    vector.reset(seed=5)
    before = single.action_masks(), vector.action_masks()
    if not isinstance(value, np.ndarray) or value.shape:  # Gymnasium counts an array without axes as a number
        refused(single.step, value)
    refused(vector.step, value)
    assert np.array_equal(single.action_masks(), before[0])
    assert np.array_equal(vector.action_masks(), before[1])


@pytest.mark.parametrize("seed", [-1, 1.5, True, "7", [1, 2, 3], ["a", "b"], np.int64(3), {"a": 1}])
def test_seeds_of_a_vector(seed: Any) -> None:
    if isinstance(seed, np.int64):
        by_numpy, by_int = WhotVectorEnv(2).reset(seed=seed)[0], WhotVectorEnv(2).reset(seed=int(seed))[0]  # type: ignore[arg-type]
        assert np.array_equal(by_numpy, by_int)
    else:
        refused(lambda: WhotVectorEnv(2).reset(seed=seed))


@pytest.mark.parametrize("action", [ACTION_NAMES[0], None, 76, -1, 0.0, [0], np.array([0])])
def test_an_action_of_the_parallel_environment(action: Any) -> None:
    env = whot_v0.parallel_env(num_players=2)
    env.reset(seed=0)
    refused(env.step, dict.fromkeys(env.agents, action))
    refused(env.step, {})
