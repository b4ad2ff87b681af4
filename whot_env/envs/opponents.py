"""The built-in policies as one kernel: in each lane the opponents play, without Python, until someone else is asked.

It makes the same choices from the same random numbers as their ``act``, lane by lane.
"""

from typing import Any

import numpy as np

from whot_env.engine.choose import PLAYFUL, UNIFORM, choose
from whot_env.engine.deal import deal_round
from whot_env.engine.kernel import entry, kernel
from whot_env.engine.legal import OVER, REACT, VOTE, legal_actions
from whot_env.engine.random import GOLDEN, mix64
from whot_env.engine.run import take_legal
from whot_env.policies import Playful, Policy, Uniform

PYTHON = -1
"""Number of the learner, and of every policy that only Python can ask."""

_NUMBERS: dict[type, int] = {Uniform: UNIFORM, Playful: PLAYFUL}


def number_of(policy: Policy) -> int:
    """The kernel's number of ``policy``, or ``PYTHON``; a subclass may do anything, so that it is none."""
    return _NUMBERS.get(type(policy), PYTHON)


@kernel
def _play(r: Any, s: Any, log: Any, action: int) -> int:
    """One legal action, and the next deal if the match goes on; the moves it completed (see ``MoveCount``)."""
    moves, rounds, phase = s.moves, s.rounds, s.phase
    take_legal(r, s, log, action)
    if s.phase == OVER and not s.match_over:
        deal_round(r, s, log)
    if s.rounds != rounds:
        return int(phase != REACT and phase != VOTE)
    return int(s.moves != moves)


@entry
def play_opponents(
    rules: Any,
    states: Any,
    rows: Any,
    seat: Any,
    numbers: Any,
    keys: Any,
    counters: Any,
    moves: Any,
    max_moves: int,
    log: Any,
) -> None:
    """Play in each of ``rows`` until the match is over, ``max_moves`` were made or the seat asked has no number.

    Args:
        rules: RULES[R].
        states: STATE[B].
        rows: intp[N], lanes.
        seat: int8[B], the learners' seats.
        numbers: int8[B, P], policy of the seat at a distance clockwise from the learner's; ``PYTHON`` stops.
        keys: uint64[B] of ``LaneRandom``.
        counters: uint64[B] of ``LaneRandom``, advanced by one a choice.
        moves: int64[B] of ``MoveCount``, advanced.
        max_moves: at which a lane stops.
        log: the event buffer of one row: nothing is kept.
    """
    for i in rows:
        s = states[i]
        r = rules[s.rules]
        while not s.match_over and moves[i] < max_moves:
            distance = s.asked - seat[i]
            number = numbers[i, distance + s.num_players if distance < 0 else distance]
            if number == PYTHON:
                break
            counters[i] += np.uint64(1)
            u = np.float64(mix64(keys[i] + counters[i] * GOLDEN) >> np.uint64(11)) * 2.0**-53
            moves[i] += _play(r, s, log, choose(number, legal_actions(r, s), u))
