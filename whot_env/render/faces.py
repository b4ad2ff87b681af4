"""Card faces and backs, drawn once at a large size and kept scaled and turned."""

from __future__ import annotations

from functools import cache, lru_cache

from PIL import Image, ImageDraw, ImageFilter, ImageFont, features

from whot_env.cards import SHAPES
from whot_env.render.describe import shape_and_number
from whot_env.render.shapes import outline

RATIO = 1.4  # height of a card over its width
_W, _H = 480, 672
_PAD = 48  # room for the shadow around a card
_RADIUS = 40
CREAM = (250, 243, 224)
MAROON = (134, 22, 38)
_EDGE = (196, 178, 140)
_CLEAR = (0, 0, 0, 0)
_WHOT_RING = ((0, -180), (148, -86), (92, 140), (-92, 140), (-148, -86))  # five shapes round the word, from its middle


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Pillow's own typeface at ``size`` pixels."""
    if not features.check("freetype2"):
        raise ImportError("Drawing an image needs a Pillow with FreeType: install one with `pip install pillow`.")
    loaded = ImageFont.load_default(size=max(size, 4))
    assert isinstance(loaded, ImageFont.FreeTypeFont)
    return loaded


def text_size(text: str, size: float, bold: float = 0.0) -> tuple[float, float]:
    """Width and height in pixels of the ink of ``text``."""
    left, top, right, bottom = font(round(size)).getbbox(text, stroke_width=round(bold))
    return right - left, bottom - top


def put_text(
    draw: ImageDraw.ImageDraw, x: float, y: float, text: str, size: float, fill: tuple[int, ...], bold: float = 0.0
) -> None:
    """Draw ``text`` with the middle of its ink, at the height of capitals, at (x, y); ``bold`` widens strokes."""
    face, stroke = font(round(size)), round(bold)  # Pillow before 11.2 takes whole pixels only
    left, _, right, _ = face.getbbox(text, stroke_width=stroke)
    _, top, _, bottom = face.getbbox("H", stroke_width=stroke)
    draw.text((x - (left + right) / 2, y - (top + bottom) / 2), text, fill, face, stroke_width=stroke)


def _blank(fill: tuple[int, int, int]) -> Image.Image:
    card = Image.new("RGBA", (_W, _H), _CLEAR)
    ImageDraw.Draw(card).rounded_rectangle((0, 0, _W - 1, _H - 1), _RADIUS, fill, _EDGE, 5)
    return card


def _corners(card: Image.Image, shape: str, number: int, compact: bool) -> None:
    """The number with its shape below: top left and, turned round, bottom right (compact: top left only)."""
    size, x, y = (190, 116, 104) if compact else (118, 82, 80)
    layer = Image.new("RGBA", card.size, _CLEAR)
    draw = ImageDraw.Draw(layer)
    put_text(draw, x, y, str(number), size, MAROON, bold=size / 34)
    if shape != "whot":
        draw.polygon(outline(shape, x, y + size * 0.82, size * 0.29), MAROON)
    card.alpha_composite(layer)
    if not compact:
        card.alpha_composite(layer.rotate(180))


def _word(card: Image.Image, y: float, size: float) -> None:
    """WHOT in letters that stand on an arc."""
    letters = (("W", 9, -1.16, 0.07), ("H", 3, -0.25, -0.03), ("O", -3, 0.53, -0.03), ("T", -9, 1.24, 0.07))
    for letter, turn, dx, dy in letters:
        tile = Image.new("RGBA", (round(size * 1.6), round(size * 1.6)), _CLEAR)
        put_text(ImageDraw.Draw(tile), size * 0.8, size * 0.8, letter, size, MAROON, bold=size / 14)
        tile = tile.rotate(turn, Image.Resampling.BICUBIC)
        card.alpha_composite(tile, (round(_W / 2 + dx * size - size * 0.8), round(y + dy * size - size * 0.8)))


@cache
def face(name: str, compact: bool = False) -> Image.Image:
    """The face of a card, RGBA 480 x 672; ``compact`` has larger corners, for small cards."""
    shape, number = shape_and_number(name)
    card = _blank(CREAM)
    draw = ImageDraw.Draw(card)
    x, y = (_W / 2 + 50, _H / 2 + 130) if compact else (_W / 2, _H / 2)
    if shape == "whot":
        for small, (dx, dy) in zip(SHAPES, _WHOT_RING, strict=True):
            draw.polygon(outline(small, _W / 2 + dx, y + dy, 36), MAROON)
        _word(card, y + 26, 108)
    else:
        draw.polygon(outline(shape, x, y, 136), MAROON)
        if shape == "star":
            put_text(draw, x, y + 12, str(2 * number), 94, CREAM, bold=3)
    _corners(card, shape, number, compact)
    return card


@cache
def back() -> Image.Image:
    """The back of a card, RGBA 480 x 672: a woven lattice with a medallion."""
    card = _blank(CREAM)
    pattern = Image.new("RGBA", card.size, MAROON)
    draw = ImageDraw.Draw(pattern)
    step = 56
    for row in range(-1, _H // step + 2):
        for column in range(-1, _W // step + 2):
            x, y = _W / 2 + (column - 4) * step, _H / 2 + (row - 6) * step
            for radius, fill in ((27, (178, 62, 66)), (17, MAROON), (8, (236, 205, 150))):
                draw.polygon([(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)], fill)
    for radius, fill in ((132, CREAM), (122, MAROON), (112, CREAM)):
        draw.ellipse((_W / 2 - radius, _H / 2 - radius, _W / 2 + radius, _H / 2 + radius), fill)
    put_text(draw, _W / 2, _H / 2, "W", 150, MAROON, bold=8)
    mask = Image.new("L", card.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle((26, 26, _W - 27, _H - 27), _RADIUS - 16, 255)
    card.paste(pattern, (0, 0), mask)
    return card


@cache
def _with_shadow(name: str | None, compact: bool, shade: bool) -> Image.Image:
    card = back() if name is None else _blank(CREAM) if name == "" else face(name, compact)
    if shade:  # keeps the card's own outline, darkens its ink and paper
        dark = Image.new("RGBA", card.size, (30, 22, 14, 255))
        dark.putalpha(card.getchannel("A"))
        card = Image.blend(card, dark, 0.26)
    size = (_W + 2 * _PAD, _H + 2 * _PAD)
    shadow = Image.new("L", size, 0)
    ImageDraw.Draw(shadow).rounded_rectangle((_PAD - 4, _PAD + 6, _PAD + _W + 4, _PAD + _H + 16), _RADIUS, 130)
    sheet = Image.new("RGBA", size, _CLEAR)
    sheet.putalpha(shadow.filter(ImageFilter.GaussianBlur(14)))
    sheet.alpha_composite(card, (_PAD, _PAD))
    return sheet


@lru_cache(maxsize=1024)
def _scaled(name: str | None, width: int, compact: bool, shade: bool) -> Image.Image:
    sheet, scale = _with_shadow(name, compact, shade), width / _W
    size = (round(sheet.width * scale), round(sheet.height * scale))
    return sheet.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)


@lru_cache(maxsize=1024)
def sprite(name: str | None, width: int, angle: float, compact: bool = False, shade: bool = False) -> Image.Image:
    """A card with its shadow, ``width`` pixels wide, turned by ``angle`` degrees anticlockwise; do not change it.

    ``name`` is a card, None for a back, "" for a blank face. The card's middle is the image's middle.
    """
    small = _scaled(name, width, compact, shade)
    return small if angle == 0 else small.rotate(angle, Image.Resampling.BICUBIC, expand=True)
