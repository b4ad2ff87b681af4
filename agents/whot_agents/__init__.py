"""Agents for Whot: simple policies, a heuristic, trained Coaches, and the arena that measures them.

Importing this package loads neither torch nor onnxruntime; a Coach loads onnxruntime when it is opened.
"""

from whot_agents.arena import Result, evaluate
from whot_agents.base import BatchAgent
from whot_agents.bundle import Bundle, BundleError, read_bundle, write_bundle
from whot_agents.coach import Coach
from whot_agents.heuristic import HeuristicAgent, Weights
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
    "Weights",
    "evaluate",
    "make_agent",
    "read_bundle",
    "write_bundle",
]
