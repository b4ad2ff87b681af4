"""``Game``: one game with names instead of numbers, for people, tools and tests. A typed face on a record of one."""

import copy as _copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from whot_env.actions import ACTION_ID, ACTION_NAMES, NUM_ACTIONS
from whot_env.batch import as_int, check_seed
from whot_env.engine import log as event_log
from whot_env.engine import run
from whot_env.errors import ActionError, EventError, WhotError, shown
from whot_env.observation import LAYOUT
from whot_env.position import read_position, write_position
from whot_env.rules import Rules, RulesLike, as_rules, compile_rules
from whot_env.state import PHASES, STATE
from whot_env.story import tell
from whot_env.view import make_view

_LOG_ROWS = 256
"""More events than one step can have: 8 seats, 108 cards, 64 owed announcements."""

_EVENTS = {"timeout": run.TIMEOUT, "leave": run.LEAVE, "end_game": run.END_GAME}


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One public event: the seat it is about (None: the table), what happened, and what was said aloud (or None)."""

    seat: int | None
    text: str
    said: str | None = None

    def __str__(self) -> str:
        return self.text


class Game:
    """One game of Whot. Make it with ``Game.new`` or ``Game.from_position``.

    Actions are names (``whot actions`` lists them); randomness is the game's own generator, so equal seeds and equal
    actions give equal games. Copies and pickles continue identically and share nothing.
    """

    def __init__(self, rules: Rules, states: np.ndarray[Any, Any]) -> None:
        self.rules = rules
        self.log: list[LogEntry] = []
        self._states = states
        self._table = compile_rules(rules)
        self._buffer = np.zeros((_LOG_ROWS, 3), np.int16)

    @classmethod
    def new(cls, rules: RulesLike, num_players: int | None = None, seed: int = 0) -> Self:
        """A freshly dealt game.

        Args:
            rules: a preset name, an object as in a position, or ``Rules``.
            num_players: seats; None: the table's default.
            seed: a whole number from 0.

        Raises:
            RulesError: unknown or impossible rules, or seats that the table does not allow.
        """
        table = as_rules(rules)
        n = table.seats if num_players is None else num_players
        table.check_seats(n)
        states = np.zeros(1, STATE)
        states["num_players"] = n
        game = cls(table, states)
        seeds = np.array([check_seed(seed)], np.uint64)
        run.reset_batch(game._table, states, np.ones(1, np.bool_), seeds, True, game._buffer)
        game._read_log()
        return game

    @classmethod
    def from_position(cls, position: Mapping[str, Any], seed: int = 0) -> Self:
        """The game that stands as ``position`` says (rules section 6), its generator seeded anew.

        Raises:
            PositionError, RulesError: what is wrong, ``key`` naming the JSON key.
        """
        rules, states = read_position(position)
        run.seed_one(states, check_seed(seed))
        return cls(rules, states)

    def position(self) -> dict[str, Any]:
        """The complete position as JSON values (rules section 6)."""
        return write_position(self.rules, self._states[0])

    @property
    def state(self) -> np.ndarray[Any, Any]:
        """STATE[1]: a copy of the record."""
        return self._states.copy()

    def rng_state(self) -> tuple[int, int]:
        """Key and counter of the game's generator."""
        return int(self._states["key"][0]), int(self._states["counter"][0])

    def _get(self, name: str) -> int:
        return int(self._states[name][0])

    @property
    def num_players(self) -> int:
        return self._get("num_players")

    @property
    def asked(self) -> int:
        """The seat asked now."""
        return self._get("asked")

    @property
    def turn(self) -> int:
        """The seat whose turn it is."""
        return self._get("turn")

    @property
    def phase(self) -> str:
        return PHASES[self._get("phase")]

    @property
    def moves(self) -> int:
        """Moves completed this round."""
        return self._get("moves")

    @property
    def over(self) -> bool:
        """Whether the round is over."""
        return self.phase == "over"

    @property
    def match_over(self) -> bool:
        """Whether the match is decided."""
        return self.over and bool(self._get("match_over"))

    def _result(self, name: str) -> list[Any] | None:
        return self._states[name][0, : self.num_players].tolist() if self.over else None

    @property
    def winners(self) -> list[int] | None:
        """Seats that won the round; None while it goes on."""
        won = self._result("winners")
        return None if won is None else [seat for seat, w in enumerate(won) if w]

    @property
    def places(self) -> list[int | None] | None:
        """Place of each seat in the round, 1 = first, None for a seat that was not dealt in; None while it goes on."""
        places = self._result("places")
        return None if places is None else [p or None for p in places]

    @property
    def payoffs(self) -> list[float] | None:
        """Payoff of each seat for the round (rules 4.10); None while it goes on."""
        return self._result("payoffs")

    @property
    def sums(self) -> list[int] | None:
        """Each hand's sum at the end of the round (rules 4.10); None while it goes on."""
        return self._result("sums")

    def action_mask(self) -> npt.NDArray[np.int8]:
        """int8[76]: 1 where the seat asked may take the action."""
        mask = np.empty((1, NUM_ACTIONS), np.int8)
        run.legal_batch(self._table, self._states, mask)
        return mask[0]

    def legal(self) -> list[str]:
        """Names of the actions that the seat asked may take; empty once the round is over."""
        return [ACTION_NAMES[a] for a in self.action_mask().nonzero()[0].tolist()]

    def observation(self, seat: int | None = None) -> npt.NDArray[np.int8]:
        """int8[LAYOUT.size]: what ``seat`` sees (None: the seat asked)."""
        observer = self.asked if seat is None else self.check_seat(seat)
        out = np.empty((1, LAYOUT.size), np.int8)
        run.observe_batch(self._table, self._states, np.array([observer], np.int8), LAYOUT.records(out))
        return out[0]

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """What ``seat`` may see, as JSON values for renderers and clients; None: all cards face up."""
        viewer = None if seat is None else self.check_seat(seat)
        return make_view(self, viewer)

    def step(self, action: str) -> None:
        """The seat asked takes ``action``.

        Raises:
            ActionError: no such action, or not legal now; the game is unchanged.
        """
        if not isinstance(action, str) or action not in ACTION_ID:  # pyright: ignore[reportUnnecessaryIsInstance]
            allowed = ", ".join(self.legal()) or "none, the round is over"
            raise ActionError("action", f"action {shown(action)} does not exist; allowed: {allowed}")
        self._buffer[0, 0] = 0
        status = run.step_one(self._table, self._states, 0, self._buffer, ACTION_ID[action])
        if status != run.DONE:
            allowed = ", ".join(self.legal()) or "none, the round is over"
            raise ActionError(
                "action", f"action {shown(action)} is not legal for seat {self.asked}; allowed: {allowed}"
            )
        self._read_log()

    def event(self, event: Mapping[str, Any]) -> None:
        """A host event (rules 4.12): ``{"timeout": seat}``, ``{"leave": seat}``, ``{"end_game": True}`` or
        ``{"next_round": True}``.

        Raises:
            EventError: malformed, or refused now; the game is unchanged.
        """
        if not isinstance(event, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise EventError("event", f"event is {shown(event)}; allowed: an object with one key")
        if len(event) != 1 or next(iter(event)) not in (*_EVENTS, "next_round"):
            allowed = ", ".join((*_EVENTS, "next_round"))
            raise EventError("event", f"event {shown(dict(event))} is unknown; allowed: {allowed}")
        name, value = next(iter(event.items()))
        if name in ("end_game", "next_round") and value is not True:
            raise EventError("event", f"event {name} is {shown(value)}; allowed: true")
        if name == "next_round":
            self.next_round()
            return
        seat = -1 if name == "end_game" else value
        if name != "end_game" and (isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 8):
            raise EventError(
                "event", f"event {name} is {shown(value)}; allowed: a seat from 0 to {self.num_players - 1}"
            )
        self._buffer[0, 0] = 0
        if not run.event_one(self._table, self._states, 0, self._buffer, _EVENTS[name], seat):
            now = f"in phase {self.phase} with seat {self.asked} asked"
            raise EventError(
                "event", f"event {shown(dict(event))} is refused {now}; allowed: what rules 4.12 lets a host do"
            )
        self._read_log()

    def reaction(self, seconds: Mapping[int, Any]) -> None:
        """Give raw reaction times by seat, kept until a press (react) or a proposal uses them (rules section 7)."""
        if not isinstance(seconds, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WhotError("reaction", f"reaction is {shown(seconds)}; allowed: an object of seconds by seat")
        for seat, value in seconds.items():
            self.check_seat(seat)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value < 1e9:
                raise WhotError("reaction", f"reaction of seat {seat} is {shown(value)}; allowed: seconds from 0")
        for seat, value in seconds.items():
            self._states["forced"][0, seat] = value

    def next_round(self) -> None:
        """Deal the next round of an undecided match.

        Raises:
            EventError: the round still goes on, or the match is decided.
        """
        if not self.over or self.match_over:
            reason = "the match is decided" if self.over else "the round goes on"
            raise EventError("next_round", f"next_round is refused: {reason}; allowed: after a round of an open match")
        self._buffer[0, 0] = 0
        run.next_round_one(self._table, self._states, 0, self._buffer)
        self._read_log()

    def check_seat(self, seat: Any) -> int:
        """``seat`` as int; raises ``WhotError`` for none of this table."""
        number = as_int(seat)
        if number is None or not 0 <= number < self.num_players:
            raise WhotError("seat", f"seat is {shown(seat)}; allowed: 0 to {self.num_players - 1}")
        return number

    def _read_log(self) -> None:
        rows: list[list[int]] = self._buffer[1 : self._buffer[0, 0] + 1].tolist()
        for kind, seat, value in rows:
            said = event_log.SAYINGS[value] if kind == event_log.LOG_SAID else None
            self.log.append(LogEntry(None if seat < 0 else seat, tell(kind, seat, value), said))

    def redeal(self, seed: int, seat: int | None = None) -> Self:
        """Another world of the same information set: a copy in which all that ``seat`` (None: the seat asked) cannot
        know is drawn anew; see ``Batch.redeal``.

        Raises:
            WhotError: the round is over and hides nothing.
        """
        if self.over:
            raise WhotError(
                "redeal", "redeal is refused: the round is over and hides nothing; allowed: while it goes on"
            )
        observer = self.asked if seat is None else self.check_seat(seat)
        world = self.copy()
        seats, seeds = np.array([observer], np.int8), np.array([check_seed(seed)], np.uint64)
        run.redeal_batch(world._table, world._states, seats, seeds)
        return world

    def copy(self) -> Self:
        """An independent copy that continues identically."""
        return _copy.deepcopy(self)

    def __copy__(self) -> Self:
        # A shallow copy would share the record, and stepping one game would move the other.
        return self.copy()
