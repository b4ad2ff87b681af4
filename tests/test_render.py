"""The renderers: they show what a player must see, and nothing that the view does not hold."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from whot_env.cards import CARD_NAMES
from whot_env.errors import WhotError
from whot_env.render import render_image, render_text

FIVE = ["circle-3", "triangle-12", "cross-2", "star-4", "whot"]


def make_view(sizes: list[int], **changes: Any) -> dict[str, Any]:
    """A view of seat 0 holding ``FIVE``-like cards; every other hand is face down."""
    hand = [CARD_NAMES[i * 7 % len(CARD_NAMES)] for i in range(sizes[0])]
    return {
        "rules": "arcade",
        "viewer": 0,
        "num_players": len(sizes),
        "hands": [hand, *[None] * (len(sizes) - 1)],
        "hand_sizes": sizes,
        "known": [[] for _ in sizes],
        "top": "circle-7",
        "top_number": 7,
        "called": None,
        "debt": 0,
        "turn": 0,
        "asked": 0,
        "phase": "play",
        "direction": 1,
        "market_size": 31,
        "pile_size": 3,
        "move": [],
        "open_calls": [],
        "out": [],
        "left": [],
        "over": False,
        "winners": None,
        "places": None,
        "sums": None,
        "legal": [],
        "log": ["seat 1 plays circle-1", 'seat 1 says "Hold on"'],
    } | changes


VIEWS: dict[str, dict[str, Any]] = {
    "two": make_view([5, 6], hands=[FIVE, None], legal=["circle-3", "star-4-as-8", "draw"]),
    "debt": make_view(
        [30, 1, 12, 7], debt=4, top="star-2", top_number=2, turn=1, asked=1, open_calls=[1], direction=-1
    ),
    "call": make_view([9, 5, 14, 3, 0, 6, 0, 2], called="star", top="whot", top_number=None, out=[6], left=[4]),
    "over": make_view(
        [4, 5, 0], phase="over", over=True, winners=[2], places=[3, 2, 1], sums=[40, 12, 0], out=[2], market_size=0
    ),
    "shared": make_view([1, 1], phase="over", over=True, winners=[0, 1], places=[1, 1], sums=[3, 3]),
    "nobody": make_view([0, 0], phase="over", over=True, winners=[], places=[None, None], left=[0, 1]),
    "all_open": make_view(
        [5, 9, 40], viewer=None, hands=[FIVE, FIVE + FIVE[:4], FIVE * 8], top="star-4", top_number=8, asked=2
    ),
    "proposal": make_view(
        [54, 3],
        phase="proposal",
        turn=1,
        move=["star-1", "cross-1"],
        legal=["knock", "pass"],
        rules={"preset": "modern"},
    ),
    "shape_asked": make_view([5, 2], phase="call", move=["whot"], legal=[f"call:{s}" for s in ("circle", "star")]),
    "known": make_view([5, 40], known=[[], ["star-8", "whot", *FIVE * 4]], log=["naïve 🂠"], pile_size=0, top=None),
}


@pytest.mark.parametrize("name", VIEWS)
def test_image_has_its_shape_and_is_deterministic(name: str) -> None:
    image = render_image(VIEWS[name])
    assert image.shape == (640, 960, 3)
    assert image.dtype == np.uint8
    assert image.std() > 20
    assert np.array_equal(image, render_image(VIEWS[name]))


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("viewer", [None, 1])
def test_every_number_of_seats(seats: int, viewer: int | None) -> None:
    hands = [FIVE if viewer in (None, seat) else None for seat in range(seats)]
    view = make_view([5] * seats, viewer=viewer, hands=hands)
    assert render_image(view, width=480).shape == (320, 480, 3)
    text = render_text(view)
    assert all(f"Seat {seat}" in text for seat in range(seats))
    assert text.count("★4") == sum(hand is not None for hand in hands)


def test_width_is_checked() -> None:
    with pytest.raises(WhotError, match="width must be from 320 to 3840 pixels, not 100"):
        render_image(VIEWS["two"], width=100)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "two",
            [
                "arcade",
                "Seat 0 to play",
                "●7",
                "▲12",
                "WHOT",
                "Market 31",
                "Pile 3",
                "clockwise",
                "May: ●3  ★4=8  draw",
            ],
        ),
        ("two", ["Seat 0 (you)", "Seat 1           6    ▒▒▒▒▒▒", "Hold on", "May: ●3  ★4=8  draw"]),
        ("debt", ["Debt 4 cards", "anticlockwise", "last card not called", "owes 4", "> Seat 1"]),
        ("call", ["Call ★ star", "out 1st", "left", "▒+2"]),
        ("over", ["Seat 2 wins", "winner, 0 points", "2nd, 12 points", "3rd, 40 points"]),
        ("shared", ["Seats 0 and 1 share the win"]),
        ("nobody", ["nobody wins"]),
        ("all_open", ["counts as 8", "Seat 2 to play"]),
        ("proposal", ["take back or knock (turn of seat 1)", "Laid so far: ★1  ✚1", "modern, changed", "May: knock"]),
        ("shape_asked", ["Seat 0 calls a shape", "call ● circle  call ★ star"]),
        ("known", ["seen: ★8  WHOT"]),
    ],
)
def test_text_says(name: str, expected: list[str]) -> None:
    text = render_text(VIEWS[name])
    for part in expected:
        assert part in text


@pytest.mark.parametrize("name", VIEWS)
def test_text_lines_fit_and_ascii_is_ascii(name: str) -> None:
    assert max(map(len, render_text(VIEWS[name]).splitlines())) <= 100
    assert render_text(VIEWS[name], unicode=False).isascii()


@pytest.mark.parametrize(
    "change",
    [
        {"called": "star"},
        {"debt": 2},
        {"direction": -1},
        {"turn": 1, "asked": 1},
        {"top": "circle-8", "top_number": 8},
        {"top_number": 8, "top": "star-4"},
        {"market_size": 0},
        {"hand_sizes": [5, 7]},
        {"open_calls": [1]},
        {"left": [1]},
        {"out": [1]},
        {"move": ["whot"]},
        {"legal": ["draw"]},
        {"log": ["something else"]},
        {"known": [[], ["star-1"]]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_both_renderers_show(change: dict[str, Any]) -> None:
    before = make_view([5, 6])
    after = before | change
    assert render_text(before) != render_text(after)
    assert not np.array_equal(render_image(before), render_image(after))


def test_the_fifty_faces_and_the_back_differ() -> None:
    from whot_env.render.faces import back, face

    for compact in (False, True):
        small = [face(name, compact).resize((60, 84)).tobytes() for name in CARD_NAMES]
        assert len({*small, back().resize((60, 84)).tobytes()}) == len(CARD_NAMES) + 1


def test_a_star_has_its_doubled_number_inside() -> None:
    from whot_env.render.faces import CREAM, face

    def paper_in_the_middle(name: str) -> int:
        middle = np.asarray(face(name).convert("RGB"))[310:374, 190:290]
        return int((middle == CREAM).all(axis=-1).sum())

    assert paper_in_the_middle("star-4") > 300
    assert paper_in_the_middle("square-5") == 0


def test_swapping_cards_that_the_viewer_cannot_see_changes_nothing() -> None:
    game = pytest.importorskip("whot_env.game").Game
    deal = {"rules": "arcade", "partial": True, "pile": ["circle-7"], "turn": 0}
    one = game.from_position(deal | {"hands": [FIVE, ["square-1", "star-2"], ["cross-5"]], "market": ["star-8"]})
    other = game.from_position(deal | {"hands": [FIVE, ["star-8", "cross-5"], ["star-2"]], "market": ["square-1"]})
    assert render_text(one.view(0)) == render_text(other.view(0))
    assert np.array_equal(render_image(one.view(0)), render_image(other.view(0)))
    assert render_text(one.view(1)) != render_text(other.view(1))
    assert not np.array_equal(render_image(one.view(None)), render_image(other.view(None)))


def test_importing_the_renderers_does_not_import_pillow() -> None:
    code = "import sys, whot_env.render; sys.exit('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_pillow_the_text_works_and_the_image_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.split(".")[0] == "PIL" or name.startswith("whot_env.render.")]:
        if module not in ("whot_env.render.image", "whot_env.render.text", "whot_env.render.describe"):
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert "Seat 0" in render_text(VIEWS["two"])
    with pytest.raises(ImportError, match="needs Pillow"):
        render_image(VIEWS["two"])
