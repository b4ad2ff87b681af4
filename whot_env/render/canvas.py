"""A drawing surface in table units: 960 x 640 whatever the picture's size, drawn at twice its pixels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

from whot_env.render.faces import put_text, sprite, text_size
from whot_env.render.shapes import Point, outline

Colour = tuple[int, int, int]

WIDTH, HEIGHT = 960, 640
OVERSAMPLING = 2
GOLD: Colour = (240, 196, 92)
INK: Colour = (22, 30, 26)
PAPER: Colour = (250, 243, 224)
RED: Colour = (186, 38, 48)
_FELT_LIGHT, _FELT_DARK, _ROOM = (36, 116, 84), (19, 76, 56), (14, 30, 25)


class Canvas:
    """Primitives with coordinates and sizes in table units."""

    def __init__(self, width: int) -> None:
        """A felt table ``width`` pixels wide once finished (height two thirds of it)."""
        self.size = (width, round(width * HEIGHT / WIDTH))
        self.scale = width * OVERSAMPLING / WIDTH
        self.image = _felt(self.size[0] * OVERSAMPLING, self.size[1] * OVERSAMPLING).copy()
        self.draw = ImageDraw.Draw(self.image)

    def finish(self) -> Image.Image:
        """The picture at its final size."""
        return self.image.resize(self.size, Image.Resampling.BOX)

    def _px(self, points: Sequence[Point]) -> list[Point]:
        return [(x * self.scale, y * self.scale) for x, y in points]

    def polygon(self, points: Sequence[Point], fill: Colour) -> None:
        """A filled polygon."""
        self.draw.polygon(self._px(points), fill)

    def line(self, points: Sequence[Point], fill: Colour, width: float) -> None:
        """A polyline with round joints."""
        self.draw.line(self._px(points), fill, max(1, round(width * self.scale)), joint="curve")

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: Colour | None,
        edge: Colour | None = None,
        edge_width: float = 1.5,
        radius: float | None = None,
    ) -> None:
        """A rounded rectangle around (x, y); fully round ends unless ``radius`` is given."""
        (left, top), (right, bottom) = self._px([(x - width / 2, y - height / 2), (x + width / 2, y + height / 2)])
        rounding = min(width, height) / 2 if radius is None else radius
        line = max(1, round(edge_width * self.scale)) if edge else 0
        self.draw.rounded_rectangle((left, top, right, bottom), rounding * self.scale, fill, edge, line)

    def text(self, x: float, y: float, text: str, size: float, fill: Colour, bold: float = 0.0) -> None:
        """Text with the middle of its ink at (x, y)."""
        put_text(self.draw, x * self.scale, y * self.scale, text, size * self.scale, fill, bold * self.scale)

    def text_width(self, text: str, size: float, bold: float = 0.0) -> float:
        """Width of the ink of ``text``."""
        return text_size(text, size * self.scale, bold * self.scale)[0] / self.scale

    def fitted(self, text: str, size: float, width: float) -> str:
        """``text``, cut short with dots where it is wider than ``width``."""
        if self.text_width(text, size) <= width:
            return text
        while text and self.text_width(text + "...", size) > width:
            text = text[:-1]
        return text.rstrip() + "..."

    def chip_width(self, text: str, size: float = 12, icon: bool = False) -> float:
        """Width of the chip that ``chip`` draws."""
        return self.text_width(text, size) + size * (1.6 + (1.25 if icon and text else 0))

    def chip(
        self,
        x: float,
        y: float,
        text: str,
        fill: Colour,
        ink: Colour,
        size: float = 12,
        edge: Colour | None = None,
        shape: str | None = None,
    ) -> None:
        """A pill around (x, y) with ``text``, after a small card shape if one is given."""
        width = self.chip_width(text, size, shape is not None)
        self.box(x, y, width, size * 1.75, fill, edge)
        offset = 0.0
        if shape:
            offset = size * 0.62
            self.shape(x - width / 2 + size * 1.25, y, shape, size * 0.5, ink)
        self.text(x + offset, y, text, size, ink)

    def shape(self, x: float, y: float, shape: str, radius: float, fill: Colour) -> None:
        """One of the five shapes."""
        self.polygon(outline(shape, x, y, radius), fill)

    def card(
        self,
        name: str | None,
        x: float,
        y: float,
        width: float,
        angle: float = 0.0,
        compact: bool = False,
        shade: bool = False,
    ) -> None:
        """A card (None: a back, "": blank) with its middle at (x, y), turned anticlockwise by ``angle`` degrees."""
        card = sprite(name, round(width * self.scale), round(angle, 1), compact, shade)
        corner = (round(x * self.scale - card.width / 2), round(y * self.scale - card.height / 2))
        self.image.paste(card, corner, card)


@lru_cache(maxsize=4)
def _felt(width: int, height: int) -> Image.Image:
    """A green oval with a gold line, lit from its middle, in a dark room."""
    x = (np.arange(width, dtype=np.float32) / width - 0.5)[None, :, None]
    y = (np.arange(height, dtype=np.float32) / height - 0.5)[:, None, None]
    distance = np.sqrt(x**2 + y**2) / 0.62
    light, dark, room = (np.array(c, dtype=np.float32) for c in (_FELT_LIGHT, _FELT_DARK, _ROOM))
    felt = light + (dark - light) * np.minimum(distance, 1)
    oval = ((np.abs(x) / 0.485) ** 3.2 + (np.abs(y + 0.02) / 0.45) ** 3.2) ** (1 / 3.2)
    line = np.array((150, 128, 66), dtype=np.float32)
    picture = np.where(oval < 1, felt, room + (dark - room) * 0.35 * (1 - np.minimum(distance, 1)))
    picture = np.where((oval > 0.972) & (oval < 0.98), line, picture)
    return Image.fromarray(picture.astype(np.uint8))
