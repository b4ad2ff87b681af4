"""How a move takes effect, the windows after it, and the end of a round (sections 4.3 to 4.11, 8.4)."""

from __future__ import annotations

import math
from typing import Any

from whot_cards import WHOT, CounterRng, number_of, played_number
from whot_legal import caller
from whot_match import settle_match
from whot_scoring import grouped, hand_sum, payoffs_of, places_from_groups
from whot_state import Move, RoundCounted, State

SAFE_SECONDS = 2.0


class Round(State):
    """A state that knows what completed moves, presses and votes do, and its result once it is over."""

    def __init__(self, position: dict[str, Any], rng: CounterRng) -> None:
        super().__init__(position, rng)
        self.winners: list[int] | None = None
        self.places: list[int | None] | None = None
        self.payoffs: list[float] | None = None
        self.sums: list[int] | None = None
        # A seat that fell out of the match in this very round still holds the cards that were counted.
        self.counted = [seat for seat in range(self.n) if seat not in self.eliminated or self.hands[seat]]
        if self.phase == "over":
            self._score_round()

    # A move takes effect (section 2, 4.3 to 4.8, 8.4)

    def _draw_move(self) -> None:
        mover, count = self.turn, self.debt or 1
        self._forget_steps()
        self.debt = 0
        try:
            drawn = self.draw(mover, count)
        except RoundCounted:
            self._end_counted_move()
            return
        if drawn == 0 and self.rules["nothing_left"] == "count" and self.rules["recycle"] == "always":
            self._end_counted_move()
            return
        self._end_of_move(mover, went_out=False, turn=self.following(mover)[0], announces=False)

    def _commit(self) -> None:
        mover, move, rules = self.turn, self.move, self.rules
        cards = move.cards
        special_only = all(self.is_special(card) for card in cards)
        self._forget_steps()
        self.lay(mover, cards)
        self.top_number = played_number(cards[-1]) if "-as-" in cards[-1] else None
        self.called = move.call
        self.close_calls()
        left = len(self.hands[mover])
        missed = move.declared is False
        replaced = left == 0 and rules["finish"] == "plain_only" and special_only
        won = left == 0 and not missed and not replaced
        try:
            if missed and (rules["last_card"] if left == 1 else rules["check_up"]) == "at_once":
                self.draw(mover, rules["announce_penalty"])
            elif missed:
                self.owes.append(mover)
            if replaced:
                self.draw(mover, 1)
            turn = mover if won else self._effect(mover, move)
        except RoundCounted:
            self._end_counted_move()
            return
        if won:
            self.debt, self.called = 0, None
        announces = left == 1 and rules["last_card"] == "catch"
        self._end_of_move(mover, won, turn, announces)

    def _forget_steps(self) -> None:
        self.move = Move()
        self.queue = []
        self.undos = 0
        self.phase, self.asked = "play", self.turn

    def _effect(self, mover: int, move: Move) -> int:
        """Carry out what the cards do and say whose turn it is then (4.5)."""
        rules = self.rules
        if move.turned or move.power == "reverse":
            self.direction = -self.direction
        order = self.following(mover)  # the mover last
        number = number_of(move.cards[-1])
        count = 1 if rules["multi_card"] == "straight" else len(move.cards)
        if move.cards[-1] == WHOT:
            self.debt = 0
            return order[1 % len(order)] if move.power == "miss" else order[0]
        effect = rules["taken"].get(number)
        if effect == "hold_on":
            return mover
        if effect == "suspension":
            return order[min(count, len(order) - 1)]
        if effect == "general_market":
            for seat in order[:-1]:
                self.draw(seat, count)
            return mover
        if effect in ("pick_two", "pick_three"):
            cards = self._pick_size(number) * count
            if rules["pick_mode"] == "debt":
                self.debt += cards
                return order[0]
            self.draw(order[0], cards)
            return order[1 % len(order)]
        if effect == "block":
            self.debt = 0
        return order[0]

    def _end_counted_move(self) -> None:
        self.moves += 1
        self._finish()

    def _end_of_move(self, mover: int, went_out: bool, turn: int, announces: bool) -> None:
        self.moves += 1
        votes = False
        if went_out:
            self.out.append(mover)
            self.owes = [seat for seat in self.owes if seat != mover]
            if not self._plays_on():
                self._finish()
                return
            votes = len(self.out) == 1
        if not votes and not self._penalties(mover):
            return
        limit = self.rules["move_limit"]
        if limit is not None and self.moves >= limit and not went_out:
            self._finish()
            return
        self.turn = self.following(mover)[0] if went_out else turn
        self.phase, self.asked = "play", self.turn
        if votes:
            self._open_window("vote", self.following(mover))
        elif announces:
            self.open_calls = sorted([*self.open_calls, mover])
            others = self.following(mover)[:-1]
            self._open_window("react", [mover, *others])

    def _penalties(self, mover: int | None, moved_last: int | None = None) -> bool:
        """What others owe for announcements is drawn; false when that ended the round."""
        for seat in [seat for seat in self.owes if seat != mover]:
            self.owes.remove(seat)
            try:
                self.draw(seat, self.rules["announce_penalty"])
            except RoundCounted:
                self._finish(moved_last)
                return False
        return True

    def _plays_on(self) -> bool:
        """After somebody went out: whether the hand goes on, or may by a vote (4.11)."""
        if self.rules["after_first_out"] != "vote" or len(self.counted) < 3:
            return False
        return len(self.active()) >= 2 and len(self.out) < 3

    # Windows (4.8, 4.11)

    def _open_window(self, phase: str, seats: list[int]) -> None:
        self.phase, self.pressed = phase, {}
        self.asked, self.queue = seats[0], seats[1:]

    def _close_window(self) -> None:
        self.phase, self.asked = "play", self.turn
        self.queue, self.pressed = [], {}

    def _ask_next(self) -> None:
        """The next seat of a react or vote window is asked, or the window is decided."""
        if self.queue:
            self.asked = self.queue.pop(0)
        elif self.phase == "react":
            self._decide_react(caller(self))
        else:
            self._decide_vote()

    def _react_step(self, name: str) -> None:
        seat, own = self.asked, caller(self)
        if name != "pass":
            time = self._reaction_time(seat)
            if seat == own and time < SAFE_SECONDS:
                self.open_calls.remove(own)
                self._close_window()
                return
            self.pressed[seat] = max(time, SAFE_SECONDS)
        self._ask_next()

    def _decide_react(self, own: int) -> None:
        pressed = self.pressed
        order = [own, *self.following(own)[:-1]]
        self._close_window()
        if not pressed:
            return
        fastest = min((seat for seat in order if seat in pressed), key=lambda seat: pressed[seat])
        if fastest == own:
            self.open_calls.remove(own)
        else:
            self._caught(own, moved_last=own)

    def _caught(self, seat: int, moved_last: int | None = None) -> None:
        self.open_calls.remove(seat)
        try:
            self.draw(seat, self.rules["announce_penalty"])
        except RoundCounted:
            self._finish(moved_last)

    def _decide_vote(self) -> None:
        yes = sum(vote == "play-on" for vote in self.pressed.values())
        if 2 * yes <= len(self.pressed):
            self._finish()
            return
        self._close_window()
        self._penalties(None, moved_last=self.out[-1])

    def _pick_size(self, number: int) -> int:
        if number == self.rules["pick_two"]:
            return 2
        return 3 if number == self.rules["pick_three"] else 0

    def _reaction_time(self, seat: int) -> float:
        if seat in self.forced:
            return self.forced.pop(seat)
        u1, u2 = self.rng.uniform(), self.rng.uniform()
        normal = math.sqrt(-2 * math.log(1 - u1)) * math.cos(2 * math.pi * u2)
        return math.exp(math.log(self.rules["reaction_median"]) + self.rules["reaction_sigma"] * normal)

    # Results (4.10, 4.13)

    def _finish(self, moved_last: int | None = None) -> None:
        """The round is over. `turn` stays as it is (8.14), but a vote or a catch leaves it to the seat that moved."""
        if self.phase == "vote":
            self.turn = self.out[-1]
        elif moved_last is not None:
            self.turn = moved_last
        self.phase, self.asked, self.debt = "over", self.turn, 0
        self.move, self.queue, self.pressed, self.undos = Move(), [], {}, 0
        self._score_round()
        settle_match(self)

    def _score_round(self) -> None:
        """Those who went out in order, then the hands by their sums, then leavers, the first of them last."""
        sums = [hand_sum(hand, self.rules["star_score"]) for hand in self.hands]
        groups = [[seat] for seat in self.out]
        holding = [seat for seat in self.counted if seat not in self.out and seat not in self.left]
        groups += grouped(holding, lambda seat: sums[seat])
        winners = groups[0] if groups else []
        groups += [[seat] for seat in reversed(self.left)]
        self.sums = sums
        self.places = places_from_groups(groups, self.n)
        self.winners = sorted(winners)
        self.payoffs = payoffs_of(self.places, self.winners, self.rules["payoff"])
