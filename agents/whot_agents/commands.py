"""What this package adds to the ``whot`` command: ``play``, ``arena`` and ``inspect``."""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Only light imports here: every start of `whot` loads this module, whatever the command.
from whot_env.errors import WhotError
from whot_env.rules import PRESETS, read_rules

if TYPE_CHECKING:
    from whot_agents.bundle import Bundle

_RULES_HELP = f"a preset ({', '.join(PRESETS)}) or an object as in a position"


def add_commands(commands: Any) -> None:
    """Add the commands to ``argparse`` subparsers; each sets ``run(args) -> exit status``."""
    play = commands.add_parser("play", help="play in the terminal against a Coach or another agent")
    play.add_argument(
        "--coach",
        default="heuristic",
        metavar="AGENT",
        help="a .whotcoach file, or heuristic, playful, uniform, search:N, flat:N",
    )
    play.add_argument("--rules", metavar="RULES", help=f"{_RULES_HELP}; default: the Coach's, else naija_whot")
    play.add_argument("--players", type=int, metavar="N", help="seats; default: the Coach's, else 2")
    play.add_argument("--seed", type=int, metavar="S", help="of the first game; default: a new one each time")
    play.set_defaults(run=_play)

    arena = commands.add_parser(
        "arena",
        help="measure agents against one another on duplicate deals",
        description="Measure agent A against agent B, or every agent against every other, on duplicate deals. "
        "Ctrl-C ends it with a report of what was played.",
    )
    arena.add_argument("a", metavar="A", help="a .whotcoach file, or heuristic, playful, uniform, search:N, flat:N")
    arena.add_argument("b", metavar="B", help="the agent at all other seats")
    arena.add_argument("more", metavar="C", nargs="*", help="more agents: a cross-table, with ratings")
    arena.add_argument("--rules", default="naija_whot", metavar="RULES", help=_RULES_HELP)
    arena.add_argument("--players", type=int, default=2, metavar="N", help="seats; default: 2")
    arena.add_argument(
        "--games",
        type=int,
        default=10_000,
        metavar="G",
        help="games of a pairing at most, rounded up to whole deals; default: 10000",
    )
    arena.add_argument(
        "--all-games", action="store_true", help="play all of them, even when it is clear before who is better"
    )
    arena.add_argument("--seed", type=int, default=0, metavar="S", help="of the first deal; default: 0")
    arena.add_argument(
        "--max-moves", type=int, default=2000, metavar="M", help="moves after which a round is stopped; default: 2000"
    )
    arena.add_argument("--out", metavar="FOLDER", help="write arena.json and arena.png there")
    arena.add_argument("--json", action="store_true", help="print what arena.json holds")
    arena.set_defaults(run=_arena)

    inspect = commands.add_parser("inspect", help="check a .whotcoach file and print what it says of itself")
    inspect.add_argument("bundle", metavar="BUNDLE")
    inspect.add_argument("--json", action="store_true", help="print its manifest as JSON")
    inspect.set_defaults(run=_inspect)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _read(prompt: str) -> str:
    try:
        return input(prompt)
    except UnicodeDecodeError as error:
        raise WhotError("input", f"what was typed is no text in {error.encoding}; allowed: {error.encoding}") from error


def _play(args: argparse.Namespace) -> int:
    from whot_agents.coach import Coach
    from whot_agents.play import play
    from whot_agents.spec import make_agent

    agent = make_agent(args.coach)
    rules, players = read_rules(args.rules or "naija_whot"), args.players or 2
    if isinstance(agent, Coach):
        trained = agent.bundle
        if trained.rules is not None and trained.num_players is not None:
            rules = rules if args.rules else trained.rules
            players = args.players or (trained.num_players if not args.rules else max(2, rules.seat_range[0]))
            if (rules, players) != (trained.rules, trained.num_players):
                _write(f"Note: this Coach was trained for {_trained_for(trained)}.\n")
    if args.players is not None:
        players = args.players  # 0 too, so that it is refused by name
    seed = args.seed
    if seed is None:
        import numpy as np

        seed = int(np.random.default_rng().integers(1 << 31))
    play(agent, rules, players, seed, _read, _write, unicode=_speaks_unicode())
    return 0


def _speaks_unicode() -> bool:
    try:
        "●★▒─“".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def _arena(args: argparse.Namespace) -> int:
    from whot_agents.arena_command import run

    return run(args)


def _inspect(args: argparse.Namespace) -> int:
    from whot_agents.bundle import read_bundle
    from whot_agents.coach import Coach

    path = Path(args.bundle)
    bundle = read_bundle(path)
    Coach(bundle)  # the model must load and give finite numbers too
    if args.json:
        _write(json.dumps(bundle.manifest(), indent=1) + "\n")
        return 0
    lines = [
        f"{path.name}: {bundle.name}, a Coach for {_trained_for(bundle)}",
        f"  written with   whot-env {bundle.version}",
        f"  model          {len(bundle.model)} bytes, SHA-256 {bundle.sha256}",
    ]
    lines += [f"  {key:14} {_short(value)}" for key, value in bundle.provenance.items()]
    lines += [f"  strength       {_strength_row(row)}" for row in bundle.strength]
    _write("\n".join(map(_plain, lines)) + "\n")
    return 0


def _plain(text: str) -> str:
    """Text of a file from elsewhere without control characters, which a terminal would obey."""
    return "".join(c if c.isprintable() else "?" for c in text).encode("utf-8", "replace").decode("utf-8")


def _trained_for(bundle: "Bundle") -> str:
    if bundle.rules is None:
        return "every table"
    value = bundle.rules.to_json()
    return f"{value if isinstance(value, str) else json.dumps(value)} at {bundle.num_players} seats"


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _strength_row(row: Mapping[str, Any]) -> str:
    """A row as ``Result`` prints it, or whatever else was written there."""
    from whot_agents.arena import Result

    try:
        return str(Result(**row))
    except (TypeError, ValueError, KeyError, OverflowError):
        return _short(dict(row))
