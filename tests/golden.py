"""Digests of a few hundred decisions at each table; the same on every machine and every Python.

After a wanted change of the rules or of the generator: `python tests/golden.py > tests/golden.json`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from whot_env.game import Game
from whot_env.rules import PRESETS, Rules

FILE = Path(__file__).with_name("golden.json")
DECISIONS = 400
CHANGED: dict[str, Any] = {
    "house_table+undo": {"preset": "house_table", "undo_seconds": 2},
    "nigerian+two decks, match": {"preset": "nigerian", "decks": 2, "match": {"lowest_total": 3}, "payoff": "placing"},
}
TABLES: dict[str, Any] = {**{preset: preset for preset in PRESETS}, **CHANGED}


def _rounded(value: Any) -> Any:
    """Floats to nine digits: the mathematics libraries of two systems may differ in the last bit of a reaction time."""
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return round(value, 9) if isinstance(value, float) else value


def digest(table: Any) -> str:
    """sha256 over the position after every decision of games with each number of seats, and over what was legal."""
    result = hashlib.sha256()
    low, high = Rules.preset(table if isinstance(table, str) else table["preset"]).seat_range
    seats, chance = low, 1
    game = Game.new(table, seats, seed=0)
    for decision in range(DECISIONS):
        if game.match_over:
            seats = low if seats == high else seats + 1
            game = Game.new(table, seats, seed=decision)
        elif game.over:
            game.next_round()
        else:
            # A generator of its own, since those of a library may change from version to version.
            chance = chance * 1103515245 + 12345 & 0x7FFFFFFF
            legal = game.legal()
            plays = [name for name in legal if name != "draw"]
            chosen = plays if plays and chance >> 8 & 15 else legal
            game.step(chosen[(chance >> 16) % len(chosen)])
        text = json.dumps([_rounded(game.position()), game.legal(), _rounded(game.payoffs)], sort_keys=True)
        result.update(text.encode())
    return result.hexdigest()


def digests() -> dict[str, str]:
    """By table."""
    return {name: digest(table) for name, table in TABLES.items()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(digests(), indent=1) + "\n")
