"""Games that the network learns from: a batch whose lanes hold self-play or games against fixed opponents.

Every seat that the network plays is learned from, so a lane of self-play yields one decision a step, whoever is asked.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch

from whot_env.actions import NUM_ACTIONS
from whot_env.batch import Batch
from whot_env.cards import NUM_CARDS
from whot_env.observation import LAYOUT
from whot_env.policies import Policy
from whot_env.rules import Rules
from whot_train.columns import Columns
from whot_train.kernels import CUT, GOES_ON, OVER, advantages, sample, take_columns, take_others
from whot_train.network import Evaluate
from whot_train.workers import Workers

Array = np.ndarray[Any, Any]


@dataclass
class Samples:
    """M decisions to learn from."""

    columns: torch.Tensor
    """int8[M, C + H]: what the network reads, then the other seats' hands, for its critic alone."""
    mask: torch.Tensor
    """int8[M, 76]."""
    actions: torch.Tensor
    """int64[M]: what was done, or what the teacher would have done."""
    log_prob: torch.Tensor
    """float32[M], of the actions when they were drawn."""
    values: torch.Tensor
    """float32[M], as the network said then."""
    advantages: torch.Tensor
    """float32[M]."""
    targets: torch.Tensor
    """float32[M]: what the value should have been."""

    def __len__(self) -> int:
        return len(self.actions)

    def take(self, rows: torch.Tensor) -> "Samples":
        """The decisions numbered ``rows``, int64[...]."""
        # Much faster than indexing, which copies byte by byte.
        return Samples(*(getattr(self, field.name).index_select(0, rows) for field in fields(self)))


@dataclass
class Group:
    """Lanes in which one seat is the network's and the others are ``player``'s."""

    player: Policy
    lanes: Array
    """int64[...]."""
    score: float = 0.0
    games: int = 0


class SelfPlay:
    """The lanes, their buffers, and ``collect``.

    Args:
        tables: rules and seats of each lane.
        columns: what the network reads.
        others: hands that its critic sees too: the other seats of the largest table.
        steps: decisions of each lane in one ``collect``.
        opponents: (player, share of the lanes); the lanes left are self-play.
        seed: of the deals and of every draw made here.
        max_decisions: a longer game of two seats is cut; more seats have as many more.
    """

    def __init__(
        self,
        tables: Sequence[tuple[Rules, int]],
        columns: Columns,
        others: int,
        steps: int,
        opponents: Sequence[tuple[Policy, float]] = (),
        seed: int = 0,
        max_decisions: int = 400,
    ) -> None:
        rules, players = zip(*tables, strict=True)
        envs = len(rules)
        self.columns = columns
        self.rng = np.random.default_rng(seed)
        self.batch = Batch(rules, players, envs, seed)
        self.num_players = np.array(players, np.int8)
        self.max_decisions = max_decisions * self.num_players.astype(np.int32) // 2
        self.groups: list[Group] = []
        # The network's seat in lanes with an opponent; -1 where it plays every seat.
        self.own_seat = np.full(envs, -1, np.int8)
        start = 0
        for player, share in opponents:
            lanes = np.arange(start, min(envs, start + round(share * envs)))
            start += len(lanes)
            self.own_seat[lanes] = np.arange(len(lanes)) % self.num_players[lanes]
            self.groups.append(Group(player, lanes))
        shape = (steps, envs)
        self._age = np.zeros(envs, np.int32)
        self._full = np.zeros((envs, LAYOUT.size), np.int8)
        self._columns = np.zeros((*shape, len(columns.index) + others * NUM_CARDS), np.int8)
        self._mask = np.zeros((*shape, NUM_ACTIONS), np.int8)
        self._seat = np.zeros(shape, np.int8)
        self._learn = np.zeros(shape, np.bool_)
        self._actions = np.zeros(shape, np.int64)
        self._log_prob = np.zeros(shape, np.float32)
        self._values = np.zeros(shape, np.float32)
        self._ended = np.zeros(shape, np.int8)
        self._payoffs = np.zeros((*shape, 8), np.float32)
        self._advantages = np.zeros(shape, np.float32)
        self._targets = np.zeros(shape, np.float32)

    @property
    def decisions(self) -> int:
        """Decisions made in one ``collect``, by the network and its opponents."""
        return self._seat.size

    def collect(
        self,
        evaluate: Evaluate,
        gae_lambda: float,
        teacher: Policy | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Samples | None:
        """Play ``steps`` decisions in every lane; None where ``stop`` became true meanwhile.

        With a ``teacher`` every decision is labelled with its choice, and it also plays three lanes of four; in the
        fourth the network plays, so that it is taught in the situations its own mistakes lead to.
        """
        for t in range(len(self._seat)):
            if stop():
                return None
            self._step(t, evaluate, teacher)
        keep = advantages(
            self._seat,
            self._learn,
            self._ended,
            self._payoffs,
            self._values,
            gae_lambda,
            self._advantages,
            self._targets,
        )
        chosen = np.flatnonzero(keep)

        def flat(values: Array) -> torch.Tensor:
            return torch.from_numpy(values.reshape(-1, *values.shape[2:]).take(chosen, axis=0))

        arrays = (self._columns, self._mask, self._actions, self._log_prob, self._values)
        return Samples(*map(flat, (*arrays, self._advantages, self._targets)))

    def _step(self, t: int, evaluate: Evaluate, teacher: Policy | None) -> None:
        batch, mask, actions = self.batch, self._mask[t], self._actions[t]
        batch.observe(out=self._full)
        batch.action_mask(out=mask)
        self._seat[t] = batch.asked
        own = len(self.columns.index)
        take_columns(self._full, self.columns.index, self._columns[t, :, :own])
        take_others(batch.states["hands"], self._seat[t], self.num_players, self._columns[t, :, own:])
        with torch.inference_mode():
            logits, values = evaluate(torch.from_numpy(self._columns[t]))
        self._values[t] = values.numpy()
        sample(logits.numpy(), mask, self.rng.random(len(mask)), actions, self._log_prob[t])
        self._learn[t] = (self.own_seat < 0) | (self.own_seat == self._seat[t])
        if teacher is None:
            played = actions
            for group in self.groups:
                lanes = group.lanes[~self._learn[t, group.lanes]]
                if len(lanes):
                    actions[lanes] = group.player.act(self._full[lanes], mask[lanes], self.rng)
        else:
            taught = teacher.act(self._full, mask, self.rng)
            played = np.where(np.arange(len(actions)) % 4 == 3, actions, taught)
            self._learn[t] = True
            actions[:] = taught
        if batch.step(played).any():
            raise RuntimeError("the engine refused an action that its mask allows")
        self._finish(t, scored=teacher is None)

    def _finish(self, t: int, scored: bool) -> None:
        """Note which games ended with this step, and deal new ones."""
        over = self.batch.over
        self._age += 1
        cut = (self._age >= self.max_decisions) & ~over
        self._ended[t] = np.where(over, OVER, np.where(cut, CUT, GOES_ON))
        done = over | cut
        if not done.any():
            return
        self._payoffs[t, over] = self.batch.payoffs[over]
        for group in self.groups if scored else ():
            lanes = group.lanes[over[group.lanes]]
            payoff = self._payoffs[t, lanes, self.own_seat[lanes]]
            # A win is 1, one of k equal winners 1/k, a loss 0: rules 4.10 turned round.
            players = self.num_players[lanes]
            group.score += float(((payoff * (players - 1) + 1) / players).sum())
            group.games += len(lanes)
        self._age[done] = 0
        self.batch.reset(lanes=done)


class SharedSelfPlay:
    """Lanes divided among threads: each plays a part of its own, with its own generator, and waits for no other.

    Args:
        workers: the threads.
        make: (lanes, number of the first one) -> those lanes' games.
        envs: lanes in all.
    """

    def __init__(self, workers: Workers, make: Callable[[int, int], SelfPlay], envs: int) -> None:
        self.workers = workers
        lanes = np.array_split(np.arange(envs), min(workers.count, envs))
        self.parts = [make(len(numbers), int(numbers[0])) for numbers in lanes]

    @property
    def decisions(self) -> int:
        """Decisions made in one ``collect``, by the network and its opponents."""
        return sum(part.decisions for part in self.parts)

    def collect(
        self,
        evaluate: Evaluate,
        gae_lambda: float,
        teacher: Policy | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Samples | None:
        """As ``SelfPlay.collect``, of all lanes."""
        found = self.workers.map(lambda part: part.collect(evaluate, gae_lambda, teacher, stop), self.parts)
        complete = [samples for samples in found if samples is not None]
        if len(complete) < len(self.parts):
            return None
        return Samples(*(torch.cat([getattr(s, field.name) for s in complete]) for field in fields(Samples)))

    def win_rates(self) -> dict[str, float]:
        """The network's wins against each opponent in the games that ended since the last call."""
        rates: dict[str, float] = {}
        for groups in zip(*(part.groups for part in self.parts), strict=True):
            games = sum(group.games for group in groups)
            if games:
                rates[groups[0].player.name] = sum(group.score for group in groups) / games
            for group in groups:
                group.score, group.games = 0.0, 0
        return rates
