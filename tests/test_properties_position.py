"""A position holds all of a game but its generator and what an observer remembers of earlier moves."""

import json

from hypothesis import given
from strategies import Play, examples, plays, walk

from whot_env.game import Game


@given(plays(150))
@examples(100)
def test_position_to_state_to_position_is_the_identity(play: Play) -> None:
    for game in walk(play):
        position = game.position()
        text = json.dumps(position, allow_nan=False)
        again = Game.from_position(json.loads(text))
        assert json.dumps(again.position()) == text
        assert again.legal() == game.legal()
        assert (again.rules, again.num_players, again.match_over) == (game.rules, game.num_players, game.match_over)
        results = [(g.winners, g.places, g.payoffs, g.sums) for g in (again, game)]
        assert results[0] == results[1]
