"""The state of a game as a position shows it: reading, checking, writing (section 6), seats and drawing (4.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from whot_cards import CARD_ORDER, SHAPES, CounterRng, count_of, full_deck, number_of, plain_name
from whot_tables import Refused, read_rules

PHASES = ("play", "stack", "call", "power", "direction", "declare", "proposal", "react", "vote", "over")
BUILDING = PHASES[:6]
RESULT_KEYS = {"winners", "places", "payoffs", "sums", "over"}
KEYS = {
    *("rules", "hands", "market", "pile", "turn", "asked", "phase", "direction", "called", "top_number", "debt"),
    *("move", "queue", "pressed", "open_calls", "owes_announcement", "undos", "recycled", "moves", "out", "left"),
    *("known", "match", "partial"),
}


class RoundCounted(Exception):
    """The market rule ends the round in the middle of a draw (4.4, 8.5)."""


@dataclass
class Move:
    """The steps taken so far in a move."""

    cards: list[str] = field(default_factory=list)
    call: str | None = None
    power: str | None = None
    turned: bool = False
    declared: bool | None = None


class State:
    """Everything a position holds, plus the generator and the forced reaction times."""

    def __init__(self, position: dict[str, Any], rng: CounterRng) -> None:
        self.rng = rng
        self.forced: dict[int, float] = {}
        for key in position:
            if key not in KEYS | RESULT_KEYS:
                raise Refused(key, "unknown key")
        self.rules_value = position["rules"]
        self.rules = read_rules(position["rules"])
        self.hands = [list(hand) for hand in position["hands"]]
        self.n = len(self.hands)
        self.market = list(reversed(position.get("market", [])))  # drawn from its end
        self.pile = list(position["pile"])
        self.turn: int = position.get("turn", 0)
        self.phase: str = position.get("phase", "play")
        asked = position.get("asked")
        self.asked: int = self.turn if asked is None else asked
        self.direction: int = position.get("direction", 1)
        self.called: str | None = position.get("called")
        self.top_number: int | None = position.get("top_number")
        self.debt: int = position.get("debt", 0)
        self.move = Move(**position.get("move", {}))
        self.queue: list[int] = list(position.get("queue", []))
        self.pressed: dict[int, Any] = {int(seat): press for seat, press in position.get("pressed", {}).items()}
        self.open_calls: list[int] = list(position.get("open_calls", []))
        self.owes: list[int] = list(position.get("owes_announcement", []))
        self.undos: int = position.get("undos", 0)
        self.recycled: int = position.get("recycled", 0)
        self.moves: int = position.get("moves", 0)
        self.out: list[int] = list(position.get("out", []))
        self.left: list[int] = list(position.get("left", []))
        self.known = [list(cards) for cards in position.get("known", [[] for _ in range(self.n)])]
        match = position.get("match", {})
        self.rounds: int = match.get("rounds", 0)
        self.wins: list[int] = list(match.get("wins", [0] * self.n))
        self.totals: list[int] = list(match.get("totals", [0] * self.n))
        self.eliminated: list[int] = list(match.get("eliminated", []))
        self.first: int = match.get("first", self.turn)
        self.match_winners: list[int] | None = match.get("winners")
        self.match_places: list[int | None] | None = match.get("places")
        self.match_payoffs: list[float] | None = match.get("payoffs")
        self.partial = False
        self._check(bool(position.get("partial", False)))
        if self.pile and self.top_number == number_of(self.pile[-1]):
            self.top_number = None

    def _check(self, partial: bool) -> None:
        rules = self.rules
        low, high = rules["seat_range"]
        if not low <= self.n <= high:
            raise Refused("hands", f"{self.n} seats, allowed {low} to {high}")
        if not self.pile:
            raise Refused("pile", "it is empty")
        counts = {}
        for key, cards in [("pile", self.pile), ("market", self.market), *(("hands", hand) for hand in self.hands)]:
            for card in cards:
                if card not in CARD_ORDER:
                    raise Refused(key, f"unknown card {card!r}")
                counts[card] = counts.get(card, 0) + 1
        deck = count_of(full_deck(rules["decks"], rules["whots"]))
        for card, count in counts.items():
            if count > deck.get(card, 0):
                raise Refused("hands", f"{card} {count} times")
        self.partial = counts != deck
        if self.partial and not partial:
            raise Refused("hands", "cards are missing")
        for seat in self.out + self.left + ([] if self.phase == "over" else self.eliminated):
            if self.hands[seat]:
                raise Refused("hands", f"seat {seat} is not in the game but holds cards")
        if self.phase not in PHASES:
            raise Refused("phase", f"unknown phase {self.phase!r}")
        if self.phase != "over" and self.turn not in self.active():
            raise Refused("turn", f"seat {self.turn} is not active")
        if self.called is not None and (self.called not in SHAPES or number_of(self.pile[-1]) != 20):
            raise Refused("called", f"{self.called!r} cannot be called here")

    # Seats

    def in_game(self) -> list[int]:
        """Seats that neither fell out of the match nor left."""
        return [seat for seat in range(self.n) if seat not in self.eliminated and seat not in self.left]

    def active(self) -> list[int]:
        """Seats still playing this round."""
        return [seat for seat in self.in_game() if seat not in self.out]

    def following(self, seat: int, direction: int | None = None) -> list[int]:
        """Active seats in turn order after a seat, that seat itself last where it is active."""
        step = self.direction if direction is None else direction
        order = [(seat + step * k) % self.n for k in range(1, self.n + 1)]
        active = self.active()
        return [other for other in order if other in active]

    def is_special(self, card: str) -> bool:
        """A Whot, or a number with an effect."""
        return number_of(card) == 20 or number_of(card) in self.rules["taken"]

    # Market

    def _refill(self) -> None:
        under = self.pile[:-1]
        if self.rules["recycle"] == "always":
            if not under:
                return
        else:
            counting = self.rules["nothing_left"] == "count"
            if self.recycled >= 1:
                if counting:
                    raise RoundCounted
                return
            if not under:
                self.recycled += 1
                if counting:
                    raise RoundCounted
                return
        self.recycled += 1
        self.pile = self.pile[-1:]
        self.market = under
        self.rng.shuffle(self.market)

    def draw(self, seat: int, count: int) -> int:
        """A seat draws up to `count` cards, one at a time; returns how many there were."""
        drawn = 0
        for _ in range(count):
            if not self.market:
                self._refill()
            if not self.market:
                break
            self.hands[seat].append(self.market.pop())
            drawn += 1
            self.close_calls()
            if not self.market:
                self._refill()
        return drawn

    def close_calls(self) -> None:
        """An open call closes when its seat does not hold exactly one card."""
        self.open_calls = [seat for seat in self.open_calls if len(self.hands[seat]) == 1]

    def lay(self, seat: int, cards: list[str]) -> None:
        """Cards go from a hand on the pile; what was known of them is no longer in the hand."""
        for played in cards:
            card = plain_name(played)
            self.hands[seat].remove(card)
            if card in self.known[seat]:
                self.known[seat].remove(card)
            self.pile.append(card)

    def show(self, seat: int, cards: list[str]) -> None:
        """Cards in a hand are shown to all: known becomes at least these, as a multiset."""
        for card, count in count_of([plain_name(played) for played in cards]).items():
            missing = count - self.known[seat].count(card)
            self.known[seat] += [card] * max(0, missing)

    # Position

    def position(self) -> dict[str, Any]:
        """The complete state as JSON, every key."""
        match: dict[str, Any] = {
            "rounds": self.rounds,
            "wins": list(self.wins),
            "totals": list(self.totals),
            "eliminated": list(self.eliminated),
            "first": self.first,
        }
        if self.match_winners is not None:
            match |= {"winners": self.match_winners, "places": self.match_places, "payoffs": self.match_payoffs}
        return {
            "rules": self.rules_value,
            "hands": [list(hand) for hand in self.hands],
            "market": list(reversed(self.market)),
            "pile": list(self.pile),
            "turn": self.turn,
            "asked": self.asked,
            "phase": self.phase,
            "direction": self.direction,
            "called": self.called,
            "top_number": number_of(self.pile[-1]) if self.top_number is None else self.top_number,
            "debt": self.debt,
            "move": {
                "cards": list(self.move.cards),
                "call": self.move.call,
                "power": self.move.power,
                "turned": self.move.turned,
                "declared": self.move.declared,
            },
            "queue": list(self.queue),
            "pressed": {str(seat): press for seat, press in self.pressed.items()},
            "open_calls": list(self.open_calls),
            "owes_announcement": list(self.owes),
            "undos": self.undos,
            "recycled": self.recycled,
            "moves": self.moves,
            "out": list(self.out),
            "left": list(self.left),
            "known": [list(cards) for cards in self.known],
            "match": match,
            **({"partial": True} if self.partial else {}),
        }
