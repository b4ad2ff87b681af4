"""What the heuristic reads from an observation: the table's rules, the cards not yet seen, who moves next."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from whot_agents.base import Array
from whot_env.cards import CARD_NUMBER, CARD_SHAPE, NUM_CARDS, SHAPES, WHOT
from whot_env.observation import LAYOUT
from whot_env.rules import RULE_NUMBERS

SEATS = 8
NUMBERS = 17
"""Numbers that a top can be matched by: 1 … 16 (star-8 doubled), and 0 for none."""

ANY_TOP = len(SHAPES) * NUMBERS
"""Code of an uncalled Whot on top: every card matches it."""


def top_code(shape: Any, number: Any) -> Any:
    """Index into ``MATCH`` of a top card: its shape (0 … 4) and the number that it is matched by (0: only by shape)."""
    return shape * NUMBERS + number


def _match_table() -> Array:
    table = np.zeros((ANY_TOP + 1, NUM_CARDS), np.float32)
    for shape in range(len(SHAPES)):
        for number in range(NUMBERS):
            table[top_code(shape, number)] = (CARD_SHAPE == shape) | (CARD_NUMBER == number)
    table[:, WHOT] = 1
    table[ANY_TOP] = 1
    return table


MATCH = _match_table()
"""float32[86, 50]: 1 where the card may be laid on a top of that code when there is no debt (rules 4.2)."""

CARD_CODE = np.where(np.arange(NUM_CARDS) == WHOT, ANY_TOP, top_code(CARD_SHAPE.astype(np.int64), CARD_NUMBER))
"""int64[50]: top code of each card once laid; for the Whot before its call."""

LINK = MATCH[CARD_CODE].copy()
LINK[WHOT] = 0
"""float32[50, 50]: ``LINK[r, c]`` is 1 where card c may be laid on card r; nothing is sure to follow a called Whot."""

SHAPE_OF = np.eye(len(SHAPES) + 1, len(SHAPES), dtype=np.float32)[CARD_SHAPE]
"""float32[50, 5]: one-hot shape of each card, zeros for the Whot."""

_RULE_COLUMN = {name: i for i, name in enumerate(RULE_NUMBERS)}
_NEVER = np.float32(127)


@dataclass(slots=True)
class Table:
    """N observations, read once. Seats are relative: 0 is the observer."""

    rules: Array
    """int64[N, R], by ``RULE_NUMBERS``."""
    hand: Array
    """float32[N, 50], own cards that are not part of the move being built."""
    move: Array
    """float32[N, 50], cards laid in the move being built."""
    code: Array
    """int64[N], top code."""
    debt: Array
    """float32[N]"""
    cards: Array
    """float32[N, 8], cards a seat."""
    order: Array
    """int64[N, 8], seats still playing, from the next in the direction of play on; the observer comes last."""
    others: Array
    """int64[N], how many other seats still play."""
    unseen: Array
    """float32[N, 50], cards in the market and in other hands that the observer has not seen."""
    known: Array
    """int8[N, 8, 50], cards that all have seen in a hand."""
    declined_shapes: Array
    """int8[N, 8, 5] as observed."""
    declined_numbers: Array
    """int8[N, 8, 16] as observed."""

    def rule(self, name: str, lanes: Array | slice = slice(None)) -> Array:
        """int64: the rule called ``name`` at some lanes."""
        return self.rules[lanes, _RULE_COLUMN[name]]

    def drawn_since_declined(self, lanes: Array, seats: Array) -> Array:
        """float32[P, 50]: cards that seat ``seats[p]`` of lane ``lanes[p]`` drew since it declined to lay each card,
        127 where it never did. A card is declined as a shape or as a number; the more recent of the two counts."""
        shapes = _age(self.declined_shapes[lanes, seats])[:, CARD_SHAPE[:WHOT]]
        numbers = _age(self.declined_numbers[lanes, seats])[:, CARD_NUMBER[:WHOT] - 1]  # entry n - 1 is number n
        age = np.full((len(lanes), NUM_CARDS), _NEVER)
        age[:, :WHOT] = np.minimum(shapes, numbers)  # a Whot may be kept back, so declining says nothing about it
        return age


def read_table(observation: Array) -> Table:
    """``Table`` of int8[N, LAYOUT.size] observations."""

    def view(name: str) -> Array:
        return LAYOUT.view(observation, name)

    n = len(observation)
    rules = view("rules").reshape(n, -1).astype(np.int64)
    players = rules[:, _RULE_COLUMN["num_players"]]
    move = view("move_cards").astype(np.float32)
    hand = np.maximum(view("hand").astype(np.float32) - move, 0)
    known = view("known").copy()
    known[:, 0] = 0  # the observer knows more of its own hand than all do
    return Table(
        rules=rules,
        hand=hand,
        move=move,
        code=_code(view("top"), view("top_number"), view("called")),
        debt=view("debt").reshape(n).astype(np.float32),
        cards=view("seat_cards").astype(np.float32),
        order=_order(view("seat_active"), view("direction").reshape(n), players),
        others=view("seat_active")[:, 1:].sum(axis=1, dtype=np.int64),
        unseen=_unseen(rules, hand + move, view("pile"), known),
        known=known,
        declined_shapes=view("declined_shapes"),
        declined_numbers=view("declined_numbers"),
    )


def _code(top: Array, top_number: Array, called: Array) -> Array:
    card = top.argmax(axis=1)
    number = (top_number.argmax(axis=1) + 1) % NUMBERS  # the last place is "no number"
    plain = top_code(CARD_SHAPE[card].astype(np.int64), np.where(top_number.any(axis=1), number, 0))
    code = np.where(top.any(axis=1) & (card != WHOT), plain, ANY_TOP)
    return np.where(called.any(axis=1), top_code(called.argmax(axis=1), 0), code)


def _order(active: Array, direction: Array, players: Array) -> Array:
    steps = np.arange(1, SEATS + 1)
    seats = (direction[:, None].astype(np.int64) * steps) % np.maximum(players, 1)[:, None]
    playing = np.take_along_axis(active, seats, axis=1).astype(bool) & (steps < players[:, None])
    first = np.argsort(~playing, axis=1, kind="stable")
    return np.where(np.take_along_axis(playing, first, axis=1), np.take_along_axis(seats, first, axis=1), 0)


def _unseen(rules: Array, own: Array, pile: Array, known: Array) -> Array:
    decks = rules[:, _RULE_COLUMN["decks"]].astype(np.float32)
    copies = np.repeat(decks[:, None], NUM_CARDS, axis=1)
    copies[:, WHOT] = decks * rules[:, _RULE_COLUMN["whots"]]
    return np.maximum(copies - own - pile - known.sum(axis=1), 0)


def _age(seen: Array) -> Array:
    return np.where(seen > 0, seen.astype(np.float32) - 1, _NEVER)


CARD_POINTS = CARD_NUMBER.astype(np.float32) + (CARD_SHAPE == SHAPES.index("star")) * CARD_NUMBER
"""float32[50]: what a card left in the hand costs at most tables: its number, stars twice, a Whot 20."""

