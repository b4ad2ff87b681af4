"""Many possible futures of one position in one call: redeal what a seat cannot know, act, and play to the end."""

from typing import Any

from whot_env.engine.choose import choose
from whot_env.engine.hidden import redeal_hidden
from whot_env.engine.kernel import entry, kernel
from whot_env.engine.legal import OVER, legal_actions
from whot_env.engine.random import uniform
from whot_env.engine.run import DONE, step_record, take_legal


@kernel
def play_out(r: Any, s: Any, log: Any, policy: int, max_moves: int) -> bool:
    """Every seat plays by ``policy`` (see ``choose``) until the round is over; whether it ended within ``max_moves``
    moves from here."""
    last = s.moves + max_moves
    while s.phase != OVER:
        if s.moves >= last:
            return False
        take_legal(r, s, log, choose(policy, legal_actions(r, s), uniform(s)))
    return True


@entry
def playouts(
    rules: Any,
    root: Any,
    observer: int,
    action: int,
    policy: int,
    max_moves: int,
    seeds: Any,
    world: Any,
    log: Any,
    out: Any,
) -> int:
    """Playouts from ``root`` STATE[1] as ``observer`` knows it.

    Args:
        rules: RULES[R].
        root: STATE[1], unchanged.
        observer: the seat whose information set the worlds are drawn from.
        action: taken first by the seat asked; -1: none.
        policy: number of the policy of all seats.
        max_moves: moves after which a playout is given up; it then pays nothing.
        seeds: uint64[N], one a playout.
        world: STATE[1], scratch.
        log: the event buffer of one row.
        out: float64[N, 8], payoffs of the round by seat.

    Returns:
        Playouts whose first action was legal: N, or 0.
    """
    r = rules[root[0].rules]
    for k in range(len(seeds)):
        world[0] = root[0]
        s = world[0]
        redeal_hidden(r, s, observer, seeds[k])
        if action >= 0 and step_record(r, s, log, action) != DONE:
            return k
        finished = play_out(r, s, log, policy, max_moves)
        for seat in range(s.num_players):
            out[k, seat] = s.payoffs[seat] if finished else 0.0
    return len(seeds)
