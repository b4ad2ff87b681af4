"""Positions, rules and cases from anywhere: refused in one sentence that names the key, or played without harm."""

from __future__ import annotations

import copy
import functools
import io
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whot_env.cases import MAX_BYTES, run_file
from whot_env.cli import main
from whot_env.errors import EventError, WhotError
from whot_env.game import Game
from whot_env.rules import FIELD_NAMES, PRESETS, Rules, as_rules, read_rules
from whot_env.state import MAX_COUNT, MAX_TOTAL, PHASES

CASES = sorted((Path(__file__).parent / "cases").glob("*.jsonl"))
MANY = settings(max_examples=max(400, settings.default.max_examples if settings.default else 0))
TABLES: tuple[Any, ...] = (
    *PRESETS,
    {"preset": "modern", "reverse_on_pick": True, "pick_two": 2, "pick_mode": "debt", "match": {"best_of": 3}},
    {"preset": "house_table", "undo_seconds": 3, "decks": 2, "match": {"elimination": 50}},
    {"preset": "arcade", "multi_whot": True, "reverse_on_pick": True, "match": {"lowest_total": 2}},
)


def deep(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, 127, 128, 255, 256, 30_000, 30_001, 32_767, 32_768, 65_536),
    *(1 << 31, 1 << 63, -(1 << 63), 10**30, 1 << 100_000, 0.5, 1.0, -0.0, 1e308, 1e-308),
    *(
        float("nan"),
        float("inf"),
        -float("inf"),
        "",
        "0",
        "circle-1",
        "whot",
        "draw",
        "star-4-as-8",
        "\udcff",
        "\x00\n",
    ),
    *("x" * 100_000, "٣", [], {}, [0], [[]], {"": None}, {"0": 2.5}, ["whot"] * 9),
    *(lambda: [None] * 100_000, lambda: {str(k): k for k in range(10_000)}, lambda: deep(500), lambda: deep(100_000)),
)


def fresh(value: Any) -> Any:
    """A value of its own, which a later mutation may change; those that no copy can follow are made anew."""
    return value() if callable(value) else copy.deepcopy(value)


odd = st.sampled_from(ODD).map(fresh)
"""Values that a reader may not expect, whatever the key."""

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@functools.cache
def pool() -> list[dict[str, Any]]:
    """Positions of random games: two for each table and phase that it reaches."""
    rng, seen, found = np.random.default_rng(5), Counter[Any](), []
    for number, table in enumerate(TABLES):
        for seed in range(6):
            game = Game.new(table, as_rules(table).seat_range[1] if seed % 2 else None, seed=seed)
            for _ in range(250):
                if seen[number, game.phase] < 2:
                    seen[number, game.phase] += 1
                    found.append(game.position())
                if game.over:
                    break
                plays = [name for name in game.legal() if name != "draw" or rng.random() < 0.1]
                game.step(str(rng.choice(plays or ["draw"])))
    return found


def test_the_pool_has_every_phase() -> None:
    assert {position["phase"] for position in pool()} == set(PHASES)


@st.composite
def mutated(draw: st.DrawFn, valid: Any, times: int = 3) -> Any:
    """A valid JSON value with a few entries somewhere in it removed, replaced, doubled or added."""
    root = [copy.deepcopy(valid)]
    for _ in range(draw(st.integers(1, times))):
        parent, key = root, 0
        while isinstance(parent[key], (list, dict)) and parent[key] and draw(st.integers(0, 3)):
            parent = parent[key]
            keys = list(parent) if isinstance(parent, dict) else range(len(parent))
            key = draw(st.sampled_from(list(keys)))
        kind = draw(st.sampled_from(["replace", "replace", "delete", "double", "add", "nudge"]))
        if kind == "nudge" and type(parent[key]) in (int, float):
            parent[key] += draw(st.sampled_from([-1, 1, 0.5, 100]))
        elif kind == "delete" and parent is not root:
            del parent[key]
        elif kind == "double" and isinstance(parent[key], list) and len(parent[key]) < 1000:
            parent[key] = parent[key] * 2
        elif kind == "add" and isinstance(parent[key], list) and len(parent[key]) < 1000:
            parent[key].insert(draw(st.integers(0, len(parent[key]))), draw(odd))
        elif kind == "add" and isinstance(parent[key], dict):
            parent[key][draw(st.sampled_from(["debt", "cards", "0", "hold_on", "x" * 1000, "\udcff"]))] = draw(odd)
        else:
            parent[key] = draw(odd)
    return root[0]


def check_refusal(error: WhotError) -> None:
    assert isinstance(error.key, str) and error.key
    text = str(error)
    assert text and "\n" not in text and len(text) < 2000


def cards(position: dict[str, Any]) -> Counter[str]:
    return Counter(card for part in (*position["hands"], position["market"], position["pile"]) for card in part)


def play_on(game: Game, rng: np.random.Generator, steps: int = 30) -> None:
    """Random actions and host events: no card is made or lost, someone can always act, every position can be read."""
    held = cards(game.position())
    for _ in range(steps):
        if game.match_over:
            return
        if game.over:
            game.next_round()
            held = cards(game.position())
        mask = game.action_mask()
        assert mask.any()
        game.observation()
        if rng.random() < 0.1:
            seat = int(rng.integers(game.num_players))
            event = [{"leave": seat}, {"timeout": seat}, {"end_game": True}][int(rng.integers(3))]
            try:
                game.event(event)
            except EventError as error:
                check_refusal(error)
        else:
            game.step(str(rng.choice(game.legal())))
        position = game.position()
        assert cards(position) == held
        assert Game.from_position(json.loads(json.dumps(position))).position() == position
        json.dumps(game.view(), allow_nan=False)


def read_and_play(value: Any, seed: int) -> None:
    try:
        game = Game.from_position(value)
    except WhotError as error:
        check_refusal(error)
        return
    play_on(game, np.random.default_rng(seed))


@MANY
@given(st.data(), st.integers(0, 1000))
def test_mutated_positions(data: st.DataObject, seed: int) -> None:
    read_and_play(data.draw(mutated(data.draw(st.sampled_from(pool())))), seed)


@given(anything)
def test_arbitrary_positions(value: Any) -> None:
    with pytest.raises(WhotError) as error:
        Game.from_position(value)
    check_refusal(error.value)


@pytest.mark.parametrize("key", list(Game.new("arcade").position()))
def test_every_odd_value_of_every_key(key: str) -> None:
    start = time.perf_counter()
    for number, value in enumerate(ODD):
        read_and_play(Game.new("arcade", 3, seed=1).position() | {key: fresh(value)}, number)
    assert time.perf_counter() - start < 20


def test_positions_of_the_pool_play_on() -> None:
    for number, position in enumerate(pool()):
        read_and_play(position, number)


@pytest.mark.parametrize(
    ("key", "value"), [("direction", True), ("direction", 1.0), ("top_number", 3.0), ("turn", 1.0), ("debt", False)]
)
def test_equal_numbers_of_other_types(key: str, value: Any) -> None:
    position = {"rules": "arcade", "partial": True, "hands": [["circle-5"], ["star-5"]], "pile": ["circle-3"]}
    with pytest.raises(WhotError) as error:
        Game.from_position({**position, key: value})
    assert error.value.key == key


@pytest.mark.parametrize("name", ["²", "٣", "-1", " 1", "1_0", "9" * 5000, "", "8"])
def test_seats_that_pressed_are_digits(name: str) -> None:
    position = next(position for position in pool() if position["phase"] == "react")
    with pytest.raises(WhotError) as error:
        Game.from_position({**position, "pressed": {name: 2.5}})
    assert error.value.key == "pressed"
    check_refusal(error.value)


# Counters: limits that can be read, and that games stop at.

TWOS: dict[str, Any] = {
    "rules": {"preset": "naija_whot", "match": {"lowest_total": 1000}},
    "partial": True,
    "hands": [["circle-2", "star-2"], ["cross-2", "square-2"]],
    "pile": ["triangle-2"],
}
"""Each pick is answered by the next, and who forgets to announce draws what was laid: the debt grows for ever."""


@pytest.mark.parametrize(
    ("counter", "most"),
    [("debt", MAX_COUNT), ("recycled", MAX_COUNT), ("moves", MAX_TOTAL), ("rounds", MAX_COUNT), ("wins", MAX_COUNT),
     ("totals", MAX_TOTAL)],
)  # fmt: skip
def test_counters_stop_where_reading_stops(counter: str, most: int) -> None:
    def position(value: int) -> dict[str, Any]:
        if counter in ("debt", "recycled", "moves"):
            return TWOS | {counter: value}
        return TWOS | {"match": {counter: value if counter == "rounds" else [value, value]}}

    game = Game.from_position(position(most))
    for _ in range(12):
        game.step([name for name in game.legal() if name != "draw"][-1])  # a two; then "pass" in place of "last-card"
        now = game.position()
        assert Game.from_position(now).position() == now
        if counter in ("debt", "recycled", "moves"):
            assert now[counter] == most
    assert game.moves == (most if counter == "moves" else 6)
    game.event({"leave": 1})  # seat 0 wins, with cards in its hand
    assert game.winners == [0]
    now = game.position()
    assert Game.from_position(now).position() == now
    assert now["match"]["rounds"] == (most if counter == "rounds" else 1)
    assert all(0 <= value <= most for value in (*now["match"]["wins"], *now["match"]["totals"]))
    assert game.observation(0).min() >= -1
    with pytest.raises(WhotError, match=f"0 to {most}"):
        Game.from_position(position(most + 1))


# Rules.


@given(st.data())
def test_mutated_rules(data: st.DataObject) -> None:
    base = {"preset": data.draw(st.sampled_from(PRESETS))}
    fields = Rules.preset(base["preset"]).fields_json()
    names = data.draw(st.lists(st.sampled_from(FIELD_NAMES), min_size=1, max_size=8, unique=True))
    value = data.draw(mutated({**base, **{name: fields[name] for name in names}}))
    for read in (as_rules, lambda v: read_rules(json.dumps(v))):
        try:
            rules = read(value)
        except WhotError as error:
            check_refusal(error)
        except (RecursionError, ValueError):
            assert read is not as_rules  # json.dumps, here in the test, cannot write what is so deep or so large
        else:
            assert as_rules(json.loads(json.dumps(rules.to_json()))) == rules
            play_on(Game.new(rules, seed=3), np.random.default_rng(0), steps=10)


@given(anything | st.text().map(lambda text: "{" + text) | st.text())
def test_arbitrary_rules(value: Any) -> None:
    for read in (as_rules, read_rules) if isinstance(value, str) else (as_rules,):
        try:
            rules = read(value)
        except WhotError as error:
            check_refusal(error)
        else:
            assert value in PRESETS and rules.base == value


@pytest.mark.parametrize(
    "text", ["{" * 100_000, '{"a":' * 100_000, '{"preset": 1' + "0" * 5000 + "}", '{"preset": NaN}', "\udcff"]
)
def test_rules_that_are_no_json(text: str) -> None:
    with pytest.raises(WhotError) as error:
        read_rules(text)
    check_refusal(error.value)


# Cases.


@functools.cache
def valid_cases() -> list[dict[str, Any]]:
    return [json.loads(line) for path in CASES for line in path.read_text(encoding="utf-8").splitlines()]


def run_text(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    try:
        for name, reason in run_file(path):
            assert isinstance(name, str) and (reason is None or reason)
    except WhotError as error:
        check_refusal(error)


@given(st.data())
def test_mutated_cases(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    case = data.draw(mutated(data.draw(st.sampled_from(valid_cases()))))
    try:
        line = json.dumps(case)
    except (RecursionError, ValueError):  # Python cannot write it, so it is written here
        line = '{"id": 1, "position": {"debt": 1' + "0" * 5000 + "[" * 100_000
    run_text(tmp_path_factory.getbasetemp() / "case.jsonl", line.encode())


@given(st.data())
def test_mutated_bytes_of_cases(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    line = bytearray(json.dumps(data.draw(st.sampled_from(valid_cases()))).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(line) - 1))
        line[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    run_text(tmp_path_factory.getbasetemp() / "bytes.jsonl", bytes(line))


CASE = {"id": "a", "position": TWOS, "steps": []}


@pytest.mark.parametrize(
    "step",
    [
        {"event": {"end_game": True}, "expect": {"payoffs": [10**400, 0]}},
        {"expect": {"sums": deep(900)}},
        {"expect": {"hands": [{"a": 1}, [2]]}},
        {"reaction": {"0": 10**400}},
        {"reaction": ["0"]},
        {"event": ["leave"]},
        {"event": None},
        {"event": {"leave": 1 << 70}},
        {"do": ["circle-2"]},
        {"legal": [1, "draw"]},
        {"illegal": "pass"},
    ],
)  # fmt: skip
def test_odd_steps_fail_in_a_sentence(tmp_path: Path, step: Any) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({**CASE, "steps": [{"do": "circle-2"}, step]}))
    ((name, reason),) = run_file(path)
    assert name == "a" and reason


def test_a_case_of_great_depth_or_length(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    low, high = 10, 1_000_000  # the deepest list that can be read lies between
    while high - low > 1:
        middle = (low + high) // 2
        try:
            json.loads("[" * middle + "]" * middle)
            low = middle
        except RecursionError:
            high = middle
    for depth in range(low - 40, low + 5):
        nested = "[" * depth + "]" * depth
        run_text(path, json.dumps({**CASE, "steps": [{"do": "HERE"}]}).replace('"HERE"', nested).encode())
        run_text(path, json.dumps({**CASE, "id": "HERE"}).replace('"HERE"', nested).encode())
    path.write_bytes(b" " * (MAX_BYTES + 1))
    with pytest.raises(WhotError, match="too long"):
        list(run_file(path))


def test_a_line_ends_at_a_newline_only(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({**CASE, "why": "one\u2028two"}, ensure_ascii=False) + "\r\n\n", encoding="utf-8")
    assert list(run_file(path)) == [("a", None)]


@pytest.mark.parametrize("name", ["a\x00b", "\udcff", "x" * 10_000])
def test_paths_that_are_none(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", name]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_typed_bytes_that_are_no_text(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1\n\xff\xfe\n"), encoding="utf-8"))
    assert main(["play", "--coach", "playful", "--seed", "1"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("whot: what was typed is no text in utf-8") and error.count("\n") == 1
