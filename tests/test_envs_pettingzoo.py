"""PettingZoo: its own tests on every preset, who is asked when, who is paid what, and what an illegal action does."""

import copy
import pickle
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    performance_benchmark,
    render_test,
    seed_test,
    state_test,
)

from whot_env import whot_v0
from whot_env.actions import ACTION_ID, ACTION_NAMES, DRAW
from whot_env.envs.aec import WhotAEC
from whot_env.errors import ActionError, EventError, WhotError
from whot_env.policies import Playful
from whot_env.registration import register_pettingzoo
from whot_env.rules import PRESETS, Rules

TABLES = [(preset, n) for preset in PRESETS for n in (2, 3, 4) if Rules.preset(preset).seat_range[1] >= n]
EXPECTED = ("NumPy array", "probably should be gymnasium.spaces")  # said of every Dict observation


@pytest.fixture(autouse=True)
def no_unexpected_warnings() -> Iterator[None]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    others = [str(w.message) for w in caught if not any(text in str(w.message) for text in EXPECTED)]
    assert not others


def play(env: Any, seed: int, policy: Any = None, limit: int = 5000) -> tuple[dict[str, float], list[str]]:
    """What each agent was paid in all, and the agents in the order they stepped."""
    rng, policy = np.random.default_rng(seed), policy or Playful()
    env.reset(seed=seed)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    order = []
    for agent in env.agent_iter(limit):
        observation, reward, terminated, truncated, _ = env.last()
        paid[agent] += reward
        order.append(agent)
        if terminated or truncated:
            env.step(None)
            continue
        mask = observation["action_mask"]
        env.step(int(policy.act(observation["observation"][None], mask[None], rng)[0]))
    return paid, order


@pytest.mark.parametrize(("preset", "n"), TABLES)
def test_api(preset: str, n: int) -> None:
    api_test(whot_v0.env(rules=preset, num_players=n), num_cycles=60)


@pytest.mark.parametrize("preset", PRESETS)
def test_raw_api_and_parallel_api(preset: str) -> None:
    api_test(whot_v0.raw_env(rules=preset), num_cycles=100)
    parallel_api_test(whot_v0.parallel_env(rules=preset), num_cycles=300)


def test_seeds_and_state() -> None:
    seed_test(lambda: whot_v0.env(num_players=3), 40)
    parallel_seed_test(lambda: whot_v0.parallel_env(num_players=3), 40)
    state_test(whot_v0.env(num_players=3), whot_v0.parallel_env(num_players=3))


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(whot_v0.env)
    assert "to play" in capsys.readouterr().out


def test_performance_benchmark_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[performance_benchmark.__module__]
    ticks = iter([0.0, *(6.0 for _ in range(10))])  # one cycle instead of five seconds
    monkeypatch.setattr(module.time, "time", lambda: next(ticks))
    performance_benchmark(whot_v0.env())


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27 has no registry")
def test_registry() -> None:
    register_pettingzoo()  # again: no warning
    assert isinstance(pettingzoo.make("aec", "whot_v0", num_players=3).unwrapped, WhotAEC)
    assert len(pettingzoo.make("parallel", "whot-v0", rules="classic", num_players=5).possible_agents) == 5


@pytest.mark.parametrize(("preset", "n"), TABLES)
def test_payoffs_add_up_to_zero(preset: str, n: int) -> None:
    for seed in range(3):
        paid, _ = play(whot_v0.env(rules=preset, num_players=n), seed)
        assert sum(paid.values()) == pytest.approx(0)
        assert max(paid.values()) > 0


@pytest.mark.parametrize("match", [{"best_of": 3}, {"lowest_total": 2}, {"elimination": 60}])
def test_match_of_several_rounds(match: dict[str, int]) -> None:
    rules = {"preset": "arcade", "match": match}
    paid, order = play(whot_v0.raw_env(rules=rules, num_players=3), 1, limit=50_000)
    assert sum(paid.values()) == pytest.approx(0)
    assert set(order[-3:]) == {"player_0", "player_1", "player_2"}  # all of them leave at the end only


class PlayOn(Playful):
    def act(self, observation: Any, action_mask: Any, rng: Any) -> Any:
        actions = super().act(observation, action_mask, rng)
        actions[action_mask[:, ACTION_ID["play-on"]] == 1] = ACTION_ID["play-on"]
        return actions


@pytest.mark.parametrize("payoff", ["winner", "placing"])
def test_seat_that_is_out_steps_once_with_none(payoff: str) -> None:
    played_on = 0
    for seed in range(30):
        env = whot_v0.raw_env(rules={"preset": "arcade", "payoff": payoff}, num_players=3)
        env.reset(seed=seed)
        rng, policy, after, out = np.random.default_rng(seed), PlayOn(), [], None
        paid: Counter[str] = Counter()
        for agent in env.agent_iter():
            observation, reward, terminated, _, _ = env.last()
            paid[agent] += reward
            mask = observation["action_mask"]
            action = None if terminated else int(policy.act(observation["observation"][None], mask[None], rng)[0])
            if out is None and terminated:
                out = int(agent[-1])
                if len(env.agents) == 3 and not all(env.terminations.values()):
                    played_on += 1
            elif out is not None:
                after.append((agent, terminated))
            env.step(action)
        assert out is not None
        assert f"player_{out}" not in [agent for agent, _ in after]
        assert sum(paid.values()) == pytest.approx(0)
        live = [agent for agent, terminated in after if not terminated]
        if live:  # the vote, from the next seat on
            direction = 1 if env._batch.states["direction"][0] == 1 else -1
            assert live[:2] == [f"player_{(out + direction) % 3}", f"player_{(out + 2 * direction) % 3}"]
    assert played_on > 10


@pytest.mark.parametrize("n", [2, 3, 4])
def test_illegal_action_is_a_loss(n: int) -> None:
    env = whot_v0.raw_env(num_players=n)
    env.reset(seed=3)
    offender = env.agent_selection
    env.step(int(np.flatnonzero(env.observe(offender)["action_mask"] == 0)[0]))
    assert env.rewards[offender] == -1
    assert sum(env.rewards.values()) == pytest.approx(0)
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    assert {agent for agent in env.agents if env.infos[agent]["illegal_action"]} == {offender}
    for _ in range(n):
        env.step(None)
    assert env.agents == []


def test_wrapped_illegal_action_ends_the_game() -> None:
    env = whot_v0.env(num_players=3)
    env.reset(seed=3)
    offender = env.agent_selection
    env.step(int(np.flatnonzero(env.observe(offender)["action_mask"] == 0)[0]))
    assert env.rewards[offender] == -1
    for _ in range(3):
        env.step(None)
    assert env.agents == []


@pytest.mark.parametrize("action", [76, -1, None, 1.0, "draw", True])
def test_what_is_no_action(action: Any) -> None:
    env = whot_v0.raw_env()
    with pytest.raises(WhotError, match="reset"):
        env.step(action)
    env.reset(seed=0)
    with pytest.raises(ActionError, match="0 to 75"):
        env.step(action)


@pytest.mark.parametrize("agent", ["x", "player_2", 0, None, ["player_0"]])
def test_what_is_no_agent(agent: Any) -> None:
    env = whot_v0.raw_env(num_players=2)
    env.reset(seed=0)
    for call in (env.observe, env.observation_space, env.action_space, env.leave, env.timeout):
        with pytest.raises(WhotError, match="player_0, player_1") as refused:
            call(agent)
        assert refused.value.key == "agent"


def test_observing_at_any_time_gives_new_arrays() -> None:
    env = whot_v0.raw_env(num_players=3)
    for agent in env.possible_agents:  # before the first reset
        assert env.observation_space(agent).contains(env.observe(agent))
    play(env, 0)
    for agent in env.possible_agents:  # after the end
        observation = env.observe(agent)
        assert env.observation_space(agent).contains(observation)
        assert not observation["action_mask"].any()
    env.reset(seed=1)
    asked = env.agent_selection
    masks = {agent: env.observe(agent)["action_mask"].any() for agent in env.agents}
    assert masks == {agent: agent == asked for agent in env.agents}
    assert not np.shares_memory(env.observe(asked)["observation"], env.observe(asked)["observation"])


@pytest.mark.parametrize("again", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_alike_and_share_nothing(again: Any) -> None:
    env = whot_v0.raw_env(num_players=3, max_moves=50)
    env.reset(seed=4)
    for _ in range(5):
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    other, before = again(env), env.state()
    trace: list[list[Any]] = [[], []]
    for seen, one in zip(trace, (other, env), strict=True):
        while one.agents:
            observation, reward, terminated, truncated, _ = one.last()
            seen += [one.agent_selection, reward, observation["observation"].tobytes()]
            one.step(None if terminated or truncated else int(np.flatnonzero(observation["action_mask"])[0]))
        if one is other:
            assert np.array_equal(env.state(), before)
    assert trace[0] == trace[1]


def test_reset_without_seed_goes_on() -> None:
    first, second = whot_v0.raw_env(), whot_v0.raw_env()
    for env in (first, second):
        env.reset(seed=5)
        env.reset()
    assert np.array_equal(first.state(), second.state())
    fresh = whot_v0.raw_env()
    fresh.reset()
    assert not np.array_equal(fresh.state(), first.state())


def test_truncation() -> None:
    env = whot_v0.env(num_players=3, max_moves=4)
    env.reset(seed=0)
    for _ in range(4):
        env.step(DRAW)
    assert env.agents == env.possible_agents
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert set(env.rewards.values()) == {0.0}


def test_leaving() -> None:
    env = whot_v0.raw_env(rules="house_table", num_players=3)
    env.reset(seed=0)
    other = next(agent for agent in env.agents if agent != env.agent_selection)
    asked = env.agent_selection
    env.leave(other)
    assert env.agent_selection == other
    assert env.last()[1:4] == (-0.5, True, False)
    env.step(None)
    assert env.agent_selection == asked
    env.leave(asked)
    last = next(agent for agent in env.possible_agents if agent not in (asked, other))
    assert env.rewards == {asked: -0.5, last: 1.0}
    assert all(env.terminations.values())
    with pytest.raises(EventError):
        env.leave(last)
    env.reset(seed=0)
    with pytest.raises(WhotError, match="player_0, player_1, player_2"):
        env.leave("player_3")


def test_timeout_and_end_of_the_game() -> None:
    env = whot_v0.raw_env(rules="naija_whot", num_players=2)
    env.reset(seed=0)
    asked = env.agent_selection
    other = next(agent for agent in env.agents if agent != asked)
    with pytest.raises(EventError):
        env.timeout(other)
    env.timeout(asked)
    assert env.agent_selection == other
    env.end_game()
    assert all(env.terminations.values())
    assert sum(env.rewards.values()) == 0
    refused = whot_v0.raw_env(rules="arcade")
    refused.reset(seed=0)
    with pytest.raises(EventError):
        refused.timeout(refused.agent_selection)


@pytest.mark.parametrize("payoff", ["winner", "placing"])
def test_early_payoffs_are_the_final_ones(payoff: str) -> None:
    """Whoever leaves or goes out before the end is paid what the engine pays at the end; nobody is paid twice."""
    rng = np.random.default_rng(0)
    for seed in range(40):
        rules = {"preset": "arcade", "payoff": payoff, "match": {"best_of": 3} if seed % 4 == 0 else "single"}
        env = whot_v0.raw_env(rules=rules, num_players=4)
        env.reset(seed=seed)
        paid = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            observation, reward, terminated, _, _ = env.last()
            paid[agent] += reward
            if terminated:
                env.step(None)
            elif rng.random() < 0.01:
                seats = [
                    a for a in env.agents if not env.terminations[a] and env._batch.states["active"][0, int(a[-1])]
                ]
                env.leave(seats[int(rng.integers(len(seats)))])
            else:
                mask = observation["action_mask"]
                env.step(int(PlayOn().act(observation["observation"][None], mask[None], rng)[0]))
        expected = env._batch.payoffs[0, :4]
        assert [paid[agent] for agent in env.possible_agents] == pytest.approx(expected.tolist())


def test_parallel_needs_the_asked_agent_only() -> None:
    env = whot_v0.parallel_env(num_players=3)
    observations, infos = env.reset(seed=0)
    assert set(observations) == set(infos) == set(env.agents)
    (asked,) = [agent for agent in env.agents if observations[agent]["action_mask"].any()]
    with pytest.raises(ActionError, match=asked):
        env.step({agent: DRAW for agent in env.agents if agent != asked})
    for actions in (None, DRAW, [asked], asked, [[asked]], {}, {asked: None}):
        with pytest.raises(ActionError, match="allowed"):
            env.step(actions)  # type: ignore[arg-type]
    observations, rewards, *_ = env.step({asked: DRAW})
    assert rewards == dict.fromkeys(env.agents, 0.0)
    (next_asked,) = [agent for agent in env.agents if observations[agent]["action_mask"].any()]
    assert next_asked != asked


def test_parallel_plays_as_one_at_a_time() -> None:
    parallel, single = whot_v0.parallel_env(num_players=3), whot_v0.raw_env(num_players=3)
    observations, _ = parallel.reset(seed=8)
    single.reset(seed=8)
    rng, total = np.random.default_rng(0), dict.fromkeys(parallel.possible_agents, 0.0)
    while parallel.agents:
        asked = single.agent_selection
        observation = single.observe(asked)
        assert all(np.array_equal(observation[key], observations[asked][key]) for key in observation)
        action = int(Playful().act(observation["observation"][None], observation["action_mask"][None], rng)[0])
        observations, rewards, *_ = parallel.step({asked: action})
        single.step(action)
        while single.agents and single.terminations[single.agent_selection]:
            single.step(None)
        assert single.agents == parallel.agents
        for agent, reward in rewards.items():
            total[agent] += reward
    assert sum(total.values()) == pytest.approx(0)
    assert max(total.values()) > 0


@pytest.mark.parametrize(
    ("option", "key"),
    [
        ({"rules": "whist"}, "preset"),
        ({"rules": {"preset": "arcade", "hold_onn": 1}}, "hold_onn"),
        ({"num_players": 9}, "num_players"),
        ({"rules": "naija_life", "num_players": 3}, "num_players"),
        ({"reward": "score"}, "reward"),
        ({"max_moves": 0}, "max_moves"),
        ({"render_mode": "gif"}, "render_mode"),
    ],
)
def test_wrong_options(option: dict[str, Any], key: str) -> None:
    for make in (whot_v0.env, whot_v0.raw_env, whot_v0.parallel_env):
        with pytest.raises(WhotError) as caught:
            make(**option)
        assert caught.value.key == key
        assert "\n" not in str(caught.value)


def test_hidden_cards_are_not_seen() -> None:
    """Swapping an opponent's hidden cards with the market's changes nothing for the seat asked."""
    env = whot_v0.raw_env(rules="naija_whot", num_players=3)
    env.reset(seed=2)
    for _ in range(12):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(np.flatnonzero(mask)[0]))
    asked, record = env.agent_selection, env._batch.states[0]
    before = env.observe(asked)
    other = (int(asked[-1]) + 1) % 3
    hand = record["hands"][other]
    card = int(np.flatnonzero(hand > record["known"][other])[0])
    drawn = int(record["market"][record["market_len"] - 1])
    assert card != drawn, "pick another seed"
    hand[card] -= 1
    hand[drawn] += 1
    record["market"][record["market_len"] - 1] = card
    after = env.observe(asked)
    assert all(np.array_equal(before[key], after[key]) for key in before)
    assert env.infos == {agent: {"illegal_action": False} for agent in env.agents}
    assert ACTION_NAMES[card] != ACTION_NAMES[drawn]
