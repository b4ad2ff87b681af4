"""Positions: read and written without loss; broken ones refused with an error that names the key (rules section 6)."""

import json
from typing import Any

import numpy as np
import pytest

from whot_env.errors import WhotError
from whot_env.game import Game
from whot_env.rules import PRESETS, Rules

MATCHES = ["single", {"best_of": 3}, {"lowest_total": 2}, {"elimination": 20}]


def base(**changes: Any) -> dict[str, Any]:
    position: dict[str, Any] = {
        "rules": "arcade",
        "partial": True,
        "hands": [["circle-5", "star-3"], ["star-5", "circle-2"], ["whot"]],
        "market": ["cross-1"],
        "pile": ["circle-3"],
    }
    return position | changes


@pytest.mark.parametrize("preset", PRESETS)
def test_position_to_state_to_position_is_the_identity(preset: str) -> None:
    rng = np.random.default_rng(3)
    rules = Rules.preset(preset).change(match=MATCHES[PRESETS.index(preset) % 4])
    if preset == "house_table":
        rules = rules.change(undo_seconds=3)
    for seed in range(4):
        game = Game.new(rules, rules.seat_range[1], seed=seed)
        for _ in range(300):
            position = json.loads(json.dumps(game.position()))
            again = Game.from_position(position)
            assert again.position() == position
            assert again.legal() == game.legal()
            if game.over:
                assert (again.winners, again.places, again.payoffs) == (game.winners, game.places, game.payoffs)
                if game.match_over:
                    break
                game.next_round()
            else:
                legal = game.legal()
                game.step(legal[rng.integers(len(legal))])


BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("position", {"colour": 1}),
    ("hands", {"hands": [["circle-5"]]}),
    ("hands", {"hands": "circle-5"}),
    ("hands", {"hands": [["circle-6"], ["star-1"]]}),
    ("pile", {"hands": [["circle-3"], ["star-1"]]}),
    ("hands", {"hands": [["circle-5", "circle-5"], ["star-1"]]}),
    ("hands", {"hands": [["circle-5"], ["star-5"], ["whot"]], "out": [0]}),
    ("hands", {"hands": [[5], ["star-1"]]}),
    ("market", {"market": ["circle-5"]}),
    ("market", {"market": None}),
    ("market", {"partial": False}),
    ("partial", {"partial": 1}),
    ("pile", {"pile": []}),
    ("pile", {"pile": ["circle-5"]}),
    ("turn", {"turn": 3}),
    ("turn", {"turn": True}),
    ("turn", {"hands": [[], ["star-5"], ["whot"]], "out": [0], "turn": 0, "asked": 1}),
    ("asked", {"asked": 1}),
    ("phase", {"phase": "sleep"}),
    ("phase", {"phase": ["play"]}),
    ("direction", {"direction": 0}),
    ("called", {"called": "star"}),
    ("called", {"called": "moon", "pile": ["circle-3", "whot"]}),
    ("top_number", {"top_number": 6}),
    ("debt", {"debt": -1}),
    ("debt", {"debt": 1.5}),
    ("move", {"move": {"cards": ["circle-5"]}}),
    ("move", {"move": {"cards": ["circle-12"]}, "phase": "stack"}),
    ("move", {"move": {"cards": ["jump"]}, "phase": "stack"}),
    ("move", {"move": {"steps": 1}}),
    ("move", {"move": {"cards": ["star-3", "circle-5"]}, "phase": "stack"}),
    ("move", {"move": {"cards": ["star-3"], "declared": False}, "phase": "proposal"}),
    ("phase", {"move": {"cards": ["circle-5"]}, "phase": "direction"}),
    ("phase", {"move": {"cards": ["star-3"]}, "phase": "proposal"}),
    ("move", {"phase": "call"}),
    ("phase", {"phase": "call", "move": {"cards": ["circle-5"]}}),
    ("phase", {"phase": "stack", "move": {"cards": ["star-3"]}}),
    ("phase", {"phase": "declare", "move": {"cards": ["star-3"]}}),
    ("queue", {"queue": [1]}),
    ("queue", {"phase": "react", "queue": [0], "asked": 0, "open_calls": [2]}),
    ("pressed", {"pressed": {"0": 2.5}}),
    ("pressed", {"pressed": []}),
    ("open_calls", {"open_calls": [0]}),
    ("open_calls", {"open_calls": [2, 2]}),
    ("owes_announcement", {"owes_announcement": [7]}),
    ("undos", {"undos": 3}),
    ("recycled", {"recycled": "1"}),
    ("moves", {"moves": -1}),
    ("out", {"out": [0, 0]}),
    ("left", {"hands": [[], ["star-5"], ["whot"]], "out": [0], "left": [0], "turn": 1}),
    ("known", {"known": [["circle-7"]]}),
    ("match", {"match": {"wins": [1]}}),
    ("match", {"match": {"rounds": -1}}),
    ("match", {"match": {"points": 1}}),
    ("preset", {"rules": "street"}),
    ("hold_on", {"rules": {"preset": "arcade", "hold_on": 9}}),
]


@pytest.mark.parametrize(("key", "changes"), BROKEN)
def test_broken_positions_are_refused_naming_the_key(key: str, changes: dict[str, Any]) -> None:
    with pytest.raises(WhotError) as error:
        Game.from_position(base(**changes))
    assert error.value.key == key, str(error.value)
    assert "allowed" in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("missing", ["rules", "hands", "pile"])
def test_keys_without_a_default_must_be_there(missing: str) -> None:
    position = base()
    del position[missing]
    with pytest.raises(WhotError) as error:
        Game.from_position(position)
    assert error.value.key == missing


@pytest.mark.parametrize("value", [None, [], "arcade", 3])
def test_a_position_is_an_object(value: Any) -> None:
    with pytest.raises(WhotError, match="position"):
        Game.from_position(value)


def test_defaults_may_be_left_out() -> None:
    game = Game.from_position(base())
    assert (game.turn, game.phase, game.position()["direction"]) == (0, "play", 1)
