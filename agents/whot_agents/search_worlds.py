"""Worlds that fit what the other seats did: whoever drew could, as a rule, not have answered."""

from typing import Any

import numpy as np

from whot_agents.compiled import kernel
from whot_env.cards import CARD_NUMBER, CARD_SHAPE, WHOT
from whot_env.engine.hidden import redeal_hidden
from whot_env.engine.random import mix64, uniform

_LAPSE = 0.05
"""The least likelihood of one draw, for a seat that drew although it could have answered."""


@kernel
def _all_new(answers: int, drawn: int, cards: int) -> float:
    """Chance that ``answers`` given cards of a hand are all among those ``drawn`` last, and so could not be played."""
    chance = 1.0
    for k in range(answers):
        chance *= max(drawn - k, 0) / (cards - k)
    return max(chance, _LAPSE)


@kernel
def likelihood(s: Any, observer: int) -> float:
    """Chance, given the hands, that all other seats drew where they did; at most 1."""
    product = 1.0
    for seat in range(s.num_players):
        if seat == observer or not s.active[seat]:
            continue
        cards = int(s.hand_size[seat])
        for shape in range(5):
            age = int(s.declined_shapes[seat, shape])
            if 0 < age <= cards:
                answers = int(s.hands[seat, WHOT])
                for card in range(WHOT):
                    if CARD_SHAPE[card] == shape:
                        answers += s.hands[seat, card]
                product *= _all_new(answers, age - 1, cards)
        for number in range(16):
            age = int(s.declined_numbers[seat, number])
            if 0 < age <= cards:
                answers = 0
                for card in range(WHOT):
                    if CARD_NUMBER[card] == number + 1:
                        answers += s.hands[seat, card]
                product *= _all_new(answers, age - 1, cards)
    return product


@kernel
def draw_world(r: Any, s: Any, observer: int, seed: Any, tries: int) -> None:
    """Redeal ``s`` until its likelihood accepts the world, ``tries`` times at most; then whatever comes."""
    for k in range(tries):
        redeal_hidden(r, s, observer, mix64(seed + np.uint64(k)))
        if uniform(s) < likelihood(s, observer):
            return
    redeal_hidden(r, s, observer, seed)
