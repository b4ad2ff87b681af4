"""What a position is worth to the heuristic once its own turn has ended."""

from dataclasses import dataclass, replace

import numpy as np

from whot_agents.base import Array
from whot_agents.heuristic_table import CARD_POINTS, LINK, MATCH, NUMBERS, SHAPE_OF, Table
from whot_env.cards import CARD_NUMBER, WHOT


@dataclass(frozen=True)
class Weights:
    """What the heuristic cares for; one card in the own hand costs ``card``."""

    card: float = 1.0
    """for each card held"""
    near: float = 1.0
    """for being near the end: divided by the cards held"""
    cover: float = 1.0
    """for the chance to hold a playable card next turn"""
    cover_near: float = 1.0
    """the same, divided by the cards held"""
    threat: float = 3.0
    """against each other seat: divided by its cards to the power ``threat_power``"""
    threat_power: float = 1.0
    deny: float = 0.3
    """for the chance that the next seat cannot play, and so draws"""
    deny_near: float = 1.0
    """the same, divided by that seat's cards"""
    whot: float = 0.3
    """for each Whot kept, beyond its being playable on anything"""
    pick: float = 0.1
    """for each pick kept for defence, where picks make a debt that a pick answers"""
    again: float = 0.2
    """for each card kept that returns the turn"""
    link: float = 0.1
    """for the number of other own cards that the average card in hand goes with"""
    points: float = 0.01
    """for each point in the hand"""
    trust: float = 0.9
    """how far a declined shape or number is taken to say that the seat holds none"""
    risk: float = 0.5
    """for each card that may come back when a pick is answered, at two seats"""
    unknown: float = 0.4
    """chance that a card just drawn can be played"""


@dataclass(slots=True)
class Nodes:
    """P positions looked at in thought."""

    lane: Array
    """int64[P], row of the table they stem from."""
    hand: Array
    """float32[P, 50], known own cards."""
    extra: Array
    """float32[P], own cards that are not known: drawn in thought."""
    cards: Array
    """float32[P, 8], cards a seat."""
    code: Array
    """int64[P], top code."""
    debt: Array
    """float32[P], owed by the seat to move."""

    def at(self, rows: Array) -> "Nodes":
        """The positions at ``rows``, copied."""
        return Nodes(*(getattr(self, name)[rows] for name in Nodes.__slots__))  # type: ignore[attr-defined]

    def where_drawn(self) -> "Nodes":
        """The positions after the observer draws what it owes, or one card."""
        return replace(self, extra=self.extra + np.maximum(self.debt, 1), debt=np.zeros_like(self.debt))


def value(table: Table, nodes: Nodes, skipped: Array, weights: Weights) -> Array:
    """float32[P]: worth of positions where the observer's turn is over and ``skipped[P]`` seats miss theirs."""
    w, lane = weights, nodes.lane
    others = np.maximum(table.others[lane], 1)
    target = table.order[lane, np.minimum(skipped, others)]
    held = nodes.hand.sum(axis=1) + nodes.extra
    size = np.maximum(held, 0.5)
    target_size = np.maximum(np.take_along_axis(nodes.cards, target[:, None], axis=1)[:, 0], 1)

    cannot, answer = _cannot_play(table, nodes, target, target_size, w)
    cover = _cover(nodes, answer, cannot)
    cover = 1 - (1 - cover) * (1 - w.unknown) ** nodes.extra

    paid = nodes.debt * cannot
    cards = nodes.cards.copy()
    np.put_along_axis(cards, target[:, None], (target_size + paid)[:, None], axis=1)
    playing = np.zeros_like(cards)
    np.put_along_axis(playing, table.order[lane], 1, axis=1)
    playing[:, 0] = 0
    threat = (playing * np.maximum(cards, 1) ** -w.threat_power).sum(axis=1)

    # Where a debt is answered at two seats, the next pick comes back on top of it.
    own_answer = (nodes.hand * (CARD_NUMBER == _number_of(nodes.code)[:, None])).sum(axis=1) > 0
    back = (nodes.debt > 0) * (others == 1) * (nodes.debt + 2) * (1 - cannot) * ~own_answer

    return (
        -w.card * held
        + w.near / size
        + (w.cover + w.cover_near / size) * cover
        - w.threat * threat
        + (w.deny + w.deny_near / target_size) * cannot
        - w.risk * back
        + _kept(table, nodes, size, w)
    )


def _number_of(code: Array) -> Array:
    return code % NUMBERS


def _cannot_play(table: Table, nodes: Nodes, target: Array, target_size: Array, w: Weights) -> tuple[Array, Array]:
    """Chance that the target can lay nothing, float32[P], and what it would lay, float32[P, 50] (unscaled chances)."""
    lane = nodes.lane
    fits = MATCH[nodes.code]
    owing = np.flatnonzero(nodes.debt > 0)
    if len(owing):
        fits[owing] = _answers(table, lane[owing], nodes.code[owing])
    drawn = table.drawn_since_declined(lane, target)
    # Cards drawn in thought may be of a declined kind too.
    new = target_size - np.take_along_axis(table.cards[lane], target[:, None], axis=1)[:, 0]
    certain = np.minimum(drawn + new[:, None], target_size[:, None]) / target_size[:, None]
    chance = 1 - w.trust * (1 - certain)
    answer = fits * table.unseen[lane] * chance
    share = np.minimum(answer.sum(axis=1) / np.maximum(table.unseen[lane].sum(axis=1), 1), 1)
    known = table.known[lane, target] * fits
    cannot = (1 - share) ** target_size * ~known.any(axis=1)
    return cannot, answer + known


def _answers(table: Table, lane: Array, code: Array) -> Array:
    """float32[P, 50]: 1 where a card may be laid on a debt (rules 4.5)."""
    number = _number_of(code)
    two, three = table.rule("pick_two", lane), table.rule("pick_three", lane)
    stack_two, stack_three = table.rule("stack_two", lane), table.rule("stack_three", lane)
    any_pick = table.rule("answers", lane)[:, None] == 1
    card = CARD_NUMBER[None, :]
    is_two = (card == two[:, None]) & (stack_two > 0)[:, None]
    is_three = (card == three[:, None]) & (stack_three > 0)[:, None]
    pick = np.where(any_pick, (is_two | is_three) & (MATCH[code] > 0), (is_two | is_three) & (card == number[:, None]))
    block = (card == table.rule("block", lane)[:, None]) & (MATCH[code] > 0)
    result = (pick | block).astype(np.float32)
    result[:, WHOT] = table.rule("whot_on_debt", lane) == 1
    return result


def _cover(nodes: Nodes, answer: Array, cannot: Array) -> Array:
    """Chance that a known own card can be laid next turn: after the target's answer, or on the same top if it draws."""
    follow = np.minimum(nodes.hand @ LINK.T, 1)
    # After a Whot somebody else calls; whoever holds more shapes is likelier to be able to follow.
    follow[:, WHOT] = np.minimum(nodes.hand @ SHAPE_OF, 1).mean(axis=1)
    follow[nodes.hand[:, WHOT] > 0] = 1
    total = answer.sum(axis=1)
    after = (answer * follow).sum(axis=1) / np.maximum(total, 1e-6)
    same = (MATCH[nodes.code] * nodes.hand).sum(axis=1) > 0
    return np.where(total > 0, cannot * same + (1 - cannot) * after, same)


def _kept(table: Table, nodes: Nodes, size: Array, w: Weights) -> Array:
    """What the cards kept are good for."""
    lane, hand = nodes.lane, nodes.hand
    number = CARD_NUMBER[None, :]

    def count(rule: str) -> Array:
        return (hand * (number == table.rule(rule, lane)[:, None])).sum(axis=1)

    again = count("hold_on") + count("general_market") + count("suspension") * (table.others[lane] == 1)
    debts = table.rule("pick_mode", lane) == 0
    two, three = count("pick_two"), count("pick_three")
    picks = two * (table.rule("stack_two", lane) > 0) + three * (table.rule("stack_three", lane) > 0)
    again += (two + three) * (~debts & (table.others[lane] == 1))
    links = ((hand @ LINK.T) * hand).sum(axis=1) - hand.sum(axis=1) + hand[:, WHOT]
    return (
        w.whot * hand[:, WHOT]
        + w.pick * picks * debts
        + w.again * again
        + w.link * links / size
        - w.points * (hand @ CARD_POINTS + 8 * nodes.extra)
    )
