"""Cards, actions and ``Rules``: the tables as the documentation states them, and errors that name the field."""

import pickle

import pytest

from whot_env.actions import ACTION_ID, ACTION_NAMES, NUM_ACTIONS
from whot_env.cards import CARD_NAMES, CARD_NUMBER, CARD_SHAPE, copies
from whot_env.errors import RulesError
from whot_env.rules import PRESETS, RULE_NUMBERS, Rules, as_rules, compile_rules


def test_the_deck_has_54_cards_of_the_right_numbers() -> None:
    count = copies(whots=5, decks=1).astype(int)
    assert count.sum() == 54
    assert [int((count * (shape == CARD_SHAPE)).sum()) for shape in range(6)] == [12, 12, 9, 9, 7, 5]
    number, star = CARD_NUMBER.astype(int), CARD_SHAPE == 4
    assert (count * number).sum() == 442
    assert (count * number * (1 + star)).sum() == 472
    suited = count * (CARD_SHAPE < 5)
    assert ((suited * number).sum(), (suited * number * (1 + star)).sum()) == (342, 372)
    assert copies(whots=5, decks=2).sum() == 108


def test_action_ids_are_stable() -> None:
    assert NUM_ACTIONS == 76
    assert ACTION_NAMES[:50] == CARD_NAMES
    stable = {"circle-1": 0, "star-8": 48, "whot": 49, "star-8-as-16": 56, "draw": 57, "end": 58, "call:star": 63}
    stable |= {"plain": 64, "reverse": 67, "last-card": 68, "pass": 71, "knock": 73, "stop": 75}
    assert {name: ACTION_ID[name] for name in stable} == stable


@pytest.mark.parametrize("preset", PRESETS)
def test_rules_survive_json_pickle_and_compilation(preset: str) -> None:
    rules = Rules.preset(preset, match={"best_of": 3}, payoff="placing")
    assert as_rules(rules.to_json()) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert hash(rules) == hash(as_rules(rules.to_json()))
    assert Rules.preset(preset).to_json() == preset
    assert Rules.preset(preset, **Rules.preset(preset).fields_json()) == Rules.preset(preset)
    row = compile_rules(rules)
    assert row["observed"].shape == (1, len(RULE_NUMBERS) - 1)


BAD = [
    ("preset", {"preset": "street"}),
    ("preset", {}),
    ("preset", {"preset": 3}),
    ("speed", {"preset": "arcade", "speed": 1}),
    ("hold_on", {"preset": "arcade", "hold_on": 6}),
    ("hold_on", {"preset": "arcade", "hold_on": True}),
    ("pick_three", {"preset": "arcade", "pick_three": 2}),
    ("block", {"preset": "arcade", "block": 14}),
    ("decks", {"preset": "arcade", "decks": 3}),
    ("whots", {"preset": "arcade", "whots": -1}),
    ("hand_size", {"preset": "naija_whot", "hand_size": 2}),
    ("hand_size", {"preset": "naija_whot", "hand_size": 7}),
    ("hand_size", {"preset": "classic", "hand_size": 30}),
    ("seats", {"preset": "naija_whot", "seats": 5}),
    ("seat_range", {"preset": "arcade", "seat_range": [2, 9]}),
    ("seat_range", {"preset": "arcade", "seat_range": 4}),
    ("hand_range", {"preset": "arcade", "hand_range": [4]}),
    ("stackable", {"preset": "arcade", "stackable": [2, 2]}),
    ("stackable", {"preset": "arcade", "stackable": [[]]}),
    ("last_card", {"preset": "arcade", "last_card": "shout"}),
    ("start_card", {"preset": "arcade", "start_card": None}),
    ("multi_whot", {"preset": "arcade", "multi_whot": 1}),
    ("undo_seconds", {"preset": "arcade", "undo_seconds": 11}),
    ("match", {"preset": "arcade", "match": {"best_of": 2}}),
    ("match", {"preset": "arcade", "match": {"first_to": 2}}),
    ("match", {"preset": "arcade", "match": [[], 1]}),
    ("match", {"preset": "arcade", "match": {"best_of": "3"}}),
    ("reaction_median", {"preset": "arcade", "reaction_median": float("nan")}),
    ("name", {"preset": "arcade", "name": 1}),
    ("cls", {"preset": "arcade", "cls": 1}),
    ("rules", 7),
    ("rules", None),
]


@pytest.mark.parametrize(("key", "value"), BAD)
def test_bad_rules_are_refused_in_one_sentence_that_names_the_field(key: str, value: object) -> None:
    with pytest.raises(RulesError) as error:
        as_rules(value)  # type: ignore[arg-type]
    assert error.value.key == key
    assert "\n" not in str(error.value) and "allowed" in str(error.value)


@pytest.mark.parametrize(("preset", "seats"), [("naija_life", 3), ("naija_whot", 5), ("naija_whot", 1), ("arcade", 9)])
def test_seats_outside_the_table_are_refused(preset: str, seats: int) -> None:
    with pytest.raises(RulesError, match="num_players"):
        Rules.preset(preset).check_seats(seats)


def test_ranges_can_be_widened_and_impossible_deals_cannot() -> None:
    Rules.preset("naija_life", seat_range=[2, 4]).check_seats(4)
    assert Rules.preset("naija_whot", hand_range=[1, 9], hand_size=9).hand_size == 9
    Rules.preset("house_table", whots=0).check_seats(8)
    with pytest.raises(RulesError, match="hand_size"):
        Rules.preset("classic", hand_size=10).check_seats(8)
