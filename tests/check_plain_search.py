"""The kernels under search and batches as plain Python: redealt worlds, playouts and batches that play by themselves.

`make coverage` runs this file (`NUMBA_DISABLE_JIT=1`); tests/test_redeal.py and tests/test_playouts.py show what is
right, at numbers that only compiled code reaches.
"""

from __future__ import annotations

import numpy as np
import pytest
from test_redeal import REACT, SMALL, VOTE

from whot_env import Game
from whot_env.batch import Batch
from whot_env.playout import playouts


@pytest.mark.parametrize("name", SMALL)
def test_worlds_keep_what_was_seen(name: str) -> None:
    game = Game.from_position(SMALL[name] | {"partial": True})
    for seed in range(20):
        for seat in range(game.num_players):
            assert (game.redeal(seed, seat).observation(seat) == game.observation(seat)).all()


@pytest.mark.parametrize("position", [VOTE, REACT])
def test_sealed_answers_are_drawn_anew(position: dict[str, object]) -> None:
    game = Game.from_position(position | {"partial": True})
    seen = {str(game.redeal(seed, 3).position()["pressed"]) for seed in range(40)}
    assert len(seen) > 3


def test_a_proposal_and_a_move_being_built() -> None:
    game = Game.new({"preset": "house_table", "undo_seconds": 5, "reaction_sigma": 1.0}, 4, seed=5)
    game.reaction(dict.fromkeys(range(4), 0.5))
    while game.phase != "proposal":
        game.step(game.legal()[0])
    queues = {str(game.redeal(seed).position()["queue"]) for seed in range(60)}
    assert len(queues) > 4
    built = Game.from_position(
        {
            "rules": "arcade",
            "partial": True,
            "hands": [["circle-1", "whot"], ["star-2"]],
            "pile": ["circle-5"],
            "market": ["cross-3"],
            "turn": 0,
            "phase": "call",
            "move": {"cards": ["whot"]},
        }
    )
    assert built.redeal(seed=1, seat=1).phase == "play"


@pytest.mark.parametrize("policy", ["uniform", "playful"])
def test_playouts_sum_to_zero(policy: str) -> None:
    game = Game.new("naija_whot", 2, seed=8)
    payoffs = playouts(game, 3, np.random.default_rng(1), policy=policy, action=game.legal()[0])
    assert payoffs.sum() == 0
    assert (playouts(game, 2, np.random.default_rng(1), max_moves=2) == 0).all()


@pytest.mark.parametrize("policy", ["uniform", "playful"])
def test_playing_is_advancing_with_the_same_choices(policy: str) -> None:
    """`play` and `advance` end at equal bytes when the actions are equal; a match over is followed by the next."""
    alone, told = (Batch({"preset": "naija_whot", "match": {"best_of": 3}}, 2, 2, seed=3) for _ in range(2))
    out, keys = alone.outputs(), np.arange(2, dtype=np.uint64)
    seen = told.outputs()
    for _ in range(60):
        before = seen.action_mask.copy()
        alone.play(policy, 1, keys, out)
        moves = np.array([_action(alone, told, lane, before) for lane in range(2)])
        told.advance(moves, seen)
        assert (seen.status == 0).all()
        for name in ("observation", "action_mask", "rewards", "done"):
            assert (getattr(out, name) == getattr(seen, name)).all()
    illegal = np.full(2, int((seen.action_mask[0] == 0).argmax()))
    told.advance(illegal, seen)
    assert seen.status[0] == 1


def _action(played: Batch, told: Batch, lane: int, mask: np.ndarray) -> int:
    """The legal action that takes the lane of ``told`` to where that of ``played`` is."""
    for action in np.flatnonzero(mask[lane]):
        trial = Batch(told.rules[lane], 2, 1)
        trial.states[:] = told.states[lane]
        out = trial.outputs()
        trial.advance([int(action)], out)
        if trial.states[0].tobytes() == played.states[lane].tobytes():
            return int(action)
    raise AssertionError("no legal action leads there")
