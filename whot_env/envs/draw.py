"""Rendering for every environment: a record, the seat that looks at it, and a mode."""

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from whot_env.engine.log import LOG_SAID, NO_LOG, SAYINGS
from whot_env.errors import WhotError
from whot_env.game import Game, LogEntry
from whot_env.rules import Rules
from whot_env.story import tell

Frame = npt.NDArray[np.uint8] | str | None


class Scribe:
    """Keeps what was done and said in one game, for its pictures.

    Args:
        awake: False keeps nothing and costs nothing.
    """

    def __init__(self, awake: bool) -> None:
        # 256 rows: more events than one step can have.
        self.buffer = np.zeros((256, 3), np.int16) if awake else NO_LOG
        """What the engine's kernels take as ``log``."""
        self.awake = awake
        self._entries: list[LogEntry] = []

    def clear(self) -> None:
        """Forget the last game."""
        self._entries = []

    def read(self) -> None:
        """Take over what a kernel wrote."""
        if self.awake:
            for kind, seat, value in self.buffer[1 : self.buffer[0, 0] + 1].tolist():
                said = SAYINGS[value] if kind == LOG_SAID else None
                self._entries.append(LogEntry(None if seat < 0 else seat, tell(kind, seat, value), said))
            self.buffer[0, 0] = 0
            self._entries = self._entries[-16:]  # pictures show the last lines only

    def game(self, rules: Rules, states: np.ndarray[Any, Any]) -> Game:
        """The record ``states`` (STATE[1], not copied) as a ``Game`` with this log."""
        game = Game(rules, states)
        game.log = self._entries
        return game


def draw(game: Game, viewer: int, mode: str | None) -> Frame:
    """The table as ``viewer`` sees it, the other hands face down.

    Returns:
        ``rgb_array``: uint8[height, width, 3]; ``ansi``: text; ``human``: None, the text goes to standard output.

    Raises:
        WhotError: there is no render mode.
    """
    if mode is None:
        raise WhotError("render_mode", "render_mode is None, so nothing can be drawn; allowed: human, ansi, rgb_array")
    if mode == "rgb_array":
        from whot_env.render.image import render_image

        return render_image(game.view(viewer))
    from whot_env.render.text import render_text

    text = render_text(game.view(viewer))
    if mode == "ansi":
        return text
    sys.stdout.write(text + "\n\n")
    return None
