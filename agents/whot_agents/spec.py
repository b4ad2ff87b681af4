"""Agents by name: what a command line or a config says, as an agent."""

import os
from pathlib import Path
from typing import cast

from whot_agents.base import BatchAgent
from whot_agents.bundle import SUFFIX
from whot_agents.coach import Coach
from whot_agents.heuristic import HeuristicAgent
from whot_agents.search import KINDS, MAX_PLAYOUTS, SearchAgent
from whot_env.errors import WhotError, shown
from whot_env.policies import make_policy

POLICIES = ("uniform", "playful")
"""Names of the policies that come with the environment."""

AGENT_NAMES = (*POLICIES, "heuristic", *(f"{kind}:N" for kind in KINDS))
"""Names that ``make_agent`` knows, N standing for the playouts of a decision; anything else is a path."""


def make_agent(spec: str | Path) -> BatchAgent:
    """The agent called ``spec``: one of ``AGENT_NAMES``, or the path of a ``.whotcoach`` file.

    Raises:
        WhotError: no agent has this name, or its number of playouts is refused.
        BundleError: the file is refused.
    """
    name = str(spec)
    if name in POLICIES:
        return cast(BatchAgent, make_policy(name))
    if name == "heuristic":
        return HeuristicAgent()
    kind, colon, playouts = name.partition(":")
    if kind in KINDS and colon:
        return SearchAgent(_read_playouts(name, playouts), kind)
    if Path(name).suffix == SUFFIX or os.path.isfile(name):  # noqa: PTH113 - a name too long for a path is no file
        return Coach.load(name)
    raise WhotError("agent", f"agent {name!r} is unknown; allowed: {', '.join(AGENT_NAMES)}, or a file *{SUFFIX}")


def _read_playouts(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 1 <= int(text) <= MAX_PLAYOUTS):
        allowed = f"a whole number of playouts from 1 to {MAX_PLAYOUTS} after the colon, as in search:200"
        raise WhotError("agent", f"agent {shown(name)} has none; allowed: {allowed}")
    return int(text)
