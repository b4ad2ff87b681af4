"""The arena: paired deals, honest counts, and figures that can be had again."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from whot_agents import arena_games
from whot_agents.arena import Result, evaluate
from whot_agents.spec import make_agent
from whot_env.actions import DRAW
from whot_env.errors import WhotError

PLAYFUL = make_agent("playful")
UNIFORM = make_agent("uniform")


class Fixed:
    """Always the first or the last legal action: no chance, so that equal deals go equally."""

    def __init__(self, name: str, last: bool) -> None:
        self.name, self.last = name, last

    def act(self, observation: Any, action_mask: Any, rng: np.random.Generator) -> Any:
        if self.last:
            return 75 - action_mask[:, ::-1].argmax(axis=1)
        return action_mask.argmax(axis=1)


FIRST = Fixed("first", last=False)


@pytest.mark.parametrize(("rules", "seats"), [("naija_whot", 2), ("arcade", 3), ("nigerian", 5)])
def test_the_same_agent_against_itself_is_exactly_fair(rules: str, seats: int) -> None:
    # Without chance of their own, the seats of one deal share its one win among them.
    result = evaluate(FIRST, FIRST, rules, seats, games=40 * seats, seed=3)
    assert result.truncated == 0
    assert result.win_rate == pytest.approx(1 / seats)
    assert result.score == pytest.approx(0)
    assert (result.low, result.high) == (pytest.approx(1 / seats), pytest.approx(1 / seats))


def test_swapping_the_agents_turns_the_result_round() -> None:
    one = evaluate(FIRST, Fixed("last", last=True), "arcade", 2, games=200, seed=9, max_moves=200)
    two = evaluate(Fixed("last", last=True), FIRST, "arcade", 2, games=200, seed=9, max_moves=200)
    assert one.truncated == two.truncated
    assert one.win_rate + two.win_rate + one.truncated / one.games == pytest.approx(1)
    assert one.score == pytest.approx(-two.score)


def test_equal_calls_give_equal_results_and_seeds_matter() -> None:
    first, second = (evaluate(PLAYFUL, UNIFORM, "classic", 2, games=300, seed=1) for _ in range(2))
    assert {**first.to_json(), "seconds": 0} == {**second.to_json(), "seconds": 0}
    assert evaluate(PLAYFUL, UNIFORM, "classic", 2, games=300, seed=2).score != first.score


@pytest.mark.parametrize("agent", [PLAYFUL, make_agent("search:4")], ids=lambda agent: agent.name)
@pytest.mark.parametrize("sequential", [False, True])
def test_the_size_of_the_batch_changes_nothing(agent: Any, sequential: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def play(lanes: int, first: int) -> dict[str, Any]:
        monkeypatch.setattr(arena_games, "LANES", lanes)
        monkeypatch.setattr(arena_games, "_FIRST_LANES", first)
        result = evaluate(agent, UNIFORM, "naija_whot", 3, games=60, seed=5, max_moves=150, sequential=sequential)
        return {**result.to_json(), "seconds": 0}

    whole = play(1024, 1024)
    assert (whole["stopping"], whole["games"] < 60) == (("settled", True) if sequential else ("fixed", False))
    assert play(1, 1) == play(7, 2) == play(64, 16) == whole


def test_playing_stops_when_it_is_settled_and_not_before() -> None:
    clear = evaluate(PLAYFUL, UNIFORM, "naija_whot", 2, games=1000, sequential=True)
    assert (clear.stopping, clear.better, clear.interval) == ("settled", "a", "anytime")
    assert clear.games < 100
    assert clear.low > 0.5
    assert "; playful is better" in str(clear)
    turned = evaluate(UNIFORM, PLAYFUL, "naija_whot", 2, games=1000, sequential=True)
    assert (turned.stopping, turned.better) == ("settled", "b")
    equal = evaluate(FIRST, FIRST, "naija_whot", 2, games=300, sequential=True)
    assert (equal.stopping, equal.better, equal.games) == ("limit", None, 300)
    assert equal.low < 0.5 < equal.high
    fixed = evaluate(PLAYFUL, UNIFORM, "naija_whot", 2, games=300)
    assert (fixed.stopping, fixed.better, fixed.interval, fixed.games) == ("fixed", None, "bootstrap", 300)


def test_a_stopped_game_settles_nothing() -> None:
    result = evaluate(Drawer(), Drawer(), "classic", 4, games=400, max_moves=20, sequential=True)
    assert (result.truncated, result.stopping) == (400, "limit")


def test_more_games_than_lanes_and_games_rounded_up_to_deals() -> None:
    calls: list[tuple[int, int]] = []
    result = evaluate(PLAYFUL, PLAYFUL, "naija_life", 2, 2501, seed=0, progress=lambda a, b: calls.append((a, b)))
    assert (result.games, result.deals) == (2502, 1251)
    assert calls[-1] == (2502, 2502)
    assert sorted(calls) == calls
    assert 0 < result.low < result.win_rate < result.high < 1
    assert abs(result.win_rate - 0.5) < 0.05


def test_interval_covers_what_the_normal_law_says() -> None:
    result = evaluate(PLAYFUL, PLAYFUL, "naija_whot", 2, 2000, seed=4)
    assert 0.6 < (result.high - result.low) / (2 * 1.96 * np.sqrt(0.25 / result.games)) < 1.4


def test_playful_beats_uniform_at_two_seats_and_at_four() -> None:
    assert evaluate(PLAYFUL, UNIFORM, "naija_whot", 2, 200).low > 0.5
    assert evaluate(PLAYFUL, UNIFORM, "naija_whot", 4, 200).low > 0.25


def test_games_without_an_end_are_counted_as_nobodys() -> None:
    drawer = Drawer()
    result = evaluate(drawer, drawer, "classic", 2, games=4, max_moves=50)
    assert (result.truncated, result.win_rate, result.score) == (4, 0, 0)
    assert "4 stopped at 50 moves" in str(result)


class Drawer:
    name = "drawer"

    def act(self, observation: Any, action_mask: Any, rng: np.random.Generator) -> Any:
        return np.where(action_mask[:, DRAW] > 0, DRAW, action_mask.argmax(axis=1))


def test_matches_and_shared_wins() -> None:
    result = evaluate(PLAYFUL, PLAYFUL, {"preset": "naija_whot", "match": {"best_of": 3}}, 3, games=60, seed=2)
    assert 0 < result.win_rate < 1
    counted = evaluate(PLAYFUL, PLAYFUL, {"preset": "arcade", "payoff": "placing"}, 4, games=60, seed=2)
    assert 0 < counted.win_rate < 1


def test_result_is_json_and_comes_back() -> None:
    result = evaluate(PLAYFUL, UNIFORM, {"preset": "nigerian", "hand_size": 3}, 2, games=2)
    assert Result(**json.loads(json.dumps(result.to_json()))) == result
    assert "nigerian (changed), 2 seats" in str(result)


def test_an_illegal_action_is_named() -> None:
    class Wrong:
        name = "wrong"

        def act(self, observation: Any, action_mask: Any, rng: np.random.Generator) -> Any:
            return action_mask.argmin(axis=1)

    with pytest.raises(WhotError, match="'wrong' chose action"):
        evaluate(Wrong(), PLAYFUL, "classic", 2, games=2)


@pytest.mark.parametrize("action", [-1, 76, 10**9, 0.5])
def test_what_is_no_action_is_named(action: float) -> None:
    class Wrong:
        name = "wrong"

        def act(self, observation: Any, action_mask: Any, rng: np.random.Generator) -> Any:
            return np.full(len(observation), action)

    with pytest.raises(WhotError, match="'wrong' chose"):
        evaluate(PLAYFUL, Wrong(), "classic", 2, games=2)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"games": 0}, "games"),
        ({"games": 10**12}, "games"),
        ({"games": 1.5}, "games"),
        ({"max_moves": 0}, "max_moves"),
        ({"max_moves": 10**30}, "max_moves"),
        ({"num_players": 3}, "num_players"),
        ({"seed": -1}, "seed"),
        ({"rules": "poker"}, "preset"),
    ],
)
def test_bad_arguments_are_refused(changes: dict[str, Any], key: str) -> None:
    with pytest.raises(WhotError) as error:
        evaluate(PLAYFUL, PLAYFUL, **{"rules": "naija_life", "games": 2, **changes})
    assert error.value.key == key


def test_unknown_agent_is_refused() -> None:
    with pytest.raises(WhotError, match="agent 'stockfish' is unknown; allowed: uniform, playful, heur"):
        make_agent("stockfish")
