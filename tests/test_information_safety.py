"""Nothing a seat cannot know reaches what it is given: whatever is redealt, it sees the same to the byte."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from whot_random import random_rules
from whot_tables import TABLES

from whot_agents.heuristic import HeuristicAgent
from whot_env import Game
from whot_env.actions import DRAW, STOP
from whot_env.batch import Batch
from whot_env.envs.aec import WhotAEC
from whot_env.envs.single import WhotEnv
from whot_env.errors import EventError
from whot_env.state import PHASES

LANES = 96
STEPS = 150


def mixed_batch(seed: int) -> Batch:
    """One game of each preset, the rest with random rules, 2 to 8 seats and one or two decks."""
    random = Random(seed)
    tables: list[Any] = []
    seats: list[int] = []
    names = list(TABLES)
    for lane in range(LANES):
        rules, n = random_rules(random, names[lane % len(names)])
        tables.append(names[lane] if lane < len(names) else rules)
        seats.append(2 if tables[-1] == "naija_life" else min(n, 4) if lane < len(names) else n)
    return Batch(tables, seats, LANES, seed=seed)


def host_events(batch: Batch, random: Random) -> None:
    """Now and then a seat leaves or is timed out, as a host would do it."""
    for lane in np.flatnonzero(~batch.over):
        if random.random() < 0.02:
            asked = int(batch.asked[lane])
            try:
                batch.timeout(int(lane), asked) if random.random() < 0.7 else batch.leave(int(lane), asked)
            except EventError:
                continue


def playful_actions(masks: np.ndarray[Any, Any], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Any legal action, drawing seldom, so that games get through their phases."""
    weight = masks * rng.random(masks.shape)
    weight[:, [DRAW, STOP]] *= 0.1
    return weight.argmax(axis=1)


@pytest.mark.parametrize("seed", range(3))
def test_observation_and_mask_do_not_depend_on_what_is_hidden(seed: int) -> None:
    batch, world = mixed_batch(seed), mixed_batch(seed)
    rng, random = np.random.default_rng(seed), Random(seed)
    phases: Counter[str] = Counter()
    changed = compared = sealed = 0
    for step in range(STEPS):
        batch.reset(batch.over)
        live = batch.states["phase"] != PHASES.index("over")
        assert live.all()
        mask = batch.action_mask()
        for k in range(8):
            # Not only the seat asked: every seat sees the table at any time. Tables of few seats repeat theirs.
            seats = (k + np.arange(LANES)) % batch.num_players
            world.states[:] = batch.states
            world.redeal(rng.integers(1 << 62, size=LANES), seats)
            seen, seen_there = batch.observe(seats), world.observe(seats)
            assert (seen == seen_there).all(), f"step {step}: lanes {np.flatnonzero((seen != seen_there).any(axis=1))}"
            asked = batch.asked == seats
            assert (mask[asked] == world.action_mask()[asked]).all()
            changed += int((world.states["hands"] != batch.states["hands"]).any(axis=(1, 2)).sum())
            sealed += int((world.states["pressed"] != batch.states["pressed"]).any(axis=1).sum())
            sealed += int((world.states["votes"] != batch.states["votes"]).any(axis=1).sum())
            compared += LANES
        phases.update(PHASES[p] for p in batch.states["phase"])
        batch.step(playful_actions(mask, rng))
        host_events(batch, random)
    assert changed > 0.8 * compared, "the redeal changes too little to show anything"
    assert sealed > 0, "no sealed answer was ever redrawn"
    assert set(phases) >= {"play", "stack", "call", "power", "declare", "proposal", "react", "vote"}, phases


@pytest.mark.parametrize("table", TABLES)
def test_views_and_agents_do_not_depend_on_what_is_hidden(table: str) -> None:
    rng = np.random.default_rng(5)
    agent = HeuristicAgent()
    game = Game.new(table, seed=11)
    for _ in range(60):
        if game.over:
            game = Game.new(table, seed=int(rng.integers(1 << 30)))
        for seat in range(game.num_players):
            world = game.redeal(seed=int(rng.integers(1 << 62)), seat=seat)
            assert world.view(seat) == game.view(seat)
        world = game.redeal(seed=int(rng.integers(1 << 62)))
        scores = [agent.scores(g.observation()[None], g.action_mask()[None]) for g in (game, world)]
        assert (scores[0] == scores[1]).all()
        game.step(str(rng.choice(game.legal())))


@pytest.mark.parametrize("table", TABLES)
def test_environments_do_not_depend_on_what_is_hidden(table: str) -> None:
    """Observations, masks and infos of PettingZoo's agents and of the Gymnasium environment."""
    rng = np.random.default_rng(6)
    env = WhotAEC(table)
    env.reset(seed=3)
    for _ in range(80):
        if not env.agents or any(env.terminations.values()):
            env.reset(seed=int(rng.integers(1 << 30)))
        record = env._batch.states.copy()
        infos = {agent: dict(info) for agent, info in env.infos.items()}
        for seat, agent in enumerate(env.possible_agents):
            before = env.observe(agent)
            env._batch.redeal([int(rng.integers(1 << 62))], [seat])
            after = env.observe(agent)
            env._batch.states[:] = record
            assert all((before[key] == after[key]).all() for key in before)
            assert env.infos == infos
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))


@pytest.mark.parametrize("table", TABLES)
def test_the_single_environment_gives_only_what_its_seat_may_see(table: str) -> None:
    rng = np.random.default_rng(7)
    env = WhotEnv(table, opponents="heuristic")
    env.reset(seed=9)
    for _ in range(60):
        batch = env._lanes.batch
        record = batch.states.copy()
        before, info = env._result()
        batch.redeal([int(rng.integers(1 << 62))], [env.seat])
        after, info_after = env._result()
        batch.states[:] = record
        assert (before == after).all()
        assert {key: np.asarray(value).tobytes() for key, value in info.items()} == {
            key: np.asarray(value).tobytes() for key, value in info_after.items()
        }
        *_, terminated, truncated, _ = env.step(rng.choice(np.flatnonzero(env.action_masks())))
        if terminated or truncated:
            env.reset()
