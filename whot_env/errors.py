"""The package's errors: one clear sentence each, naming the field, the value and what is allowed."""

import reprlib


class _Shown(reprlib.Repr):
    """``repr`` of values from anywhere: deep, long and huge ones are cut short instead of filling memory or failing."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = 12
        self.maxstring = self.maxother = 77
        self.fillvalue = "…"

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to write numbers of thousands of digits.
        return repr(x) if x.bit_length() <= 128 else f"a number of {x.bit_length()} bits"


_SHOWN = _Shown()


def shown(value: object) -> str:
    """How an error shows ``value``: as ``repr`` does, on one line and at most about 80 characters."""
    text = _SHOWN.repr(value).replace("\n", " ")
    return text if len(text) < 80 else text[:77] + "…"


class WhotError(ValueError):
    """Base of every error raised for bad input; ``key`` names the field, key or argument at fault."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        # The default reduces to the message alone, which would not rebuild an error that crossed a process border.
        return type(self), (self.key, str(self))


class RulesError(WhotError):
    """A table's rules that cannot be played: unknown field or preset, bad value, impossible deal."""


class PositionError(WhotError):
    """A JSON position that is malformed or that no game can be in (rules section 6)."""


class ActionError(WhotError):
    """An action that does not exist or is not legal now."""


class EventError(WhotError):
    """A host event (rules 4.12) that is refused in this position."""
