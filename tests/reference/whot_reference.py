"""A slow, plain reading of the rules of Whot, one object a game, to compare the engine with."""

from __future__ import annotations

from typing import Any

from whot_cards import CARD_ORDER, WHOT, CounterRng, number_of
from whot_deal import deal_round
from whot_legal import caller, cards_left, legal_actions, stack_cards
from whot_round import Round
from whot_state import BUILDING, Move
from whot_tables import Refused

MOST_UNDOS = 2


class ReferenceGame(Round):
    """One game: `legal`, `step`, `event`, `reaction`, `next_round`, `position`, and the result once it is over."""

    @classmethod
    def from_position(cls, position: dict[str, Any], rng: CounterRng) -> ReferenceGame:
        """A game that stands at a position; raises Refused where the position cannot be."""
        return cls(position, rng)

    @classmethod
    def new(cls, rules: Any, seats: int, seed: int) -> ReferenceGame:
        """The first round of a match, dealt from a seed."""
        empty: dict[str, Any] = {"rules": rules, "hands": [[] for _ in range(seats)], "pile": ["circle-1"]}
        game = cls({**empty, "partial": True}, CounterRng(seed))
        deal_round(game)
        return game

    @property
    def over(self) -> bool:
        """The round has a result."""
        return self.phase == "over"

    @property
    def match_over(self) -> bool:
        """The match is decided."""
        return self.match_winners is not None

    def legal(self) -> set[str]:
        """Names of the legal actions of the seat asked."""
        return legal_actions(self)

    def reaction(self, seconds: dict[Any, float]) -> None:
        """Force raw reaction times of seats, each kept until it is used."""
        for seat, time in seconds.items():
            self.forced[int(seat)] = float(time)

    def step(self, name: str) -> None:
        """Do a legal action; anything else is refused and changes nothing."""
        if name not in self.legal():
            raise Refused("action", f"{name} is not legal")
        phase = self.phase
        if phase == "play":
            self._first_step(name)
        elif phase == "stack":
            if name == "end":
                self._continue("call")
            else:
                self.move.cards.append(name)
                self._continue("stack")
        elif phase == "call":
            self.move.call = name.removeprefix("call:")
            self._continue("power")
        elif phase == "power":
            self.move.power = name
            self._continue("direction")
        elif phase == "direction":
            self.move.turned = name == "reverse"
            self._continue("declare")
        elif phase == "declare":
            self.move.declared = name != "pass"
            self._continue("proposal")
        elif phase == "proposal":
            self._proposal_step(name)
        elif phase == "react":
            self._react_step(name)
        else:
            self.pressed[self.asked] = name
            self._ask_next()

    # Building a move (section 2)

    def _first_step(self, name: str) -> None:
        if name == "draw":
            self._draw_move()
        elif name == "last-card":
            self.open_calls.remove(self.asked)
        elif name == "catch":
            seat = next(seat for seat in self.following(self.turn) if seat in self.open_calls and seat != self.turn)
            self._caught(seat)
        else:
            self.move.cards.append(name)
            self._continue("stack")

    def _continue(self, step: str) -> None:
        """Go on to the first step from `step` on that has something to ask; commit when there is none."""
        move, rules = self.move, self.rules
        last = number_of(move.cards[-1])
        left = cards_left(self)
        owed = rules["last_card"] if left == 1 else rules["check_up"] if left == 0 else None
        asks = {
            "stack": bool(stack_cards(self)),
            "call": move.cards[-1] == WHOT,
            "power": move.cards[-1] == WHOT and rules["whot_power"],
            "direction": rules["reverse_on_pick"] and self._pick_size(last) > 0 and len(self.active()) >= 3,
            "declare": owed in ("at_once", "next_move"),
        }
        steps = list(asks)
        for later in steps[steps.index(step) :] if step in asks else []:
            if asks[later]:
                self.phase = later
                return
        self._propose()

    # Proposals (4.9)

    def _propose(self) -> None:
        window = self.rules["undo_seconds"]
        if not window or self.undos >= MOST_UNDOS:
            self._commit()
            return
        self.show(self.turn, self.move.cards)
        times = {seat: self._reaction_time(seat) for seat in range(self.n) if seat in self.active()}
        order = self.following(self.turn)  # the actor last
        quick = sorted((seat for seat in order if times[seat] <= window), key=lambda seat: times[seat])
        if not quick:
            self._commit()
            return
        self.phase, self.asked, self.queue = "proposal", quick[0], quick[1:]

    def _proposal_step(self, name: str) -> None:
        if name == "undo":
            self._take_back()
            self.undos += 1
        elif name == "knock" or not self.queue:
            self._commit()
        else:
            self.asked = self.queue.pop(0)

    def _take_back(self) -> None:
        self.move = Move()
        self.queue = []
        self.phase, self.asked = "play", self.turn

    # Host events (4.12)

    def event(self, event: dict[str, Any]) -> None:
        """A timeout, a leave or the end of the game; raises Refused and changes nothing where it may not be."""
        if len(event) != 1:
            raise Refused("event", "one event at a time")
        ((kind, value),) = event.items()
        if self.phase == "over":
            raise Refused(kind, "the round is over")
        if kind == "timeout":
            self._timeout(value)
        elif kind == "leave":
            if value not in self.active():
                raise Refused("leave", f"seat {value} is not in the game")
            self._leave(value)
        elif kind == "end_game":
            if value is not True:
                raise Refused("end_game", "true is the only value")
            if self.phase == "proposal":
                raise Refused("end_game", "a proposal is pending")
            self._finish()
        else:
            raise Refused(kind, "unknown event")

    def _timeout(self, seat: Any) -> None:
        if seat != self.asked:
            raise Refused("timeout", f"seat {seat} is not asked")
        if self.phase in ("declare", "proposal", "react"):
            self.step("pass")
        elif self.phase == "vote":
            self.step("stop")
        elif self.rules["timeout"] == "draw":
            self._draw_move()
        elif self.rules["timeout"] == "forfeit" and self.rules["turn_seconds"] is not None:
            self._leave(seat)
        else:
            raise Refused("timeout", "this table has no clock")

    def _leave(self, seat: int) -> None:
        phase = self.phase
        own = caller(self) if phase == "react" else None
        was_asked = seat == self.asked
        following = self.following(seat)
        self.market += sorted(self.hands[seat], key=CARD_ORDER.__getitem__)
        self.hands[seat], self.known[seat] = [], []
        self.rng.shuffle(self.market)
        self.left.append(seat)
        self.open_calls = [other for other in self.open_calls if other != seat]
        self.owes = [other for other in self.owes if other != seat]
        self.queue = [other for other in self.queue if other != seat]
        self.pressed.pop(seat, None)
        if len(self.active()) <= 1:
            self._finish()
            return
        was_turn = seat == self.turn
        if was_turn:
            self.turn = following[0]
            self.undos = 0
        if phase == "proposal" or (phase in BUILDING and was_turn):
            self._take_back()
        elif phase == "react" and seat == own:
            self._close_window()
        elif phase == "react" and was_asked and not self.queue:
            assert own is not None
            self._decide_react(own)
        elif phase in ("react", "vote") and was_asked:
            self._ask_next()

    def next_round(self) -> None:
        """Deal the next round of an undecided match."""
        if not self.over or self.match_over:
            raise Refused("next_round", "there is none")
        deal_round(self)
