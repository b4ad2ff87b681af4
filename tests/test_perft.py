"""The committed perft counts: engine and reference must both find them, so a change of either is seen alone."""

from __future__ import annotations

from typing import Any

import pytest
from perft import count_engine, count_reference, read_positions
from whot_state import PHASES
from whot_tables import TABLES

ENTRIES = read_positions()
IDS = [entry["id"] for entry in ENTRIES]


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_engine(entry: dict[str, Any]) -> None:
    counts = count_engine(entry, len(entry["leaves"]))
    assert (counts.leaves, counts.ended) == (entry["leaves"], entry["ended"])


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_reference(entry: dict[str, Any]) -> None:
    depth = entry["reference_depth"]
    counts = count_reference(entry, depth)
    assert (counts.leaves, counts.ended) == (entry["leaves"][:depth], entry["ended"][:depth])


def test_every_preset_and_phase_is_there() -> None:
    assert {*TABLES} <= {entry["position"]["rules"] for entry in ENTRIES if isinstance(entry["position"]["rules"], str)}
    phases = set().union(*(count_engine(entry, entry["reference_depth"]).phases for entry in ENTRIES))
    assert phases == {*PHASES} - {"over"}
