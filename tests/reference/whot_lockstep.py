"""Plays the engine and the reference side by side and compares everything after every decision."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from whot_cards import CARD_ORDER, CounterRng, number_of
from whot_players import Players
from whot_random import ACTIONS, REACTIONS, random_event, random_rules
from whot_reference import ReferenceGame
from whot_tables import TABLES, read_rules
from whot_tally import Tally

from whot_env.game import Game

RESULTS = ("over", "match_over", "winners", "places", "payoffs", "sums")


class Mismatch(AssertionError):
    """The engine and the reference differ; the text reproduces it."""

    def __init__(self, text: str, group: str) -> None:
        super().__init__(text)
        self.group = group


def _plain(value: Any) -> Any:
    """JSON values only: tuples and arrays become lists, floats are rounded to nine digits."""
    if value is None or isinstance(value, (int, str)):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        return [_plain(part) for part in (value.tolist() if hasattr(value, "tolist") else value)]
    return round(value, 9) + 0.0 if isinstance(value, float) else value


def snapshot(game: Any, position: dict[str, Any]) -> dict[str, Any]:
    """Everything two games are compared by; hands and known cards as multisets."""
    result = {key: position[key] for key in position if key not in ("rules", *RESULTS)}
    for key in ("pressed", "match"):
        result[key] = _plain(position[key])
    result["hands"] = [sorted(hand) for hand in position["hands"]]
    result["known"] = [sorted(cards) for cards in position["known"]]
    result["legal"] = sorted(game.legal())
    for key in RESULTS:
        result[key] = _plain(getattr(game, key))
    return result


class Lockstep:
    """One game of both."""

    def __init__(self, seed: int, number: int, tally: Tally) -> None:
        self.random = Random(f"{seed}/{number}")
        self.seed, self.number, self.tally = seed, number, tally
        self.preset = list(TABLES)[number % len(TABLES)]
        self.rules, self.seats = random_rules(self.random, self.preset)
        self.name = self.preset if self.rules == self.preset else self.preset + "+"
        deal = self.random.randrange(2**31)
        self.before: dict[str, Any] = {}
        self.forced: dict[int, float] = {}
        self.done: Any = {"new": [self.rules, self.seats, deal]}
        self.engine = Game.new(self.rules, self.seats, seed=deal)
        self.reference = ReferenceGame.new(self.rules, self.seats, deal)
        self.compare()
        if read_rules(self.position["rules"]) != read_rules(self.rules):
            self.report({"rules": (self.position["rules"], self.rules)})

        if self.reference.rules["multi_card"] != "single" and self.random.random() < 0.4:
            self._deal_sorted()
        if self.random.random() < 0.35:
            self._cut_short()

    def _deal_sorted(self) -> None:
        """Hands of neighbouring cards, by shape or by number: straights and stacks come often."""
        straight = self.reference.rules["multi_card"] == "straight"
        hands = [len(hand) for hand in self.position["hands"]]
        cards = [*self.position["market"], *(card for hand in self.position["hands"] for card in hand)]
        cards.sort(key=CARD_ORDER.__getitem__ if straight else number_of)
        cut = self.random.randrange(len(cards))
        cards = cards[cut:] + cards[:cut]
        dealt = [[cards.pop() for _ in range(size)] for size in hands]
        self.random.shuffle(cards)
        self.position = json.loads(json.dumps(self.position)) | {"hands": dealt, "market": cards}
        self._reload(both=True)

    def _cut_short(self) -> None:
        """Start from a partial position with short hands or a short market: ends and dry markets come often."""
        position = json.loads(json.dumps(self.position)) | {"partial": True}
        if self.random.random() < 0.6:
            position["hands"] = [hand[: self.random.randint(1, 3)] for hand in position["hands"]]
        if self.random.random() < 0.6:
            position["market"] = position["market"][: self.random.randint(0, 6)]
        position["recycled"] = self.random.choice((0, 0, 1))
        single = [seat for seat, hand in enumerate(position["hands"]) if len(hand) == 1]
        if self.reference.rules["last_card"] == "catch" and self.random.random() < 0.5:
            position["open_calls"] = sorted(self.random.sample(single, self.random.randint(0, len(single))))
        self.position = position
        self._reload(both=True)

    def play(self, most: int) -> None:
        """Play a match, or at most so many decisions."""
        players = Players(self.random, self.seats)
        eventful = self.random.choice((0.0, 0.02, 0.08))
        for _ in range(most):
            if self.reference.over:
                self.tally.rounds += 1
                self._event()
                if self.random.random() < 0.3:
                    self._reload()
                if self.reference.match_over or self.random.random() < 0.1:
                    break
                self.do("next_round", None)
                continue
            window = self.reference.phase in ("declare", "proposal", "react", "vote")
            if self.random.random() < eventful * (2 if window else 1):
                self._event()
                continue
            if self.random.random() < 0.03:
                self._illegal()
            if self.random.random() < 0.03:
                times = {seat: self.random.choice(REACTIONS) for seat in range(self.seats)}
                self.reference.reaction(times)
                self.engine.reaction(times)
            if self.random.random() < 0.02:
                self._reload()
            policy, action = players.choose(self.engine)
            self._count(policy)
            self.do("step", action)
        self.tally.games += 1

    def _count(self, policy: str) -> None:
        self.tally.decisions += 1
        self.tally.by_table[self.name, self.reference.phase] += 1
        self.tally.by_policy[policy] += 1
        self.tally.by_seats[self.seats] += 1
        self.tally.by_decks[self.reference.rules["decks"]] += 1

    def do(self, kind: str, value: Any) -> None:
        """The same on both: both must accept or refuse, and be equal afterwards."""
        self.before = self.position
        self.forced = dict(self.reference.forced)
        self.done = {kind: value}
        refusals = []
        for game in (self.engine, self.reference):
            try:
                game.next_round() if kind == "next_round" else getattr(game, kind)(value)
                if kind == "next_round":
                    game.reaction(self.reference.forced)  # TEMP engine bug 1
                refusals.append(None)
            except ValueError as error:
                refusals.append(str(error))
        if (refusals[0] is None) != (refusals[1] is None):
            self.report({"refused": (refusals[0], refusals[1])})
        self.compare()
        if refusals[0] is not None and self.position != self.before:
            self.report({"refused": ("refused but changed the position", refusals[1])})

    def _event(self) -> None:
        event = random_event(self.random, self.reference.asked, self.seats)
        self.tally.events[next(iter(event))] += 1
        self.do("event", event)

    def _illegal(self) -> None:
        legal = self.reference.legal()
        self.do("step", self.random.choice([name for name in ACTIONS if name not in legal]))

    def _reload(self, both: bool = False) -> None:
        """The reference, or both, go on from the position alone."""
        self.before, self.done = self.position, {"from_position": None}
        forced = self.forced = dict(self.reference.forced)  # not part of a position
        if both or self.random.random() < 0.5:
            self.engine = Game.from_position(self.before, seed=self.random.randrange(2**31))
        rng = CounterRng.from_state(*(int(part) for part in self.engine.rng_state()))
        self.reference = ReferenceGame.from_position(json.loads(json.dumps(self.before)), rng)
        if not both and self.engine.position() != self.before:
            self.report({"identity": (self.engine.position(), self.before)})
        self.engine.reaction(forced)
        self.reference.reaction(forced)
        self.compare()

    def compare(self) -> None:
        """Raise Mismatch where anything differs, random numbers used and reaction times left included."""
        self.position = self.engine.position()
        engine = snapshot(self.engine, self.position)
        reference = snapshot(self.reference, self.reference.position())
        engine["rng"] = [int(part) for part in self.engine.rng_state()]
        reference["rng"] = [self.reference.rng.key, self.reference.rng.counter]
        times = self.engine.state["forced"][0].tolist()
        engine["reaction"] = {seat: time for seat, time in enumerate(times) if time >= 0}
        reference["reaction"] = self.reference.forced
        keys = sorted(set(engine) | set(reference))
        differing = {
            key: (engine.get(key, "missing"), reference.get(key, "missing"))
            for key in keys
            if engine.get(key) != reference.get(key)
        }
        if differing:
            self.report(differing)

    def report(self, differing: dict[str, tuple[Any, Any]]) -> None:
        """Raise Mismatch with all that reproduces it."""
        lines = [
            f"engine and reference differ: seed {self.seed}, game {self.number}"
            f" (python tests/fuzz.py --seed {self.seed} --game {self.number})",
            f"rules: {json.dumps(self.rules)}",
            f"position before: {json.dumps(_plain(self.before))}",
            f"forced reaction times: {self.forced}",
            f"done: {json.dumps(self.done)}",
        ]
        for key, (engine, reference) in differing.items():
            lines += [f"  {key}:", f"    engine    {engine}", f"    reference {reference}"]
        kind = next(iter(self.done))
        group = f"{self.before.get('phase')} {kind} {self.done[kind] if kind == 'event' else ''} {sorted(differing)}"
        raise Mismatch("\n".join(lines), group)


def play_game(seed: int, number: int, tally: Tally) -> None:
    """Game `number` of a run; raises Mismatch."""
    game = Lockstep(seed, number, tally)
    game.play(game.random.choice((80, 300, 1000)))
