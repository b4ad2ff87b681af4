"""The package's errors: one clear sentence each, naming the field, the value and what is allowed."""


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
