"""What the property tests draw: a table, a deal and the seed of all choices, from which a whole game follows.

A failing example so shrinks to a plain table with few seats and a short game, not to a list of moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from whot_players import imitate
from whot_random import random_event
from whot_tables import CARD_NUMBERS, CHOICES, EFFECTS

from whot_env.actions import ACTION_NAMES
from whot_env.errors import EventError
from whot_env.game import Game
from whot_env.rules import PRESETS, Rules

Deed = tuple[str, Any]
"""``("step", action name)`` or ``("event", host event)``."""

_FIELDS: dict[str, tuple[Any, ...]] = {
    **CHOICES,
    "stackable": ([], [2], [5], [2, 5], [7, 14]),
    "announce_penalty": (1, 2, 4),
    "move_limit": (5, 20, 60),
    "undo_seconds": (1, 2, 5),
    "turn_seconds": (None, 10),
    "match": ({"best_of": 3}, {"best_of": 1}, {"lowest_total": 2}, {"elimination": 5}),
    "reaction_median": (0.5, 2.5),
    "reaction_sigma": (0.0, 1.0),
    "decks": (1, 2),
    "whots": (0, 1, 2, 3, 4, 5),
}

_LONG_WAYS: tuple[dict[str, Any], ...] = (
    *({"match": match} for match in _FIELDS["match"]),
    {"match": {"elimination": 5}, "payoff": "placing"},
    *({"after_first_out": "vote", "payoff": payoff} for payoff in CHOICES["payoff"]),
    {"last_card": "catch", "multi_card": "same_number"},
    {"undo_seconds": 5},
)
"""Changes that lead to what tables with many changes at once seldom reach."""


def examples(share: int) -> settings:
    """``share`` of every 100 examples that the profile asks for."""
    return settings(max_examples=settings().max_examples * share // 100)


@dataclass(frozen=True)
class Play:
    """One game: ``rules`` in JSON form, seats, the seed of the deal, the seed of all choices, and when to stop."""

    rules: Any
    seats: int
    deal: int
    choices: int
    length: int
    eventful: float

    def new(self) -> Game:
        return Game.new(self.rules, self.seats, self.deal)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Any, int]:
    """Rules in JSON form and seats: a preset as it is, with one change, or with any of its fields changed."""
    preset, changed = draw(st.sampled_from(PRESETS)), draw(st.sampled_from(("no", "one", "any")))
    if changed == "no":
        low, high = Rules.preset(preset).seat_range
        return preset, draw(st.sampled_from(range(low, high + 1)))
    rules = {"preset": preset, "seat_range": [2, 8], "hand_range": None}
    fields = {name: st.sampled_from(values) for name, values in _FIELDS.items()}
    one, several = st.sampled_from(_LONG_WAYS), st.fixed_dictionaries({}, optional=fields)
    rules |= draw(one if changed == "one" else several)
    if changed == "any" and draw(st.booleans()):
        pairs = st.tuples(st.sampled_from(EFFECTS), st.sampled_from(CARD_NUMBERS))
        apart = (lambda pair: pair[0], lambda pair: pair[1])
        rules |= dict.fromkeys(EFFECTS) | dict(draw(st.lists(pairs, unique_by=apart)))
    seats = draw(st.sampled_from(range(2, 9)))
    most = (rules.get("decks", 1) * (49 + rules.get("whots", 5)) - 1) // seats
    rules["hand_size"] = draw(st.integers(1, min(6, most)) | st.integers(1, most))
    return rules, seats


def plays(most: int = 120) -> st.SearchStrategy[Play]:
    """Games of up to ``most`` deeds, mostly long ones: sizes drawn as a range of numbers would be small."""
    return st.builds(
        lambda table, *rest: Play(*table, *rest),
        tables(),
        st.integers(0, 2**31),
        st.integers(0, 2**31),
        st.sampled_from((most // 20, most // 4, most // 2, most, most, most)),
        st.sampled_from((0.0, 0.01, 0.1)),
    )


class Host:
    """Runs the table: each seat has a policy, and now and then there is a host event, often one that is refused."""

    def __init__(self, play: Play) -> None:
        self.random = Random(play.choices)
        self.play = play
        self.policies = self.random.choices(("uniform", "playful", "shed", "silent"), k=play.seats)

    def deed(self, asked: int, mask: np.ndarray[Any, Any]) -> Deed:
        """What is done next."""
        if self.random.random() < self.play.eventful:
            return "event", random_event(self.random, asked, self.play.seats)
        policy = "uniform" if self.random.random() < 0.05 else self.policies[asked]
        return "step", imitate(self.random, policy, sorted(names(mask)))


def names(mask: np.ndarray[Any, Any]) -> list[str]:
    """The actions that a mask marks."""
    return [ACTION_NAMES[action] for action in np.flatnonzero(mask)]


def next_deed(host: Host, game: Game) -> Deed:
    """What is done next, the next deal of a match included."""
    if game.over:
        return "event", {"next_round": True}
    return host.deed(game.asked, game.action_mask())


def do(game: Game, deed: Deed) -> bool:
    """Do it; whether it was accepted, which only a host event may not be."""
    kind, value = deed
    if kind == "step":
        game.step(value)
        return True
    try:
        game.event(value)
    except EventError:
        return False
    return True


def walk(play: Play) -> Iterator[Game]:
    """The game before each deed, at the end of each round, and when it stops."""
    game, host = play.new(), Host(play)
    for _ in range(play.length):
        yield game
        if game.match_over:
            return
        do(game, next_deed(host, game))
    yield game
