"""Speed of self-play training, beside Stable-Baselines3's MaskablePPO over a ``DummyVecEnv`` of the same game.

    python benchmarks/training.py            # both in turns, then the ratio, then JSON with the machine
    python benchmarks/training.py --profile  # where one thread's time goes

Both play the same table against the same opponents, with the same network, decisions a round, minibatches and epochs:
the settings of `whot train`. Two counts: *learned* are the learner's decisions that the updates used; *played* are all
decisions of all seats. In self-play most seats are the learner's, with SB3 one seat of each game is.
"""

import argparse
import copy
import cProfile
import json
import os
import pstats
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as `whot train` does

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

from whot_agents.spec import make_agent
from whot_env.envs.single import WhotEnv
from whot_env.policies import Policy
from whot_env.rules import Rules
from whot_train.columns import Columns, varying_columns
from whot_train.config import TrainConfig, load_config
from whot_train.network import ColumnPolicy, NetworkPlayer, faster_in_bfloat16, policy_kwargs
from whot_train.ppo import SelfPlayMaskablePPO
from whot_train.report import machine
from whot_train.selfplay import SelfPlay, SharedSelfPlay
from whot_train.tables import Tables
from whot_train.workers import Workers, cores

RULES = Rules.preset("naija_whot")
PLAYERS = 2
TABLES = Tables(RULES, PLAYERS)
OTHERS = TABLES.most_seats - 1

Count = tuple[int, int]
"""Decisions learned from, and decisions played."""


class Ours:
    """Rounds of `whot train` after its warm start."""

    def __init__(self, config: TrainConfig, columns: Columns, threads: int) -> None:
        workers = Workers(threads)
        self.name, self.threads = "whot train", 1
        self._ppo = SelfPlayMaskablePPO(TABLES, columns, config, seed=0, workers=workers)
        torch.set_num_threads(1)
        policy = self._ppo.policy
        policy.mixed = faster_in_bfloat16(len(columns.index), config.hidden, config.batch_size)
        opponents = fixed_opponents(config, NetworkPlayer("snapshot", copy.deepcopy(policy)))

        def games(lanes: int, first: int) -> SelfPlay:
            return SelfPlay(
                [(RULES, PLAYERS)] * lanes, columns, OTHERS, config.steps, opponents, first, config.max_decisions
            )

        self._ppo.use(SharedSelfPlay(workers, games, config.envs), stop=lambda: False, remaining=lambda: 1.0)

    def round(self) -> Count:
        """Play and learn once."""
        before = self._ppo.num_timesteps
        self._ppo.learn(1, log_interval=1 << 62, reset_num_timesteps=False)
        return len(self._ppo.samples), self._ppo.num_timesteps - before


class Counted:
    """A player whose decisions are counted."""

    def __init__(self, player: Policy) -> None:
        self.player, self.name, self.decisions = player, player.name, 0

    def act(self, observation: Any, action_mask: Any, rng: Any) -> Any:
        self.decisions += len(observation)
        return self.player.act(observation, action_mask, rng)


class Sb3:
    """Rounds of MaskablePPO as its documentation has it: single environments, one after the other."""

    def __init__(self, config: TrainConfig, columns: Columns) -> None:
        self.name, self.threads = "SB3 MaskablePPO, DummyVecEnv", cores()
        start = WhotEnv(RULES, PLAYERS)
        model = MaskablePPO(
            ColumnPolicy, DummyVecEnv([lambda: start]), policy_kwargs=policy_kwargs(columns, config.hidden, OTHERS)
        )
        itself = copy.deepcopy(model.policy)
        assert isinstance(itself, ColumnPolicy)
        self._itself = NetworkPlayer("itself", itself)
        fixed = [(Counted(player), share) for player, share in fixed_opponents(config, self._itself)]
        ends = np.rint(np.cumsum([share for _, share in fixed]) * config.envs)
        players = [*(player for player, _ in fixed), Counted(self._itself)]
        teams = [players[i] for i in np.searchsorted(ends, np.arange(config.envs), side="right")]
        self._players = players
        limit = config.max_decisions

        def make(player: Policy) -> Callable[[], WhotEnv]:
            return lambda: WhotEnv(RULES, PLAYERS, opponents=player, max_moves=limit)

        self._model = MaskablePPO(
            ColumnPolicy,
            DummyVecEnv([make(player) for player in teams]),
            n_steps=config.steps,
            batch_size=config.batch_size,
            n_epochs=config.epochs,
            policy_kwargs=policy_kwargs(columns, config.hidden, OTHERS),
            device="cpu",
            seed=0,
        )
        self._decisions = config.envs * config.steps

    def round(self) -> Count:
        """Play and learn once."""
        before = sum(player.decisions for player in self._players)
        self._itself.load(self._model.policy.state_dict())
        self._model.learn(self._decisions, log_interval=1 << 62, reset_num_timesteps=False)
        return self._decisions, self._decisions + sum(player.decisions for player in self._players) - before


def fixed_opponents(config: TrainConfig, past: NetworkPlayer) -> list[tuple[Policy, float]]:
    """As `whot train` seats them; in the lanes left, the network plays against itself."""
    players = (past, make_agent("heuristic"), make_agent("playful"))
    return list(zip(players, (config.snapshot_share, config.heuristic_share, config.playful_share), strict=True))


@dataclass
class Tally:
    """What one of the two did in all its turns."""

    seconds: float = 0.0
    learned: int = 0
    played: int = 0

    def rates(self) -> dict[str, float]:
        """Decisions a second."""
        return {"learned": round(self.learned / self.seconds), "played": round(self.played / self.seconds)}


def turn(trainer: Ours | Sb3, seconds: float, tally: Tally) -> None:
    """Whole rounds for at least ``seconds``."""
    torch.set_num_threads(trainer.threads)
    start, passed = time.perf_counter(), 0.0
    while not passed or passed < seconds:
        learned, played = trainer.round()
        tally.learned += learned
        tally.played += played
        passed = time.perf_counter() - start
    tally.seconds += passed


PARTS = {
    "playing: observation, mask, columns": ("_step", ("observe", "action_mask", "take_columns", "take_others")),
    "playing: network": ("_step", ("evaluate",)),
    "playing: drawing actions": ("_step", ("sample",)),
    "playing: fixed opponents": ("_step", ("act",)),
    "playing: stepping": ("_step", ("step",)),
    "playing: results, dealing": ("_step", ("_finish",)),
    "playing: advantages, samples": ("collect", ("advantages", "flat")),
    "learning: rows of a minibatch": ("loss", ("take",)),
    "learning: weights scaled, converted": ("_loss", ("heads",)),
    "learning: network, forward": ("_loss", ("evaluate",)),
    "learning: masks, probabilities": ("_loss", ("masked_log_prob",)),
    "learning: backward": ("gradient", ("grad",)),
    "learning: clipping, Adam": ("train", ("_no_grad_wrapper", "wrapper")),
}
"""Part -> the function that calls it, and the functions that are called."""


def profile(config: TrainConfig, columns: Columns, rounds: int) -> None:
    """Print where the processor's time goes when one thread does everything."""
    trainer = Ours(config, columns, threads=1)
    trainer.round()
    profiler = cProfile.Profile(time.process_time)
    played = sum(profiler.runcall(trainer.round)[1] for _ in range(rounds))
    found = pstats.Stats(profiler).stats  # pyright: ignore[reportAttributeAccessIssue]
    total = sum(own for _, _, own, _, _ in found.values())
    rest = total
    print("| part | ms a round | share |\n| --- | --- | --- |")
    for part, (caller, callees) in PARTS.items():
        spent = sum(
            times[3]
            for (_, _, callee), (_, _, _, _, callers) in found.items()
            if callee in callees
            for (_, _, name), times in callers.items()
            if name == caller
        )
        assert spent, f"{part} was not seen: its functions have other names now"
        rest -= spent
        print(f"| {part} | {spent / rounds * 1000:.0f} | {spent / total:.1%} |")
    print(f"| the rest | {rest / rounds * 1000:.0f} | {rest / total:.1%} |")
    print(f"| all | {total / rounds * 1000:.0f} | {played / total:,.0f} decisions/s |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2, help="turns of each, or rounds profiled (2)")
    parser.add_argument("--seconds", type=float, default=5.0, help="shortest turn (5); a round is always finished")
    parser.add_argument("--envs", type=int, help="games played at once (1024)")
    parser.add_argument("--steps", type=int, help="decisions of a lane before each update (64)")
    parser.add_argument("--profile", action="store_true", help="where one thread's time goes instead")
    args = parser.parse_args()
    config = load_config(envs=args.envs, steps=args.steps)
    columns = varying_columns(TABLES)
    if args.profile:
        profile(config, columns, args.turns)
        return
    small = load_config(envs=8, steps=16, batch_size=64)
    for warm in (Ours(small, columns, 0), Sb3(small, columns)):  # compiles what is not yet compiled
        warm.round()
    trainers = (Ours(config, columns, config.threads), Sb3(config, columns))
    tallies = [Tally(), Tally()]
    for _ in range(args.turns):
        for trainer, tally in zip(trainers, tallies, strict=True):
            turn(trainer, args.seconds, tally)
    result: dict[str, Any] = {"machine": machine(), "envs": config.envs, "steps": config.steps, "hidden": config.hidden}
    for trainer, tally in zip(trainers, tallies, strict=True):
        rates = tally.rates()
        result[trainer.name] = {**rates, "seconds": round(tally.seconds, 1)}
        print(f"{trainer.name}: {rates['learned']:,} learned/s, {rates['played']:,} played/s")
    ours, theirs = (tally.rates() for tally in tallies)
    result["ratio"] = {count: round(ours[count] / theirs[count], 1) for count in ours}
    print(f"ratio: {result['ratio']['learned']} in decisions learned from, {result['ratio']['played']} in all played")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
