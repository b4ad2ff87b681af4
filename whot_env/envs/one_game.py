"""Kernels for one game at a time: a call of a kernel costs more than what it does, so each does all of one step."""

from typing import Any

from whot_env.engine.deal import deal_round
from whot_env.engine.kernel import entry
from whot_env.engine.legal import OVER, legal_actions
from whot_env.engine.observe import write_observation
from whot_env.engine.run import DONE, step_record
from whot_env.engine.sets import write_mask

REFUSED, GOES_ON, SETTLED = range(3)
"""After an action: illegal, nothing changed; the match goes on for all; a seat is out or gone, or all is over."""


@entry
def act(rules: Any, states: Any, log: Any, action: int) -> int:
    """One action of the seat asked in record 0; an undecided match is dealt its next round at once."""
    s = states[0]
    r = rules[s.rules]
    if step_record(r, s, log, action) != DONE:
        return REFUSED
    if s.phase == OVER and not s.match_over:
        deal_round(r, s, log)
    return SETTLED if s.match_over or s.out_len > 0 or s.left_len > 0 else GOES_ON


@entry
def see(rules: Any, states: Any, seat: int, in_game: bool, observation: Any, mask: Any) -> None:
    """What ``seat`` sees of record 0, and its legal actions: none unless it is asked and ``in_game``.

    Args:
        rules: RULES[R].
        states: STATE[1].
        seat: the observer.
        in_game: False: its episode has ended.
        observation: ``LAYOUT.dtype`` [1].
        mask: int8[1, 76].
    """
    s = states[0]
    r = rules[s.rules]
    write_observation(r, s, seat, observation[0])
    if in_game and seat == s.asked:
        write_mask(legal_actions(r, s), mask[0])
    else:
        mask[0, :] = 0
