"""Agents for Whot: simple policies, a heuristic, trained Coaches, and the arena that measures them.

Importing this package loads neither torch nor onnxruntime; a Coach loads onnxruntime when it is opened.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whot_agents.arena import Result, evaluate
    from whot_agents.base import BatchAgent
    from whot_agents.bundle import Bundle, BundleError, read_bundle, write_bundle
    from whot_agents.coach import Coach
    from whot_agents.heuristic import HeuristicAgent
    from whot_agents.network import OnnxAgent
    from whot_agents.spec import make_agent

__all__ = [
    "BatchAgent",
    "Bundle",
    "BundleError",
    "Coach",
    "HeuristicAgent",
    "OnnxAgent",
    "Result",
    "evaluate",
    "make_agent",
    "read_bundle",
    "write_bundle",
]

# Loaded when first asked for: the command line imports this package at every start.
_MODULES = {
    **{"evaluate": "arena", "Result": "arena", "BatchAgent": "base", "Coach": "coach", "make_agent": "spec"},
    **{"Bundle": "bundle", "BundleError": "bundle", "read_bundle": "bundle", "write_bundle": "bundle"},
    **{"HeuristicAgent": "heuristic", "OnnxAgent": "network"},
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'whot_agents' has no attribute {name!r}")
    return getattr(import_module(f"whot_agents.{_MODULES[name]}"), name)
