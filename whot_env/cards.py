"""The card table: every kind of card by id, name, shape and number (rules section 1).

A *kind* is a face; a deck of 54 cards has one of each of the 49 suited kinds and five Whots.
"""

import numpy as np

SHAPES = ("circle", "triangle", "cross", "square", "star")

_NUMBERS = {
    "circle": (1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 13, 14),
    "triangle": (1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 13, 14),
    "cross": (1, 2, 3, 5, 7, 10, 11, 13, 14),
    "square": (1, 2, 3, 5, 7, 10, 11, 13, 14),
    "star": (1, 2, 3, 4, 5, 7, 8),
}

CARD_NAMES: tuple[str, ...] = (*(f"{shape}-{n}" for shape in SHAPES for n in _NUMBERS[shape]), "whot")
"""Names by card id: the suited cards in shape order with ascending numbers, then ``whot``."""

CARD_ID: dict[str, int] = {name: i for i, name in enumerate(CARD_NAMES)}
"""Card id by name."""

NUM_CARDS = len(CARD_NAMES)
"""Kinds of card: 50."""

WHOT = CARD_ID["whot"]
"""Id of the Whot: 49."""

WHOT_SHAPE = len(SHAPES)
"""The shape index that stands for a Whot in ``CARD_SHAPE``: 5."""

WHOT_NUMBER = 20

MAX_COPIES_OF_WHOT = 5
"""Whots in one deck at most."""

CARD_SHAPE = np.array([*(SHAPES.index(name.split("-")[0]) for name in CARD_NAMES[:-1]), WHOT_SHAPE], np.int8)
"""int8[50]: shape index of each kind, 5 for the Whot."""

CARD_NUMBER = np.array([*(int(name.split("-")[1]) for name in CARD_NAMES[:-1]), WHOT_NUMBER], np.int8)
"""int8[50]: printed number of each kind, 20 for the Whot."""

STAR_NUMBERS = _NUMBERS["star"]

SUITED_NUMBERS: tuple[int, ...] = tuple(sorted({n for numbers in _NUMBERS.values() for n in numbers}))
"""Numbers that a suited card can have."""

CARD_OF = np.full((len(SHAPES), 16), -1, np.int8)
"""int8[5, 16]: card id by shape and number, -1 where there is no such card."""
for _i, _name in enumerate(CARD_NAMES[:-1]):
    CARD_OF[CARD_SHAPE[_i], CARD_NUMBER[_i]] = _i


def copies(whots: int, decks: int) -> "np.ndarray[tuple[int], np.dtype[np.int8]]":
    """int8[50]: how often each kind exists in ``decks`` decks with ``whots`` Whots each."""
    count = np.full(NUM_CARDS, decks, np.int8)
    count[WHOT] = whots * decks
    return count
