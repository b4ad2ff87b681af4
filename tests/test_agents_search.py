"""Search: legal in every phase of every table, decided by the observation and its chance alone, and strong."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from whot_random import random_rules

from whot_agents.arena import evaluate
from whot_agents.base import BatchAgent
from whot_agents.search import KINDS, SearchAgent
from whot_agents.spec import make_agent
from whot_env.actions import ACTION_ID, ACTION_NAMES
from whot_env.batch import Batch
from whot_env.errors import WhotError
from whot_env.game import Game
from whot_env.rules import PRESETS, Rules
from whot_env.state import PHASES


def choice(agent: BatchAgent, game: Game, seed: int = 1) -> str:
    action = agent.act(game.observation()[None], game.action_mask()[None], np.random.default_rng(seed))[0]
    return ACTION_NAMES[action]


@pytest.mark.parametrize("kind", KINDS)
def test_legal_in_every_phase(kind: str) -> None:
    agent, rng = make_agent(f"{kind}:8"), np.random.default_rng(2)
    met: set[str] = set()
    for seed in range(90):
        random = Random(seed)
        rules, seats = random_rules(random, PRESETS[seed % len(PRESETS)])
        batch = Batch(rules, seats, 8, seed=seed)
        for _ in range(25):
            mask = batch.action_mask()
            actions = agent.act(batch.observe(), mask, rng)
            assert mask[np.arange(8), actions].all()
            met |= {PHASES[phase] for phase in batch.states["phase"]}
            if random.random() < 0.5:  # elsewhere too than where search leads
                actions = make_agent("uniform").act(batch.observe(), mask, rng)
            batch.step(actions)
            ended = np.flatnonzero(batch.over)
            if len(ended):
                batch.reset(ended, np.arange(8, dtype=np.uint64))
    assert met >= set(PHASES) - {"over"}


@pytest.mark.parametrize("preset", PRESETS)
def test_whole_games_at_every_table(preset: str) -> None:
    low, high = Rules.preset(preset).seat_range
    for seats in {low, high}:
        # The arena refuses an illegal action by name.
        evaluate(make_agent("search:4"), make_agent("uniform"), preset, seats, games=seats, seed=seats, max_moves=100)


def test_equal_observations_and_chance_give_equal_actions_whatever_is_hidden() -> None:
    batch = Batch("naija_whot", 4, 64, seed=5)
    rng = np.random.default_rng(1)
    for _ in range(8):
        batch.step(make_agent("playful").act(batch.observe(), batch.action_mask(), rng))
    observation, mask = batch.observe(), batch.action_mask()
    hands = batch.states["hands"].copy()
    batch.redeal(np.arange(64))
    assert (batch.states["hands"] != hands).any()
    worlds = batch.observe()
    for kind in KINDS:
        agent = make_agent(f"{kind}:30")
        first, same = (agent.act(seen, mask, np.random.default_rng(3)) for seen in (observation, worlds))
        assert first.dtype == np.int64
        assert first.tolist() == same.tolist()
        # Another place in the batch changes nothing as long as the chance is the same.
        turned = agent.act(observation[::-1], mask[::-1], _Given(np.random.default_rng(3).random(64)[::-1]))  # type: ignore[arg-type]
        assert turned[::-1].tolist() == first.tolist()


class _Given:
    """A source of chance as environments pass it: it has no other method."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.values = values

    def random(self, size: int) -> np.ndarray[Any, Any]:
        assert size == len(self.values)
        return self.values


def test_takes_a_move_that_wins() -> None:
    hands = [["circle-7", "circle-1", "cross-1", "cross-14"], ["star-3"]]
    market = ["square-3", "square-10", "triangle-4", "cross-7", "triangle-8"]
    game = Game.from_position(
        {"rules": "naija_whot", "partial": True, "hands": hands, "market": market, "pile": ["cross-3"]}
    )
    while not game.over and game.asked == 0:
        game.step(choice(SearchAgent(400), game))
    assert game.winners == [0]


def test_announces_and_catches_at_the_cost_of_no_playout() -> None:
    game = Game.from_position(
        {
            **{"rules": "naija_whot", "partial": True, "hands": [["circle-7", "star-8"], ["star-3"]]},
            **{"market": ["cross-1"], "pile": ["circle-12"], "phase": "declare", "move": {"cards": ["circle-7"]}},
        }
    )
    assert {choice(make_agent(f"{kind}:1"), game) for kind in KINDS} == {"last-card"}


def test_beats_the_heuristic() -> None:
    result = evaluate(make_agent("search:200"), make_agent("heuristic"), "naija_whot", 2, games=400, seed=21)
    assert result.truncated == 0
    assert result.low > 0.5


def test_refused_names() -> None:
    assert make_agent("search:200").name == "search:200"
    assert make_agent("flat:7").name == "flat:7"
    names = (
        "search:0",
        "search:x",
        "search:",
        "search:-1",
        "flat:1.5",
        "search:²",
        "flat:1000001",
        "search:" + "9" * 99,
    )
    for name in names:
        with pytest.raises(WhotError, match=r"allowed: a whole number of playouts from 1 to 1000000") as error:
            make_agent(name)
        assert error.value.key == "agent"
    with pytest.raises(WhotError, match=r"agent 'search' is unknown; allowed: .* search:N, flat:N"):
        make_agent("search")
    for arguments, key in (((0,), "playouts"), ((True,), "playouts"), ((5, "deep"), "kind")):
        with pytest.raises(WhotError) as error:
            SearchAgent(*arguments)
        assert error.value.key == key


def test_an_observation_of_no_table_is_refused() -> None:
    mask = np.zeros((2, 76), np.int8)
    mask[:, ACTION_ID["draw"]] = 1
    batch = Batch("arcade", 2, 2)
    observation = batch.observe()
    observation[1] = 0
    with pytest.raises(WhotError, match="observation 1 is of no table"):
        make_agent("search:5").act(observation, mask, np.random.default_rng(1))
