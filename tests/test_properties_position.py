"""A position holds all of a game but its generator and what an observer remembers of earlier moves."""

import json
from typing import Any

from hypothesis import given
from strategies import Play, examples, plays, walk

from whot_env.game import Game
from whot_env.state import STATE

ELSEWHERE = {"key", "counter", "forced", "history", "newest", "shown", "declined_shapes", "declined_numbers"}
"""Fields that no position has: the generator, times given from outside, and what was seen of earlier moves."""


def fields(game: Game) -> dict[str, Any]:
    """The record's fields, lists up to their length and those by seat up to the number of seats."""
    record, found = game.state[0], {}
    for name in set(STATE.names) - ELSEWHERE:
        length = {"move_cards": "move_len"}.get(name, f"{name}_len")
        value = record[name]
        found[name] = value[: record[length if length in STATE.names else "num_players"]] if value.ndim else value
    return {name: value.tolist() for name, value in found.items()}


@given(plays(150))
@examples(100)
def test_position_to_state_to_position_is_the_identity(play: Play) -> None:
    for game in walk(play):
        text = json.dumps(game.position(), allow_nan=False)
        again = Game.from_position(json.loads(text))
        assert json.dumps(again.position()) == text
        assert fields(again) == fields(game)
        assert again.legal() == game.legal()
        assert (again.rules, again.payoffs, again.match_over) == (game.rules, game.payoffs, game.match_over)
