"""The rule cases against the slow reference: it must hold every one before it may judge the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from whot_cards import CounterRng
from whot_cases import read_cases, run_case
from whot_reference import ReferenceGame

CASES = [case for path in sorted((Path(__file__).parent / "cases").glob("*.jsonl")) for case in read_cases(path)]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    """Every step of the case holds."""
    assert run_case(case, lambda position: ReferenceGame.from_position(position, CounterRng(1))) == []


def test_all_cases_are_there() -> None:
    """The nine files hold at least the 176 shared cases."""
    assert len(CASES) >= 176
