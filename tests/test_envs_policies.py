"""The built-in policies, their names, and the random streams that keep games apart."""

from importlib import metadata
from typing import Any

import numpy as np
import pytest

from whot_env import policies
from whot_env.actions import ACTION_ID, CHECK_UP, DRAW, LAST_CARD, NUM_ACTIONS, PASS
from whot_env.errors import WhotError
from whot_env.lane_random import LaneRandom
from whot_env.policies import Playful, Policy, Uniform, make_policy, policy_names


def masks(*rows: tuple[int, ...]) -> Any:
    mask = np.zeros((len(rows), NUM_ACTIONS), np.int8)
    for row, marked in zip(mask, rows, strict=True):
        row[list(marked)] = 1
    return mask


def test_uniform_is_uniform() -> None:
    legal = (3, 17, DRAW, NUM_ACTIONS - 1)
    mask = masks(*[legal] * 8000)
    counts = np.bincount(Uniform().act(mask, mask, np.random.default_rng(0)), minlength=NUM_ACTIONS)
    assert set(np.flatnonzero(counts)) == set(legal)
    assert counts[list(legal)] == pytest.approx(2000, rel=0.1)


def test_uniform_takes_the_only_action_and_copes_with_all() -> None:
    mask = masks((DRAW,), tuple(range(NUM_ACTIONS)))
    for seed in range(50):
        actions = Uniform().act(mask, mask, np.random.default_rng(seed))
        assert actions[0] == DRAW
        assert 0 <= actions[1] < NUM_ACTIONS


def test_playful_draws_last_and_always_announces() -> None:
    mask = masks((DRAW,), (5, 9, DRAW), (LAST_CARD, PASS), (CHECK_UP, PASS), (5, LAST_CARD, DRAW))
    for seed in range(50):
        actions = Playful().act(mask, mask, np.random.default_rng(seed))
        assert actions[0] == DRAW
        assert actions[1] in (5, 9)
        assert actions[2:].tolist() == [LAST_CARD, CHECK_UP, LAST_CARD]
    assert mask[0, ACTION_ID["draw"]] == 1  # the mask itself is left alone


def test_names(monkeypatch: pytest.MonkeyPatch) -> None:
    assert make_policy("uniform").name == "uniform"
    assert policy_names()[:2] == ("uniform", "playful")
    mine = Playful()
    assert make_policy(mine) is mine
    assert isinstance(mine, Policy)
    point = metadata.EntryPoint("mine", "whot_env.policies:Uniform", policies.GROUP)

    def points(group: str, name: str | None = None) -> list[metadata.EntryPoint]:
        return [point] if name in (None, point.name) else []

    monkeypatch.setattr(policies, "entry_points", points)
    assert policy_names() == ("uniform", "playful", "mine")
    assert isinstance(make_policy("mine"), Uniform)
    with pytest.raises(WhotError, match="'nobody' is unknown; allowed: uniform, playful, mine"):
        make_policy("nobody")
    with pytest.raises(WhotError):
        make_policy(7)  # type: ignore[arg-type]


def test_streams_do_not_depend_on_their_neighbours() -> None:
    wide, narrow = LaneRandom(4), LaneRandom(1)
    wide.seed(np.arange(4), np.arange(10, 14, dtype=np.uint64))
    narrow.seed(np.arange(1), np.array([12], np.uint64))
    alone = narrow.source(np.array([0])).random((1, 6))
    first = wide.source(np.array([3, 2])).random((2, 3))
    wide.source(np.array([1])).random(1)
    second = wide.source(np.array([2, 0])).random((2, 3))
    assert np.array_equal(np.concatenate([first[1], second[0]]), alone[0])
    assert len(np.unique(np.concatenate([first.ravel(), second.ravel()]))) == 12
    with pytest.raises(WhotError, match="size"):
        wide.source(np.array([0, 1])).random(3)
    with pytest.raises(AttributeError, match=r"rng\.choice is not there for policies; allowed: rng\.random"):
        wide.source(np.array([0, 1])).choice(3)


def test_streams_are_uniform() -> None:
    streams = LaneRandom(1000)
    streams.seed(np.arange(1000), np.arange(1000, dtype=np.uint64))
    values = streams.draw(np.arange(1000), 100)
    assert ((values >= 0) & (values < 1)).all()
    counts = np.histogram(values, 20, (0, 1))[0]
    assert counts == pytest.approx(5000, rel=0.08)
    assert abs(np.corrcoef(values[:-1, 0], values[1:, 0])[0, 1]) < 0.1
