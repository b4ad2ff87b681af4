"""The heuristic's look at its own turn: every move open to it, and what follows while the turn comes back."""

from dataclasses import dataclass

import numpy as np

from whot_agents.base import Array
from whot_agents.heuristic_table import CARD_CODE, MATCH, Table, top_code
from whot_agents.heuristic_value import Nodes, Weights, value
from whot_env.cards import CARD_NUMBER, CARD_OF, CARD_SHAPE, NUM_CARDS, SHAPES, WHOT
from whot_env.rules import EFFECTS

WIN = np.float32(1000)
"""Worth of having won."""

_ONE = np.eye(NUM_CARDS, dtype=np.float32)
_SAME_NUMBER, _STRAIGHT = 1, 2
_LEAST_STRAIGHT = 3


@dataclass(slots=True)
class Moves:
    """M whole moves; ``row`` is the position that each starts from, ``choice`` the candidate that it begins with."""

    row: Array
    """int64[M]"""
    choice: Array
    """int64[M]"""
    laid: Array
    """float32[M, 50], cards taken from the position's hand."""
    last: Array
    """int64[M], the card that ends on top."""
    code: Array
    """int64[M], top code afterwards."""

    @staticmethod
    def join(parts: "list[Moves]") -> "Moves":
        """One list of all."""
        return Moves(*(np.concatenate([getattr(p, name) for p in parts]) for name in Moves.__slots__))  # type: ignore[attr-defined]

    def take(self, rows: Array) -> "Moves":
        """Some of them, by mask or index."""
        return Moves(*(getattr(self, name)[rows] for name in Moves.__slots__))  # type: ignore[attr-defined]


def moves_from(table: Table, nodes: Nodes, row: Array, card: Array) -> Moves:
    """Every move that begins with ``card[i]`` from position ``row[i]``; ``choice`` is i."""
    choice = np.arange(len(row))
    single = Moves(row, choice, _ONE[card], card, CARD_CODE[card])
    parts = [single]
    if len(row):
        multi = table.rule("multi_card", nodes.lane[row])
        if (multi == _SAME_NUMBER).any():
            parts.append(_stacks(nodes, single.take(multi == _SAME_NUMBER)))
        if (multi == _STRAIGHT).any():
            for step in (1, -1):
                parts.append(_straights(nodes, single.take(multi == _STRAIGHT), step))
    return call_each(Moves.join(parts))


def call_each(moves: Moves) -> Moves:
    """The moves with each that ends in a Whot replaced by five, one a shape called."""
    is_whot = moves.last == WHOT
    if not is_whot.any():
        return moves
    calls = [moves.take(is_whot) for _ in SHAPES]
    for shape, called in enumerate(calls):
        called.code = np.full(len(called.code), top_code(shape, 0))
    return Moves.join([moves.take(~is_whot), *calls])


def _stacks(nodes: Nodes, moves: Moves) -> Moves:
    """All held cards of the first one's number, once for each that may end on top (rules 4.6)."""
    held = nodes.hand[moves.row] * (CARD_NUMBER[None, :] == CARD_NUMBER[moves.last][:, None])
    held[moves.last == WHOT] = 0
    rest = held - moves.laid * (held > 0)
    index, top = np.nonzero(rest > 0)
    return Moves(moves.row[index], moves.choice[index], held[index], top, CARD_CODE[top])


def _straights(nodes: Nodes, moves: Moves, step: int) -> Moves:
    """The longest run of the first card's shape, numbers going by ``step``, where it has three cards."""
    found = continue_run(nodes, moves, np.full(len(moves.row), step))
    return found.take(found.laid.sum(axis=1) >= _LEAST_STRAIGHT)


def continue_run(nodes: Nodes, moves: Moves, step: Array) -> Moves:
    """The moves, each made longer while the hand holds the next card of its run; ``step[M]`` is 1 or -1."""
    laid, last = moves.laid.copy(), moves.last.copy()
    running = last != WHOT
    while running.any():
        after = CARD_OF[np.where(running, CARD_SHAPE[last], 0), np.where(running, CARD_NUMBER[last] + step, 0)]
        running &= (after >= 0) & (nodes.hand[moves.row, after] > 0)
        last = np.where(running, after, last)
        laid[running, last[running]] = 1
    return Moves(moves.row, moves.choice, laid, last, CARD_CODE[last])


def move_values(table: Table, nodes: Nodes, moves: Moves, laid_before: Array, weights: Weights, depth: int) -> Array:
    """float32[M]: worth of each move.

    Args:
        table: what was observed.
        nodes: the positions the moves start from.
        moves: the moves.
        laid_before: float32[M, 50], cards already laid in the same move (not in the hands any more).
        weights: what counts.
        depth: how many more own moves to look at while the turn comes back.
    """
    child = nodes.at(moves.row)
    lane, laid = child.lane, moves.laid + laid_before
    number = CARD_NUMBER[moves.last]
    child.hand = child.hand - moves.laid
    child.code = moves.code

    def is_(effect: str) -> Array:
        return number == table.rule(effect, lane)

    # In a straight only the last card's special acts, once (rules section 8.1).
    count = np.where(table.rule("multi_card", lane) == _STRAIGHT, 1, laid.sum(axis=1))
    others = table.others[lane]
    picked = count * (2 * is_("pick_two") + 3 * is_("pick_three"))
    at_once = table.rule("pick_mode", lane) == 1
    child.debt = np.where((picked > 0) & ~at_once, child.debt + picked, 0).astype(np.float32)
    _inflict(table, child, count * is_("general_market"), picked * at_once)

    skipped = np.where(is_("suspension"), count, 0) + ((picked > 0) & at_once)
    again = is_("hold_on") | is_("general_market") | ((skipped > 0) & (skipped >= others))

    empty = child.hand.sum(axis=1) + child.extra == 0
    special = np.zeros(laid.shape, bool)
    for effect in EFFECTS:
        special |= CARD_NUMBER[None, :] == table.rule(effect, lane)[:, None]
    special[:, WHOT] = True
    wins = empty & ((table.rule("finish", lane) == 0) | (laid * ~special).any(axis=1))
    child.extra = child.extra + (empty & ~wins)

    result = np.full(len(lane), WIN, np.float32)
    ended = np.flatnonzero(~wins & ~again)
    result[ended] = value(table, child.at(ended), skipped[ended].astype(np.int64), weights)
    going_on = np.flatnonzero(~wins & again)
    if len(going_on):
        result[going_on] = _turn_value(table, child.at(going_on), weights, depth)
    return result


def _turn_value(table: Table, nodes: Nodes, weights: Weights, depth: int) -> Array:
    """float32[P]: worth of positions in which the observer is to move again, without a debt."""
    best = draw_values(table, nodes, weights)
    if depth > 0:
        row, card = np.nonzero((nodes.hand > 0) & (MATCH[nodes.code] > 0))
        if len(row):
            moves = moves_from(table, nodes, row, card)
            values = move_values(table, nodes, moves, np.zeros_like(moves.laid), weights, depth - 1)
            np.maximum.at(best, moves.row, values)
    return best


def draw_values(table: Table, nodes: Nodes, weights: Weights) -> Array:
    """float32[P]: worth of drawing."""
    return value(table, nodes.where_drawn(), np.zeros(len(nodes.lane), np.int64), weights)


def _inflict(table: Table, nodes: Nodes, everybody: Array, next_seat: Array) -> None:
    """Add the cards that all other seats, and the next one, draw because of a move (rules 4.5)."""
    if everybody.any():
        drawn = np.zeros_like(nodes.cards)
        np.put_along_axis(drawn, table.order[nodes.lane], everybody[:, None], axis=1)
        drawn[:, 0] = 0
        nodes.cards = nodes.cards + drawn
    if next_seat.any():
        victim = table.order[nodes.lane, 0]
        cards = nodes.cards.copy()
        cards[np.arange(len(victim)), victim] += next_seat
        nodes.cards = cards
