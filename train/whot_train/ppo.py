"""``SelfPlayMaskablePPO``: sb3-contrib's MaskablePPO, fed by games in which it plays several seats.

The algorithm, its losses and its ``learn`` are MaskablePPO's. Replaced are the parts that assume one learner a lane and
a buffer of whole float observations: ``collect_rollouts`` takes decisions from ``SelfPlay`` (advantages by seat), and
``train`` reads them as int8 columns and masks logits itself, without building a validated distribution object a batch.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from torch.nn.functional import mse_loss

from whot_env.actions import NUM_ACTIONS
from whot_env.envs.sb3 import WhotVecEnv
from whot_train.columns import Columns
from whot_train.config import TrainConfig
from whot_train.network import ColumnPolicy, masked_log_prob, policy_kwargs
from whot_train.selfplay import Samples, SharedSelfPlay
from whot_train.tables import Tables
from whot_train.workers import Workers

Loss = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
"""Row numbers -> the mean loss of those rows, and means to report."""

STATISTICS = ("policy_loss", "value_loss", "public_value_loss", "entropy", "approx_kl", "clip_fraction")
"""What an update reports."""


def between(start: float, end: float) -> Callable[[float], float]:
    """SB3 schedule, linear: ``start`` while all of the time remains (1), ``end`` when none does (0)."""
    return lambda remaining: end + (start - end) * remaining


def minibatches(count: int, size: int, rng: np.random.Generator) -> Iterator[torch.Tensor]:
    """A random order of ``count`` rows in parts of ``size``; a remainder under half a part is left out."""
    order = torch.from_numpy(rng.permutation(count))
    for start in range(0, count, size):
        rows = order[start : start + size]
        if len(rows) * 2 >= size or start == 0:
            yield rows


PART = 1024
"""Most rows whose gradient is worked out at a time; 512 and 2048 took more processor time."""


def backward(policy: ColumnPolicy, loss: Loss, rows: torch.Tensor, workers: Workers) -> torch.Tensor:
    """Set the gradients of the mean ``loss`` of ``rows``; the mean of its statistics.

    The threads work out parts of the rows. Their sum is taken in the order of the parts, so that it is always the same.
    """
    weights = list(policy.parameters())

    def gradient(part: torch.Tensor) -> tuple[list[torch.Tensor], torch.Tensor]:
        value, statistics = loss(part)
        share = len(part) / len(rows)
        return list(torch.autograd.grad(value * share, weights)), statistics * share

    size = min(PART, -(-len(rows) // workers.count))
    (total, statistics), *others = workers.map(gradient, rows.split(size))
    for more, also in others:
        for gradients, part in zip(total, more, strict=True):
            gradients += part
        statistics += also
    for weight, value in zip(weights, total, strict=True):
        weight.grad = value
    return statistics


class SelfPlayMaskablePPO(MaskablePPO):
    """MaskablePPO over ``SelfPlay``.

    Args:
        tables: what is played.
        columns: what the network reads of the observation.
        config: the settings.
        seed: of the network's first weights and of the order of minibatches; no global generator is left changed.
        workers: threads that work out gradients; None: the calling one.
    """

    policy: ColumnPolicy

    def __init__(
        self,
        tables: Tables,
        columns: Columns,
        config: TrainConfig,
        seed: int = 0,
        workers: Workers | None = None,
    ) -> None:
        # This environment tells SB3 the spaces; the games that are learned from are `games`, set by `use`.
        env = WhotVecEnv(num_envs=1, opponents="playful")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            super().__init__(
                ColumnPolicy,
                env,
                learning_rate=between(config.learning_rate, config.learning_rate_end),
                n_steps=config.steps,
                batch_size=config.batch_size,
                n_epochs=config.epochs,
                gamma=1.0,
                gae_lambda=config.gae_lambda,
                clip_range=config.clip,
                vf_coef=config.value_weight,
                max_grad_norm=config.max_grad_norm,
                policy_kwargs=policy_kwargs(columns, config.hidden, tables.most_seats - 1),
                device="cpu",
            )
        assert isinstance(self.action_space, spaces.Discrete) and self.action_space.n == NUM_ACTIONS
        self.entropy_weight = between(config.entropy, config.entropy_end)
        self.rng = np.random.default_rng(seed)
        self.workers = workers or Workers()
        self.set_logger(Logger(folder=None, output_formats=[]))
        self.games: SharedSelfPlay
        self.stop: Callable[[], bool]
        self.remaining: Callable[[], float]
        self.samples: Samples

    def use(self, games: SharedSelfPlay, stop: Callable[[], bool], remaining: Callable[[], float]) -> None:
        """Learn from ``games`` until ``stop``; schedules follow ``remaining``, the share of the time left."""
        self.games, self.stop, self.remaining = games, stop, remaining

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        self._current_progress_remaining = self.remaining()

    def collect_rollouts(
        self, env: Any, callback: Any, rollout_buffer: Any, n_rollout_steps: int, use_masking: bool = True
    ) -> bool:
        """Play ``config.steps`` decisions in every lane; False when training is to end."""
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        with torch.no_grad():
            evaluate = self.policy.evaluator()
        samples = self.games.collect(evaluate, self.gae_lambda, stop=self.stop)
        if samples is None:
            return False
        self.samples = samples
        self.num_timesteps += self.games.decisions
        callback.on_rollout_end()
        return bool(callback.on_step())

    def train(self) -> None:
        """A few epochs of PPO's clipped objective over the decisions just collected."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        assert callable(self.clip_range)
        clip = self.clip_range(self._current_progress_remaining)
        entropy_weight = self.entropy_weight(self._current_progress_remaining)
        samples = self.samples
        advantage = (samples.advantages - samples.advantages.mean()) / (samples.advantages.std(correction=0) + 1e-8)
        samples.advantages = advantage

        def loss(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return self._loss(samples.take(rows), clip, entropy_weight)

        totals, count = torch.zeros(len(STATISTICS)), 0
        for _ in range(self.n_epochs):
            assert self.batch_size is not None
            for rows in minibatches(len(samples), self.batch_size, self.rng):
                totals += backward(self.policy, loss, rows, self.workers)
                torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
                self.policy.optimizer.step()
                count += 1
        self._n_updates += 1
        for name, total in zip(STATISTICS, totals.tolist(), strict=True):
            self.logger.record(f"train/{name}", total / count)
        explained = 1 - (samples.targets - samples.values).var(correction=0) / (
            samples.targets.var(correction=0) + 1e-8
        )
        self.logger.record("train/explained_variance", float(explained))

    def _loss(self, samples: Samples, clip: float, entropy_weight: float) -> tuple[torch.Tensor, torch.Tensor]:
        """PPO's loss of some decisions, and ``STATISTICS``."""
        heads = self.policy.heads()(samples.columns)
        log_probs, probs = masked_log_prob(heads.logits, samples.mask)
        log_ratio = log_probs.gather(1, samples.actions[:, None]).flatten() - samples.log_prob
        ratio, gain = log_ratio.exp(), samples.advantages
        policy_loss = -torch.min(gain * ratio, gain * ratio.clamp(1 - clip, 1 + clip)).mean()
        value_loss = mse_loss(heads.critic, samples.targets)
        public_loss = mse_loss(heads.value, samples.targets)
        # An illegal action's probability is exactly 0, so its term is 0 and not 0 times infinity.
        entropy = -(probs * log_probs).sum(dim=1).mean()
        with torch.no_grad():
            kl, clipped = ((ratio - 1) - log_ratio).mean(), ((ratio - 1).abs() > clip).float().mean()
            statistics = torch.stack([policy_loss, value_loss, public_loss, entropy, kl, clipped])
        return policy_loss - entropy_weight * entropy + self.vf_coef * (value_loss + public_loss), statistics
