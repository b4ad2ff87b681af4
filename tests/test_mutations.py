"""The list of mutations and its kept result stay true; `make mutations` runs them."""

from __future__ import annotations

import json

from mutations import RESULT, misplaced, read_list

MUTATIONS, _ = read_list()


def test_each_line_stands_in_its_file_exactly_once() -> None:
    assert misplaced(MUTATIONS) == []


def test_each_mutation_changes_its_line() -> None:
    assert [m.id for m in MUTATIONS if m.line == m.mutated] == []


def test_the_kept_result_is_of_this_list_and_nothing_survives() -> None:
    result = json.loads(RESULT.read_text(encoding="utf-8"))
    assert [entry["id"] for entry in result] == [m.id for m in MUTATIONS]
    assert [entry["id"] for entry in result if entry["caught_by"] == "nothing"] == []
