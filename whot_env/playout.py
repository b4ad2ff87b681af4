"""Playouts: what a position is worth to a seat that does not see the other hands, by playing it out many times."""

import numpy as np
import numpy.typing as npt

from whot_env.actions import ACTION_ID
from whot_env.batch import as_int
from whot_env.engine.choose import NAMES
from whot_env.engine.log import NO_LOG
from whot_env.engine.playout import playouts as run_playouts
from whot_env.errors import ActionError, WhotError, shown
from whot_env.game import Game
from whot_env.rules import compile_rules
from whot_env.state import STATE

MAX_PLAYOUTS = 1 << 24


def playouts(
    game: Game,
    count: int,
    rng: np.random.Generator,
    action: str | None = None,
    seat: int | None = None,
    policy: str = "playful",
    max_moves: int = 1000,
) -> npt.NDArray[np.float64]:
    """Payoffs of ``count`` possible ends of the round, each in a world of its own.

    Every playout redeals what ``seat`` cannot know (``Game.redeal``), lets the seat asked take ``action``, and plays on
    with ``policy`` at every seat.

    Args:
        game: a round that goes on; unchanged.
        count: playouts, 1 to 2**24.
        rng: where the worlds and the policies' choices come from.
        action: the first action, by the seat asked; None: the policy chooses.
        seat: whose information set; None: the seat asked.
        policy: ``uniform`` or ``playful``.
        max_moves: a playout with more moves than this is given up and pays nothing.

    Returns:
        float64[count, num_players]: payoff of each seat (rules 4.10).

    Raises:
        WhotError: the round is over, or an argument is wrong.
    """
    if game.over:
        raise WhotError("game", "the round is over; allowed: a game that goes on")
    for key, value, most in (("count", count, MAX_PLAYOUTS), ("max_moves", max_moves, 1 << 30)):
        if not 1 <= (as_int(value) or 0) <= most:
            raise WhotError(key, f"{key} is {shown(value)}; allowed: a whole number from 1 to {most}")
    if policy not in NAMES:
        raise WhotError("policy", f"policy is {shown(policy)}; allowed: {', '.join(NAMES)}")
    if action is not None and action not in game.legal():
        raise ActionError("action", f"action {shown(action)} is not legal; allowed: {', '.join(game.legal())}")
    observer = game.asked if seat is None else game.check_seat(seat)
    payoffs = np.zeros((count, 8))
    run_playouts(
        compile_rules(game.rules),
        game.state,
        observer,
        -1 if action is None else ACTION_ID[action],
        NAMES.index(policy),
        max_moves,
        rng.integers(0, 1 << 64, size=count, dtype=np.uint64),
        np.zeros(1, STATE),
        NO_LOG,
        payoffs,
    )
    return payoffs[:, : game.num_players]
