"""The nine tables as plain dictionaries, written from section 3 of the rules, and the check of changed fields."""

from __future__ import annotations

from typing import Any

BASE: dict[str, Any] = {
    "seats": 2,
    "seat_range": [2, 8],
    "hand_size": 5,
    "hand_range": None,
    "decks": 1,
    "whots": 5,
    "start_card": "any",
    "hold_on": None,
    "pick_two": None,
    "pick_three": None,
    "suspension": None,
    "general_market": None,
    "block": None,
    "pick_mode": None,
    "stackable": [],
    "answers": None,
    "whot_on_debt": None,
    "multi_card": "single",
    "multi_whot": False,
    "star_as_double": False,
    "whot_power": False,
    "reverse_on_pick": False,
    "finish": "any",
    "last_card": None,
    "check_up": None,
    "announce_penalty": None,
    "recycle": "always",
    "nothing_left": "draw",
    "move_limit": None,
    "star_score": "face",
    "after_first_out": "stop",
    "timeout": None,
    "turn_seconds": None,
    "undo_seconds": None,
    "match": "single",
    "payoff": "winner",
    "reaction_median": 1.5,
    "reaction_sigma": 0.5,
}
_NIGERIAN_NUMBERS = {"hold_on": 1, "pick_two": 2, "pick_three": 5, "suspension": 8, "general_market": 14}
TABLES: dict[str, dict[str, Any]] = {
    "classic": {**BASE, "hand_size": 6},
    "modern": {
        **BASE,
        "hand_size": 6,
        "multi_card": "straight",
        "star_as_double": True,
        "whot_power": True,
        "star_score": "double_hand",
    },
    "nigerian": {
        **BASE,
        **_NIGERIAN_NUMBERS,
        "hand_range": [3, 6],
        "pick_mode": "debt",
        "stackable": [2, 5],
        "answers": "same",
        "whot_on_debt": "no",
        "last_card": "next_move",
        "check_up": "next_move",
        "announce_penalty": 2,
        "star_score": "double",
        "timeout": "draw",
        "turn_seconds": 10,
    },
    "variant_1_2_3_14": {
        **BASE,
        "hand_size": 6,
        "hold_on": 1,
        "pick_two": 2,
        "suspension": 3,
        "general_market": 14,
        "pick_mode": "at_once",
    },
    "variant_1_4_7_8": {
        **BASE,
        "hand_size": 6,
        "hold_on": 1,
        "pick_two": 7,
        "suspension": 8,
        "general_market": 4,
        "pick_mode": "at_once",
    },
    "arcade": {
        **BASE,
        **_NIGERIAN_NUMBERS,
        "start_card": "no_whot",
        "block": 7,
        "pick_mode": "debt",
        "stackable": [2, 5],
        "answers": "any_pick",
        "whot_on_debt": "cancels",
        "multi_card": "same_number",
        "last_card": "catch",
        "announce_penalty": 2,
        "nothing_left": "count",
        "move_limit": 500,
        "after_first_out": "vote",
    },
    "naija_life": {
        **BASE,
        **_NIGERIAN_NUMBERS,
        "seat_range": [2, 2],
        "start_card": "no_whot",
        "pick_mode": "at_once",
        "recycle": "once",
        "nothing_left": "count",
        "star_score": "double",
    },
    "house_table": {
        **BASE,
        **_NIGERIAN_NUMBERS,
        "start_card": "prefer_plain",
        "pick_mode": "debt",
        "stackable": [2, 5],
        "answers": "same",
        "whot_on_debt": "cancels",
        "multi_card": "same_number",
        "multi_whot": True,
        "finish": "plain_only",
        "star_score": "double",
        "timeout": "forfeit",
        "turn_seconds": 60,
        "undo_seconds": 0,
    },
    "naija_whot": {
        **BASE,
        **_NIGERIAN_NUMBERS,
        "seats": 4,
        "seat_range": [2, 4],
        "hand_range": [3, 6],
        "start_card": "no_whot",
        "pick_mode": "debt",
        "stackable": [2, 5],
        "answers": "same",
        "whot_on_debt": "no",
        "last_card": "at_once",
        "check_up": "at_once",
        "announce_penalty": 2,
        "timeout": "draw",
        "turn_seconds": 20,
    },
}
EFFECTS = ("hold_on", "pick_two", "pick_three", "suspension", "general_market", "block")
CHOICES: dict[str, tuple] = {
    "start_card": ("any", "no_whot", "prefer_plain"),
    "pick_mode": (None, "debt", "at_once"),
    "answers": (None, "same", "any_pick"),
    "whot_on_debt": (None, "no", "cancels"),
    "multi_card": ("single", "same_number", "straight"),
    "multi_whot": (False, True),
    "star_as_double": (False, True),
    "whot_power": (False, True),
    "reverse_on_pick": (False, True),
    "finish": ("any", "plain_only"),
    "last_card": (None, "at_once", "next_move", "catch"),
    "check_up": (None, "at_once", "next_move"),
    "recycle": ("always", "once"),
    "nothing_left": ("draw", "count"),
    "star_score": ("face", "double", "double_hand"),
    "after_first_out": ("stop", "vote"),
    "timeout": (None, "draw", "forfeit"),
    "payoff": ("winner", "placing"),
}
CARD_NUMBERS = (1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 13, 14)


class Refused(ValueError):
    """Something that may not be: a position, rules, an action or an event. `key` names what is at fault."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(f"{key}: {text}")
        self.key = key


def read_rules(value: Any) -> dict[str, Any]:
    """All fields of the rules a position names, with the defaults of section 8.10 filled in where a preset has null."""
    if isinstance(value, str):
        value = {"preset": value}
    preset = value.get("preset")
    if preset not in TABLES:
        raise Refused("preset", f"unknown preset {preset!r}")
    table = dict(TABLES[preset])
    for field, given in value.items():
        if field == "preset":
            continue
        if field not in table:
            raise Refused(field, "unknown field")
        if field in CHOICES and given not in CHOICES[field]:
            raise Refused(field, f"{given!r} is none of {CHOICES[field]}")
        table[field] = given
    taken: dict[int, str] = {}
    for effect in EFFECTS:
        number = table[effect]
        if number is None:
            continue
        if number not in CARD_NUMBERS or number in taken:
            raise Refused(effect, f"{number!r} is no number of its own")
        taken[number] = effect
    if not 0 <= table["whots"] <= 5:
        raise Refused("whots", "0 to 5")
    table["taken"] = taken
    table["pick_mode"] = table["pick_mode"] or "at_once"
    table["answers"] = table["answers"] or "same"
    table["whot_on_debt"] = table["whot_on_debt"] or "no"
    if table["announce_penalty"] is None:
        table["announce_penalty"] = 2
    table["undo_seconds"] = table["undo_seconds"] or 0
    return table
