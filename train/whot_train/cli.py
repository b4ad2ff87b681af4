"""``whot train``. Loading this module loads no learning library: ``whot`` loads it for every command."""

import argparse
import math
import os
from pathlib import Path
from typing import Any

from whot_env.errors import WhotError
from whot_env.rules import PRESETS, Rules, read_rules

ALL = "all"
"""``--rules all``: every table at once."""

MOST_DECISIONS = 1 << 40


def add_commands(subparsers: Any) -> None:
    """Add ``train`` to the commands of ``whot``."""
    train = subparsers.add_parser(
        "train",
        help="train a Coach by self-play",
        description="Train a Coach by self-play, evaluate it, write its bundle. Ctrl-C saves; running again resumes.",
    )
    train.add_argument(
        "--rules",
        default="naija_whot",
        help=f"a preset ({', '.join(PRESETS)}), a JSON object, or {ALL}: one network for every table, 2 to 4 seats",
    )
    train.add_argument("--players", type=int, help="seats (the table's default)")
    train.add_argument("--minutes", type=float, help="training time over all starts (5, or none with --decisions)")
    train.add_argument("--decisions", type=int, help="decisions over all starts: the same network on every machine")
    train.add_argument("--out", type=Path, help="folder of the run (runs/RULES-PLAYERS)")
    train.add_argument("--seed", type=int, default=0, help="of weights, deals and draws (0)")
    train.add_argument("--envs", type=int, help="games played at once")
    train.add_argument("--config", type=Path, help="TOML file with settings that replace the defaults")
    train.add_argument("--evaluate", action="store_true", help="evaluate a finished run again")
    train.set_defaults(run=_train)


def _table(args: argparse.Namespace) -> tuple[Rules | None, int | None]:
    if args.rules == ALL:
        if args.players is not None:
            raise WhotError("players", f"players is {args.players}; allowed with rules {ALL}: none, all are trained")
        return None, None
    rules = read_rules(args.rules)
    players = rules.seats if args.players is None else args.players
    rules.check_seats(players)
    return rules, players


def _train(args: argparse.Namespace) -> int:
    rules, players = _table(args)
    minutes = 5.0 if args.minutes is None and args.decisions is None else args.minutes
    if minutes is not None and not (math.isfinite(minutes) and minutes > 0):
        raise WhotError("minutes", f"minutes is {minutes:g}; allowed: above 0")
    if args.decisions is not None and not 0 < args.decisions <= MOST_DECISIONS:
        raise WhotError("decisions", f"decisions is {args.decisions}; allowed: 1 to {MOST_DECISIONS}")
    if not 0 <= args.seed < 1 << 32:
        raise WhotError("seed", f"seed is {args.seed}; allowed: a whole number from 0 to {(1 << 32) - 1}")
    # Threads that wait for work by spinning starve each other when other programs use the cores; read when torch loads.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        from whot_train.config import load_config
        from whot_train.run import Options, run
        from whot_train.tables import Tables
    except ModuleNotFoundError as error:
        raise WhotError(
            str(error.name), f"training needs {error.name}, which is not installed; install whot-env[train]"
        ) from error
    config = load_config(args.config, envs=args.envs)
    tables = Tables(rules, players)
    out = args.out or Path("runs") / tables.name
    try:
        if out.exists() and not out.is_dir():
            raise WhotError("out", f"out is '{out}', which is a file; allowed: a folder")
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WhotError("out", f"out is '{out}', which cannot be made ({error.strerror}); allowed: a folder") from error
    return run(Options(tables, minutes, args.decisions, out, args.seed, config, args.evaluate))
