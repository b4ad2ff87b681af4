"""What a finished run leaves beside the bundle: the strength table and the learning curve."""

import io
import json
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from whot_agents.files import write_atomically
from whot_train.checkpoint import Progress

Row = Mapping[str, Any]


def machine() -> str:
    """One line about the machine that figures were measured on."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def write_text(path: Path, text: str) -> None:
    """UTF-8, atomically."""
    write_atomically(path, text.encode())


def write_strength(folder: Path, title: str, rows: Sequence[Row], provenance: Mapping[str, Any]) -> None:
    """``strength.json`` and ``strength.md``.

    Args:
        rows: results of the arena, in JSON form.
        provenance: how the Coach was made.
    """
    write_text(folder / "strength.json", json.dumps({"provenance": dict(provenance), "strength": list(rows)}, indent=1))
    lines = [f"# {title}", "", "| against | won | 95 % interval | games |", "|---|---|---|---|"]
    for row in rows:
        interval = f"{row['low']:.1%} – {row['high']:.1%}"
        lines.append(f"| {row['agent_b']} | {row['win_rate']:.1%} | {interval} | {row['games']} |")
    lines += ["", "Every deal was played once from each seat; the interval is over deals.", ""]
    lines += [f"- {name}: {value}" for name, value in provenance.items() if name != "config"]
    write_text(folder / "strength.md", "\n".join(lines) + "\n")


def write_curve(path: Path, progress: Progress, rows: Sequence[Row], fair: float) -> None:
    """The learning curve as a PNG.

    Args:
        progress: whose ``curve`` is drawn.
        rows: the final evaluation, drawn as points with their intervals.
        fair: share of games that equal players would win.
    """
    # The Agg canvas is asked for directly: no window system, and no global choice of backend.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    colours = {"playful": "tab:green", "heuristic": "tab:blue"}
    for name, colour in colours.items():
        points = [(p["seconds"] / 60, 100 * p[name]) for p in progress.curve if name in p]
        if points:
            axes.plot(*zip(*points, strict=True), color=colour, label=f"{name}, while training (moves drawn)")
    for row in rows:
        score, name = 100 * row["win_rate"], row["agent_b"]
        error = [[score - 100 * row["low"]], [100 * row["high"] - score]]
        label = f"{name}, final ({score:.1f} %)"
        axes.errorbar(
            [progress.seconds / 60], [score], error, fmt="o", color=colours.get(name, "black"), capsize=3, label=label
        )
    axes.axhline(100 * fair, color="grey", linewidth=0.8, linestyle="--", label="equal players")
    axes.set_xlabel("minutes of training")
    axes.set_ylabel("games won, %")
    axes.legend(loc="lower right", fontsize=8)
    axes.grid(alpha=0.3)
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_atomically(path, picture.getvalue())
