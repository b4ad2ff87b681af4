"""``Coach``: a bundle ready to play."""

from pathlib import Path

import numpy as np

from whot_agents.base import Array
from whot_agents.bundle import Bundle, read_bundle
from whot_agents.network import OnnxAgent


class Coach:
    """A trained opponent with what its bundle says about it.

    Args:
        bundle: as ``read_bundle`` gives.
        temperature: 0 plays the best action, above 0 samples; see ``OnnxAgent``.
        threads: threads of onnxruntime for one call.

    Raises:
        BundleError: the model cannot be used.
    """

    def __init__(self, bundle: Bundle, temperature: float = 0.0, threads: int = 1) -> None:
        self.bundle = bundle
        self.agent = OnnxAgent(bundle.model, bundle.name, temperature, threads)

    @classmethod
    def load(cls, path: str | Path, temperature: float = 0.0, threads: int = 1) -> "Coach":
        """The Coach in the file at ``path``. Raises ``BundleError`` when the file is refused."""
        return cls(read_bundle(path), temperature, threads)

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.bundle.name

    def act(self, observation: Array, action_mask: Array, rng: np.random.Generator) -> Array:
        """int64[N] legal actions; see ``BatchAgent.act``."""
        return self.agent.act(observation, action_mask, rng)
