"""Playouts: seeded, fair to what is hidden, and with the frequencies that the policies promise."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from whot_env import Game
from whot_env.actions import ACTION_NAMES
from whot_env.engine.choose import pick, pick_playful
from whot_env.engine.kernel import entry
from whot_env.engine.sets import actions
from whot_env.errors import WhotError
from whot_env.playout import playouts

SURE: dict[str, Any] = {
    "rules": "classic",
    "partial": True,
    "hands": [["circle-1"], ["circle-2", "circle-3"]],
    "pile": ["circle-5"],
    "market": ["star-1", "star-2", "star-3"],
    "turn": 0,
}


def test_a_move_that_wins_wins_in_every_world_and_leaves_the_game_alone() -> None:
    game = Game.from_position(SURE)
    before = game.state.tobytes()
    payoffs = playouts(game, 50, np.random.default_rng(1), action="circle-1")
    assert payoffs.shape == (50, 2) and (payoffs == [1, -1]).all()
    assert game.state.tobytes() == before


@pytest.mark.parametrize("rules", ["arcade", "naija_whot", "house_table"])
def test_payoffs_are_seeded_and_sum_to_zero(rules: str) -> None:
    game = Game.new(rules, 3, seed=5)
    runs = [playouts(game, 300, np.random.default_rng(s)) for s in (1, 1, 2)]
    assert (runs[0] == runs[1]).all() and (runs[0] != runs[2]).any()
    assert np.abs(runs[0].sum(axis=1)).max() < 1e-12
    assert len(np.unique(runs[0][:, 0])) == 2


def test_worlds_depend_on_the_observers_knowledge_alone() -> None:
    """Another deal of the hidden cards gives the same playouts; another hand of one's own does not."""
    game = Game.new("naija_whot", 2, seed=8)
    world = game.redeal(seed=99)
    assert world.position()["hands"] != game.position()["hands"]
    # The worlds differ only in the order in which equal sets of cards were collected, so means agree, not bytes.
    mine = playouts(game, 20_000, np.random.default_rng(1)).mean(axis=0)
    same = playouts(world, 20_000, np.random.default_rng(2)).mean(axis=0)
    assert abs(mine[0] - same[0]) < 0.04  # standard error 0.01


def test_a_playout_that_is_too_long_pays_nothing() -> None:
    game = Game.new("naija_whot", 2, seed=8)
    assert (playouts(game, 20, np.random.default_rng(1), max_moves=2) == 0).all()


def test_refusals() -> None:
    game, rng = Game.new("naija_whot", 2, seed=8), np.random.default_rng(1)
    for arguments in ({"count": 0}, {"policy": "best"}, {"action": "end"}, {"seat": 2}, {"max_moves": 0}):
        with pytest.raises(WhotError, match=next(iter(arguments))):
            playouts(game, **{"count": 5, "rng": rng, **arguments})  # type: ignore[arg-type]
    game.event({"end_game": True})
    with pytest.raises(WhotError, match="over"):
        playouts(game, 5, rng)


@entry
def _pick_each(words: Any, playful: bool, us: Any, out: Any) -> None:
    for k in range(len(us)):
        out[k] = pick_playful(words, us[k]) if playful else pick(words, us[k])


def chosen(names: list[str], playful: bool) -> Counter[str]:
    us = (np.arange(3000) + 0.5) / 3000
    out = np.zeros(3000, np.int64)
    _pick_each(actions(*map(ACTION_NAMES.index, names)), playful, us, out)
    return Counter(ACTION_NAMES[a] for a in out)


def test_every_action_is_picked_equally_often() -> None:
    names = ["circle-1", "whot", "draw", "last-card", "stop"]
    assert chosen(names, False) == dict.fromkeys(names, 600)
    assert chosen(["stop"], False) == {"stop": 3000}


def test_playful_announces_plays_and_draws_last() -> None:
    assert chosen(["circle-1", "whot", "draw"], True) == {"circle-1": 1500, "whot": 1500}
    assert chosen(["draw"], True) == {"draw": 3000}
    assert chosen(["circle-1", "draw", "last-card"], True) == {"last-card": 3000}
    assert chosen(["check-up", "pass"], True) == {"check-up": 3000}
