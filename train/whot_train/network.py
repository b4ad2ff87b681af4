"""The network: an SB3 policy for MaskablePPO whose first layer reads only the columns that vary.

features: int8 observation -> columns -> Linear -> ReLU, shared; then a hidden layer each for the policy and the value.
Training adds a part that a finished Coach lacks: a critic that also sees the other seats' hands, since a value that
knows them tells a good move from good luck sooner.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn
from torch.nn.functional import linear

from whot_env.cards import NUM_CARDS
from whot_env.observation import LAYOUT
from whot_train.columns import Columns
from whot_train.kernels import sample, take_columns

Evaluate = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
"""int8[N, C + H] columns -> logits float32[N, 76] and the critic's values float32[N]; int8[N, C]: the public values."""


class Heads(NamedTuple):
    """Everything that the network says about N decisions."""

    logits: torch.Tensor
    """float32[N, 76], unmasked."""
    value: torch.Tensor
    """float32[N]: expected payoff, from what the seat sees."""
    critic: torch.Tensor
    """float32[N]: the same, knowing the other hands."""


VALUE_HIDDEN = 64
CRITIC_HIDDEN = 128

MASKED = -1e9
"""Logit of an illegal action: its probability is exactly 0 in float32, and no arithmetic with it overflows."""


class ColumnLayer(BaseFeaturesExtractor):
    """Takes the columns that vary, scales them to about [-1, 1], and applies the first hidden layer.

    What a seat declined is told by an age: 0 is "never", 1 is the strongest evidence, larger numbers are ever weaker.
    The layer reads one over the age instead (0 stays 0), so that more evidence is a larger number.
    """

    def __init__(self, observation_space: spaces.Space[Any], index: list[int], scale: list[float], hidden: int) -> None:
        super().__init__(observation_space, hidden)
        self.index: torch.Tensor
        self.scale: torch.Tensor
        self.register_buffer("index", torch.tensor(index, dtype=torch.int64))
        self.register_buffer("scale", torch.tensor(scale, dtype=torch.float32))
        first, last = LAYOUT["declined_shapes"], LAYOUT["declined_numbers"]
        assert first.stop == last.start
        self.ages = slice(*np.searchsorted(index, [first.start, last.stop]).tolist())
        """Chosen columns that are ages; their scale is not used."""
        self.linear = nn.Linear(len(index), hidden)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """float32[N, LAYOUT.size] -> float32[N, hidden]."""
        inputs = self.inputs(observations.index_select(1, self.index), torch.float32)
        return torch.relu(linear(inputs, self.scaled_weight(), self.linear.bias))

    def inputs(self, columns: torch.Tensor, kind: torch.dtype) -> torch.Tensor:
        """[N, C], any number type, already chosen -> ``kind``[N, C], not scaled."""
        inputs = columns.to(kind, copy=True)
        ages = columns[:, self.ages].float()
        inputs[:, self.ages] = (ages / ages.square().clamp(min=1)).to(kind)
        return inputs

    def scaled_weight(self) -> torch.Tensor:
        """float32[hidden, C]: scales the weights in place of the inputs, which are many more."""
        scale = self.scale.clone()
        scale[self.ages] = 1
        return self.linear.weight * scale


class ColumnPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy with a path that starts from chosen columns, as the rollouts store them."""

    features_extractor: ColumnLayer
    mixed = False
    """Whether the hidden layers of ``evaluator`` compute in bfloat16; weights, logits and values stay float32."""

    def __init__(self, observation_space: Any, action_space: Any, lr_schedule: Any, others: int, **kwargs: Any) -> None:
        self.others = others * NUM_CARDS
        """Columns of the other hands."""
        # SB3's stock Adam, in the form that updates all tensors in one call.
        kwargs.setdefault("optimizer_kwargs", {"eps": 1e-5, "fused": True})
        super().__init__(observation_space, action_space, lr_schedule, normalize_images=False, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        width = self.features_dim
        self.seen = nn.Linear(width + self.others, width)
        self.weighed = nn.Linear(width, CRITIC_HIDDEN)
        self.critic = nn.Linear(CRITIC_HIDDEN, 1)
        # SB3 makes it before these layers are there.
        self.optimizer = self.optimizer_class(self.parameters(), **{"lr": lr_schedule(1), **self.optimizer_kwargs})

    def heads(self) -> Callable[[torch.Tensor], Heads]:
        """The whole network as a function of int8[N, C + H]: chosen columns, then the other hands."""
        kind = torch.bfloat16 if self.mixed else torch.float32
        layers = self._layers(kind)
        seen, weighed = ((layer.weight.to(kind), layer.bias.to(kind)) for layer in (self.seen, self.weighed))
        own = len(self.features_extractor.index)

        def evaluate(columns: torch.Tensor) -> Heads:
            features, policy, value = layers(columns[:, :own])
            known = torch.cat([features, columns[:, own:].to(kind)], dim=1)
            critic = linear(linear(known, *seen).relu_(), *weighed).relu_().float()
            return Heads(
                self.action_net(policy),
                self.value_net(value).flatten(),
                self.critic(critic).flatten(),
            )

        return evaluate

    def evaluator(self) -> Evaluate:
        """The network for playing, see ``Evaluate``.

        It uses the weights of this moment, scaled and converted once for all calls.
        """
        layers = self._layers(torch.bfloat16 if self.mixed else torch.float32)
        heads, own = self.heads(), len(self.features_extractor.index)

        def evaluate(columns: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            if columns.shape[1] > own:
                found = heads(columns)
                return found.logits, found.critic
            _, policy, value = layers(columns)
            return self.action_net(policy), self.value_net(value).flatten()

        return evaluate

    def _layers(self, kind: torch.dtype) -> Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """int8[N, C] -> the shared features in ``kind``, and the policy's and the value's hidden layers, float32."""
        first = self.features_extractor
        hidden = [cast(nn.Linear, net[0]) for net in (self.mlp_extractor.policy_net, self.mlp_extractor.value_net)]
        weight, bias = first.scaled_weight().to(kind), first.linear.bias.to(kind)
        # Both second layers read the same features: one product of matrices.
        weights = torch.cat([layer.weight for layer in hidden]).to(kind)
        biases = torch.cat([layer.bias for layer in hidden]).to(kind)

        sizes = [layer.out_features for layer in hidden]

        def evaluate(columns: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
            features = linear(first.inputs(columns, kind), weight, bias).relu_()
            policy, value = linear(features, weights, biases).relu_().float().split(sizes, dim=1)
            return features, policy, value

        return evaluate


def policy_kwargs(columns: Columns, hidden: int, others: int) -> dict[str, Any]:
    """Arguments of ``ColumnPolicy`` for MaskablePPO; ``others``: seats whose hands the critic sees."""
    return {
        "others": others,
        "features_extractor_class": ColumnLayer,
        "features_extractor_kwargs": {
            "index": columns.index.tolist(),
            "scale": columns.scale.tolist(),
            "hidden": hidden,
        },
        "net_arch": {"pi": [hidden], "vf": [VALUE_HIDDEN]},
        "activation_fn": nn.ReLU,
    }


def faster_in_bfloat16(inputs: int, hidden: int, rows: int) -> bool:
    """Whether this processor multiplies matrices clearly faster in bfloat16: measured, since many emulate it slowly."""
    best = {}
    for kind in (torch.float32, torch.bfloat16):
        layer, rows_in = nn.Linear(inputs, hidden).to(kind), torch.zeros(rows, inputs, dtype=kind)
        with torch.inference_mode():
            times = []
            for _ in range(6):  # the first ones set up threads and kernels
                start = time.perf_counter()
                layer(rows_in)
                times.append(time.perf_counter() - start)
        best[kind] = min(times)
    return best[torch.bfloat16] < 0.7 * best[torch.float32]


def masked_log_prob(logits: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """float32[N, A] log-probabilities over the legal actions (mask: int8[N, A]), and the probabilities."""
    masked = torch.where(mask.bool(), logits, MASKED)
    # Not the logarithms' exponential: it is ten times slower where the result is 0.
    return masked.log_softmax(dim=1), masked.softmax(dim=1)


class NetworkPlayer:
    """A frozen network as an agent: ``act`` draws from its policy (see ``whot_env.policies``)."""

    def __init__(self, name: str, policy: ColumnPolicy) -> None:
        self.name = name
        self._policy = policy
        self._index = policy.features_extractor.index.numpy()
        self._evaluate = policy.evaluator()

    def load(self, weights: Mapping[str, Any]) -> None:
        """Play by other weights from now on."""
        self._policy.load_state_dict(weights)
        with torch.no_grad():
            self._evaluate = self._policy.evaluator()

    def act(
        self, observation: np.ndarray[Any, Any], action_mask: np.ndarray[Any, Any], rng: np.random.Generator
    ) -> np.ndarray[Any, Any]:
        """int8[N, LAYOUT.size], int8[N, 76] -> int64[N]."""
        columns = np.empty((len(observation), len(self._index)), np.int8)
        take_columns(observation, self._index, columns)
        with torch.inference_mode():
            logits, _ = self._evaluate(torch.from_numpy(columns))
        actions, log_prob = np.empty(len(logits), np.int64), np.empty(len(logits), np.float32)
        sample(logits.numpy(), action_mask, rng.random(len(logits)), actions, log_prob)
        return actions
