"""``LAYOUT``: what a seat sees, as named segments of one int8 vector.

This list drives the encoder (``engine/observe.py`` writes into ``LAYOUT.dtype``), the names, the documentation table
(``print(LAYOUT)``) and exported models. Seat axes are relative: index 0 is the observer, 1 the next seat clockwise by
seat number; seats that are not at the table stay zero.
"""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from whot_env.cards import NUM_CARDS
from whot_env.rules import MAX_SEATS, RULE_NUMBERS
from whot_env.state import HISTORY, PHASES

HISTORY_WIDTH = 22


@dataclass(frozen=True, slots=True)
class Segment:
    """One named part of the observation: ``observation[start:stop]``, reshaped to ``shape``."""

    name: str
    start: int
    stop: int
    shape: tuple[int, ...]
    description: str

    @property
    def slice(self) -> slice:
        return slice(self.start, self.stop)


class Layout:
    """The observation's segments in order; iterate, index by name, or print."""

    def __init__(self, parts: list[tuple[str, tuple[int, ...], str]]) -> None:
        self._segments: dict[str, Segment] = {}
        start = 0
        for name, shape, description in parts:
            stop = start + math.prod(shape)
            self._segments[name] = Segment(name, start, stop, shape, description)
            start = stop
        self.size = start
        fields = {s.name: ((np.int8, s.shape), s.start) for s in self} | {"whole": ((np.int8, (start,)), 0)}
        formats, offsets = zip(*fields.values(), strict=True)
        self.dtype = np.dtype({"names": list(fields), "formats": formats, "offsets": offsets, "itemsize": start})
        """The same bytes as a record: one field a segment, and ``whole``."""
        text = "\n".join(f"{s.name}:{s.shape}:{s.description}" for s in self)
        self.hash = hashlib.sha256(text.encode()).hexdigest()[:16]
        """16 hex digits that change whenever a segment, its shape or its meaning does."""

    def __iter__(self) -> Iterator[Segment]:
        return iter(self._segments.values())

    def __getitem__(self, name: str) -> Segment:
        return self._segments[name]

    def view(self, observation: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
        """The segment ``name`` of observations [..., size], as a view [..., *shape]."""
        segment = self._segments[name]
        return observation[..., segment.slice].reshape(*observation.shape[:-1], *segment.shape)

    def records(self, observations: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """``dtype`` [B]: observations int8[B, size] as records, as a view."""
        return observations.view(self.dtype)[:, 0]

    def __str__(self) -> str:
        rows = ["| segment | from | to | shape | meaning |", "|---|---|---|---|---|"]
        for s in self:
            shape = "×".join(map(str, s.shape))
            rows.append(f"| {s.name} | {s.start} | {s.stop - 1} | {shape} | {s.description} |")
        return "\n".join(rows)


_SEATS = (MAX_SEATS,)

LAYOUT = Layout(
    [
        ("hand", (NUM_CARDS,), "own cards, count by card id"),
        ("top", (NUM_CARDS,), "top card of the pile, one-hot by card id"),
        ("top_number", (17,), "number by which the top is matched, one-hot (index n - 1); index 16: by none, a Whot"),
        ("called", (5,), "called shape, one-hot; all zero: no call stands"),
        ("debt", (1,), "cards owed by the seat to move"),
        ("phase", (len(PHASES),), f"one-hot: {', '.join(PHASES)}; others' building steps show as play"),
        ("asked_self", (1,), "1: the observer is the seat asked"),
        (
            "move_cards",
            (NUM_CARDS,),
            "cards laid so far in the observer's own move, or in a proposal, count by card id",
        ),
        ("move_last", (NUM_CARDS,), "the last of them, one-hot"),
        ("move_call", (5,), "the shape called with them, one-hot"),
        ("move_flags", (4,), "power reverse, power miss, direction turned, announcement said"),
        ("seat_cards", _SEATS, "cards in each hand"),
        ("seat_active", _SEATS, "1: plays in this round, not out, not left"),
        ("seat_out", _SEATS, "1 + order of going out; 0: not out"),
        ("seat_left", _SEATS, "1: left the match"),
        ("seat_owes", _SEATS, "missed announcements still to be paid for"),
        ("seat_open_call", _SEATS, "1: can be caught"),
        ("seat_turn", _SEATS, "1: has the turn"),
        ("seat_asked", _SEATS, "1: is asked now"),
        ("seat_eliminated", _SEATS, "1: eliminated from the match"),
        ("direction", (1,), "1 clockwise, -1"),
        ("market_size", (1,), "cards in the market"),
        ("pile_size", (1,), "cards in the pile"),
        ("recycled", (1,), "times the pile became the market this round"),
        ("undos", (1,), "undos used in this turn"),
        ("moves", (2,), "moves completed this round: hundreds, rest"),
        ("pile", (NUM_CARDS,), "cards in the pile, count by card id"),
        ("known", (MAX_SEATS, NUM_CARDS), "cards in each hand that all have seen, count by card id"),
        ("declined_shapes", (MAX_SEATS, 5), "0: never; else 1 + cards drawn since the seat drew instead of this shape"),
        ("declined_numbers", (MAX_SEATS, 16), "the same for numbers 1 to 16"),
        (
            "history",
            (HISTORY, HISTORY_WIDTH),
            "last public moves, newest first: seat one-hot 8, last card's shape one-hot 6 (5: Whot), its number, cards "
            "laid, call one-hot 5, cards drawn",
        ),
        ("match_wins", _SEATS, "rounds won alone"),
        ("match_totals", (MAX_SEATS, 2), "sums added up over the rounds: hundreds, rest"),
        ("match_rounds", (1,), "rounds completed"),
        ("rules", (len(RULE_NUMBERS),), f"the table's rules as numbers: {', '.join(RULE_NUMBERS)} (limit in hundreds)"),
    ]
)
"""The one observation layout, for every table. ``LAYOUT.size`` values of dtype int8."""
