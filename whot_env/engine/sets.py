"""Sets of cards and of actions as bits: one machine operation for what would be a loop over ids.

Cards and the actions of a move's steps have ids below 64, so they share one word; a set of actions is a pair of words,
the second for the windows and the announcements (bit ``action - 64``).
"""

from typing import Any

import numpy as np

from whot_env.actions import NUM_ACTIONS
from whot_env.cards import CARD_NUMBER, CARD_SHAPE, NUM_CARDS, STAR_NUMBERS, WHOT, WHOT_NUMBER
from whot_env.engine.kernel import kernel
from whot_env.engine.memory import nonzero

Words = tuple[np.uint64, np.uint64]


def _cards(chosen: Any) -> np.uint64:
    return np.uint64(sum(1 << card for card in range(NUM_CARDS) if chosen[card]))


_STARS = CARD_SHAPE == CARD_SHAPE[WHOT] - 1
NO_CARDS = np.uint64(0)
WHOT_SET = np.uint64(1 << WHOT)
SUITED = _cards(CARD_NUMBER != WHOT_NUMBER)
SHAPE_SET = np.array([_cards(CARD_SHAPE == shape) for shape in range(5)])
"""uint64[5]: the cards of each shape."""
NUMBER_SET = np.array([_cards(CARD_NUMBER == number) for number in range(WHOT_NUMBER + 1)])
"""uint64[21]: the cards of each number; none at 0, the number of an effect that a table lacks."""
DOUBLE_SET = np.array([_cards(_STARS & (2 * CARD_NUMBER == number)) for number in range(2 * max(STAR_NUMBERS) + 1)])
"""uint64[17]: the star that has each number when laid as its double."""


def actions(*ids: int) -> Words:
    """The set of these actions, as a constant of kernels."""
    bits = sum(1 << action for action in ids)
    return np.uint64(bits & (2**64 - 1)), np.uint64(bits >> 64)


@kernel
def bit(card: int) -> Any:
    """The set of one card."""
    return np.uint64(1) << np.uint64(card)


@kernel
def has(words: Words, action: int) -> bool:
    word = words[0] if action < 64 else words[1]
    return (word >> np.uint64(action & 63)) & np.uint64(1) != 0


@kernel
def join(a: Words, b: Words) -> Words:
    return a[0] | b[0], a[1] | b[1]


@kernel
def write_mask(words: Words, mask: Any) -> None:
    """The set as ``mask``, int8[76]: 1 where an action is in it."""
    for action in range(64):
        mask[action] = (words[0] >> np.uint64(action)) & np.uint64(1)
    for action in range(64, NUM_ACTIONS):
        mask[action] = (words[1] >> np.uint64(action - 64)) & np.uint64(1)


@kernel
def held(s: Any, seat: int) -> Any:
    """The cards in a hand."""
    return nonzero(s.hands[seat])
