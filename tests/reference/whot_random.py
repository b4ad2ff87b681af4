"""Random tables and events for playing the engine and the reference side by side."""

from __future__ import annotations

from random import Random
from typing import Any

from whot_cards import CALLS, CARDS, doubled
from whot_tables import BASE, CARD_NUMBERS, CHOICES, EFFECTS, TABLES

ACTIONS = [
    *CARDS,
    *(doubled(card) for card in CARDS if card.startswith("star")),
    *("draw", "end", *CALLS, "plain", "miss", "keep", "reverse", "last-card", "check-up", "catch", "pass"),
    *("undo", "knock", "play-on", "stop"),
]
REACTIONS = (0.3, 1.0, 1.9999, 2.0, 2.0, 2.5, 3.0, 5.0, 6.0, 10.0)


def random_rules(random: Random, preset: str) -> tuple[Any, int]:
    """Rules in JSON form and a number of seats: the preset itself, a few changed fields, or nearly all changed."""
    style = random.choices(("preset", "few", "wild"), (3, 4, 3))[0]
    changes: dict[str, Any] = {}
    if style != "preset":
        chance = 0.12 if style == "few" else 0.6
        for field, values in CHOICES.items():
            if random.random() < chance:
                changes[field] = random.choice(values)
        if random.random() < chance:
            numbers = random.sample(CARD_NUMBERS, len(EFFECTS))
            for effect, number in zip(EFFECTS, numbers, strict=True):
                changes[effect] = number if random.random() < 0.75 else None
        rules = {**TABLES[preset], **changes}
        for field, value in _numbers(random, rules).items():
            if random.random() < chance:
                changes[field] = value
    low, high = TABLES[preset]["seat_range"]
    if (low, high) != (2, 8) and random.random() < 0.4:
        low, high = 2, 8
        changes["seat_range"] = [2, 8]
    seats = random.randint(low, high)
    return _fit_deck(random, preset, changes, seats, style)


def _numbers(random: Random, rules: dict[str, Any]) -> dict[str, Any]:
    picks = [number for number in (rules["pick_two"], rules["pick_three"]) if number is not None]
    return {
        "stackable": random.sample(picks, random.randint(0, len(picks))),
        "decks": random.choice((1, 2)),
        "whots": random.randint(0, 5),
        "announce_penalty": random.randint(1, 4),
        "move_limit": random.choice((None, 5, 20, 60)),
        "undo_seconds": random.choice((None, 0, 1, 2, 5)),
        "turn_seconds": random.choice((None, 10)),
        "match": random.choice(("single", {"best_of": 3}, {"best_of": 1}, {"lowest_total": 3}, {"elimination": 25})),
        "reaction_median": random.choice((0.5, 1.5, 2.5)),
        "reaction_sigma": random.choice((0.0, 0.5, 1.0)),
    }


def _fit_deck(random: Random, preset: str, changes: dict[str, Any], seats: int, style: str) -> tuple[Any, int]:
    rules = {**TABLES[preset], **changes}
    cards = rules["decks"] * (49 + rules["whots"])
    most = min((cards - 1) // seats, 12)
    if style != "preset" and random.random() < 0.6:
        changes["hand_size"] = random.choice((1, 2, 3, 4, 5, 6, most))
    size = min(changes.get("hand_size", rules["hand_size"]), most)
    if size != rules["hand_size"]:
        changes["hand_size"] = size
    if rules["hand_range"] and not rules["hand_range"][0] <= size <= rules["hand_range"][1]:
        changes["hand_range"] = [1, 12]
    low, high = {**TABLES[preset], **changes}["seat_range"]
    if rules["seats"] * size + 1 > cards or not low <= rules["seats"] <= high:
        changes["seats"] = 2
    changes = {field: value for field, value in changes.items() if value != TABLES[preset].get(field, BASE[field])}
    return ({"preset": preset, **changes} if changes else preset), seats


def random_event(random: Random, asked: int, seats: int) -> dict[str, Any]:
    """A host event, often one that must be refused."""
    kind = random.choices(("asked", "timeout", "leave", "end_game", "strange"), (10, 3, 2, 0.6, 1))[0]
    if kind == "asked":
        return {"timeout": asked}
    if kind == "end_game":
        return {"end_game": True}
    if kind == "strange":
        return random.choice(({"leave": seats}, {"leave": -1}, {"timeout": seats}, {"timeout": -1}, {"pause": 0}))
    return {kind: random.randrange(seats)}
