"""The seats of the picture: the viewer's fan at the bottom, the others' hands around the table."""

from __future__ import annotations

import math

from whot_env.render.canvas import GOLD, INK, PAPER, RED, WIDTH, Canvas, Colour
from whot_env.render.describe import View, card_of, other_legal, plural, seat_name, seat_tags
from whot_env.render.faces import RATIO

_MAX_BACKS = 14  # longer face-down hands look the same; the number beside the name is exact
_TOP_Y, _SIDE_Y = 52, 212
_GREEN: Colour = (46, 132, 84)
_GREY: Colour = (88, 98, 92)
_DARK: Colour = (18, 46, 36)
_PALE: Colour = (214, 228, 216)

# Places (x, y, width) of the other seats by their number, clockwise from the viewer's left.
_LEFT, _RIGHT = (106, _SIDE_Y, 170), (WIDTH - 106, _SIDE_Y, 170)
PLACES: dict[int, list[tuple[float, float, float]]] = {
    1: [(480, _TOP_Y, 340)],
    2: [(250, _TOP_Y, 300), (710, _TOP_Y, 300)],
    3: [_LEFT, (480, _TOP_Y, 300), _RIGHT],
    4: [_LEFT, (320, _TOP_Y, 250), (640, _TOP_Y, 250), _RIGHT],
    5: [_LEFT, (230, _TOP_Y, 210), (480, _TOP_Y, 210), (730, _TOP_Y, 210), _RIGHT],
    6: [_LEFT, (144, _TOP_Y, 190), (368, _TOP_Y, 190), (592, _TOP_Y, 190), (816, _TOP_Y, 190), _RIGHT],
    7: [_LEFT, *((480 + 178 * i, _TOP_Y, 160) for i in range(-2, 3)), _RIGHT],
}


def _tag_colours(tag: str) -> tuple[Colour, Colour]:
    if tag == "winner":
        return GOLD, INK
    if tag.startswith(("owes", "last card")):
        return RED, PAPER
    return (_GREY, PAPER) if tag == "left" else (_GREEN, PAPER)


def _chips(canvas: Canvas, x: float, y: float, tags: list[str], size: float) -> None:
    """Chips side by side, as a row around x."""
    widths = [canvas.chip_width(tag, size) for tag in tags]
    left = x - (sum(widths) + 5 * (len(tags) - 1)) / 2
    for tag, width in zip(tags, widths, strict=True):
        canvas.chip(left + width / 2, y, tag, *_tag_colours(tag), size)
        left += width + 5


def _name_pill(canvas: Canvas, view: View, seat: int, x: float, y: float) -> None:
    """Name and card count; gold at the seat asked and at a winner, with a gold edge at the seat whose turn it is."""
    name, count = seat_name(view, seat), str(view["hand_sizes"][seat])
    asked = seat == view["asked"] and not view["over"]
    turn = seat == view["turn"] and not view["over"]
    gone = seat in view["left"] or (seat in view["out"] and not view["over"])
    won = view["over"] and seat in (view["winners"] or [])
    fill, ink = (GOLD, INK) if asked or won else (_DARK, (150, 160, 152) if gone else _PALE)
    name_width, badge = canvas.text_width(name, 14), 26.0
    width = name_width + badge + 26
    if asked:
        canvas.box(x, y, width + 8, 34, None, GOLD, 1.5)
    canvas.box(x, y, width, 26, fill, GOLD if turn else (70, 104, 88), 1.5)
    canvas.text(x - width / 2 + 12 + name_width / 2, y, name, 14, ink, 0.3 if asked or won else 0)
    canvas.box(x + width / 2 - 17, y, badge, 18, PAPER if not gone else _GREY)
    canvas.text(x + width / 2 - 17, y, count, 13, INK, 0.3)


def _fan(canvas: Canvas, cards: list[str | None], x: float, y: float, width: float, card: float) -> None:
    """A small fan of backs, and of cards that all have seen."""
    n = len(cards)
    step = min(card * 0.42, (width - card) / max(n - 1, 1))
    spread = min(4.0 * (n - 1), 24.0)
    for i, name in enumerate(cards):
        t = 2 * i / (n - 1) - 1 if n > 1 else 0.0
        drop = t * t * math.tan(math.radians(spread / 2)) * step * (n - 1) / 4
        canvas.card(name, x + t * step * (n - 1) / 2, y + drop, card, -t * spread / 2, compact=True)


def _rows(canvas: Canvas, cards: list[str], x: float, y: float, width: float, height: float) -> None:
    """A face-up hand in up to three overlapping rows, so that every corner stays in sight."""
    card = 44.0
    rows = 1
    while rows < 3 and (width - card) / max(math.ceil(len(cards) / rows) - 1, 1) < 18:
        rows += 1
    if rows > 1:
        card = 40.0
    each = math.ceil(len(cards) / rows)
    down = (height - card * RATIO) / max(rows - 1, 1)
    for i, name in enumerate(cards):
        row, column = divmod(i, each)
        in_row = min(each, len(cards) - row * each)
        step = min(card * 0.75, (width - card) / max(each - 1, 1))
        top = y if rows == 1 else y - height / 2 + card * RATIO / 2 + row * down
        canvas.card(name, x + (column - (in_row - 1) / 2) * step, top, card, compact=True)


def draw_other(canvas: Canvas, view: View, seat: int, place: tuple[float, float, float]) -> None:
    """Another seat: its hand, its name, its notes below."""
    x, y, width = place
    hand, size = view["hands"][seat], view["hand_sizes"][seat]
    if hand:
        _rows(canvas, list(hand), x, y, width, 88)
    elif size:
        seen = list(view["known"][seat])[:_MAX_BACKS]
        backs: list[str | None] = [None] * min(size - len(seen), _MAX_BACKS - min(len(seen), _MAX_BACKS - 1))
        _fan(canvas, [*backs, *seen], x, y, width, 50 if width > 200 else 46)
    else:
        canvas.box(x, y, 42, 58, None, (60, 128, 100), 1.2, 5)
    _name_pill(canvas, view, seat, x, y + 56)
    _chips(canvas, x, y + 82, seat_tags(view, seat), 11)


def _bottom_row(canvas: Canvas, view: View, seat: int, y: float) -> None:
    """Name, notes and the actions that lay no card, in one row above the viewer's hand."""
    tags, actions = seat_tags(view, seat), other_legal(view)
    shapes = [name[5:] if name.startswith("call:") else None for name in actions]
    labels = [name.replace("call:", "") for name in actions]
    name = canvas.text_width(seat_name(view, seat), 14) + 52
    tag_widths = [canvas.chip_width(tag) for tag in tags]
    action_widths = [canvas.chip_width(label, 13, bool(s)) for label, s in zip(labels, shapes, strict=True)]
    left = WIDTH / 2 - (name + sum(tag_widths) + sum(action_widths) + 8 * (len(tags) + len(actions))) / 2
    _name_pill(canvas, view, seat, left + name / 2, y)
    left += name + 8
    for tag, width in zip(tags, tag_widths, strict=True):
        canvas.chip(left + width / 2, y, tag, *_tag_colours(tag))
        left += width + 8
    for label, shape, width in zip(labels, shapes, action_widths, strict=True):
        canvas.chip(left + width / 2, y, label, _DARK, GOLD, 13, GOLD, shape)
        left += width + 8


def draw_viewer(canvas: Canvas, view: View, seat: int) -> None:
    """The seat at the bottom: a fan that closes up and shrinks as the hand grows; playable cards stand out."""
    hand, size = view["hands"][seat], view["hand_sizes"][seat]
    cards: list[str | None] = list(hand) if hand is not None else [None] * size
    playable = {card_of(name) for name in view["legal"]} - {None}
    n = len(cards)
    room = WIDTH - 130
    card = 88.0 if n <= 14 else max(58.0, 88.0 - 1.0 * (n - 14))
    step = min(card * 0.66, (room - card) / max(n - 1, 1))
    half = step * (n - 1) / 2
    spread = min(1.6 * (n - 1), math.degrees(math.atan2(36, max(half, 1))))  # the outer cards sink by 18
    for i, name in enumerate(cards):
        t = 2 * i / (n - 1) - 1 if n > 1 else 0.0
        drop = t * t * math.tan(math.radians(spread)) * half / 2
        lift = 16 if name in playable else 0
        canvas.card(name, WIDTH / 2 + t * half, 526 + drop - lift, card, -t * spread, shade=bool(playable) and not lift)
    _bottom_row(canvas, view, seat, 429)
    if n == 0:
        canvas.text(WIDTH / 2, 530, plural(0, "card"), 15, _PALE)
