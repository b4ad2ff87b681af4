"""``Batch``: many games stepped together, the fast path under every environment and trainer."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from whot_env.actions import NUM_ACTIONS
from whot_env.engine import run
from whot_env.engine.choose import NAMES as POLICIES
from whot_env.engine.log import NO_LOG
from whot_env.errors import ActionError, EventError, RulesError, WhotError, shown
from whot_env.observation import LAYOUT
from whot_env.outputs import Outputs
from whot_env.rules import MAX_SEATS, RulesLike, as_rules, compile_table
from whot_env.state import PHASES, STATE

Int8Array = npt.NDArray[np.int8]
OVER = PHASES.index("over")

MAX_GAMES = 1 << 24
"""Games in one batch at most: 30 GB of records."""

MAX_STEPS = 1 << 30
"""Steps of one call at most."""

MAX_THREADS = 256


class Batch:
    """``num_games`` games in one structured array.

    Lane ``i`` is seeded ``seed + i`` and plays exactly as ``Game.new(rules, num_players, seed=seed + i)``.

    Args:
        rules: a preset name, an object or ``Rules`` for all lanes, or a sequence of them, one a lane.
        num_players: seats of every lane, or one number a lane; None: each table's default.
        num_games: lanes.
        seed: of lane 0, at least 0.

    Raises:
        RulesError: unknown or impossible rules, or seats that the table does not allow.
    """

    def __init__(
        self,
        rules: RulesLike | Sequence[RulesLike],
        num_players: int | Sequence[int] | None = None,
        num_games: int = 1,
        seed: int = 0,
    ) -> None:
        if not 1 <= (as_int(num_games) or 0) <= MAX_GAMES:
            raise WhotError("num_games", f"num_games is {num_games!r}; allowed: 1 to {MAX_GAMES}")
        if isinstance(rules, Sequence) and not isinstance(rules, str):
            lanes = [as_rules(r) for r in rules]
        else:
            lanes = [as_rules(rules)] * num_games
        if len(lanes) != num_games:
            raise RulesError("rules", f"rules has {len(lanes)} entries; allowed: one for each of {num_games} games")
        distinct = list(dict.fromkeys(lanes))
        row = {r: i for i, r in enumerate(distinct)}
        seats = [num_players] * num_games if not isinstance(num_players, Sequence) else list(num_players)
        if len(seats) != num_games:
            raise RulesError("num_players", f"num_players has {len(seats)} entries; allowed: {num_games}, one a game")
        counts = [r.seats if n is None else n for r, n in zip(lanes, seats, strict=True)]
        for pair in dict.fromkeys(zip(lanes, counts, strict=True)):
            pair[0].check_seats(pair[1])
        self.rules = lanes
        self.table = compile_table(distinct)
        self.num_games = num_games
        self.states = np.zeros(num_games, STATE)
        self.states["rules"] = [row[r] for r in lanes]
        self.states["num_players"] = counts
        self.reset(seeds=check_seed(seed) + np.arange(num_games, dtype=np.uint64))

    @property
    def num_players(self) -> Int8Array:
        """int8[B]: seats at each table."""
        return self.states["num_players"]

    @property
    def asked(self) -> Int8Array:
        """int8[B]: the seat asked (the one that moved last, once the match is over)."""
        return self.states["asked"]

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """bool[B]: the match is over."""
        return (self.states["phase"] == OVER) & (self.states["match_over"] == 1)

    @property
    def payoffs(self) -> npt.NDArray[np.float64]:
        """float64[B, 8]: each seat's payoff of the match, zero until it is over."""
        return self.states["match_payoffs"]

    def _select(self, lanes: npt.ArrayLike | None) -> npt.NDArray[np.bool_]:
        if lanes is None:
            return np.ones(self.num_games, np.bool_)
        chosen = np.asarray(lanes)
        if chosen.dtype == np.bool_ and chosen.shape == (self.num_games,):
            return chosen
        if chosen.size and (chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= self.num_games):
            raise WhotError("lanes", f"lanes are {lanes!r}; allowed: bool[{self.num_games}] or numbers below that")
        select = np.zeros(self.num_games, np.bool_)
        if chosen.size:
            select[chosen] = True
        return select

    def reset(self, lanes: npt.ArrayLike | None = None, seeds: npt.ArrayLike | None = None) -> None:
        """Start a new match in the chosen lanes.

        Args:
            lanes: bool[B] or lane numbers; None: all.
            seeds: uint64[B], or None: each record's own generator goes on.
        """
        reseed = seeds is not None
        values = np.zeros(self.num_games, np.uint64)
        if seeds is not None:
            values = self._seeds(seeds)
        run.reset_batch(self.table, self.states, self._select(lanes), values, reseed, NO_LOG)

    def step(self, actions: npt.ArrayLike, lanes: npt.ArrayLike | None = None) -> Int8Array:
        """One action in each chosen lane, by the seat asked; an undecided match deals its next round at once.

        Args:
            actions: integers [B].
            lanes: bool[B] or lane numbers; None: all.

        Returns:
            int8[B] status: 0 done, 1 illegal (the record is unchanged), 2 the match was over, 3 not chosen.
        """
        ids = self._actions(actions)
        status = np.empty(self.num_games, np.int8)
        select = self._select(lanes)
        run.step_batch(self.table, self.states, ids, select, status, NO_LOG)
        return status

    def _actions(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        ids = np.asarray(actions)
        if ids.shape != (self.num_games,) or ids.dtype.kind not in "iu":
            raise ActionError(
                "actions", f"actions are {ids.dtype}{list(ids.shape)}; allowed: integers [{self.num_games}]"
            )
        return ids.astype(np.int64, copy=False)

    def outputs(self) -> Outputs:
        """Fresh arrays for ``advance`` and ``play``, holding what the seats asked see now."""
        n, seats = self.num_games, int(self.num_players.max())
        rewards = np.zeros((n, seats), np.float32)
        return Outputs(self.observe(), self.action_mask(), rewards, np.zeros(n, np.bool_), np.zeros(n, np.int8))

    def advance(self, actions: npt.ArrayLike, out: Outputs, threads: int = 1) -> None:
        """One action in every game by the seat asked, a new match where one ended, and what is to be seen then, in one
        pass over memory and without allocating.

        A new match goes on with its game's generator. An illegal action changes nothing but ``status``.

        Args:
            actions: integers [B].
            out: written, see ``Outputs``.
            threads: cores to use; what is written does not depend on it.

        Raises:
            ActionError, WhotError: ``actions``, ``out`` or ``threads`` is of another form.
        """
        ids = self._actions(actions)

        def part(rows: slice) -> None:
            o = out.rows(rows)
            seen = LAYOUT.records(o.observation)
            run.advance_batch(
                self.table, self.states[rows], ids[rows], o.status, seen, o.action_mask, o.rewards, o.done, NO_LOG
            )

        self._in_parts(part, out, threads)

    def play(self, policy: str, steps: int, keys: npt.NDArray[np.uint64], out: Outputs, threads: int = 1) -> None:
        """``steps`` times ``advance``, with actions that a policy chooses inside the kernel.

        Args:
            policy: ``uniform`` or ``playful``.
            steps: decisions in each game.
            keys: uint64[B], state of each lane's source of choices; moved on in place.
            out: written after every step.
            threads: cores to use; what is written does not depend on it.

        Raises:
            WhotError: an argument is wrong.
        """
        if policy not in POLICIES:
            raise WhotError("policy", f"policy is {shown(policy)}; allowed: {', '.join(POLICIES)}")
        if not 1 <= (as_int(steps) or 0) <= MAX_STEPS:
            raise WhotError("steps", f"steps is {shown(steps)}; allowed: 1 to {MAX_STEPS}")
        if keys.shape != (self.num_games,) or keys.dtype != np.uint64:
            raise WhotError("keys", f"keys are {keys.dtype}{list(keys.shape)}; allowed: uint64[{self.num_games}]")
        number = POLICIES.index(policy)
        legal = np.empty((self.num_games, 2), np.uint64)
        self.reset(self.over)  # where ``step`` has ended a match

        def part(rows: slice) -> None:
            o = out.rows(rows)
            seen = LAYOUT.records(o.observation)
            arrays = (seen, o.action_mask, o.rewards, o.done, NO_LOG)
            run.play_batch(self.table, self.states[rows], keys[rows], legal[rows], number, steps, *arrays)

        self._in_parts(part, out, threads)
        out.status[:] = 0

    def _in_parts(self, part: Callable[[slice], None], out: Outputs, threads: int) -> None:
        """Run ``part`` on ``threads`` ranges of games at a time; kernels hold no lock, so that cores share the work."""
        out.check(self.num_games, int(self.num_players.max()))
        if not 1 <= (as_int(threads) or 0) <= MAX_THREADS:
            raise WhotError("threads", f"threads is {shown(threads)}; allowed: 1 to {MAX_THREADS}")
        if threads == 1:
            part(slice(0, self.num_games))
            return
        edges = np.linspace(0, self.num_games, threads + 1).astype(int).tolist()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(part, map(slice, edges[:-1], edges[1:])))

    def observe(self, seats: npt.ArrayLike | None = None, out: Int8Array | None = None) -> Int8Array:
        """int8[B, LAYOUT.size]: what the seat asked (or each of ``seats``, int[B]) sees, written into ``out``."""
        result = self._output(out, LAYOUT.size)
        run.observe_batch(self.table, self.states, self._observers(seats), LAYOUT.records(result))
        return result

    def redeal(self, seeds: npt.ArrayLike, seats: npt.ArrayLike | None = None) -> None:
        """Replace in every game, in place, what the seat asked (or each of ``seats``) cannot know by a random draw.

        Afterwards the game is another world of the same information set: that seat's observation and mask are the same
        to the byte. All ways to share out the unseen cards are equally likely; sealed answers, the market's order and
        the game's generator are drawn anew; a move that another seat is building goes back to its first step.

        Args:
            seeds: uint64[B]; they decide everything that is drawn, and what the games draw later.
            seats: int[B] observers; None: the seats asked.

        Raises:
            WhotError: a game is over (its hands are then open), or a seat or seed is none.
        """
        if (self.states["phase"] == OVER).any():
            raise WhotError("lanes", "a game is over and hides nothing; allowed: games that go on")
        values = self._seeds(seeds)
        run.redeal_batch(self.table, self.states, self._observers(seats), values)

    def action_mask(self, out: Int8Array | None = None) -> Int8Array:
        """int8[B, 76]: 1 where the seat asked may take the action; all zero once the match is over."""
        result = self._output(out, NUM_ACTIONS)
        run.legal_batch(self.table, self.states, result)
        return result

    def _output(self, out: Int8Array | None, width: int) -> Int8Array:
        """The array to write into; kernels do not look at its bounds, so a wrong one is refused here."""
        shape = (self.num_games, width)
        if out is None:
            return np.empty(shape, np.int8)
        if out.shape != shape or out.dtype != np.int8 or not out.flags.writeable:
            raise WhotError("out", f"out is {out.dtype}{list(out.shape)}; allowed: a writable int8{list(shape)}")
        return out

    def _observers(self, seats: npt.ArrayLike | None) -> Int8Array:
        chosen = np.array(self.asked)
        if seats is not None:
            given = self._integers("seats", seats)
            if ((given < 0) | (given >= self.num_players)).any():
                raise WhotError("seats", "seats name a seat that is not at its table; allowed: 0 to num_players - 1")
            chosen[:] = given
        return chosen

    def _seeds(self, seeds: npt.ArrayLike) -> npt.NDArray[np.uint64]:
        given = self._integers("seeds", seeds)
        if (given < 0).any():
            raise WhotError("seeds", "seeds hold a negative number; allowed: whole numbers from 0")
        return given.astype(np.uint64)

    def _integers(self, name: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
        """One whole number a game; a single one stands for all."""
        given = np.asarray(values)
        if given.dtype.kind not in "iu" or given.shape not in ((), (self.num_games,)):
            shape = list(given.shape)
            raise WhotError(name, f"{name} are {given.dtype}{shape}; allowed: whole numbers [{self.num_games}]")
        return np.broadcast_to(given, (self.num_games,))

    def _event(self, lane: int, event: int, seat: int, name: str) -> None:
        index = as_int(lane)
        if index is None or not 0 <= index < self.num_games:
            raise WhotError("lane", f"lane is {lane!r}; allowed: 0 to {self.num_games - 1}")
        number = as_int(seat)
        if number is None:
            raise WhotError("seat", f"seat is {seat!r}; allowed: a whole number")
        # Plain ints that fit: for each of NumPy's integer types the kernel would be compiled anew.
        known = abs(number) < MAX_SEATS
        if not known or not run.event_one(self.table, self.states, index, NO_LOG, event, number):
            what = name if event == run.END_GAME else f"{name} of seat {number}"
            raise EventError(name, f"{what} is refused in lane {index}; allowed: what rules 4.12 lets a host do")
        state = self.states[index]
        if state["phase"] == OVER and not state["match_over"]:
            run.next_round_one(self.table, self.states, index, NO_LOG)

    def leave(self, lane: int, seat: int) -> None:
        """Host event: ``seat`` leaves the match of ``lane`` (rules 4.12)."""
        self._event(lane, run.LEAVE, seat, "leave")

    def timeout(self, lane: int, seat: int) -> None:
        """Host event: ``seat``, which is asked, ran out of time (rules 4.12)."""
        self._event(lane, run.TIMEOUT, seat, "timeout")

    def end_game(self, lane: int) -> None:
        """Host event: the round of ``lane`` is counted now (rules 4.12)."""
        self._event(lane, run.END_GAME, -1, "end_game")


def as_int(value: Any) -> int | None:
    """A whole number as ``int``, NumPy's included; None for anything else, ``True`` and ``False`` too."""
    return int(cast(int, value)) if isinstance(value, (int, np.integer)) and not isinstance(value, bool) else None


def check_seed(seed: Any) -> np.uint64:
    """``seed`` as uint64; refuses what is not a whole number from 0 to 2**63 - 1."""
    number = as_int(seed)
    if number is None or not 0 <= number < 1 << 63:
        raise WhotError("seed", f"seed is {shown(seed)}; allowed: a whole number from 0 to 2**63 - 1")
    return np.uint64(number)
