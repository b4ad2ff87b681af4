"""``Lanes``: many games in each of which one seat learns and policies play the others, all advanced together."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from whot_env.actions import ACTION_NAMES, NUM_ACTIONS
from whot_env.batch import Batch
from whot_env.engine import run
from whot_env.engine.log import NO_LOG
from whot_env.envs.draw import Frame, Scribe, draw
from whot_env.envs.move_count import MoveCount, Rows
from whot_env.envs.opponents import PYTHON, number_of, play_opponents
from whot_env.envs.options import Opponents, Options, check_opponents
from whot_env.errors import ActionError, WhotError, shown
from whot_env.lane_random import LaneRandom
from whot_env.observation import LAYOUT
from whot_env.policies import Policy
from whot_env.state import STATE

_RECORD = np.dtype((np.void, STATE.itemsize))
_ENDLESS = 1 << 62


class Lanes:
    """``num_lanes`` games of one table, each with a learner's seat.

    A lane's game, its learner's seat and all choices of its policies depend on the lane's seed alone. The results of
    the last ``step`` are in ``rewards``, ``terminated``, ``truncated`` and ``illegal``, new arrays each time.

    Args:
        options: the table.
        num_lanes: games.
        seat: the learner's seat; None: drawn anew for each episode.
        opponents: who plays the other seats.
    """

    def __init__(self, options: Options, num_lanes: int, seat: int | None, opponents: Opponents) -> None:
        self.options = options
        self.batch = Batch(options.rules, options.num_players, num_lanes)
        self.num_lanes = num_lanes
        self.seat = np.full(num_lanes, seat or 0, np.int8)
        """int8[B]: the learner's seat."""
        self.done = np.ones(num_lanes, np.bool_)
        """bool[B]: the episode is over, or none was started."""
        self._fixed_seat = seat
        self._random = LaneRandom(num_lanes)
        # The engine writes one log for a whole batch, so that only a single game has one to show.
        self._scribe = Scribe(options.render_mode is not None and num_lanes == 1)
        self._moves = MoveCount(self.batch.states)
        self._actions = np.zeros(num_lanes, np.int64)
        self._select = np.zeros(num_lanes, np.bool_)
        self._status = np.zeros(num_lanes, np.int8)
        self.set_opponents([opponents])
        self._clear_results()

    def set_opponents(self, teams: Sequence[Opponents], shares: Sequence[float] | None = None) -> None:
        """Give each lane its opponents: the lanes are divided among ``teams`` in blocks, in order.

        Args:
            teams: each what ``opponents`` may be: one policy, or one for each other seat.
            shares: each team's part of the lanes, in any unit; None: equal parts.

        Raises:
            WhotError: no team, a policy that is none, or shares that are negative, all zero or of another number.
        """
        if not isinstance(teams, Sequence) or isinstance(teams, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WhotError("opponents", f"teams are {shown(teams)}; allowed: a list of opponents")
        try:
            weights = np.ones(len(teams)) if shares is None else np.asarray(shares, np.float64)
        except (TypeError, ValueError, OverflowError):
            weights = np.zeros(0)  # no numbers: refused as shares of another number are
        if not len(teams) or weights.shape != (len(teams),) or (weights < 0).any() or not 0 < weights.sum() < np.inf:
            allowed = f"{len(teams)} numbers of at least 0, not all 0"
            raise WhotError("shares", f"shares are {shown(shares)}; allowed: {allowed}")
        checked = [check_opponents(team, self.options.num_players) for team in teams]
        self._policies: list[Policy] = list({id(policy): policy for team in checked for policy in team}.values())
        index = {id(policy): i for i, policy in enumerate(self._policies)}
        table = np.array([[0, *(index[id(policy)] for policy in team)] for team in checked], np.intp)
        ends = np.rint(np.cumsum(weights) / weights.sum() * self.num_lanes)
        self.team = np.searchsorted(ends, np.arange(self.num_lanes), side="right")
        """int[B]: which of the teams plays in the lane."""
        self._policy_of = table[self.team]  # [B, P]: policy of the seat at a distance clockwise from the learner's
        # Pictures want a log of every action, and a kernel that takes several would write them all into one.
        numbers = [PYTHON if self._scribe.awake else number_of(policy) for policy in self._policies]
        self._number_of = np.array(numbers, np.int8)[self._policy_of]
        self._number_of[:, 0] = PYTHON

    def reset(self, rows: Rows, seeds: npt.NDArray[np.uint64] | None = None) -> None:
        """Start an episode in each of ``rows``, up to the learner's first decision.

        Matches that end before the learner was ever asked are dealt again.

        Args:
            rows: lane numbers.
            seeds: uint64[len(rows)]; None: each lane's generators go on.
        """
        batch, full = self.batch, np.zeros(self.num_lanes, np.uint64)
        reseed = seeds is not None
        if seeds is not None:
            full[rows] = seeds
            self._random.seed(rows, seeds)
        while rows.size:
            self._scribe.clear()
            self._select[rows] = True
            run.reset_batch(batch.table, batch.states, self._select, full, reseed, self._scribe.buffer)
            self._select[rows] = False
            self._scribe.read()
            reseed = False
            if self._fixed_seat is None:
                self.seat[rows] = (self._random.draw(rows)[:, 0] * self.options.num_players).astype(np.int8)
            self._moves.clear(rows)
            self.done[rows] = False
            self.illegal[rows] = False
            self._let_opponents_play(rows, None)
            rows = rows[self._over(rows)]

    def step(self, actions: npt.NDArray[Any], rows: Rows | None = None) -> None:
        """The learners' actions in ``rows``, then the opponents' until each learner is asked again or its episode ends.

        Args:
            actions: integers [B]; those outside ``rows`` are ignored.
            rows: lane numbers, none of them done; None: all.

        Raises:
            ActionError: a value that is no action id.
        """
        rows = np.arange(self.num_lanes) if rows is None else rows
        chosen = check_actions(actions, self.num_lanes)[rows]
        self._clear_results()
        refused = self._act(rows, chosen) == run.ILLEGAL
        broken, rows = rows[refused], rows[~refused]
        self.illegal[broken] = True
        self.terminated[broken] = True
        self.rewards[broken] = -1.0
        self._let_opponents_play(rows, self.options.max_moves)
        over = self._over(rows)
        ended = rows[over]
        self.terminated[ended] = True
        self.rewards[ended] = self.batch.payoffs[ended, self.seat[ended]]
        if self.options.max_moves is not None:
            going = rows[~over]
            self.truncated[going] = self._moves.count[going] >= self.options.max_moves
        self.done |= self.terminated | self.truncated

    def observe(self, rows: Rows | None = None) -> npt.NDArray[np.int8]:
        """int8[len(rows), LAYOUT.size], a new array: what each learner sees; None: in all lanes."""
        if rows is None:
            return self._observe_records(self.batch.states, self.seat)
        return self._observe_records(self._records(rows), self.seat[rows])

    def action_mask(self) -> npt.NDArray[np.int8]:
        """int8[B, 76], a new array: each learner's legal actions; all zero where the episode is over."""
        mask = self.batch.action_mask()
        mask[self.done] = 0
        return mask

    def render(self, lane: int = 0) -> Frame:
        """The lane's table as its learner sees it, in the table's render mode."""
        game = self._scribe.game(self.options.rules, self.batch.states[lane : lane + 1])
        return draw(game, int(self.seat[lane]), self.options.render_mode)

    def _clear_results(self) -> None:
        self.rewards = np.zeros(self.num_lanes, np.float64)
        self.terminated = np.zeros(self.num_lanes, np.bool_)
        self.truncated = np.zeros(self.num_lanes, np.bool_)
        self.illegal = np.zeros(self.num_lanes, np.bool_)

    def _over(self, rows: Rows) -> npt.NDArray[np.bool_]:
        return self.batch.states["match_over"][rows] == 1

    def _let_opponents_play(self, rows: Rows, max_moves: int | None) -> None:
        """Until the learner is asked, the match is over, or ``max_moves`` moves were made, in each of ``rows``."""
        batch, asked, limit = self.batch, self.batch.asked, _ENDLESS if max_moves is None else max_moves
        while True:
            play_opponents(
                batch.table,
                batch.states,
                rows,
                self.seat,
                self._number_of,
                self._random.keys,
                self._random.counters,
                self._moves.count,
                limit,
                NO_LOG,
            )
            waiting = (asked[rows] != self.seat[rows]) & ~self._over(rows)
            if max_moves is not None:
                waiting &= self._moves.count[rows] < max_moves
            rows = rows[waiting]
            if not rows.size:
                return
            self._act_by_policies(rows)

    def _act_by_policies(self, rows: Rows) -> None:
        # Copied: with few of many lanes waiting, that is cheaper than looking at all of them.
        states = self._records(rows)
        asked = np.ascontiguousarray(states["asked"])
        observation = self._observe_records(states, asked)
        mask = np.empty((len(rows), NUM_ACTIONS), np.int8)
        run.legal_batch(self.batch.table, states, mask)
        distance = (asked - self.seat[rows]) % self.options.num_players
        which = self._policy_of[rows, distance]
        if len(self._policies) == 1:
            actions = self._choose(self._policies[0], rows, observation, mask)
        else:
            actions = np.empty(len(rows), np.int64)
            for number, policy in enumerate(self._policies):
                mine = np.flatnonzero(which == number)
                if mine.size:
                    actions[mine] = self._choose(policy, rows[mine], observation[mine], mask[mine])
        refused = self._act(rows, actions) == run.ILLEGAL
        if refused.any():
            first = int(np.flatnonzero(refused)[0])
            name, action = self._policies[which[first]].name, int(actions[first])
            what = ACTION_NAMES[action] if 0 <= action < NUM_ACTIONS else "no action"
            raise ActionError("opponents", f"opponent {name!r} chose {action} ({what}); allowed: what its mask marks")

    def _choose(
        self, policy: Policy, rows: Rows, observation: npt.NDArray[np.int8], mask: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.int64]:
        actions = np.asarray(policy.act(observation, mask, self._random.source(rows)))
        if actions.shape != (len(rows),) or actions.dtype.kind not in "iu":
            what = f"{actions.dtype}{list(actions.shape)}"
            raise ActionError("opponents", f"opponent {policy.name!r} chose {what}; allowed: integers [{len(rows)}]")
        return actions.astype(np.int64, copy=False)

    def _records(self, rows: Rows) -> np.ndarray[Any, Any]:
        """STATE[len(rows)], copied as plain bytes because NumPy copies structured records field by field."""
        return self.batch.states.view(_RECORD)[rows].view(STATE)

    def _observe_records(self, states: np.ndarray[Any, Any], seats: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        observation = np.empty((len(states), LAYOUT.size), np.int8)
        run.observe_batch(self.batch.table, states, seats, LAYOUT.records(observation))
        return observation

    def _act(self, rows: Rows, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        """int8[len(rows)]: the engine's status of one action in each of ``rows``."""
        batch = self.batch
        states = batch.states
        self._actions[rows] = actions
        self._select[rows] = True
        before = None if self.options.max_moves is None else self._moves.before(rows)
        run.step_batch(batch.table, states, self._actions, self._select, self._status, self._scribe.buffer)
        self._select[rows] = False
        self._scribe.read()
        if before is not None:
            self._moves.add(rows, before)
        return self._status[rows]


def check_actions(actions: Any, num_lanes: int) -> npt.NDArray[np.int64]:
    """int64[num_lanes] action ids, legal or not.

    Raises:
        ActionError: another shape, no integers, or a value outside the action space.
    """
    try:
        ids = np.asarray(actions)
    except ValueError:
        ids = np.zeros(0)  # lists of different lengths: no array at all
    if ids.shape != (num_lanes,) or ids.dtype.kind not in "iu" or ((ids < 0) | (ids >= NUM_ACTIONS)).any():
        raise ActionError(
            "action", f"action is {shown(actions)}; allowed: {num_lanes} whole numbers from 0 to {NUM_ACTIONS - 1}"
        )
    return ids.astype(np.int64, copy=False)
