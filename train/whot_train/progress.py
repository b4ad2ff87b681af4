"""What a person sees while a Coach trains: a bar on a terminal, plain lines elsewhere."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

LINE_SECONDS = 15.0
"""Seconds between plain lines."""


def clock(seconds: float) -> str:
    """Minutes and seconds: ``4:05``."""
    whole = max(0, round(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


class Display:
    """Shows stage, rates and time left; use as a context manager."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console()
        self._live = self.console.is_terminal
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=10),
            TextColumn("{task.fields[rates]}"),
            TextColumn("{task.fields[left]} left"),
            console=self.console,
            transient=True,
        )
        self._task = self._bar.add_task("starting", total=1.0, rates="", left="?")
        self._next_line = 0.0

    def __enter__(self) -> Self:
        if self._live:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._bar.stop()

    def say(self, text: str) -> None:
        """One line that stays."""
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def update(self, stage: str, share: float, seconds_left: float, rates: str) -> None:
        """``share`` of the run is done, ``seconds_left`` are expected; ``rates`` is what there is to say about them."""
        left = clock(seconds_left)
        if self._live:
            self._bar.update(self._task, completed=share, description=stage, rates=rates, left=left)
        elif time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + LINE_SECONDS
            self.say(f"{stage}: {rates}, {left} left")
