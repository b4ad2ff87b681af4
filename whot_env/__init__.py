"""whot_env: Whot, Nigeria's card game, as a reinforcement-learning environment.

One engine plays nine tables' rules; ``Game`` is its face for people and tools, ``Batch`` the fast path, and
``whot_env.whot_v0`` and ``whot_env.envs`` hold the PettingZoo, Gymnasium and Stable-Baselines3 environments.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from whot_env.actions import ACTION_ID, ACTION_NAMES, NUM_ACTIONS
from whot_env.errors import WhotError
from whot_env.observation import LAYOUT
from whot_env.registration import register_gymnasium
from whot_env.rules import PRESETS, Rules

if TYPE_CHECKING:
    from whot_env import whot_v0
    from whot_env.batch import Batch
    from whot_env.game import Game

__version__ = "0.1.0"

__all__ = [
    "ACTION_ID",
    "ACTION_NAMES",
    "LAYOUT",
    "NUM_ACTIONS",
    "PRESETS",
    "Batch",
    "Game",
    "Rules",
    "WhotError",
    "register_gymnasium",
    "whot_v0",
]

# Loading the compiler takes most of the import's time, so what needs it is loaded when it is first asked for.
_LAZY = {"Batch": "whot_env.batch", "Game": "whot_env.game", "whot_v0": "whot_env.whot_v0"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'whot_env' has no attribute {name!r}")
    module = import_module(_LAZY[name])
    return module if name == "whot_v0" else getattr(module, name)


register_gymnasium()
