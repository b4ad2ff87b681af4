"""At every decision of any game: no card appears or vanishes, and the mask says exactly what may be done."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from strategies import Play, examples, plays, walk
from whot_cards import CARDS

from whot_env.actions import ACTION_NAMES, NUM_ACTIONS
from whot_env.batch import Batch
from whot_env.errors import ActionError
from whot_env.game import Game


@given(plays(300))
@examples(200)
def test_hands_market_and_pile_are_the_deck(play: Play) -> None:
    for game in walk(play):
        decks, whots = game.rules.decks, game.rules.whots
        deck = Counter({card: decks * (whots if card == "whot" else 1) for card in CARDS})
        position = game.position()
        held = [Counter(hand) for hand in position["hands"]]
        assert sum(held, Counter(position["market"] + position["pile"])) == +deck
        assert position["pile"]
        assert all(Counter(known) <= hand for known, hand in zip(position["known"], held, strict=True))
        assert all(not position["hands"][seat] for seat in position["out"] + position["left"])


@given(plays(300))
@examples(200)
def test_a_game_asks_for_something_until_it_is_over(play: Play) -> None:
    for game in walk(play):
        mask = game.action_mask()
        assert set(mask.tolist()) <= {0, 1}
        assert mask.any() != game.over
        assert game.over == (game.winners is not None)
        assert 0 <= game.asked < game.num_players


@given(plays(60))
@examples(100)
def test_the_mask_is_exact(play: Play) -> None:
    """All 76 actions at once in a batch of 76 copies of the record, and one by one in the game."""
    batch = Batch(play.rules, play.seats, NUM_ACTIONS)
    every = np.arange(NUM_ACTIONS)
    for game in walk(play):
        record, mask = game.state, game.action_mask()
        if game.over and not game.match_over:
            continue  # a batch has dealt the next round by now
        batch.states[:] = record
        status = batch.step(every)
        assert status.tolist() == ([2] * NUM_ACTIONS if game.over else (1 - mask).tolist())
        for action in every:
            after = batch.states[action : action + 1]
            if mask[action]:
                twin = Game(game.rules, game.state)
                twin.step(ACTION_NAMES[action])
                if twin.over and not twin.match_over:
                    twin.next_round()
                assert twin.state.tobytes() == after.tobytes() != record.tobytes()
            else:
                assert after.tobytes() == record.tobytes()
                with pytest.raises(ActionError, match="not legal"):
                    game.step(ACTION_NAMES[action])
        assert game.state.tobytes() == record.tobytes()
