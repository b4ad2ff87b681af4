"""Compares the engine with the slow reference: `python tests/fuzz.py --decisions 200000` or `--seconds 600`.

Without either it goes on until Ctrl-C. What was compared is printed in any case.
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

_HERE = Path(__file__).resolve().parent
for _folder in (_HERE / "reference", _HERE.parent / "agents", _HERE.parent):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

from whot_lockstep import Mismatch, play_game  # noqa: E402  (needs the path above)
from whot_tally import ENOUGH, Tally  # noqa: E402

Result = tuple[Tally, list[Mismatch]]

CHUNK = 18
"""Games a process plays before it reports: two of each table."""


def play_chunk(seed: int, first: int, count: int = CHUNK) -> Result:
    """Play the games from `first` on and say what was compared and what differed."""
    tally, faults = Tally(), []
    for number in range(first, first + count):
        try:
            play_game(seed, number, tally)
        except Mismatch as mismatch:
            faults.append(mismatch)
    return tally, faults


def _ignore_interrupt() -> None:
    # Ctrl-C reaches every process of the terminal; the first one alone decides when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def results(seed: int, jobs: int) -> Iterator[Result]:
    """Results of one chunk after another, without end, from `jobs` processes."""
    firsts = itertools.count(0, CHUNK)
    if jobs == 1:
        yield from (play_chunk(seed, first) for first in firsts)
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _ignore_interrupt)
    try:
        running: set[Future[Result]] = set()
        while True:
            running |= {pool.submit(play_chunk, seed, next(firsts)) for _ in range(2 * jobs - len(running))}
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    finally:
        pool.shutdown(cancel_futures=True)


def _progress(tally: Tally, started: float, options: argparse.Namespace) -> str:
    spent = time.monotonic() - started
    rate = tally.decisions / spent
    left = min(options.seconds - spent, (options.decisions - tally.decisions) / rate if rate else float("inf"))
    until = "until Ctrl-C" if left == float("inf") else f"{max(left, 0):.0f} s left"
    return f"{tally.decisions:>10} decisions, {rate:6.0f}/s, {until}"


def main(arguments: list[str] | None = None) -> int:
    """Play until the decisions or the seconds are used up, or Ctrl-C; 0 when nothing differs and no phase misses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=float, default=float("inf"))
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--game", type=int, help="this game of the seed only")
    parser.add_argument("--faults", type=int, default=1, help="go on until so many different faults were seen")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; default: one a core")
    options = parser.parse_args(arguments)
    tally, groups = Tally(), set()
    started = shown = time.monotonic()
    games = results(options.seed, options.jobs)
    if options.game is not None:
        games = iter([play_chunk(options.seed, options.game, 1)])
    try:
        for compared, faults in games:
            tally.add(compared)
            for fault in faults:
                if fault.group not in groups:
                    sys.stdout.write(f"{fault}\n")
                groups.add(fault.group)
            now = time.monotonic()
            if len(groups) >= options.faults or tally.decisions >= options.decisions or now > started + options.seconds:
                break
            if now > shown + 5:
                shown = now
                sys.stdout.write(_progress(tally, started, options) + "\n")
                sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stdout.write("stopped\n")
    gaps = tally.gaps() if tally.decisions >= ENOUGH else []
    sys.stdout.write("\n".join([tally.table(), *gaps, ""]))
    return 1 if groups or gaps else 0


if __name__ == "__main__":
    sys.exit(main())
