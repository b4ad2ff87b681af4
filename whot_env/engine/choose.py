"""Simple policies over sets of legal actions, for the kernels that play without asking Python."""

from typing import Any

import numpy as np

from whot_env.actions import CHECK_UP, DRAW, LAST_CARD
from whot_env.engine.kernel import kernel
from whot_env.engine.sets import Words, bit, has

UNIFORM, PLAYFUL = range(2)
"""Numbers of the policies, in the order of ``NAMES``."""

NAMES = ("uniform", "playful")

_ONE = np.uint64(1)
_PAIRS, _QUADS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_OCTETS, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@kernel
def count(word: Any) -> int:
    """Bits that are set."""
    word = word - ((word >> _ONE) & _PAIRS)
    word = (word & _QUADS) + ((word >> np.uint64(2)) & _QUADS)
    word = (word + (word >> np.uint64(4))) & _OCTETS
    return int((word * _BYTES) >> np.uint64(56))


@kernel
def _nth(word: Any, n: int) -> int:
    """Place of the nth bit that is set, from the lowest, n from 0."""
    for _ in range(n):
        word &= word - _ONE
    lowest = word & (~word + _ONE)
    return count(lowest - _ONE)


@kernel
def pick(words: Words, u: float) -> int:
    """One of the set's actions, all equally likely for ``u`` uniform in [0, 1)."""
    low = count(words[0])
    n = int(u * (low + count(words[1])))
    return _nth(words[0], n) if n < low else 64 + _nth(words[1], n - low)


@kernel
def pick_playful(words: Words, u: float) -> int:
    """Announces whatever is asked for, else any action but drawing, which it does only when nothing else is legal."""
    if has(words, LAST_CARD):
        return LAST_CARD
    if has(words, CHECK_UP):
        return CHECK_UP
    rest = (words[0] & ~bit(DRAW), words[1])
    return pick(rest, u) if rest[0] | rest[1] != 0 else DRAW


@kernel
def choose(policy: int, words: Words, u: float) -> int:
    """The action that policy number ``policy`` takes."""
    return pick_playful(words, u) if policy == PLAYFUL else pick(words, u)
