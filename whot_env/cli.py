"""The ``whot`` command: rules, actions and layout as text, case files, and what the other packages add."""

import argparse
import contextlib
import json
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Any

from whot_env.actions import ACTION_NAMES
from whot_env.errors import WhotError
from whot_env.observation import LAYOUT
from whot_env.rules import FIELD_DOC, FIELD_NAMES, PRESETS, Rules

COMMANDS = "whot_env.commands"
"""Entry-point group: functions that add commands, given the subparsers; a command sets ``run(args) -> exit status``."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``whot``; returns the exit status: 0 done, 1 a check failed, 2 bad input, 130 stopped by Ctrl-C."""
    parser = argparse.ArgumentParser(prog="whot", description="Whot, Nigeria's card game, for people and programs.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_commands(commands)
    for point in sorted(entry_points(group=COMMANDS), key=lambda p: p.name):
        point.load()(commands)
    args = parser.parse_args(argv)
    try:
        status = int(args.run(args))
        sys.stdout.flush()  # here, where a failure can still be told
        return status
    except WhotError as error:
        print(f"whot: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("whot: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output went away (`whot rules | head`); there is nobody left to tell.
        sys.stderr.close()
        return 0
    except OSError as error:
        with contextlib.suppress(OSError):
            sys.stdout.close()  # or what it still holds would be tried again at exit
        place = f"{error.filename!r}" if error.filename else "the output"
        print(f"whot: {place}: {error.strerror or error}", file=sys.stderr)
        return 2


def _add_commands(commands: Any) -> None:
    check = commands.add_parser("check", help="run rule cases (JSON lines) and name each one that fails")
    check.add_argument("files", nargs="+", metavar="FILE")
    check.set_defaults(run=_check)
    rules = commands.add_parser("rules", help="print a table's rules, or all tables side by side")
    rules.add_argument("preset", nargs="?", metavar="PRESET", help=", ".join(PRESETS))
    rules.add_argument("--json", action="store_true", help="print JSON")
    rules.set_defaults(run=_rules)
    actions = commands.add_parser("actions", help="print the action space: id and name")
    actions.set_defaults(run=_actions)
    layout = commands.add_parser("layout", help="print the observation's segments")
    layout.set_defaults(run=_layout)


def _check(args: argparse.Namespace) -> int:
    from whot_env.cases import run_file  # needs the compiled engine, which the other commands can do without

    held = failed = 0
    for path in args.files:
        for name, reason in run_file(path):
            if reason is None:
                held += 1
            else:
                failed += 1
                print(f"FAILED {name}: {reason}".encode("utf-8", "replace").decode("utf-8"))
    print(f"{held} cases hold, {failed} fail")
    return 1 if failed or not held else 0


def _rules(args: argparse.Namespace) -> int:
    presets = [args.preset] if args.preset else list(PRESETS)
    tables = {name: Rules.preset(name).fields_json() for name in presets}
    if args.json:
        print(json.dumps(tables[args.preset] if args.preset else tables, indent=1))
        return 0
    if args.preset:
        rows = [[name, json.dumps(tables[args.preset][name]), FIELD_DOC[name]] for name in FIELD_NAMES]
    else:
        rows = [["", *presets], *([name, *(json.dumps(tables[p][name]) for p in presets)] for name in FIELD_NAMES)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return 0


def _actions(args: argparse.Namespace) -> int:
    for number, name in enumerate(ACTION_NAMES):
        print(f"{number:2} {name}")
    return 0


def _layout(args: argparse.Namespace) -> int:
    print(LAYOUT)
    return 0
