"""How the seats of a search's playouts play: a rule cheap enough for tens of thousands of games a second.

Whoever plays it announces and catches, keeps its Whots, calls the shape it holds most of, sheds high cards and cards
that go with little else, takes another turn when it can go on from there, and hits a seat that is close to winning.
"""

from typing import Any

import numpy as np

from whot_agents.compiled import kernel
from whot_env.actions import CALL, CATCH, CHECK_UP, DRAW, LAST_CARD, PASS
from whot_env.cards import CARD_NUMBER, CARD_SHAPE, WHOT
from whot_env.engine.choose import count, pick, pick_playful
from whot_env.engine.legal import CALL as CALL_STEP
from whot_env.engine.legal import OVER, PROPOSAL, STACK, card_of_action, legal_actions
from whot_env.engine.random import uniform
from whot_env.engine.run import take_legal
from whot_env.engine.seats import next_active
from whot_env.engine.sets import NO_CARDS, NUMBER_SET, SHAPE_SET, WHOT_SET, Words, has, held

SAID = (LAST_CARD, CHECK_UP, CATCH)
"""What is always said where it may be."""

_LAID = np.uint64((1 << DRAW) - 1)
_ONE = np.uint64(1)
_NEAR = 2
"""Cards with which the next seat is close to winning."""

# Worth of a play, against a random share from 0 to 1 that keeps the playouts from being all the same.
_AGAIN, _STUCK = 1.0, -0.5  # it returns the turn, and the hand can, or cannot, go on from it
_KEPT = -0.5  # a pick that could be kept
_HIT = 2.0  # it keeps a seat that is close to winning from its turn
_LINKED = -2.0  # times the share of the hand that goes with it
_POINT = 0.1  # times its number


@kernel
def _call(s: Any) -> int:
    """Of the shapes, the one that the seat to move holds most of."""
    cards = held(s, int(s.turn))
    best = 0
    most = -1
    for shape in range(5):
        n = np.int64(count(cards & SHAPE_SET[shape]))
        if n > most:
            best, most = shape, n
    return CALL + best


@kernel
def pick_sharp(r: Any, s: Any, words: Words) -> int:
    """One of the set's actions, by the rule above."""
    if words[1] != NO_CARDS:
        for said in SAID:
            if has(words, said):
                return said
        return PASS if s.phase == PROPOSAL else pick(words, uniform(s))
    if s.phase == CALL_STEP:
        return _call(s)
    laid = words[0] & _LAID
    if s.phase == STACK:
        return pick((laid, NO_CARDS) if laid != NO_CARDS else words, uniform(s))
    if laid == NO_CARDS:
        return DRAW
    suited = laid & ~WHOT_SET
    if suited == NO_CARDS:
        return WHOT
    return _best_play(r, s, suited)


@kernel
def _best_play(r: Any, s: Any, plays: Any) -> int:
    """The play of most worth."""
    seat = int(s.turn)
    following = next_active(s, seat)
    picks = NUMBER_SET[r.pick_two] | NUMBER_SET[r.pick_three]
    again = NUMBER_SET[r.hold_on] | NUMBER_SET[r.general_market]
    if next_active(s, following) == seat:
        again |= NUMBER_SET[r.suspension] | (picks if r.pick_mode == 1 else NO_CARDS)
    hits = picks | again | NUMBER_SET[r.suspension] if s.hand_size[following] <= _NEAR else NO_CARDS
    hand = held(s, seat)
    best = 0
    most = -np.inf
    while plays != NO_CARDS:
        play = plays & (~plays + _ONE)
        plays ^= play
        action = int(np.int64(count(play - _ONE)))  # signed, as ids are
        card = card_of_action(action)
        face = _ONE << np.uint64(card)
        rest = hand if s.hands[seat, card] > 1 else hand & ~face
        linked = rest & (SHAPE_SET[CARD_SHAPE[card]] | NUMBER_SET[CARD_NUMBER[card]] | WHOT_SET)
        worth = uniform(s) + _POINT * CARD_NUMBER[card]
        worth += _LINKED * count(linked) / max(s.hand_size[seat] - 1, 1)
        if face & again != NO_CARDS:
            worth += _AGAIN if linked != NO_CARDS else _STUCK
        elif face & picks != NO_CARDS:
            worth += _KEPT
        if face & hits != NO_CARDS:
            worth += _HIT
        if worth > most:
            best, most = action, worth
    return best


@kernel
def play_out(r: Any, s: Any, log: Any, sharp: bool, max_moves: int) -> bool:
    """Every seat plays by the rule above, or playfully, until the round is over; whether that was within ``max_moves``
    moves from here."""
    last = s.moves + max_moves
    while s.phase != OVER:
        if s.moves >= last:
            return False
        words = legal_actions(r, s)
        take_legal(r, s, log, pick_sharp(r, s, words) if sharp else pick_playful(words, uniform(s)))
    return True
