"""What an agent is: a name and a function from what a seat may know to actions, for many games at once."""

from typing import Any, Protocol, runtime_checkable

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


@runtime_checkable
class BatchAgent(Protocol):
    """Plays one seat in each of N games at a time.

    All that an agent is told is the observation of the seat asked, so it cannot use hidden cards.
    """

    @property
    def name(self) -> str:
        """What tables and files call it."""
        ...

    def act(self, observation: Array, action_mask: Array, rng: np.random.Generator) -> Array:
        """Choose one legal action in each game.

        Args:
            observation: int8[N, LAYOUT.size], what the seats asked know.
            action_mask: int8[N, 76], 1 where an action is legal; at least one in each row.
            rng: where all of the agent's chance comes from.

        Returns:
            int64[N]: action ids.
        """
        ...
