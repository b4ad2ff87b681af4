"""Outlines of the five shapes as polygons, so that every drawing back end gets the same figures."""

from __future__ import annotations

import math

from whot_env.cards import SHAPES

Point = tuple[float, float]

_CIRCLE_POINTS = 96
_CROSS_ARM = 0.36  # half the width of an arm; the arms reach 1
_STAR_WAIST = 0.46  # inner radius; fuller than a pentagram (0.38), so that a number fits inside


def _ring(angles: list[float], radii: list[float]) -> list[Point]:
    return [(r * math.cos(math.radians(a)), r * math.sin(math.radians(a))) for a, r in zip(angles, radii, strict=True)]


def _unit(shape: str) -> list[Point]:
    if shape == "circle":
        return _ring([360 * i / _CIRCLE_POINTS for i in range(_CIRCLE_POINTS)], [0.92] * _CIRCLE_POINTS)
    if shape == "triangle":
        return [(0.0, -0.98), (1.02, 0.80), (-1.02, 0.80)]
    if shape == "cross":
        a = _CROSS_ARM
        arm = [(-a, -a), (-a, -1.0), (a, -1.0)]  # the upper arm; each quarter turn (x, y) -> (-y, x) gives the next
        points: list[Point] = []
        for _ in range(4):
            points += arm
            arm = [(-y, x) for x, y in arm]
        return points
    if shape == "square":
        return [(-0.84, -0.84), (0.84, -0.84), (0.84, 0.84), (-0.84, 0.84)]
    points = _ring([-90 + 36 * i for i in range(10)], [1.12, 1.12 * _STAR_WAIST] * 5)
    return [(x, y + 0.08) for x, y in points]  # a star's middle lies above its box's middle


UNIT_OUTLINES = {shape: _unit(shape) for shape in SHAPES}
"""Shape -> polygon around (0, 0), y down, sized so that all five look equally large at "radius" 1."""


def outline(shape: str, x: float, y: float, radius: float) -> list[Point]:
    """The polygon of ``shape`` of the given radius around (x, y), y downwards, in the caller's units."""
    return [(x + radius * px, y + radius * py) for px, py in UNIT_OUTLINES[shape]]


def arc(x: float, y: float, rx: float, ry: float, start: float, end: float, steps: int = 48) -> list[Point]:
    """Points on an ellipse from ``start`` to ``end`` degrees (0 = right, growing clockwise on screen)."""
    angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
    return [(x + rx * math.cos(a), y + ry * math.sin(a)) for a in angles]
