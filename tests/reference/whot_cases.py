"""Runs rule cases (section 7) against anything with the face of a game."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

SEATED = ("hands", "known")
RESULTS = ("winners", "places", "payoffs", "sums", "over")


def read_cases(path: Path) -> list[dict[str, Any]]:
    """The cases of a JSON lines file."""
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def run_case(case: dict[str, Any], make: Callable[[dict[str, Any]], Any]) -> list[str]:
    """Everything in a case that does not hold, with step, expected and found. `make` reads a position."""
    if "refused" in case:
        try:
            make(case["position"])
        except ValueError as error:
            key = getattr(error, "key", None)
            return [] if key == case["refused"] else [f"refused for {key}, expected {case['refused']}"]
        return [f"accepted, expected a refusal of {case['refused']}"]
    game = make(case["position"])
    shuffled = False
    faults: list[str] = []
    for number, step in enumerate(case["steps"], 1):
        before = game.position()
        for kind, value in step.items():
            if kind != "refused":
                faults += [f"step {number}: {fault}" for fault in _step(game, kind, value, step, shuffled)]
        after = game.position()
        shuffled = shuffled or after["recycled"] != before["recycled"] or after["left"] != before["left"]
    return faults


def _step(game: Any, kind: str, value: Any, step: dict[str, Any], shuffled: bool) -> list[str]:
    legal = set(game.legal())
    if kind == "legal":
        return [] if legal == set(value) and len(value) == len(set(value)) else [f"legal {sorted(legal)}, not {value}"]
    if kind == "legal_has":
        return [f"{name} is not legal" for name in value if name not in legal]
    if kind == "legal_lacks":
        return [f"{name} is legal" for name in value if name in legal]
    if kind == "expect":
        return _expect(game, value, shuffled)
    if kind == "reaction":
        game.reaction({int(seat): seconds for seat, seconds in value.items()})
        return []
    before = game.position()
    refused = kind == "illegal" or step.get("refused", False)
    try:
        game.event(value) if kind == "event" else game.step(value)
    except ValueError as error:
        if not refused:
            return [f"{kind} {value} was refused: {error}"]
        return [] if game.position() == before else [f"{kind} {value} was refused but changed something"]
    return [f"{kind} {value} was accepted"] if refused else []


def found_in(game: Any, key: str) -> Any:
    """What a game shows under a key of `expect`."""
    position = game.position()
    if key in RESULTS:
        return getattr(game, key)
    derived = {
        "top": lambda: position["pile"][-1],
        "hand_sizes": lambda: [len(hand) for hand in position["hands"]],
        "market_size": lambda: len(position["market"]),
        "pile_size": lambda: len(position["pile"]),
    }
    return derived[key]() if key in derived else position[key]


def _expect(game: Any, expected: dict[str, Any], shuffled: bool) -> list[str]:
    faults = []
    for key, value in expected.items():
        found = found_in(game, key)
        if key == "match":
            same = all(_equal(name, part, found.get(name)) for name, part in value.items())
        elif key in SEATED:
            same = [sorted(cards) for cards in found] == [sorted(cards) for cards in value]
        elif key == "market" and shuffled:
            same = sorted(found) == sorted(value)
        elif key == "pile":
            same = sorted(found) == sorted(value) and found[-1] == value[-1]
        else:
            same = _equal(key, value, found)
        if not same:
            faults.append(f"{key}: expected {value}, found {found}")
    return faults


def _equal(key: str, value: Any, found: Any) -> bool:
    if key == "payoffs" and found is not None:
        return len(value) == len(found) and all(abs(a - b) < 1e-6 for a, b in zip(value, found, strict=True))
    return list(found) == value if isinstance(found, tuple) else found == value
