"""The cross-table as a picture."""

import io
from pathlib import Path
from typing import Any

from whot_agents.arena_table import CrossTable
from whot_agents.files import write_atomically
from whot_env.errors import WhotError


def need_matplotlib() -> Any:
    """matplotlib's class ``Figure``. Raises ``WhotError`` if it is not there."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise WhotError(
            "matplotlib", "the picture of a cross-table needs matplotlib; install it with: pip install whot-env[arena]"
        ) from error
    return Figure


def write_picture(path: Path, table: CrossTable) -> None:
    """A heat map as a PNG, atomically: how often the agent of the row wins against that of the column; white is what
    equals win.

    Raises:
        WhotError: matplotlib is not installed, or the file cannot be written.
    """
    figure_class = need_matplotlib()
    # The Agg canvas is asked for directly: no window system, and no global choice of backend.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import TwoSlopeNorm

    rates = table.win_rates()
    about = table.to_json()
    order = range(len(table.names))
    labels = list(table.names)
    if table.ratings is not None:
        order = [table.names.index(row.agent) for row in table.ratings]
        labels = [f"{row.agent}  {row.elo:+.0f}" for row in table.ratings]
    fair = 1 / about["num_players"]
    size = 1.1 * len(table.names)
    figure = figure_class(figsize=(size + 3.5, size + 1.8), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    cells = [[rates[row][column] for column in order] for row in order]
    norm = TwoSlopeNorm(fair, 0, 1)
    values = [[float("nan") if cell is None else cell for cell in row] for row in cells]
    image = axes.imshow(values, cmap="RdBu", norm=norm)
    for y, row in enumerate(cells):
        for x, cell in enumerate(row):
            if cell is not None:
                dark = abs(float(norm(cell)) - 0.5) > 0.3
                axes.text(x, y, f"{cell:.1%}", ha="center", va="center", color="white" if dark else "black")
    axes.set_xticks(range(len(labels)), [table.names[i] for i in order], rotation=45, ha="right")
    axes.set_yticks(range(len(labels)), labels)
    rules = about["rules"] if isinstance(about["rules"], str) else f"{about['rules']['preset']} (changed)"
    games = sum(pairing.result.games for pairing in table.pairings)
    axes.set_title(f"{rules}, {about['num_players']} seats, {games} games: the row wins against the column", fontsize=9)
    figure.colorbar(image, ax=axes, label=f"games won (fair: {fair:.0%})", format="{x:.0%}")
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_atomically(path, picture.getvalue())
