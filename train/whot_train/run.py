"""One training run: warm start, self-play, checkpoints, evaluation, and the files it leaves in its folder.

``checkpoint.pt`` is the run; ``coach.whotcoach``, ``strength.md``, ``strength.json`` and ``learning_curve.png`` are
made from it at the end.
"""

import contextlib
import copy
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from whot_agents.arena import evaluate
from whot_agents.bundle import SUFFIX, Bundle, write_bundle
from whot_agents.files import remove_leftovers
from whot_agents.network import OnnxAgent
from whot_agents.spec import make_agent
from whot_train.checkpoint import Checkpoint, Progress, Weights, check_same_run, load, run_identity, save, unusable
from whot_train.columns import Columns, varying_columns
from whot_train.config import TrainConfig, to_toml
from whot_train.events import EventFile
from whot_train.export import to_onnx
from whot_train.imitate import imitation
from whot_train.network import NetworkPlayer, faster_in_bfloat16
from whot_train.ppo import SelfPlayMaskablePPO
from whot_train.progress import Display, clock
from whot_train.report import machine, write_curve, write_strength, write_text
from whot_train.selfplay import SelfPlay, SharedSelfPlay
from whot_train.tables import Tables
from whot_train.workers import Workers

EVALUATION_SEED = 1 << 32
"""First deal of the final evaluation; far from those that training deals."""

OPPONENTS = ("playful", "heuristic")
CURVE_SECONDS = 10.0
"""Seconds between points of the learning curve."""


@dataclass(frozen=True)
class Options:
    """What a run is asked to do."""

    tables: Tables
    minutes: float | None
    """Training time over all starts; None: no limit."""
    decisions: int | None
    """Decisions over all starts; None: no limit. The run is over when either limit is reached."""
    out: Path
    seed: int
    config: TrainConfig
    evaluate: bool = False
    """Evaluate a finished run again."""


class Run(BaseCallback):
    """A run in its folder; as SB3's callback it is told when a round of self-play is done."""

    def __init__(self, options: Options, display: Display) -> None:
        super().__init__()
        self.options, self.config, self.display = options, options.config, display
        self.path = options.out / "checkpoint.pt"
        remove_leftovers(options.out)
        identity = run_identity(options.tables.to_json(), options.tables.num_players, options.seed, self.config.hidden)
        found = self._load(identity)
        if found is None:
            columns = varying_columns(options.tables, options.seed)
        else:
            columns = Columns(found.columns["index"].numpy(), found.columns["scale"].numpy())
        self.identity, self.columns = identity, columns
        self.workers = Workers(self.config.threads)
        self.ppo = SelfPlayMaskablePPO(options.tables, columns, self.config, options.seed, self.workers)
        self.progress = Progress()
        self.snapshots: list[Weights] = []
        if found is not None:
            self._take(found)
        self._interrupted = False
        self._warm_share = self.progress.warm_share
        self._started = 0.0  # time.monotonic() less what was trained before
        self._next_snapshot = 0
        self._next_checkpoint = self._next_point = 0.0
        self._rate_from = (0.0, 0)
        self._games: SharedSelfPlay
        self._past: NetworkPlayer

    def _load(self, identity: dict[str, Any]) -> Checkpoint | None:
        if not self.path.exists():
            return None
        found = load(self.path)
        check_same_run(self.path, found.run, identity)
        return found

    def _take(self, found: Checkpoint) -> None:
        policy = self.ppo.policy
        try:
            for weights in (*found.snapshots, found.weights):  # the snapshots only to see that they fit
                policy.load_state_dict(weights)
            policy.optimizer.load_state_dict(found.optimizer)
        except (RuntimeError, LookupError, TypeError, AttributeError, ValueError) as error:
            raise unusable(self.path, error) from error
        self.progress, self.snapshots = found.progress, found.snapshots

    @property
    def finished(self) -> bool:
        """Whether as much was trained as is wanted."""
        return self._share(self.progress.seconds, self.progress.decisions) >= 1

    def _share(self, seconds: float, decisions: int) -> float:
        """How much of the run is done, 1 for all of it."""
        limits = ((seconds / 60, self.options.minutes), (decisions, self.options.decisions))
        return max(done / limit for done, limit in limits if limit is not None)

    def _done(self) -> float:
        """``_share`` at this moment."""
        return self._share(self.seconds(), self.ppo.num_timesteps)

    def seconds(self) -> float:
        """Time trained so far, over all starts."""
        return time.monotonic() - self._started

    def train(self) -> bool:
        """Train until the time is over; False if it was stopped by Ctrl-C. Saves in both cases."""
        self.options.out.mkdir(parents=True, exist_ok=True)
        write_text(self.options.out / "config.toml", to_toml(self.config))
        if self.config.tensorboard:
            # The point of the checkpoint itself is kept.
            curves = EventFile(self.options.out / "tensorboard", self.progress.decisions + 1)
            self.ppo.set_logger(Logger(folder=None, output_formats=[curves]))
        self.display.say("compiling what is not yet compiled (up to a minute, the first time only)")
        self._sit_down()
        self.progress.evaluated = False
        with self._interruptible():
            self._started = time.monotonic() - self.progress.seconds
            now = self.seconds()
            self._next_snapshot, self._next_checkpoint = 0, now + self.config.checkpoint_seconds
            self._next_point, self._rate_from = now + CURVE_SECONDS, (now, self.progress.decisions)
            self.ppo.use(self._games, self._is_over, self._remaining)
            self.ppo.num_timesteps = self.progress.decisions
            if not self.progress.warm_started:
                self._imitate()
            # The clock ends it (through `use`), not a number of decisions.
            self.ppo.learn(1 << 62, callback=self, log_interval=1 << 62, reset_num_timesteps=False)
            self.progress.seconds = self.seconds()
            self.save()
        return not self._interrupted

    def _sit_down(self) -> None:
        """Set up the games: lanes, opponents, threads."""
        config, options = self.config, self.options
        torch.set_num_threads(1)  # `workers` use the cores
        self.ppo.policy.mixed = faster_in_bfloat16(len(self.columns.index), config.hidden, config.batch_size)
        self._past = NetworkPlayer("snapshot", copy.deepcopy(self.ppo.policy))
        shares = (config.snapshot_share, config.heuristic_share, config.playful_share)
        players = (self._past, make_agent("heuristic"), make_agent("playful"))
        self._opponents = list(zip(players, shares, strict=True))
        # A few decisions with everybody at the table compile what is not yet compiled, before the clock starts.
        tables = options.tables.lanes(64, np.random.default_rng(options.seed))
        everybody = [(player, 1 / 3) for player in players]
        trial = SelfPlay(tables, self.columns, options.tables.most_seats - 1, 2, everybody)
        trial.collect(self.ppo.policy.evaluator(), config.gae_lambda)
        self._deal(self.progress.decisions)

    def _deal(self, decisions: int) -> None:
        """New games in every lane; neither a resumed run nor a later call deals what an earlier one did."""
        config, tables = self.config, self.options.tables
        seed = self.options.seed + decisions
        lanes = tables.lanes(config.envs, np.random.default_rng(seed))

        def games(count: int, first: int) -> SelfPlay:
            return SelfPlay(
                lanes[first : first + count],
                self.columns,
                tables.most_seats - 1,
                config.steps,
                self._opponents,
                seed + first,
                config.max_decisions,
            )

        self._games = SharedSelfPlay(self.workers, games, config.envs)

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Ctrl-C asks for a stop at the next step; pressed twice, it stops at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def interrupt(number: int, frame: Any) -> None:
            self._interrupted = True
            signal.signal(signal.SIGINT, signal.default_int_handler)

        before = signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _is_over(self) -> bool:
        return self._interrupted or self._done() >= 1

    def _remaining(self) -> float:
        return float(np.clip((1 - self._done()) / max(1e-9, 1 - self._warm_share), 0, 1))

    def _is_warm(self) -> bool:
        config = self.config
        return self.ppo.num_timesteps >= config.warm_start_decisions or self._done() >= config.warm_start_share

    def _imitate(self) -> None:
        right = 0.0

        def report(share: float) -> None:
            nonlocal right
            right = share
            self._tick("imitating heuristic", f"{right:.0%} of its moves")

        self.progress.warm_started = imitation(self.ppo, make_agent("heuristic"), self.config, self._is_warm, report)
        self._warm_share = self.progress.warm_share = self._done()

    def _on_rollout_start(self) -> None:
        if self.ppo.num_timesteps >= self._next_snapshot:
            self._next_snapshot = self.ppo.num_timesteps + self.config.snapshot_decisions
            if self.snapshots and self.options.tables.universal:
                self._deal(self.ppo.num_timesteps)
                self.ppo.games = self._games
            weights = self.ppo.policy.state_dict()
            self.snapshots.append({name: value.clone() for name, value in weights.items()})
            if len(self.snapshots) > self.config.snapshots_kept:
                del self.snapshots[self.ppo.rng.integers(len(self.snapshots) - 1)]
        self._past.load(self.snapshots[self.ppo.rng.integers(len(self.snapshots))])

    def _on_step(self) -> bool:
        self.progress.updates += 1
        self._tick("self-play", self._win_rates())
        return True

    def _win_rates(self) -> str:
        last = self.progress.curve[-1] if self.progress.curve else {}
        rates = [f"{name} {last[name]:.0%}" for name in OPPONENTS if name in last]
        return "wins: " + ", ".join(rates) if rates else "first games"

    def _tick(self, stage: str, rates: str) -> None:
        """Between two rounds: count, show, note a point of the curve, save when it is time."""
        now = self.seconds()
        self.progress.seconds, self.progress.decisions = now, self.ppo.num_timesteps
        since, counted = self._rate_from
        speed = (self.progress.decisions - counted) / max(1e-9, now - since)
        done = self._done()
        self.display.update(stage, done, now / max(done, 1e-9) - now, f"{speed / 1000:.1f}k decisions/s, {rates}")
        if now >= self._next_point:
            self._next_point, self._rate_from = now + CURVE_SECONDS, (now, self.progress.decisions)
            self._point(speed)
        if now >= self._next_checkpoint:
            self._next_checkpoint = now + self.config.checkpoint_seconds
            self.save()

    def _point(self, speed: float) -> None:
        point = {"seconds": round(self.progress.seconds, 1), "decisions": self.progress.decisions, "speed": speed}
        point.update(self._games.win_rates())
        logger = self.ppo.logger
        point.update({name: float(value) for name, value in logger.name_to_value.items() if name.startswith("train/")})
        for name, value in point.items():
            if not name.startswith("train/"):
                logger.record(f"run/{name}", value)
        logger.dump(self.progress.decisions)
        self.progress.curve.append(point)

    def save(self) -> None:
        """Write the checkpoint."""
        columns = {"index": torch.from_numpy(self.columns.index), "scale": torch.from_numpy(self.columns.scale)}
        policy = self.ppo.policy
        save(
            self.path,
            Checkpoint(
                self.identity,
                self.progress,
                dict(policy.state_dict()),
                policy.optimizer.state_dict(),
                self.snapshots,
                columns,
            ),
        )

    def finish(self) -> list[dict[str, Any]]:
        """Evaluate, write the bundle and the tables; the strength rows."""
        options, model = self.options, to_onnx(self.ppo.policy)
        title = options.tables.name
        coach = OnnxAgent(model, name=title, threads=self.workers.count)
        rows: list[dict[str, Any]] = []
        for rules, players in options.tables.evaluated():
            for opponent in OPPONENTS:
                games = self.config.eval_games
                result = evaluate(coach, make_agent(opponent), rules, players, games=games, seed=EVALUATION_SEED)
                self.display.say(str(result))
                rows.append(result.to_json())
        provenance = {
            "algorithm": "MaskablePPO self-play (sb3-contrib) after imitation of heuristic",
            "seed": options.seed,
            "minutes trained": round(self.progress.seconds / 60, 2),
            "decisions": self.progress.decisions,
            "machine": machine(),
            "evaluation seed": EVALUATION_SEED,
            "config": asdict(self.config),
        }
        bundle = Bundle(model, options.tables.rules, options.tables.num_players, title, provenance, tuple(rows))
        if self.progress.evaluated:
            # Killed from here on, the files are of two evaluations: the next start has to evaluate again.
            self.progress.evaluated = False
            self.save()
        write_bundle(options.out / f"coach{SUFFIX}", bundle)
        write_strength(options.out, f"Strength of {title}", rows, provenance)
        write_curve(options.out / "learning_curve.png", self.progress, rows, 1 / (options.tables.num_players or 2))
        self.progress.evaluated = True
        self.save()
        return rows


def _wanted(options: Options) -> str:
    limits: list[str] = []
    if options.minutes is not None:
        limits.append(clock(options.minutes * 60))
    if options.decisions is not None:
        limits.append(f"{options.decisions:,} decisions")
    return " or ".join(limits)


def run(options: Options) -> int:
    """Train as asked; returns the exit status: 0 done, 130 stopped by Ctrl-C."""
    display = Display()
    run = Run(options, display)
    progress = run.progress
    if run.finished and progress.evaluated and not options.evaluate:
        display.say(
            f"{options.out} is finished: {clock(progress.seconds)} trained. "
            "A larger --minutes or --decisions trains on, --evaluate evaluates again."
        )
    else:
        if not run.finished:
            verb = "resuming" if progress.seconds else "training"
            display.say(
                f"{verb} {options.out} at {clock(progress.seconds)} of {_wanted(options)}; Ctrl-C stops and saves"
            )
            with display:
                completed = run.train()
            if not completed:
                display.say(f"stopped and saved at {clock(progress.seconds)}; the same command resumes")
                return 130
        display.say(f"evaluating on {options.config.eval_games} games against each of {', '.join(OPPONENTS)}")
        run.finish()
    display.say(f"strength and learning curve: {options.out}")
    # As it was called, because a virtual environment's commands are not on everybody's path.
    whot = sys.argv[0] if Path(sys.argv[0]).stem == "whot" else "whot"
    display.say(f"play against it: {whot} play --coach {options.out / f'coach{SUFFIX}'}")
    return 0
