"""The engine against the slow reference, decision by decision, over all tables and random ones.

`--fuzz-decisions N` or WHOT_FUZZ_DECISIONS sets how many decisions are compared; `make fuzz` runs longer.
"""

from __future__ import annotations

import pytest
from whot_lockstep import play_game
from whot_tables import TABLES
from whot_tally import ASKING, ENOUGH, Tally, reachable


def test_engine_and_reference_agree(fuzz_decisions: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Legal actions, position, random numbers used and result are equal after every decision."""
    tally, number = Tally(), 0
    while tally.decisions < fuzz_decisions:
        play_game(1, number, tally)
        number += 1
    with capsys.disabled():
        print("\n" + tally.table())  # noqa: T201  what was compared is the point of the test
    assert fuzz_decisions < ENOUGH or tally.gaps() == []


def test_reachable_phases() -> None:
    """What a table must have been asked follows from its fields; a run that misses any of it does not pass."""
    assert reachable("classic") == {"play", "call"}
    assert reachable("arcade") == {"play", "stack", "call", "react", "vote"}
    assert reachable({"preset": "classic", "whots": 0}) == {"play"}
    assert reachable({"preset": "naija_life", "after_first_out": "vote", "reverse_on_pick": True}) == {"play", "call"}
    assert len(Tally().gaps()) > sum(len(reachable(name)) for name in TABLES) + len(ASKING)
