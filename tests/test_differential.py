"""The engine against the slow reference, decision by decision, over all tables and random ones.

`--fuzz-decisions N` or WHOT_FUZZ_DECISIONS sets how many decisions are compared; `python tests/fuzz.py` runs longer.
"""

from __future__ import annotations

import pytest
from whot_lockstep import Tally, play_game
from whot_tables import TABLES


def test_engine_and_reference_agree(fuzz_decisions: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Legal actions, position, random numbers used and result are equal after every decision."""
    tally, number = Tally(), 0
    while tally.decisions < fuzz_decisions:
        play_game(1, number, tally)
        number += 1
    with capsys.disabled():
        print("\n" + tally.table())  # noqa: T201  what was compared is the point of the test
    assert fuzz_decisions < 2000 or {name.rstrip("+") for name, _ in tally.by_table} == set(TABLES)
