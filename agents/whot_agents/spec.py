"""Agents by name: what a command line or a config says, as an agent."""

import os
from pathlib import Path
from typing import cast

from whot_agents.base import BatchAgent
from whot_agents.bundle import SUFFIX
from whot_agents.coach import Coach
from whot_agents.heuristic import HeuristicAgent
from whot_env.errors import WhotError
from whot_env.policies import make_policy

POLICIES = ("uniform", "playful")
"""Names of the policies that come with the environment."""

AGENT_NAMES = (*POLICIES, "heuristic")
"""Names that ``make_agent`` knows; anything else is a path."""


def make_agent(spec: str | Path) -> BatchAgent:
    """The agent called ``spec``: ``uniform``, ``playful``, ``heuristic``, or the path of a ``.whotcoach`` file.

    Raises:
        WhotError: no agent has this name.
        BundleError: the file is refused.
    """
    name = str(spec)
    if name in POLICIES:
        return cast(BatchAgent, make_policy(name))
    if name == "heuristic":
        return HeuristicAgent()
    if Path(name).suffix == SUFFIX or os.path.isfile(name):  # noqa: PTH113 - a name too long for a path is no file
        return Coach.load(name)
    raise WhotError("agent", f"agent {name!r} is unknown; allowed: {', '.join(AGENT_NAMES)}, or a file *{SUFFIX}")
