"""Perft: how many sequences of legal actions there are from fixed positions, counted by the engine and the reference.

A rule that offers one action too many, one too few, or leads to another state changes these numbers a few plies later.
`python tests/perft.py` counts anew and writes the counts that both agree on: for new positions, or a changed rule.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

_HERE = Path(__file__).resolve().parent
for _folder in (_HERE / "reference", _HERE.parent):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

from whot_cards import CounterRng  # noqa: E402  (needs the path above)
from whot_reference import ReferenceGame  # noqa: E402
from whot_state import PHASES, Move  # noqa: E402

from whot_env.actions import NUM_ACTIONS  # noqa: E402
from whot_env.engine import run  # noqa: E402
from whot_env.engine.log import NO_LOG  # noqa: E402
from whot_env.game import Game  # noqa: E402
from whot_env.rules import compile_rules  # noqa: E402

POSITIONS = _HERE / "perft" / "positions.jsonl"
SEED = 1
"""The deck order is the position's; only a pile that becomes a market is shuffled, from this seed."""

CHUNK = 1024
"""Records expanded at a time: a frontier of all of them would not fit into memory."""

ENGINE_LEAVES, REFERENCE_LEAVES = 600_000, 20_000
"""The depth of a position is the last with at most so many leaves."""


class Counts:
    """Sequences by their length, those of them that end the round, and the phases in which actions were chosen."""

    def __init__(self, depth: int) -> None:
        self.leaves = [0] * depth
        self.ended = [0] * depth
        self.phases: set[str] = set()


def count_engine(entry: dict[str, Any], depth: int) -> Counts:
    """Count by the engine, many records at a time."""
    counts = Counts(depth)
    game = Game.from_position(entry["position"], SEED)
    table, times = compile_rules(game.rules), np.array(entry["reaction"])

    def expand(states: Any, ply: int) -> None:
        masks = np.zeros((len(states), NUM_ACTIONS), np.int8)
        run.legal_batch(table, states, masks)
        counts.phases |= {PHASES[phase] for phase in np.unique(states["phase"])}
        parents, actions = np.nonzero(masks)
        counts.leaves[ply] += len(parents)
        for first in range(0, len(parents), CHUNK):
            part = slice(first, first + CHUNK)
            children = states[parents[part]]
            children["forced"][:, : len(times)] = times  # what one branch used up is there again in the next
            everyone, status = np.ones(len(children), np.bool_), np.zeros(len(children), np.int8)
            run.step_batch(table, children, actions[part].astype(np.int32), everyone, status, NO_LOG)
            over = children["phase"] == PHASES.index("over")
            counts.ended[ply] += int(over.sum())
            if ply + 1 < depth:
                expand(children[~over], ply + 1)

    expand(game.state, 0)
    return counts


def count_reference(entry: dict[str, Any], depth: int) -> Counts:
    """Count by the reference, one action at a time."""
    counts = Counts(depth)

    def expand(game: ReferenceGame, ply: int) -> None:
        counts.phases.add(game.phase)
        for action in game.legal():
            child = branch(game)
            child.reaction(dict(enumerate(entry["reaction"])))
            child.step(action)
            counts.leaves[ply] += 1
            counts.ended[ply] += child.over
            if ply + 1 < depth and not child.over:
                expand(child, ply + 1)

    expand(ReferenceGame.from_position(entry["position"], CounterRng(SEED)), 0)
    return counts


def branch(game: ReferenceGame) -> ReferenceGame:
    """A game that goes on alone; only the rules stay shared."""
    twin = object.__new__(ReferenceGame)
    for name, value in vars(game).items():
        if isinstance(value, list):
            value = [list(part) if isinstance(part, list) else part for part in value]
        elif isinstance(value, dict) and name != "rules":
            value = dict(value)
        elif isinstance(value, Move):
            value = Move(list(value.cards), value.call, value.power, value.turned, value.declared)
        elif isinstance(value, CounterRng):
            value = CounterRng.from_state(value.key, value.counter)
        setattr(twin, name, value)
    return twin


def read_positions() -> list[dict[str, Any]]:
    """The committed positions with their counts."""
    return [json.loads(line) for line in POSITIONS.read_text(encoding="utf-8").splitlines()]


def count_anew(entry: dict[str, Any]) -> dict[str, Any]:
    """The position with its counts, as deep as ENGINE_LEAVES and REFERENCE_LEAVES allow; both must agree."""
    depth = 1
    while (counts := count_engine(entry, depth + 1)).leaves[-1] <= ENGINE_LEAVES and counts.leaves[-1]:
        depth += 1
    leaves, ended = counts.leaves[:depth], counts.ended[:depth]
    shallow = sum(number <= REFERENCE_LEAVES for number in leaves)
    found = count_reference(entry, shallow)
    if (found.leaves, found.ended) != (leaves[:shallow], ended[:shallow]):
        raise SystemExit(f"{entry['id']}: engine {leaves} {ended}, reference {found.leaves} {found.ended}")
    return {**entry, "leaves": leaves, "ended": ended, "reference_depth": shallow}


def main() -> None:
    """Write the counts of every committed position anew."""
    entries = [count_anew(entry) for entry in read_positions()]
    POSITIONS.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
