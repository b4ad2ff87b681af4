"""A record imagined from one observation looks to its seat as the real one does, and its worlds are dealt as the real
one's are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from test_redeal import SMALL, assert_frequencies, deal_of, enumerate_worlds
from whot_cards import CARDS
from whot_random import random_event, random_rules

from whot_env import Game
from whot_env.batch import Batch
from whot_env.engine import run
from whot_env.engine.imagine import imagine_batch, observed_rules
from whot_env.errors import EventError
from whot_env.observation import LAYOUT
from whot_env.rules import PRESETS, compile_rules
from whot_env.state import PHASES, STATE

Array = np.ndarray[Any, Any]


def imagine(observation: Array) -> tuple[Array, Array, Array]:
    """RULES[N], STATE[N] and whether each observation was possible."""
    rules, states = observed_rules(observation), np.zeros(len(observation), STATE)
    possible = np.zeros(len(observation), np.bool_)
    seeds = np.arange(len(observation), dtype=np.uint64)
    imagine_batch(rules, LAYOUT.records(observation), seeds, states, possible)
    return rules, states, possible


def decisions(seed: int, preset: str, steps: int = 120) -> Iterator[tuple[Game, int]]:
    """A game on a random table, mostly playing rather than drawing, with the seat asked and another seat."""
    random = Random(seed)
    rules, seats = random_rules(random, preset)
    game = Game.new(rules, seats, seed)
    for _ in range(steps):
        if game.match_over:
            return
        if game.over:
            game.next_round()
        yield game, game.asked
        yield game, random.randrange(seats)
        if random.random() < 0.02:
            try:
                game.event(random_event(random, game.asked, seats))
            except EventError:
                continue
        else:
            plays = [name for name in game.legal() if name != "draw"]
            game.step(random.choice(plays if plays and random.random() < 0.9 else game.legal()))


@pytest.mark.parametrize("preset", PRESETS)
def test_looks_and_allows_what_the_real_record_does(preset: str) -> None:
    phases: set[str] = set()
    for seed in range(12):
        observations, masks, real, seats = [], [], [], []
        for game, seat in decisions(seed, preset):
            observations.append(game.observation(seat))
            masks.append(game.action_mask())
            real.append(game.state[0])
            seats.append(seat)
            phases.add(game.phase)
        observation = np.array(observations)
        rules, states, possible = imagine(observation)
        assert possible.all()
        back, mask = np.empty_like(observation), np.zeros((len(states), 76), np.int8)
        run.observe_batch(rules, states, np.zeros(len(states), np.int8), LAYOUT.records(back))
        run.legal_batch(rules, states, mask)
        assert (back == observation).all()
        asked = np.array([record["asked"] == seat for record, seat in zip(real, seats, strict=True)])
        assert (mask[asked] == np.array(masks)[asked]).all()
        for record, other, seat in zip(real, states, seats, strict=True):
            _assert_alike(record, other, seat)
        hands = states["hands"].sum(axis=2)[:, :8]
        assert (hands == states["hand_size"]).all()
    assert {"play", "call"} <= phases


def _assert_alike(real: Any, other: Any, seat: int) -> None:
    """What decides how the game goes on is the same, seen from ``seat``; a proposal's queue is hidden."""
    n = int(real["num_players"])
    lists = ("out",) if PHASES[int(real["phase"])] == "proposal" else ("out", "queue")
    for name in lists:
        expected = [(k - seat) % n for k in real[name][: real[f"{name}_len"]].tolist()]
        assert other[name][: other[f"{name}_len"]].tolist() == expected
    assert other["caller"] == (-1 if real["caller"] < 0 else (real["caller"] - seat) % n)
    if real["asked"] == seat:
        for name in ("phase", "top_number", "move_len", "move_call", "move_power", "move_turned", "move_declared"):
            assert other[name] == real[name], name


def test_observed_rules_are_the_compiled_ones() -> None:
    for seed in range(60):
        random = Random(seed)
        rules, seats = random_rules(random, random.choice(PRESETS))
        game = Game.new(rules, seats, seed)
        row, real = observed_rules(game.observation()[None])[0], compile_rules(game.rules)[0]
        for name in real.dtype.names or ():
            if name == "move_limit":  # counted in hundreds
                assert row[name] == -(-real[name] // 100) * 100
            elif not name.startswith("reaction"):
                assert np.array_equal(row[name], np.minimum(real[name], 127)), name


@pytest.mark.parametrize("name", SMALL)
def test_worlds_are_dealt_as_an_exact_enumeration_says(name: str) -> None:
    position = _whole(SMALL[name])
    game = Game.from_position(position, seed=3)
    count = 20_000
    observation = np.repeat(game.observation(0)[None], count, axis=0)
    rules, states, possible = imagine(observation)
    assert possible.all()
    expected = enumerate_worlds(position, 0)
    assert_frequencies(Counter(deal_of(record, game.num_players) for record in states), expected)
    worlds = np.repeat(states[:1], count)
    run.redeal_batch(rules, worlds, np.zeros(count, np.int8), np.arange(count, dtype=np.uint64))
    assert_frequencies(Counter(deal_of(record, game.num_players) for record in worlds), expected)


def _whole(position: dict[str, Any]) -> dict[str, Any]:
    """The position with all that it leaves out of its decks laid under the top of the pile."""
    game = Game.from_position(position | {"partial": True})
    decks, whots = game.rules.decks, game.rules.whots
    missing = [card for card in CARDS for _ in range(decks * (whots if card == "whot" else 1))]
    for card in (*(c for hand in position["hands"] for c in hand), *position["market"], *position["pile"]):
        missing.remove(card)
    return {**position, "pile": [*missing, *position["pile"]]}


def test_a_partial_position_can_be_imagined() -> None:
    for position in SMALL.values():
        game = Game.from_position(position | {"partial": True})
        rules, states, possible = imagine(game.observation(0)[None])
        back = np.empty((1, LAYOUT.size), np.int8)
        run.observe_batch(rules, states, np.zeros(1, np.int8), LAYOUT.records(back))
        assert possible.all()
        assert (back[0] == game.observation(0)).all()


def test_a_lone_star_that_goes_only_as_its_double_is_one() -> None:
    rules = {"preset": "modern", "last_card": "at_once"}
    game = Game.from_position(
        {"rules": rules, "partial": True, "hands": [["star-4", "circle-1"], ["cross-1"]], "pile": ["circle-8"]}
    )
    game.step("star-4-as-8")
    assert game.phase == "declare"
    _, states, _ = imagine(game.observation()[None])
    assert states["move_cards"][0, 0] == game.state["move_cards"][0, 0]


def test_nonsense_is_refused() -> None:
    batch = Batch("arcade", 4, 1)
    real = batch.observe()[0]
    changes: dict[str, tuple[int, int]] = {
        **{"rules": (0, 1), "seat_turn": (7, 0), "direction": (0, 0), "seat_out": (0, 9), "market_size": (0, 120)},
        **{"pile": (0, 127), "hand": (0, 100), "move_cards": (3, 100), "seat_cards": (2, 100)},
    }
    rows = [np.zeros_like(real), np.full_like(real, -1), np.full_like(real, 127)]
    for name, (place, value) in changes.items():
        row = real.copy()
        LAYOUT.view(row, name).reshape(-1)[place] = value
        rows.append(row)
    row = real.copy()
    LAYOUT.view(row, "top")[:] = 0
    LAYOUT.view(row, "seat_turn")[:] = 0
    rows.append(row)
    possible = imagine(np.array([real, *rows]))[2]
    assert possible.tolist() == [True] + [index == 4 for index in range(len(rows))]
