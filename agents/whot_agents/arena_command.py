"""``whot arena``: what a person types, and what the terminal shows."""

import argparse
import contextlib
import json
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from whot_agents.arena_picture import need_matplotlib, write_picture
from whot_agents.arena_ratings import model_name
from whot_agents.arena_table import CrossTable, Setting, TableProgress, pairs_of, play_table
from whot_agents.files import unwritable
from whot_agents.spec import make_agent
from whot_env.errors import WhotError
from whot_env.rules import read_rules

INTERRUPTED = 130
"""Exit status after Ctrl-C."""


def run(args: argparse.Namespace) -> int:
    """Play what was asked for and write it; the exit status."""
    specs = [args.a, args.b, *args.more]
    agents = [make_agent(spec) for spec in specs]
    names = [agent.name for agent in agents]
    if len(set(names)) < len(names):
        names = specs  # two Coaches may have been given one name
    setting = Setting(read_rules(args.rules), args.players, args.games, args.seed, args.max_moves, not args.all_games)
    folder = None if args.out is None else Path(args.out)
    if folder is not None:
        need_matplotlib()  # missing, it should be missed before the games
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(folder, error) from error

    def keep(table: CrossTable) -> None:
        if folder is not None:
            table.write(folder / "arena.json")

    with _stopping() as stop, _bar(names, pairs_of(len(names), args.players)) as progress:
        table = play_table(agents, setting, names, progress, stop, keep)
    if not table.pairings:
        raise WhotError("arena", "the arena was stopped before the first deal was played out: nothing to report")
    if folder is not None:
        write_picture(folder / "arena.png", table)
    sys.stdout.write(json.dumps(table.to_json(), indent=1) + "\n" if args.json else report(table))
    return INTERRUPTED if table.interrupted else 0


def report(table: CrossTable) -> str:
    """The results as lines for a terminal."""
    lines = [str(pairing.result) for pairing in table.pairings]
    if len(table.names) > 2:
        width = max(6, *map(len, table.names))
        rows = [["", *table.names]]
        for name, row in zip(table.names, table.win_rates(), strict=True):
            rows.append([name, *("-" if rate is None else f"{rate:.1%}" for rate in row)])
        lines += ["", "The row wins against the column:"]
        lines += ["  ".join([row[0].ljust(width), *(cell.rjust(width) for cell in row[1:])]).rstrip() for row in rows]
    if table.ratings is not None:
        about: dict[str, Any] = table.to_json()
        zero = f"{about['ratings']['anchor']} = 0"
        width = max(map(len, table.names))
        lines += ["", f"{model_name(about['num_players'])} ratings in Elo points, {zero}, 95 % intervals:"]
        lines += [f"{r.agent.ljust(width)}  {r.elo:+7.0f}  [{r.low:+.0f}, {r.high:+.0f}]" for r in table.ratings]
    elif len(table.names) > 2:
        lines += ["", "No ratings: pairings are missing."]
    return "\n".join(lines) + "\n"


@contextlib.contextmanager
def _stopping() -> Iterator[Callable[[], bool]]:
    """Ctrl-C asks for a stop at the next step; pressed twice, it stops at once."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return

    def interrupt(number: int, frame: Any) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _bar(names: Sequence[str], pairs: Sequence[tuple[int, int]]) -> Iterator[TableProgress | None]:
    """A progress bar on a terminal, where rich is installed."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
    except ImportError:
        yield None
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[games]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left at most"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None, games="")
        start = time.monotonic()
        done = current = last = 0

        def show(number: int, finished: int, most: int) -> None:
            nonlocal done, current, last
            if number != current:
                done, current = done + last, number
            last = finished
            a, b = (names[i] for i in pairs[number])
            rate = (done + finished) / max(time.monotonic() - start, 1e-9)
            bar.update(
                task,
                description=f"{a} against {b} ({number + 1} of {len(pairs)})",
                total=most * len(pairs),
                completed=most * number + finished,
                games=f"{finished}/{most} games, {rate:,.0f}/s",
            )

        yield show
