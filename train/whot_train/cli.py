"""``whot train``. Loading this module loads no learning library: ``whot`` loads it for every command."""

import argparse
import math
import os
from pathlib import Path
from typing import Any

from whot_env.errors import WhotError
from whot_env.rules import PRESETS, read_rules


def add_commands(subparsers: Any) -> None:
    """Add ``train`` to the commands of ``whot``."""
    train = subparsers.add_parser(
        "train",
        help="train a Coach by self-play",
        description="Train a Coach by self-play, evaluate it, write its bundle. Ctrl-C saves; running again resumes.",
    )
    train.add_argument("--rules", default="naija_whot", help=f"a preset ({', '.join(PRESETS)}) or a JSON object")
    train.add_argument("--players", type=int, help="seats (the table's default)")
    train.add_argument("--minutes", type=float, default=5.0, help="training time over all starts (5)")
    train.add_argument("--out", type=Path, help="folder of the run (runs/RULES-PLAYERS)")
    train.add_argument("--seed", type=int, default=0, help="of weights, deals and draws (0)")
    train.add_argument("--envs", type=int, help="games played at once")
    train.add_argument("--config", type=Path, help="TOML file with settings that replace the defaults")
    train.add_argument("--evaluate", action="store_true", help="evaluate a finished run again")
    train.set_defaults(run=_train)


def _train(args: argparse.Namespace) -> int:
    rules = read_rules(args.rules)
    players = rules.seats if args.players is None else args.players
    rules.check_seats(players)
    if not (math.isfinite(args.minutes) and args.minutes > 0):
        raise WhotError("minutes", f"minutes is {args.minutes:g}; allowed: above 0")
    if not 0 <= args.seed < 1 << 32:
        raise WhotError("seed", f"seed is {args.seed}; allowed: a whole number from 0 to {(1 << 32) - 1}")
    # Threads that wait for work by spinning starve each other when other programs use the cores; read when torch loads.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        from whot_train.config import load_config
        from whot_train.run import Options, run
    except ModuleNotFoundError as error:
        raise WhotError(
            str(error.name), f"training needs {error.name}, which is not installed; install whot-env[train]"
        ) from error
    config = load_config(args.config, envs=args.envs)
    out = args.out or Path("runs") / f"{rules.base}-{players}"
    try:
        if out.exists() and not out.is_dir():
            raise WhotError("out", f"out is '{out}', which is a file; allowed: a folder")
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WhotError("out", f"out is '{out}', which cannot be made ({error.strerror}); allowed: a folder") from error
    return run(Options(rules, players, args.minutes, out, args.seed, config, args.evaluate))
