"""Warm start: the network first imitates ``heuristic``, so that self-play begins with sensible games.

The games are made here and now, in the engine; nothing is read from outside. Decisions are taught in the teacher's
games and in the network's own (one lane of four), and the value learns the outcomes at the same time.
"""

from collections.abc import Callable

import torch
from torch.nn.functional import mse_loss

from whot_env.policies import Policy
from whot_train.config import TrainConfig
from whot_train.network import ColumnPolicy, masked_log_prob
from whot_train.ppo import SelfPlayMaskablePPO, backward, minibatches
from whot_train.selfplay import Samples

EPOCHS = 2
CONFIDENCE = 0.9
"""Share of the probability that the teacher's choice should get; the rest is spread over the legal actions, so that
self-play still has something to try."""


def imitation(
    model: SelfPlayMaskablePPO,
    teacher: Policy,
    config: TrainConfig,
    stop: Callable[[], bool],
    report: Callable[[float], None],
) -> bool:
    """Imitate ``teacher`` until ``stop``; True unless ``model.stop`` interrupted it.

    ``report`` is told after each round which share of the teacher's choices the network had right.
    """
    optimizer = torch.optim.Adam(model.policy.parameters(), lr=config.warm_start_learning_rate, eps=1e-5, fused=True)
    while not stop():
        with torch.no_grad():
            evaluate = model.policy.evaluator()
        # λ = 1: the value's aim is the outcome itself, since no estimate is worth trusting yet.
        samples = model.games.collect(evaluate, 1.0, teacher=teacher, stop=model.stop)
        if samples is None:
            return False
        model.num_timesteps += model.games.decisions

        def loss(rows: torch.Tensor, samples: Samples = samples) -> tuple[torch.Tensor, torch.Tensor]:
            return _loss(model.policy, samples.take(rows))

        right, count = torch.zeros(()), 0
        for _ in range(EPOCHS):
            for rows in minibatches(len(samples), config.batch_size, model.rng):
                right += backward(model.policy, loss, rows, model.workers)
                optimizer.step()
                count += 1
        report(float(right) / count)
    return True


def _loss(policy: ColumnPolicy, samples: Samples) -> tuple[torch.Tensor, torch.Tensor]:
    """The distance from the teacher, and the share of its choices that the network has right."""
    heads = policy.heads()(samples.columns)
    log_probs, _ = masked_log_prob(heads.logits, samples.mask)
    legal = samples.mask.float()
    aim = (1 - CONFIDENCE) * legal / legal.sum(dim=1, keepdim=True)
    aim.scatter_add_(1, samples.actions[:, None], torch.full((len(samples), 1), CONFIDENCE))
    value_loss = mse_loss(heads.critic, samples.targets) + mse_loss(heads.value, samples.targets)
    loss = -(aim * log_probs).sum(dim=1).mean() + 0.5 * value_loss
    return loss, (log_probs.argmax(dim=1) == samples.actions).float().mean()
