"""The heuristic: legal at every table, sensible where the pages say what is sensible, and strong enough to matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from whot_agents.arena import evaluate
from whot_agents.base import BatchAgent
from whot_agents.heuristic import HeuristicAgent, make_heuristic
from whot_agents.spec import make_agent
from whot_env.actions import ACTION_NAMES
from whot_env.batch import Batch
from whot_env.cards import CARD_NAMES
from whot_env.game import Game
from whot_env.rules import PRESETS, Rules

AGENT = make_heuristic()
RNG = np.random.default_rng(0)


def position(rules: Any, hands: list[list[str]], pile: list[str], **more: Any) -> Game:
    used = {card for cards in (*hands, pile) for card in cards}
    market = [card for card in CARD_NAMES if card not in used]  # no more than the cards of one deck
    return Game.from_position(
        {"rules": rules, "partial": True, "hands": hands, "market": market, "pile": pile, **more}, seed=1
    )


def choice(game: Game) -> str:
    action = AGENT.act(game.observation()[None], game.action_mask()[None], RNG)[0]
    return ACTION_NAMES[action]


def play_turn(game: Game) -> list[str]:
    """What the heuristic does until another seat is asked."""
    seat, done = game.asked, []
    while not game.over and game.asked == seat:
        done.append(choice(game))
        game.step(done[-1])
    return done


def test_is_a_batch_agent_and_has_its_name() -> None:
    assert isinstance(AGENT, BatchAgent)
    assert AGENT.name == "heuristic"


@pytest.mark.parametrize("preset", PRESETS)
def test_legal_at_every_table(preset: str) -> None:
    low, high = Rules.preset(preset).seat_range
    for seats in sorted({low, min(3, high), high}):
        # The arena refuses an illegal action by name.
        evaluate(AGENT, make_agent("uniform"), preset, seats, games=4 * seats, seed=seats, max_moves=300)


def test_legal_with_house_rules_of_every_kind() -> None:
    changes: dict[str, Any] = {
        **{"reverse_on_pick": True, "whot_power": True, "star_as_double": True, "undo_seconds": 3, "multi_whot": True},
        **{"multi_card": "same_number", "last_card": "catch", "check_up": "at_once", "after_first_out": "vote"},
        **{"decks": 2, "answers": "any_pick", "whot_on_debt": "cancels", "block": 7, "match": {"best_of": 3}},
    }
    rules = Rules.preset("nigerian", **changes)
    for seats in (2, 5, 8):
        evaluate(AGENT, make_agent("uniform"), rules, seats, games=seats, seed=3, max_moves=200)


def test_equal_observations_get_equal_actions_whatever_the_batch() -> None:
    batch = Batch("arcade", 4, 64, seed=5)
    uniform, rng = make_agent("uniform"), np.random.default_rng(1)
    for _ in range(30):
        batch.step(uniform.act(batch.observe(), batch.action_mask(), rng))
    observation, mask = batch.observe(), batch.action_mask()
    together = AGENT.act(observation, mask, np.random.default_rng(1))
    alone = [AGENT.act(observation[i : i + 1], mask[i : i + 1], np.random.default_rng(2))[0] for i in range(64)]
    assert together.dtype == np.int64
    assert together.tolist() == alone


def test_scores_are_minus_infinity_where_illegal() -> None:
    game = position("naija_whot", [["circle-1", "star-4"], ["cross-7", "cross-1"]], ["circle-3"])
    scores = AGENT.scores(game.observation()[None], game.action_mask()[None])
    assert np.array_equal(np.isfinite(scores[0]), game.action_mask() == 1)


def test_chains_specials_to_win_in_one_turn() -> None:
    hands = [["circle-7", "circle-1", "cross-1", "cross-14"], ["star-3", "star-4", "star-5"]]
    game = position("naija_whot", hands, ["cross-3"])
    done = [a for a in play_turn(game) if a not in ("last-card", "check-up")]
    assert done == ["cross-14", "cross-1", "circle-1", "circle-7"]
    assert game.winners == [0]


def test_hits_a_seat_that_is_close_to_winning() -> None:
    hands = [["circle-2", "circle-11", "square-3", "triangle-7"], ["star-3"]]
    game = position("naija_whot", hands, ["circle-3"])
    assert choice(game) == "circle-2"


def test_calls_what_it_holds() -> None:
    hands = [["whot", "square-3", "square-11", "square-7"], ["star-3", "star-4", "star-5", "star-8"]]
    game = position("naija_whot", hands, ["circle-12"])
    assert play_turn(game)[:2] == ["whot", "call:square"]


def test_calls_the_shape_that_the_next_seat_declined() -> None:
    hands = [["whot", "square-3", "star-7"], ["circle-5"]]
    game = position("classic", hands, ["star-4"], turn=1)
    game.step("draw")  # seat 1 has neither a star nor a 4
    game.step("whot")
    assert choice(game) == "call:star"


def test_keeps_a_whot_while_something_else_goes() -> None:
    hands = [["whot", "circle-7", "square-7", "cross-13"], ["star-3", "star-4", "star-5", "star-8"]]
    game = position("naija_whot", hands, ["circle-12"])
    assert choice(game) == "circle-7"


def test_announces_and_catches() -> None:
    assert play_turn(position("naija_whot", [["circle-7", "star-8"], ["star-3"] * 1], ["circle-12"])) == [
        "circle-7",
        "last-card",
    ]
    game = position("arcade", [["circle-7", "star-8"], ["star-3", "star-4"]], ["circle-12"])
    game.reaction({0: 9.0, 1: 3.0})
    game.step("circle-7")
    game.step("pass")
    assert (game.asked, choice(game)) == (1, "catch")


def test_lays_all_of_a_number_where_that_is_allowed() -> None:
    hands = [["circle-7", "square-7", "cross-7", "star-8"], ["star-3", "star-4", "star-5"]]
    game = position({"preset": "naija_whot", "multi_card": "same_number"}, hands, ["circle-12"])
    assert len([a for a in play_turn(game) if a.endswith("-7")]) == 3


def test_takes_the_long_straight() -> None:
    hands = [["circle-10", "circle-11", "circle-12", "circle-13", "star-7"], ["star-3", "star-4", "star-5"]]
    game = position("modern", hands, ["circle-3"])
    assert sorted(a for a in play_turn(game) if a.startswith("circle")) == hands[0][:4]


def test_knows_that_a_special_does_not_win_under_plain_only() -> None:
    hands = [["circle-2", "circle-7"], ["star-3", "star-4", "star-5"]]
    game = position("house_table", hands, ["circle-12"])
    assert choice(game) == "circle-2"  # and keeps the card that can win


def test_turns_a_debt_to_the_seat_that_is_closer_to_winning() -> None:
    rules = {"preset": "naija_whot", "reverse_on_pick": True}
    hands = [["circle-2", "circle-7", "star-8"], ["star-3", "star-4", "star-5", "cross-7"], ["cross-1"]]
    game = position(rules, hands, ["circle-12"])
    game.step("circle-2")
    assert choice(game) == "reverse"


def test_votes_to_go_on_when_it_is_ahead() -> None:
    for own, vote in ((["star-8"], "play-on"), (["star-8", "cross-1", "cross-5", "cross-7"], "stop")):
        hands = [["circle-7"], own, ["star-3", "star-4"]]
        game = position("arcade", hands, ["circle-12"])
        game.step("circle-7")
        assert (game.phase, game.asked, choice(game)) == ("vote", 1, vote)


def test_returns_the_turn_with_a_miss_at_two_seats() -> None:
    hands = [["whot", "square-3", "square-11"], ["star-3", "star-4"]]
    game = position("modern", hands, ["circle-12"])
    assert play_turn(game)[:3] == ["whot", "call:square", "miss"]


@pytest.mark.parametrize("preset", ["nigerian", "naija_whot"])
def test_beats_playful(preset: str) -> None:
    result = evaluate(AGENT, make_agent("playful"), preset, 2, games=2000, seed=11)
    assert result.truncated == 0
    assert result.low > 0.66


def test_depth_must_allow_one_move() -> None:
    with pytest.raises(ValueError, match="depth is 0"):
        HeuristicAgent(depth=0)
