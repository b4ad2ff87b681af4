"""Faults that other programs for Whot and its sister games have had: what cannot be said as one case, whole kinds.

Single situations are in cases/public_faults.jsonl. The number in a case's id or a test's name is the fault's in FAULTS.
"""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from whot_cards import CARDS, SHAPES, CounterRng, number_of, shape_of
from whot_reference import ReferenceGame

from whot_env.actions import ACTION_ID, ACTION_NAMES, NUM_ACTIONS
from whot_env.errors import RulesError
from whot_env.game import Game
from whot_env.rules import PRESETS
from whot_env.whot_v0 import raw_env

FAULTS = (1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 14, 15, 17, 20, 22, 24, 25, 27, 28, 31, 32, 33, 35)
BOTH = ("engine", "reference")
PLAIN = ["cross-11", "cross-13", "square-11", "square-13"]


def at(who: str, rules: Any, hands: list[list[str]], pile: list[str], **more: Any) -> Any:
    """The engine's or the reference's game in a position."""
    position = {"rules": rules, "partial": True, "hands": hands, "pile": pile, **more}
    if who == "engine":
        return Game.from_position(position, seed=3)
    return ReferenceGame.from_position(position, CounterRng(3))


def dealt(who: str, rules: Any, seats: int, seed: int) -> Any:
    return Game.new(rules, seats, seed) if who == "engine" else ReferenceGame.new(rules, seats, seed)


def everything(game: Any) -> list[str]:
    position = game.position()
    return [*position["market"], *position["pile"], *itertools.chain(*position["hands"])]


def test_every_fault_is_covered() -> None:
    """Each number is in the id of a case or the name of a test, and there is no other."""
    lines = (Path(__file__).parent / "cases" / "public_faults.jsonl").read_text(encoding="utf-8").splitlines()
    cases = {int(json.loads(line)["id"].split("/")[1].split("-")[0]) for line in lines}
    tests = {int(found[1]) for name in globals() if (found := re.match(r"test_(\d\d)_", name))}
    assert cases | tests == set(FAULTS)


@pytest.mark.parametrize("who", BOTH)
@pytest.mark.parametrize("decks", [1, 2])
@pytest.mark.parametrize("whots", [0, 5])
def test_01_the_deck(who: str, decks: int, whots: int) -> None:
    """A wrong deck: too many cards, numbers that a shape lacks."""
    cards = everything(dealt(who, {"preset": "classic", "decks": decks, "whots": whots}, 2, 1))
    counts = {shape: sum(shape_of(card) == shape for card in cards) for shape in (*SHAPES, None)}
    of_one = {"circle": 12, "triangle": 12, "cross": 9, "square": 9, "star": 7, None: whots}
    assert counts == {shape: decks * count for shape, count in of_one.items()}
    total = sum(map(number_of, cards))
    stars = sum(number_of(card) for card in cards if shape_of(card) == "star")
    assert (total, total + stars) == (decks * (342 + 20 * whots), decks * (372 + 20 * whots))
    assert len(cards) == decks * (49 + whots)
    assert all(cards.count(card) == decks for card in cards if card != "whot")


@pytest.mark.parametrize("who", BOTH)
def test_03_the_order_of_the_hand(who: str) -> None:
    """Legal moves that depend on how a hand is sorted, or that end at the first Whot."""
    for order in itertools.permutations(["triangle-1", "whot", "circle-3", "triangle-8"]):
        game = at(who, "arcade", [list(order), PLAIN], ["circle-8"], market=["cross-1"])
        assert set(game.legal()) == {"whot", "circle-3", "triangle-8", "draw"}


@pytest.mark.parametrize("preset", PRESETS)
def test_03_no_action_outside_the_space(preset: str) -> None:
    """Card numbers used as action ids beyond the space's size."""
    game, rng = Game.new(preset, 2, seed=4), np.random.default_rng(4)
    for _ in range(200):
        mask = game.action_mask()
        assert mask.shape == (NUM_ACTIONS,)
        assert set(game.legal()) == {ACTION_NAMES[action] for action in np.flatnonzero(mask)} != set()
        game.step(str(rng.choice(game.legal())))
        if game.over:
            break


@pytest.mark.parametrize("who", BOTH)
@pytest.mark.parametrize("preset", PRESETS)
def test_04_drawing_is_a_choice(who: str, preset: str) -> None:
    """Drawing refused while a card fits, or the drawn card played in the same turn, at any table."""
    hands = [["circle-11", "cross-11", "cross-13"], ["triangle-11", "triangle-13", "square-11"]]
    game = at(who, preset, hands, ["circle-3"], market=["circle-10", "square-13"])
    assert {"draw", "circle-11"} <= set(game.legal())
    game.step("draw")
    assert game.asked == 1
    assert "circle-10" in game.position()["hands"][0]
    with pytest.raises(ValueError):
        game.step("circle-10")


@pytest.mark.parametrize("who", BOTH)
@pytest.mark.parametrize("debt", [2, 3, 4, 5, 8, 12])
def test_07_the_whole_debt_at_once(who: str, debt: int) -> None:
    """A debt paid card by card, or twice."""
    market = [card for card in CARDS if shape_of(card) in ("circle", "triangle")]
    game = at(who, "house_table", [PLAIN[:2], PLAIN[2:], ["star-3"]], ["cross-2"], market=market, turn=1, debt=debt)
    game.step("draw")
    position = game.position()
    assert [len(hand) for hand in position["hands"]] == [2, 2 + debt, 1]
    assert (position["turn"], position["debt"]) == (2, 0)


@pytest.mark.parametrize("who", BOTH)
def test_09_no_call_after_a_deal(who: str) -> None:
    """A called shape that goes on into the next round."""
    game = at(who, {"preset": "arcade", "match": {"best_of": 3}}, [["whot", *PLAIN[:2]], PLAIN[2:]], ["circle-10"])
    game.step("whot")
    game.step("call:star")
    assert game.position()["called"] == "star"
    game.event({"end_game": True})
    game.next_round()
    assert game.position()["called"] is None


@pytest.mark.parametrize("who", BOTH)
@pytest.mark.parametrize("shape", SHAPES)
def test_10_only_the_called_shape(who: str, shape: str) -> None:
    """What lies under a Whot, or its own number, still matched."""
    hand = [card for card in CARDS if card not in ("circle-8", "whot")]
    game = at(who, "classic", [hand, ["whot"]], ["circle-8", "whot"], called=shape)
    assert set(game.legal()) == {card for card in hand if shape_of(card) == shape} | {"draw"}


@pytest.mark.parametrize("who", BOTH)
def test_13_the_card_turned_up(who: str) -> None:
    """A start card that acts, or a Whot that nobody can follow."""
    for seed, seats in itertools.product(range(60), (2, 8)):
        game = dealt(who, {"preset": "arcade", "hand_size": 6}, seats, seed)
        position = game.position()
        assert position["pile"][-1] != "whot"
        assert (position["debt"], position["moves"], position["asked"]) == (0, 0, position["match"]["first"])
        game = dealt(who, {"preset": "house_table", "hand_size": 6}, seats, seed)
        position = game.position()
        special = {1, 2, 5, 8, 14, 20}
        undealt = {number_of(card) for card in position["market"]}
        assert number_of(position["pile"][-1]) not in special or undealt <= special


@pytest.mark.parametrize("who", BOTH)
@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("choice", ["keep", "reverse"])
def test_14_a_pick_goes_the_new_way(who: str, direction: int, choice: str) -> None:
    """A debt that goes to the seat of the old direction, at every number of seats; two have nothing to turn."""
    rules = {"preset": "naija_whot", "reverse_on_pick": True}
    for seats, pick in itertools.product((2, 3, 4), ("circle-2", "circle-5")):
        hands = [[pick, *PLAIN[:2]], *[[card] for card in CARDS if number_of(card) == 3][: seats - 1]]
        game = at(who, rules, hands, ["circle-10"], market=PLAIN[2:], direction=direction)
        game.step(pick)
        if seats > 2:
            assert set(game.legal()) == {"keep", "reverse"}
            game.step(choice)
        turned = -direction if choice == "reverse" and seats > 2 else direction
        position = game.position()
        assert (position["turn"], position["debt"]) == (turned % seats, {"circle-2": 2, "circle-5": 3}[pick])
        assert position["direction"] == turned


@pytest.mark.parametrize("who", BOTH)
@pytest.mark.parametrize("seats", range(2, 9))
def test_15_skips_are_capped(who: str, seats: int) -> None:
    """Skips counted round the table: k eights skip k others, at most all of them; a star 8 is one eight."""
    eights = ["star-8", "circle-8", "triangle-8"] * 2
    for k in range(1, 7):
        others = [[card] for card in CARDS if number_of(card) in (3, 7)][: seats - 1]
        hands = [[*eights[:k], "cross-13"], *others]
        game = at(who, {"preset": "house_table", "decks": 2}, hands, ["star-4"], market=["cross-1"])
        for card in eights[:k]:
            game.step(card)
        if game.position()["phase"] == "stack":
            game.step("end")
        assert game.position()["turn"] == (min(k, seats - 1) + 1) % seats


@pytest.mark.parametrize("who", BOTH)
def test_20_recycling(who: str) -> None:
    """A pile that keeps its cards, gives the top away or comes back in the same order."""
    drawn = set()
    for seed in range(40):
        position = {"rules": "arcade", "partial": True, "hands": [PLAIN[:2], PLAIN[2:]]}
        position["pile"] = ["square-1", "square-7", "circle-7"]
        game = Game.from_position(position, seed) if who == "engine" else ReferenceGame(position, CounterRng(seed))
        game.step("draw")
        after = game.position()
        (card,) = set(after["hands"][0]) - set(PLAIN)
        assert after["pile"] == ["circle-7"]
        assert sorted([card, *after["market"]]) == ["square-1", "square-7"]
        assert after["recycled"] == 1
        drawn.add(card)
    assert drawn == {"square-1", "square-7"}


def all_plays(game: Any, laid: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every list of cards that can be laid as one move."""
    for card in [name for name in game.legal() if name in CARDS]:
        position = game.position()
        again = type(game).from_position(position, *([] if isinstance(game, Game) else [CounterRng(1)]))
        again.step(card)
        if again.position()["phase"] != "stack":
            yield (*laid, card)
        else:
            if "end" in again.legal():
                yield (*laid, card)
            yield from all_plays(again, (*laid, card))


@pytest.mark.parametrize("who", BOTH)
@pytest.mark.parametrize("rules", ["arcade", "house_table", "naija_whot", "modern"])
def test_24_all_lists(who: str, rules: str) -> None:
    """Stacks of different numbers, of Whots, or whose first card does not match: all lists of a hand are tried."""
    hand = ["circle-10", "square-10", "circle-11", "triangle-11", "circle-12", "whot", "whot"]
    game = at(who, rules, [hand, PLAIN], ["circle-3"], market=["cross-1"])
    lists = {cards for size in range(1, 6) for cards in itertools.permutations(hand, size)}
    assert set(all_plays(game)) == {cards for cards in lists if may_go_down(rules, cards)}


def may_go_down(rules: str, cards: tuple[str, ...]) -> bool:
    """On a circle 3, as the pages say."""
    shapes, numbers = {shape_of(card) for card in cards}, [number_of(card) for card in cards]
    if cards[0] != "whot" and shape_of(cards[0]) != "circle":
        return False
    if len(cards) == 1:
        return True
    if rules == "modern":
        steps = {b - a for a, b in itertools.pairwise(numbers)}
        return len(cards) > 2 and len(shapes) == 1 and steps in ({1}, {-1}) and "whot" not in cards
    if rules == "naija_whot" or len(set(numbers)) > 1:
        return False
    return rules == "house_table" or cards[0] != "whot"


def test_28_seeds_alone_decide() -> None:
    """Seeds ignored, global generators used, or a query that uses up randomness."""

    def play(query: bool) -> tuple[bytes, int]:
        rng = np.random.default_rng(8)
        game = Game.new("nigerian", 8, seed=21)
        for _ in range(60):
            if query:
                random.seed(rng.bit_generator.state["state"]["state"])
                game.action_mask(), game.legal(), game.observation(), game.position(), game.view(0)
            names = game.legal()
            game.step("draw" if "draw" in names and rng.random() < 0.7 else names[0])
            assert not game.over
        return game.state.tobytes(), game.position()["recycled"]

    before = random.getstate()[1], np.random.get_state()[1].tobytes()  # noqa: NPY002  the global one must stay as it is
    first = play(query=False)
    assert (random.getstate()[1], np.random.get_state()[1].tobytes()) == before  # noqa: NPY002
    assert first == play(query=True)
    assert first[1] > 0


@pytest.mark.parametrize("preset", PRESETS)
def test_31_hidden_cards(preset: str) -> None:
    """An opponent's hand or the market's order that shows in what a seat is told."""
    game = Game.new(preset, 2, seed=6)
    seen = copy.deepcopy(game.position())
    other = 1 - game.asked
    swapped = copy.deepcopy(seen)
    size = len(seen["hands"][other])
    swapped["hands"][other] = seen["market"][-size:]
    swapped["market"] = [*reversed(seen["hands"][other]), *seen["market"][:-size]]
    twin = Game.from_position(swapped, seed=99)
    game = Game.from_position(seen, seed=6)
    seat = game.asked
    assert twin.position() != game.position()
    assert twin.observation(seat).tobytes() == game.observation(seat).tobytes()
    assert twin.action_mask().tobytes() == game.action_mask().tobytes()
    assert twin.view(seat) == game.view(seat)
    told = []
    for one in (game, twin):
        env = env_at(one, preset, 2)
        observation = {key: part.tobytes() for key, part in env.observe(env.agent_selection).items()}
        env.step(ACTION_ID[one.legal()[0]])
        told.append((observation, env.infos))
    assert told[0] == told[1]


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, Game.copy, lambda game: pickle.loads(pickle.dumps(game))])
def test_32_copies_are_apart(way: Any) -> None:
    """A copy that moves its original, or goes on differently."""
    rng = np.random.default_rng(5)
    game = Game.new("arcade", 3, seed=12)
    while game.moves < 10:
        game.step(str(rng.choice(game.legal())))
    twin, before = way(game), game.state.tobytes()
    actions: list[str] = []
    for _ in range(40):
        if twin.over:
            break
        actions.append(str(rng.choice(twin.legal())))
        twin.step(actions[-1])
    assert actions
    assert game.state.tobytes() == before
    for action in actions:
        game.step(action)
    assert game.state.tobytes() == twin.state.tobytes()


def env_at(game: Game, rules: Any, seats: int) -> Any:
    """The environment of agents in turn, standing where a game stands."""
    env = raw_env(rules=rules, num_players=seats)
    for seed in itertools.count():
        env.reset(seed=seed)
        if env.agent_selection == f"player_{game.asked}":
            break
    env._batch.states[:] = game.state
    return env


def test_33_order_after_going_out() -> None:
    """Seats asked in a wrong order once one of them is out."""
    hands = [["circle-11", "circle-12", "circle-13"], ["circle-3"], ["circle-4", "circle-1", "triangle-4"]]
    market = [card for card in CARDS if shape_of(card) in ("cross", "square")]
    game = at("engine", "arcade", hands, ["circle-10"], market=market, turn=1)
    env = env_at(game, "arcade", 3)
    order = []
    for action in ("circle-3", None, "play-on", "play-on", "draw", "draw", "draw", "draw"):
        order.append(env.agent_selection)
        env.step(action if action is None else ACTION_ID[action])
    assert order == [f"player_{seat}" for seat in (1, 1, 2, 0, 2, 0, 2, 0)]
    assert env.agents == ["player_0", "player_2"]


def test_35_impossible_tables() -> None:
    """Deals that the deck or the table does not allow are refused, the largest possible one is dealt."""
    game = Game.new({"preset": "house_table", "whots": 0}, 8, seed=1)
    assert (len(game.position()["market"]), {len(hand) for hand in game.position()["hands"]}) == (8, {5})
    impossible: list[tuple[Any, int, str]] = [
        ({"preset": "naija_whot", "hand_size": 2}, 4, "hand_size"),
        ({"preset": "naija_whot", "hand_size": 7}, 4, "hand_size"),
        ("naija_whot", 5, "num_players"),
        ({"preset": "classic", "hand_size": 30}, 2, "hand_size"),
        ({"preset": "classic", "hand_size": 27}, 2, "hand_size"),
        ({"preset": "classic", "hand_size": 7}, 8, "hand_size"),
    ]
    for rules, seats, key in impossible:
        with pytest.raises(RulesError) as refused:
            Game.new(rules, seats)
        assert refused.value.key == key
    assert len(Game.new({"preset": "classic", "hand_size": 26}, 2).position()["market"]) == 1
