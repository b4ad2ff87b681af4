"""The whole picture: felt, seats, and the pile with everything that stands on it."""

from __future__ import annotations

from PIL import Image

from whot_env.render.canvas import GOLD, HEIGHT, INK, PAPER, RED, WIDTH, Canvas, Colour
from whot_env.render.describe import View, card_of, counts_as, headline, rules_name
from whot_env.render.faces import MAROON, RATIO
from whot_env.render.seats import PLACES, draw_other, draw_viewer
from whot_env.render.shapes import arc

_MIDDLE_X, _MIDDLE_Y = 480, 266
_CARD = 92.0
_MARKET_X, _PILE_X = 412, 540
_ARROW: Colour = (118, 168, 120)
_PALE: Colour = (206, 224, 210)
_PLATE: Colour = (22, 72, 54)
_UNDER_PILE = ((-7.0, -3, 2), (5.0, 3, -1), (-3.0, 1, 3))  # turn, x, y of the cards seen under the top


def _direction(canvas: Canvas, clockwise: bool) -> None:
    """Two arrows around the piles."""
    for start, end in ((214, 326), (34, 146)):
        points = arc(_MIDDLE_X, _MIDDLE_Y, 290, 116, start, end)
        if not clockwise:
            points.reverse()
        canvas.line(points[:-2], _ARROW, 4)
        (x0, y0), (x1, y1) = points[-4], points[-1]
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        dx, dy = (x1 - x0) / length, (y1 - y0) / length
        dx, dy = 9 * dx, 9 * dy
        head = [(x1 + dx, y1 + dy), (x1 - dx - dy, y1 - dy + dx), (x1 - dx + dy, y1 - dy - dx)]
        canvas.polygon(head, _ARROW)


def _market(canvas: Canvas, size: int) -> None:
    layers = min(size, 1 + size // 6)
    if not size:
        canvas.box(_MARKET_X, _MIDDLE_Y, _CARD, _CARD * RATIO, None, (92, 150, 118), 1.5, 8)
        canvas.text(_MARKET_X, _MIDDLE_Y, "empty", 14, _PALE)
    for i in range(layers):
        canvas.card(None, _MARKET_X - 1.6 * i, _MIDDLE_Y - 1.6 * i, _CARD)
    canvas.text(_MARKET_X, _MIDDLE_Y + 80, f"market {size}", 13, _PALE)


def _pile(canvas: Canvas, view: View) -> None:
    for angle, dx, dy in _UNDER_PILE[: max(view["pile_size"] - 1, 0)]:
        canvas.card("", _PILE_X + dx, _MIDDLE_Y + dy, _CARD, angle)
    if view["top"]:
        canvas.card(view["top"], _PILE_X, _MIDDLE_Y, _CARD)
    canvas.text(_PILE_X, _MIDDLE_Y + 80, f"pile {view['pile_size']}", 13, _PALE)
    number = counts_as(view)
    if number is not None:
        canvas.chip(_PILE_X, _MIDDLE_Y + 46, f"counts as {number}", GOLD, INK, 12)


def _call(canvas: Canvas, shape: str) -> None:
    """A speech bubble with the called shape, beside the pile."""
    x, y = 650, _MIDDLE_Y - 18
    canvas.polygon([(x - 40, y - 8), (x - 62, y + 6), (x - 36, y + 16)], PAPER)
    canvas.box(x, y, 92, 88, PAPER, None, radius=16)
    canvas.text(x, y - 31, "CALL", 11, MAROON, 0.4)
    canvas.shape(x, y + 1, shape, 20, MAROON)
    canvas.text(x, y + 32, shape, 13, MAROON)


def _debt(canvas: Canvas, debt: int) -> None:
    """A red badge beside the market."""
    x, y = 302, _MIDDLE_Y
    canvas.box(x, y, 66, 66, RED, PAPER, 2.5)
    canvas.text(x, y - 7, f"+{debt}", 25, PAPER, 0.5)
    canvas.text(x, y + 16, "DEBT", 10, PAPER, 0.3)


def _move(canvas: Canvas, cards: list[str]) -> None:
    """The cards of a move that has not taken effect yet, right of the pile."""
    step = min(20.0, 70.0 / max(len(cards) - 1, 1))
    left = 650 - step * (len(cards) - 1) / 2
    for i, name in enumerate(cards):
        canvas.card(card_of(name), left + step * i, _MIDDLE_Y + 60, 40, compact=True)
    canvas.chip(650, _MIDDLE_Y + 96, "being laid", _PLATE, _PALE, 10)


def _bar(canvas: Canvas, view: View) -> None:
    """The bottom line: the last log line, and the rules in force."""
    canvas.box(WIDTH / 2, HEIGHT - 12, WIDTH, 24, (10, 20, 16), radius=0)
    rules = canvas.fitted(rules_name(view), 12, 240)
    rules_width = canvas.text_width(rules, 12)
    canvas.text(WIDTH - 14 - rules_width / 2, HEIGHT - 12, rules, 12, (140, 160, 146))
    if view["log"]:
        line = view["log"][-1].encode("latin-1", "replace").decode("latin-1")
        line = canvas.fitted(line, 13, WIDTH - rules_width - 60)
        canvas.text(14 + canvas.text_width(line, 13) / 2, HEIGHT - 12, line, 13, _PALE)


def _headline(canvas: Canvas, view: View) -> None:
    line, over = headline(view), view["over"]
    size = 20 if over else 15
    width = canvas.text_width(line, size, 0.3) + 44
    y = _MIDDLE_Y + 119
    canvas.box(_MIDDLE_X, y, width, size * 1.9, GOLD if over else _PLATE)
    canvas.text(_MIDDLE_X, y, line, size, INK if over else PAPER, 0.3 if over else 0)


def draw_table(view: View, width: int) -> Image.Image:
    """The picture of a view, ``width`` pixels wide (see ``render_image``)."""
    canvas = Canvas(width)
    seats = view["num_players"]
    bottom = view["viewer"] if view["viewer"] is not None else 0
    if not view["over"]:
        _direction(canvas, view["direction"] == 1)
    for i, place in enumerate(PLACES[seats - 1], start=1):
        draw_other(canvas, view, (bottom + i) % seats, place)
    _market(canvas, view["market_size"])
    _pile(canvas, view)
    if view["called"]:
        _call(canvas, view["called"])
    if view["debt"]:
        _debt(canvas, view["debt"])
    if view["move"]:
        _move(canvas, list(view["move"]))
    _headline(canvas, view)
    draw_viewer(canvas, view, bottom)
    _bar(canvas, view)
    return canvas.finish()
