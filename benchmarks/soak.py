"""``python benchmarks/soak.py [--minutes 10]``: memory while games are played, redealt and observed without pause.

Prints bytes per game, and resident memory after the first tenth of the time and at the end; the exit status is 1 if it
grew by more than 1 %.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from whot_env import Game
from whot_env.batch import Batch
from whot_env.playout import playouts
from whot_env.state import STATE

GAMES = 4096
ALLOWED = 1.01


def resident() -> int:
    """Bytes of this process in memory (Linux)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


def work(batch: Batch, rng: np.random.Generator, number: int) -> None:
    """Some of everything that people do in long runs."""
    out, keys = batch.outputs(), rng.integers(0, 1 << 64, size=GAMES, dtype=np.uint64)
    batch.play("playful", 50, keys, out)
    batch.redeal(rng.integers(1 << 62, size=GAMES))
    batch.step(out.action_mask.argmax(axis=1))
    game = Game.new("arcade", 4, seed=number)
    playouts(game, 100, rng)
    while not game.over and game.moves < 100:
        game.step(str(rng.choice(game.legal())))
    Game.from_position(game.position())


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="soak", description="memory of a long run")
    parser.add_argument("--minutes", type=float, default=10.0)
    seconds = parser.parse_args(arguments).minutes * 60
    batch, rng = Batch("naija_whot", 4, GAMES), np.random.default_rng(0)
    work(batch, rng, 0)  # compiles what is not yet compiled
    start, number, early = time.perf_counter(), 1, resident()
    while (passed := time.perf_counter() - start) < seconds:
        work(batch, rng, number)
        number += 1
        if passed < seconds / 10:
            early = resident()
    growth = resident() / early
    print(f"{STATE.itemsize} bytes a game; a million games: {STATE.itemsize * 1e6 / 2**30:.2f} GiB")
    print(f"{number} rounds of work: {early / 2**20:.1f} MiB after a tenth, {growth:.4f} times as much at the end")
    return 1 if growth > ALLOWED else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
