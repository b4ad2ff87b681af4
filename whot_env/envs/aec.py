"""PettingZoo, one seat at a time (agent environment cycle)."""

from typing import Any

import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv

from whot_env.actions import NUM_ACTIONS
from whot_env.batch import Batch
from whot_env.engine import run
from whot_env.envs.draw import Scribe, draw
from whot_env.envs.move_count import MoveCount
from whot_env.envs.one_game import REFUSED, SETTLED, act, see
from whot_env.envs.options import RENDER_MODES, check_options, check_seed
from whot_env.envs.spaces import action_space, masked_observation, state_box
from whot_env.errors import ActionError, EventError, WhotError, shown
from whot_env.observation import LAYOUT
from whot_env.rules import RulesLike

Observation = dict[str, npt.NDArray[np.int8]]
_ONLY = np.zeros(1, np.intp)
"""The one lane."""


class WhotAEC(AECEnv[str, Observation, int]):
    """Every seat an agent, ``player_0`` to ``player_<n - 1>``; an episode is a match.

    Observation: ``observation`` int8[LAYOUT.size] (``print(whot_env.LAYOUT)``) and ``action_mask`` int8[76], all zero
    for a seat that is not asked. ``observe`` works for every possible agent at any time, after the end too.

    Ends. All agents terminate when the match is over and get their payoffs (rules 4.10), which add up to zero. An agent
    terminates earlier when nothing more can be asked of it and its result stands: its seat left, or went out in a
    single-round match in which the others may play on. It then gets its payoff, is stepped once with None, and the seat
    asked follows. In a match of several rounds a seat that is out comes back with the next deal, and stays an agent.

    An illegal action ends the game: the offender gets -1, the others share what makes the sum zero, and the offender's
    info says ``illegal_action``. Infos hold nothing else.

    Besides PettingZoo's methods there are the host events of rules 4.12: ``leave``, ``timeout`` and ``end_game``.

    Args:
        rules: a preset name, an object as in a position, or ``Rules``.
        num_players: seats; None: the table's default.
        reward: ``payoff``.
        max_moves: moves after which the episode is truncated; None: never.
        render_mode: ``human`` (text on standard output), ``ansi`` (text), ``rgb_array`` (drawn cards), or None.

    Raises:
        WhotError: an option is wrong.
    """

    metadata = {"name": "whot_v0", "render_modes": list(RENDER_MODES), "render_fps": 2, "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self,
        rules: RulesLike = "arcade",
        num_players: int | None = None,
        reward: str = "payoff",
        max_moves: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self._options = check_options(rules, num_players, reward, max_moves, render_mode)
        n = self._options.num_players
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(n)]
        self.agents = []
        self.terminations, self.truncations = {}, {}
        self.state_space = state_box(n)
        self._observation_spaces = {agent: masked_observation() for agent in self.possible_agents}
        self._action_spaces = {agent: action_space() for agent in self.possible_agents}
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._batch = Batch(self._options.rules, n)
        self._seeded = False
        self._scribe = Scribe(render_mode is not None)
        self._moves = MoveCount(self._batch.states)
        # What the kernels write, made once.
        self._seen, self._mask = np.zeros(1, LAYOUT.dtype), np.zeros((1, NUM_ACTIONS), np.int8)

    def observation_space(self, agent: str) -> Any:
        """``observation`` and ``action_mask``."""
        return self._observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> Any:
        """The 76 actions."""
        return self._action_spaces[self._known(agent)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new match.

        Args:
            seed: of the deals; None: the game's generator goes on (from the system's entropy at first).
            options: none are known; ignored.
        """
        seeds = np.zeros(1, np.uint64)
        reseed = seed is not None or not self._seeded
        if reseed:
            seeds[0] = np.random.default_rng().integers(1 << 62) if seed is None else check_seed(seed)
            self._seeded = True
        self._scribe.clear()
        batch = self._batch
        run.reset_batch(batch.table, batch.states, np.ones(1, np.bool_), seeds, reseed, self._scribe.buffer)
        self._scribe.read()
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"illegal_action": False} for agent in self.agents}
        self._skip_agent_selection = None
        self._moves.clear(_ONLY)
        self._paid = 0.0
        self._select()
        self._show()

    def step(self, action: int | None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The selected agent's action; None for an agent that has terminated or was truncated.

        Raises:
            ActionError: no action id (an illegal one ends the game instead).
            WhotError: no agent is left, or the environment was never reset.
        """
        if not self.agents:
            raise WhotError("agents", "no agent is left to step; allowed: reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)  # pyright: ignore[reportArgumentType]
            if self.agents:
                self._select()
            return
        number = _action_id(action)
        before = self._begin_change()
        self._cumulative_rewards[agent] = 0.0
        batch = self._batch
        result = act(batch.table, batch.states, self._scribe.buffer, number)
        self._scribe.read()
        if result == REFUSED:
            self._end_by(agent)
        elif result == SETTLED or before is not None:
            self._end_change(before)
        self._select()
        self._show()

    def observe(self, agent: str) -> Observation:
        """What ``agent`` sees, in new arrays. Raises ``WhotError`` for an agent that is none."""
        batch, seat = self._batch, self._seat[self._known(agent)]
        see(batch.table, batch.states, seat, self._is_live(agent), self._seen, self._mask)
        return {"observation": self._seen["whole"][0].copy(), "action_mask": self._mask[0].copy()}

    def state(self) -> npt.NDArray[np.int8]:
        """int8[num_players, LAYOUT.size]: what all seats see, for learners that train with the whole table known."""
        return np.stack([self.observe(agent)["observation"] for agent in self.possible_agents])

    def render(self) -> Any:
        """The table as the seat asked sees it: uint8[height, width, 3], text, or None (see ``render_mode``)."""
        game = self._scribe.game(self._options.rules, self._batch.states)
        return draw(game, self._asked_seat(), self.render_mode)

    def close(self) -> None:
        """Nothing to release."""

    def leave(self, agent: str) -> None:
        """Host event: ``agent`` leaves the match.

        Raises:
            EventError: refused, because the seat is out or gone or the match is over.
        """
        self._host_event("leave", agent)

    def timeout(self, agent: str) -> None:
        """Host event: ``agent``, which is asked, ran out of time.

        Raises:
            EventError: refused, because it is not asked, the table has no timeout rule, or the match is over.
        """
        self._host_event("timeout", agent)

    def end_game(self) -> None:
        """Host event: the round is counted now.

        Raises:
            EventError: refused, because a play is being proposed or the match is over.
        """
        self._host_event("end_game")

    def _host_event(self, event: str, agent: str | None = None) -> None:
        if not any(map(self._is_live, self.agents)):
            raise EventError(event, f"{event} is refused; allowed: after reset() and before the end")
        if event != "end_game":
            self._known(agent)
        before = self._begin_change()
        if event == "end_game" or agent is None:
            self._batch.end_game(0)
        elif event == "leave":
            self._batch.leave(0, self._seat[agent])
        else:
            self._batch.timeout(0, self._seat[agent])
        self._end_change(before)
        self._select()
        self._show()

    def _known(self, agent: Any) -> str:
        if not isinstance(agent, str) or agent not in self._seat:
            raise WhotError("agent", f"agent is {shown(agent)}; allowed: {', '.join(self.possible_agents)}")
        return agent

    def _is_live(self, agent: str) -> bool:
        """Whether ``agent`` is still in the episode."""
        return not self.terminations.get(agent, True) and not self.truncations[agent]

    def _asked_seat(self) -> int:
        return self._batch.states["asked"].item()

    def _begin_change(self) -> Any:
        self._clear_rewards()
        return None if self._options.max_moves is None else self._moves.before(_ONLY)

    def _end_change(self, before: Any) -> None:
        """Work out who terminates, is truncated and is paid, after an action or an event was accepted."""
        if before is not None:
            self._moves.add(_ONLY, before)
        record = self._batch.states
        if record["match_over"][0]:
            self._finish(self.agents, self._batch)
            return
        if record["out_len"][0] or record["left_len"][0]:
            self._finish(self._settled(), None)
        if before is not None and self._moves.count[0] >= self._options.max_moves:
            self.truncations = {agent: not self.terminations[agent] for agent in self.agents}

    def _settled(self) -> list[str]:
        """Agents of whom nothing more can be asked in this match and whose results stand."""
        record = self._batch.states[0]
        gone = record["left"][: record["left_len"]].tolist()
        if self._options.rules.match[0] == "single":
            gone += record["out"][: record["out_len"]].tolist()
        return [agent for seat in gone if (agent := self.possible_agents[seat]) in self.agents]

    def _finish(self, agents: list[str], counted: Batch | None) -> None:
        """Terminate ``agents``, each with its payoff; ``counted``: where the match is over, None: it goes on."""
        ending = [agent for agent in agents if self._is_live(agent)]
        if not ending:
            return
        payoffs = (counted or self._counted_now()).payoffs[0]
        for agent in ending:
            self.terminations[agent] = True
            self.rewards[agent] = payoffs.item(self._seat[agent])
        self._pay()

    def _counted_now(self) -> Batch:
        """A copy of the game, counted until its match is over: what is settled pays the same however the rest ends."""
        copy = Batch(self._options.rules, self._options.num_players)
        copy.states[:] = self._batch.states
        while not copy.over[0]:
            copy.end_game(0)
        return copy

    def _end_by(self, offender: str) -> None:
        """The game ends because ``offender`` did what is not legal."""
        others = [agent for agent in self.agents if agent != offender]
        for agent in others:
            self.rewards[agent] = (1.0 - self._paid) / len(others)
        self.rewards[offender] = -1.0
        self.infos[offender] = {"illegal_action": True}
        self.terminations = dict.fromkeys(self.agents, True)
        self._pay()

    def _pay(self) -> None:
        self._paid += sum(self.rewards.values())
        self._accumulate_rewards()

    def _select(self) -> None:
        """Agents that are done step first, in seat order; then the seat asked."""
        if True in self.terminations.values() or True in self.truncations.values():
            self.agent_selection = next(agent for agent in self.agents if not self._is_live(agent))
        else:
            self.agent_selection = self.possible_agents[self._asked_seat()]

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


def _action_id(action: Any) -> int:
    """An action id, legal or not."""
    if isinstance(action, (int, np.integer)) and not isinstance(action, bool) and 0 <= action < NUM_ACTIONS:
        return int(action)
    raise ActionError("action", f"action is {shown(action)}; allowed: a whole number from 0 to {NUM_ACTIONS - 1}")
