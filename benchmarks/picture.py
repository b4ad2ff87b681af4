"""The result file as pictures: docs/images/benchmarks.png and docs/images/scaling.png."""

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

GREEN, GREY = "#1a7f4b", "#8a8f98"


def draw(results: dict[str, Any], folder: Path) -> None:
    """Write both pictures into ``folder``."""
    _pairs(results["pairs"], folder / "benchmarks.png")
    _scaling(results["scaling"], folder / "scaling.png")


def _save(figure: Any, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})  # no version: equal pictures are equal files
    plt.close(figure)


def _pairs(pairs: list[dict[str, Any]], path: Path) -> None:
    """A line for each contender, ours green; the bar from the least to the greatest turn."""
    sides = {}
    for pair in pairs:
        for key in ("theirs", "ours"):
            name = f"{pair[key]['name']}\n{pair[key]['writes']}".replace("`", "")
            sides[name] = pair[key], key
    rows = sorted(sides.items(), key=lambda item: item[1][0]["per_second"][1])
    figure, axes = plt.subplots(figsize=(9, 0.42 * len(rows) + 1))
    for place, (_, (side, key)) in enumerate(rows):
        low, middle, high = side["per_second"]
        axes.barh(place, middle, color=GREEN if key == "ours" else GREY, height=0.7)
        axes.plot([low, high], [place, place], color="black", linewidth=1)
        axes.text(high * 1.1, place, f"{middle:,}", va="center", fontsize=7)
    axes.set_xscale("log")
    axes.set_xlim(right=axes.get_xlim()[1] * 4)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=7)
    axes.set_xlabel("decisions per second (NumPy: rows), uniform over legal actions")
    _save(figure, path)


def _scaling(curves: dict[str, Any], path: Path) -> None:
    figure, (batch, seats, presets) = plt.subplots(1, 3, figsize=(13, 3.8))
    for threads, points in curves["batch"].items():
        label = "1 thread" if threads == "1" else f"{threads} threads"
        batch.plot([int(b) for b in points], [v / 1e6 for v in points.values()], marker="o", label=label)
    batch.set_xscale("log", base=4)
    batch.set_xlabel("games in the batch (naija_whot, 2 seats)")
    for preset, points in curves["seats"].items():
        seats.plot([int(n) for n in points], [v / 1e6 for v in points.values()], marker="o", label=preset)
    seats.set_xlabel("seats (4,096 games, 1 thread)")
    for axes in (batch, seats):
        axes.legend(fontsize=8)
    names = list(curves["presets"])
    presets.barh(names, [v / 1e6 for v in curves["presets"].values()], color=GREEN)
    presets.tick_params(axis="y", labelsize=7)
    presets.set_xlabel("preset (2 seats, 4,096 games, 1 thread)")
    for axes in (batch, seats):
        axes.set_ylim(bottom=0)
        axes.set_ylabel("million decisions per second")
    _save(figure, path)
