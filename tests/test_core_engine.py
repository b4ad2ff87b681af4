"""The engine as a whole: conservation, exact masks, batches equal single games, copies, determinism, secrecy."""

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest

from whot_env.actions import ACTION_ID, ACTION_NAMES, NUM_ACTIONS
from whot_env.batch import Batch
from whot_env.cards import CARD_NUMBER, WHOT
from whot_env.errors import ActionError, EventError, WhotError
from whot_env.game import Game
from whot_env.observation import LAYOUT
from whot_env.rules import PRESETS, Rules

TABLES: list[Any] = [
    *PRESETS,
    {"preset": "house_table", "undo_seconds": 4},
    {"preset": "naija_whot", "reverse_on_pick": True, "match": {"best_of": 3}},
    {"preset": "nigerian", "decks": 2, "multi_card": "same_number", "after_first_out": "vote"},
    {"preset": "modern", "match": {"elimination": 60}, "payoff": "placing"},
]


def seats_of(table: Any) -> int:
    return 2 if table == "naija_life" else 4


def random_actions(masks: np.ndarray[Any, Any], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    return (rng.random(masks.shape) * masks).argmax(1)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_cards_are_conserved_and_payoffs_sum_to_zero(table: Any) -> None:
    rng = np.random.default_rng(5)
    batch = Batch(table, seats_of(table), 64, seed=11)
    deck = batch.rules[0].deck_size
    finished = 0
    for _ in range(400):
        masks = batch.action_mask()
        assert (masks.sum(1) > 0).all()
        assert (batch.step(random_actions(masks, rng)) == 0).all()
        states = batch.states
        held = states["hand_size"].astype(int).sum(1)
        assert (held == states["hands"].astype(int).sum((1, 2))).all()
        assert (held + states["market_len"] + states["pile_len"] == deck).all()
        assert (states["known"] <= states["hands"]).all()
        over = batch.over
        finished += int(over.sum())
        assert np.abs(batch.payoffs.sum(1)).max() < 1e-9
        batch.reset(over)
    assert finished or table in ("nigerian", "naija_whot") or not isinstance(table, str)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_game_in_a_batch_equals_the_same_game_alone(table: Any) -> None:
    rng = np.random.default_rng(6)
    batch = Batch(table, seats_of(table), 5, seed=40)
    games = [Game.new(table, seats_of(table), seed=40 + i) for i in range(5)]
    for _ in range(150):
        actions = random_actions(batch.action_mask(), rng)
        observed = batch.observe()
        for i, game in enumerate(games):
            assert (game.observation() == observed[i]).all()
            game.step(ACTION_NAMES[actions[i]])
            if game.over and not game.match_over:
                game.next_round()
        batch.step(actions)
        for i, game in enumerate(games):
            assert game.state.tobytes() == lane(batch, i).tobytes()
            if game.match_over:
                games[i] = Game.new(table, seats_of(table), seed=99)
        batch.reset(batch.over, seeds=np.full(5, 99))


def lane(batch: Batch, index: int) -> np.ndarray[Any, Any]:
    return batch.states[index : index + 1].copy()


def test_one_batch_mixes_tables_and_seats() -> None:
    rng = np.random.default_rng(7)
    tables = ["classic", "arcade", "naija_life", {"preset": "nigerian", "decks": 2}, "modern"]
    seats = [3, 8, 2, 6, 2]
    mixed = Batch(tables, seats, 5, seed=1)
    alone = [Batch(t, n, 1, seed=1 + i) for i, (t, n) in enumerate(zip(tables, seats, strict=True))]
    for _ in range(200):
        masks, observed = mixed.action_mask(), mixed.observe()
        actions = random_actions(masks, rng)
        mixed.step(actions)
        for i, single in enumerate(alone):
            assert (single.action_mask()[0] == masks[i]).all()
            assert (single.observe()[0] == observed[i]).all()
            single.step(actions[i : i + 1])
        over = mixed.over
        mixed.reset(over)
        for i in np.flatnonzero(over):
            alone[i].reset()


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_masked_actions_are_refused_and_change_no_byte(table: Any) -> None:
    rng = np.random.default_rng(8)
    batch = Batch(table, seats_of(table), 1, seed=3)
    for _ in range(60):
        mask = batch.action_mask()
        before = batch.states.tobytes()
        for action in [*np.flatnonzero(mask[0] == 0), -1, NUM_ACTIONS, 10_000]:
            assert batch.step(np.array([action]))[0] == 1
        assert batch.states.tobytes() == before
        batch.step(random_actions(mask, rng))
        batch.reset(batch.over)


@pytest.mark.parametrize("make", [copy.deepcopy, copy.copy, lambda g: pickle.loads(pickle.dumps(g)), Game.copy])
def test_copies_continue_identically_and_share_nothing(make: Any) -> None:
    game = Game.new("arcade", 3, seed=9)
    for _ in range(10):
        game.step(game.legal()[0])
    before = game.position()
    twin = make(game)
    for _ in range(40):
        if twin.over:
            break
        twin.step(twin.legal()[-1])
    assert game.position() == before
    again = make(game)
    while not game.over:
        assert game.legal() == again.legal()
        action = game.legal()[0]
        game.step(action)
        again.step(action)
        assert game.position() == again.position()


def test_equal_seeds_play_equally_and_global_generators_stay_untouched() -> None:
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 - the point is that it stays where it is
    before = random.getstate(), np.random.get_state()[1].tobytes()  # type: ignore[index]  # noqa: NPY002
    records = []
    for _ in range(2):
        rng = np.random.default_rng(2)
        batch = Batch("house_table", 4, 8, seed=77)
        for _ in range(500):
            batch.step(random_actions(batch.action_mask(), rng))
            batch.reset(batch.over)
        records.append(batch.states.tobytes())
    assert records[0] == records[1]
    assert before == (random.getstate(), np.random.get_state()[1].tobytes())  # type: ignore[index]  # noqa: NPY002


def test_a_move_being_built_is_seen_by_its_builder_alone() -> None:
    game = Game.from_position(
        {
            "rules": "arcade",
            "partial": True,
            "hands": [["circle-10", "cross-10", "star-1"], ["star-2", "star-3"]],
            "market": ["cross-1"],
            "pile": ["circle-3"],
        }
    )
    before = game.observation(1), game.view(1)
    game.step("circle-10")
    assert game.phase == "stack"
    assert (game.observation(1) == before[0]).all()
    assert game.view(1)["phase"] == "play" and game.view(1)["move"] == []
    assert LAYOUT.view(game.observation(0), "move_cards")[ACTION_ID["circle-10"]] == 1
    game.step("end")
    assert LAYOUT.view(game.observation(1), "top")[ACTION_ID["circle-10"]] == 1


def test_the_observation_says_what_it_documents() -> None:
    game = Game.from_position(
        {
            "rules": "house_table",
            "partial": True,
            "hands": [["circle-10", "whot", "whot"], ["star-2", "star-3"], ["cross-1"]],
            "market": ["cross-2", "cross-3"],
            "pile": ["circle-3", "star-5"],
            "turn": 1,
            "debt": 3,
            "moves": 205,
            "direction": -1,
        }
    )
    o = game.observation(2)

    def seen(name: str) -> Any:
        return LAYOUT.view(o, name)

    assert seen("hand")[ACTION_ID["cross-1"]] == 1 and seen("hand").sum() == 1
    assert seen("top").argmax() == ACTION_ID["star-5"] and seen("top_number").argmax() == 4
    assert seen("debt")[0] == 3 and seen("direction")[0] == -1
    assert seen("seat_cards").tolist() == [1, 3, 2, 0, 0, 0, 0, 0]
    assert seen("seat_turn").argmax() == 2 and seen("seat_asked").argmax() == 2 and seen("asked_self")[0] == 0
    assert seen("moves").tolist() == [2, 5]
    assert (seen("market_size")[0], seen("pile_size")[0]) == (2, 2)
    assert seen("pile")[ACTION_ID["circle-3"]] == 1
    game.step("draw")
    o = game.observation(2)
    assert seen("declined_numbers")[2, 4] == 1 + 3, "declined the five, then drew what there was"
    assert seen("history")[0, 2] == 1 and seen("history")[0, 21] == 3
    assert sum(s.stop - s.start for s in LAYOUT) == LAYOUT.size == o.size


def test_bad_calls_are_refused_and_change_nothing() -> None:
    game = Game.new("naija_whot", 2, seed=0)
    before = game.position()
    for action in ("jump", "circle-6", "end"):
        with pytest.raises(ActionError, match="allowed"):
            game.step(action)
    for event in (
        {"timeout": 5},
        {"leave": "0"},
        {"leave": 7},
        {"end_game": False},
        {},
        {"rain": 1},
        {"timeout": 1 - game.asked},
        None,
        ["leave"],
        "leave",
        {"leave": 10**5000},
    ):
        with pytest.raises(EventError, match="allowed"):
            game.event(event)  # type: ignore[arg-type]
    for call in (lambda: game.observation(2), lambda: game.view(-1), lambda: game.step(None)):  # type: ignore[arg-type]
        with pytest.raises(WhotError, match="allowed"):
            call()
    for seconds in (None, 1.5, [0, 1.5], {0: 1.0, 1: -1.0}, {0: float("nan")}, {0: "1"}, {"0": 1.0}, {2: 1.0}):
        with pytest.raises(WhotError, match="allowed"):
            game.reaction(seconds)  # type: ignore[arg-type]
    assert (game.state["forced"] == -1).all()
    with pytest.raises(EventError):
        game.next_round()
    with pytest.raises(EventError):
        game.event({"next_round": True})
    assert game.position() == before
    for seed in (-1, 1.5, True, None):
        with pytest.raises(WhotError, match="seed"):
            Game.new("arcade", 2, seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("preset", PRESETS)
def test_start_cards_follow_the_table(preset: str) -> None:
    rules = Rules.preset(preset)
    batch = Batch(rules, None, 4000, seed=5)
    top = batch.states["pile"][:, 0]
    whots = (top == ACTION_ID["whot"]).mean()
    if rules.start_card == "any":
        assert abs(whots - 5 / 54) < 0.02
    else:
        assert whots == 0
    special = np.isin([int(ACTION_NAMES[c].split("-")[1]) if c < 49 else 20 for c in top], list(rules.effect_numbers))
    assert special.any() == (rules.start_card != "prefer_plain" and bool(rules.effect_numbers))
    first = np.bincount(batch.states["turn"], minlength=rules.seats) / 4000
    assert (abs(first - 1 / rules.seats) < 0.05).all()


@pytest.mark.parametrize("start_card", ["any", "no_whot", "prefer_plain"])
def test_the_start_card_when_hardly_a_card_is_left(start_card: str) -> None:
    """Two cards of the deck are not dealt: often both are special, now and then both are Whots (rules 4.1, 8.9)."""
    rules = Rules.preset("house_table", start_card=start_card, hand_size=13)
    states = Batch(rules, 4, 1200, seed=3).states
    assert (states["market_len"] == 1).all() and (states["pile_len"] == 1).all()
    started = set()
    for start, other in zip(states["pile"][:, 0].tolist(), states["market"][:, 0].tolist(), strict=True):
        # 0 plain, 1 special, 2 Whot: prefer_plain takes the lowest there is, no_whot only refuses the last
        rank, rest = (2 if card == WHOT else int(CARD_NUMBER[card] in rules.effect_numbers) for card in (start, other))
        started.add((rank, rest))
        if start_card == "prefer_plain":
            assert rank <= rest
        elif start_card == "no_whot":
            assert rank < 2 or rest == 2
    assert {(0, 0), (0, 1), (1, 1), (2, 2)} <= started
    assert ((2, 0) in started) == (start_card == "any")


def test_a_batch_refuses_what_would_reach_beyond_its_memory() -> None:
    batch = Batch("naija_whot", 2, 4, seed=0)
    before = batch.states.tobytes()
    calls = [
        lambda: batch.leave(4, 0),
        lambda: batch.leave(-1, 0),
        lambda: batch.end_game(10_000_000),
        lambda: batch.timeout(0, "0"),  # type: ignore[arg-type]
        lambda: batch.observe(out=np.zeros((4, 10), np.int8)),
        lambda: batch.observe(out=np.zeros((1, LAYOUT.size), np.int8)),
        lambda: batch.observe(seats=np.full(4, 256)),
        lambda: batch.observe(seats=[0.9] * 4),
        lambda: batch.action_mask(out=np.zeros((4, NUM_ACTIONS), np.int16)),
        lambda: batch.reset(seeds=[-1] * 4),
        lambda: batch.reset(lanes=[4]),
        lambda: batch.step(np.zeros(3, int)),
        lambda: batch.step(np.zeros(4, int), lanes=[-1]),
        lambda: Batch("arcade", 2, 10**12),
        lambda: Batch("arcade", 2, "3"),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(WhotError, match="allowed"):
            call()
    assert batch.states.tobytes() == before
