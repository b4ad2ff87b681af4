"""Payoffs add up to zero, and every agent is paid once and leaves the table once."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Host, Play, examples, plays, walk
from whot_random import random_event

from whot_env import whot_v0
from whot_env.actions import ACTION_ID
from whot_env.errors import EventError
from whot_env.game import Game


def check_payoffs(payoffs: list[float], places: list[int | None], winners: list[int]) -> None:
    """Zero-sum between -1 and 1; nothing for who took no part; equal places equal pay, better ones no less."""
    assert sum(payoffs) == pytest.approx(0, abs=1e-9)
    assert all(-1 - 1e-9 <= payoff <= 1 + 1e-9 for payoff in payoffs)
    assert all(payoff == 0 for payoff, place in zip(payoffs, places, strict=True) if place is None)
    ranked = sorted((place, -payoff) for place, payoff in zip(places, payoffs, strict=True) if place is not None)
    assert ranked == sorted(ranked, key=lambda pair: pair[1])
    if winners and len(ranked) > len(winners):
        assert all(payoffs[seat] == pytest.approx(-ranked[0][1]) and payoffs[seat] > 0 for seat in winners)


@given(plays(400))
@examples(300)
def test_every_round_and_match_pays_zero_in_all(play: Play) -> None:
    for game in walk(play):
        if game.over:
            assert game.payoffs is not None and game.places is not None and game.winners is not None
            check_payoffs(game.payoffs, game.places, game.winners)
            left = game.position()["left"]
            assert not set(left) & set(game.winners)
        if game.match_over:
            match = game.position()["match"]
            check_payoffs(match["payoffs"], match["places"], match["winners"])


class Ledger:
    """Plays an AEC game to its end and writes down who was paid and who was stepped with None."""

    def __init__(self, play: Play, max_moves: int | None, illegal: float) -> None:
        self.env = whot_v0.raw_env(play.rules, play.seats, max_moves=max_moves)
        self.env.reset(seed=play.deal)
        self.host, self.illegal = Host(play), illegal
        self.paid: dict[str, list[float]] = {agent: [] for agent in self.env.agents}
        self.buried: Counter[str] = Counter()
        self.cut: set[str] = set()
        self.wrong: str | None = None
        for _ in range(play.length):
            if self.env.agents:
                self.turn()
        while self.env.agents:  # what is left to do
            if self.env.agent_selection in self.dead():
                self.turn()
            else:
                self.event({"end_game": True}) or self.event({"leave": int(self.env.agent_selection[-1])})

    def dead(self) -> set[str]:
        env = self.env
        return {agent for agent in env.agents if env.terminations[agent] or env.truncations[agent]}

    def gone(self) -> set[str]:
        """Agents of whom nothing more can be asked in this match."""
        record, single = self.env._batch.states[0], self.env._options.rules.match[0] == "single"
        seats = record["left"][: record["left_len"]].tolist() + record["out"][: record["out_len"] * single].tolist()
        return {f"player_{seat}" for seat in seats}

    def turn(self) -> None:
        env = self.env
        agent = env.agent_selection
        observation, reward, terminated, truncated, _ = env.last()
        mask = observation["action_mask"]
        assert mask.any() != (terminated or truncated)
        if terminated or truncated:
            if self.host.random.random() < self.host.play.eventful:  # before they have left
                self.event(random_event(self.host.random, int(agent[-1]), self.host.play.seats))
                return
            if truncated:
                self.cut.add(agent)
            if reward:
                self.paid[agent].append(reward)
            env.step(None)
            self.buried[agent] += 1
            assert agent not in env.agents
            return
        assert reward == 0, "nothing is paid before the end"
        assert self.dead() == set(), "those who are done come first"
        assert not self.gone() & set(env.agents), "they come as soon as they are done"
        if self.host.random.random() < self.illegal:
            self.wrong = agent
            env.step(int(np.flatnonzero(mask == 0)[0]))
            return
        kind, value = self.host.deed(int(agent[-1]), mask)
        if kind == "event":
            self.event(value)
        else:
            env.step(ACTION_ID[value])

    def event(self, value: dict[str, Any]) -> bool:
        """A host event, also one that must be refused."""
        ((name, seat),) = value.items()
        if name == "pause" or (not isinstance(seat, bool) and not 0 <= seat < len(self.env.possible_agents)):
            return False  # no method, no agent
        try:
            getattr(self.env, name)(*([] if name == "end_game" else [f"player_{seat}"]))
        except EventError:
            return False
        return True


@given(plays(400), st.sampled_from((None, None, 30)), st.sampled_from((0.0, 0.0, 0.01)))
@examples(400)
def test_each_agent_is_paid_once_and_leaves_once(play: Play, max_moves: int | None, illegal: float) -> None:
    ledger = Ledger(play, max_moves, illegal)
    env = ledger.env
    assert ledger.buried == dict.fromkeys(env.possible_agents, 1)
    assert all(len(payments) <= 1 for payments in ledger.paid.values())
    paid = [sum(payments) for payments in ledger.paid.values()]
    if ledger.wrong is not None:
        assert sum(paid) == pytest.approx(0)
        assert ledger.paid[ledger.wrong] == [-1.0]
    elif ledger.cut:
        assert not any(ledger.paid[agent] for agent in ledger.cut)
    else:
        assert sum(paid) == pytest.approx(0)
        assert paid == pytest.approx(final_payoffs(env))


def final_payoffs(env: Any) -> list[float]:
    """What the engine pays at the end of the match that the environment played."""
    game = Game(env._options.rules, env._batch.states.copy())
    assert game.match_over
    return game.position()["match"]["payoffs"]
