"""Events of the engine's log as sentences."""

from collections.abc import Callable

from whot_env.actions import ACTION_NAMES
from whot_env.cards import SHAPES
from whot_env.engine import log as e
from whot_env.state import POWERS


def _cards(n: int) -> str:
    return "no card" if n == 0 else "1 card" if n == 1 else f"{n} cards"


_TELL: dict[int, Callable[[int], str]] = {
    e.LOG_PLAYED: lambda v: f"plays {ACTION_NAMES[v]}",
    e.LOG_CALLED: lambda v: f"calls {SHAPES[v]}",
    e.LOG_POWER: lambda v: f"uses the Whot's power: {POWERS[v]}",
    e.LOG_TURNED: lambda v: f"turns the direction {'clockwise' if v > 0 else 'anticlockwise'}",
    e.LOG_DREW: lambda v: f"draws {_cards(v)}",
    e.LOG_PENALTY: lambda v: f"draws {_cards(v)} for a missed announcement",
    e.LOG_REPLACED: lambda v: f"draws {_cards(v)} in place of a last card that cannot win",
    e.LOG_SAID: lambda v: f"says '{e.SAYINGS[v]}'",
    e.LOG_MISSED: lambda v: f"does not say {'Last card' if v == 1 else 'Check up'}",
    e.LOG_CAUGHT: lambda v: f"catches seat {v}",
    e.LOG_RECYCLED: lambda v: f"the pile is shuffled into a market of {_cards(v)}",
    e.LOG_SHOWN: lambda v: f"shows {ACTION_NAMES[v]}",
    e.LOG_UNDID: lambda v: "takes the play back",
    e.LOG_KNOCKED: lambda v: "knocks",
    e.LOG_VOTED: lambda v: f"the vote: {'the hand is played on' if v else 'the round ends'}",
    e.LOG_OUT: lambda v: "is out",
    e.LOG_LEFT: lambda v: "leaves",
    e.LOG_TIMED_OUT: lambda v: "runs out of time",
    e.LOG_COUNTED: lambda v: "the hands are counted",
    e.LOG_OVER: lambda v: "the round is over",
    e.LOG_DEALT: lambda v: f"is first to move; {_cards(v)} to each seat",
}

TABLE_EVENTS = frozenset({e.LOG_RECYCLED, e.LOG_VOTED, e.LOG_COUNTED, e.LOG_OVER})
"""Events about the whole table, told without a seat."""


def tell(kind: int, seat: int, value: int) -> str:
    """One event of the log as an English sentence."""
    text = _TELL[kind](value)
    return text if kind in TABLE_EVENTS or seat < 0 else f"seat {seat} {text}"
