"""The flat action space (rules section 5): one fixed list of names for every table, ids public and stable."""

from whot_env.cards import CARD_NAMES, SHAPES, STAR_NUMBERS

ACTION_NAMES: tuple[str, ...] = (
    *CARD_NAMES,
    *(f"star-{n}-as-{2 * n}" for n in STAR_NUMBERS),
    "draw",
    "end",
    *(f"call:{shape}" for shape in SHAPES),
    *("plain", "miss", "keep", "reverse"),
    *("last-card", "check-up", "catch", "pass"),
    *("undo", "knock"),
    *("play-on", "stop"),
)
"""Names by action id. The first 50 are the cards, so a card's id is also the id of the action that plays it."""

ACTION_ID: dict[str, int] = {name: i for i, name in enumerate(ACTION_NAMES)}
"""Action id by name."""

NUM_ACTIONS = len(ACTION_NAMES)
"""76."""

STAR_DOUBLE = ACTION_ID["star-1-as-2"]
"""First of the seven actions that play a star as its doubled number; the last is ``DRAW - 1``."""

DRAW = ACTION_ID["draw"]
END = ACTION_ID["end"]
CALL = ACTION_ID["call:circle"]
"""First of the five calls; ``CALL + s`` calls shape ``s``."""
PLAIN = ACTION_ID["plain"]
MISS = ACTION_ID["miss"]
KEEP = ACTION_ID["keep"]
REVERSE = ACTION_ID["reverse"]
LAST_CARD = ACTION_ID["last-card"]
CHECK_UP = ACTION_ID["check-up"]
CATCH = ACTION_ID["catch"]
PASS = ACTION_ID["pass"]
UNDO = ACTION_ID["undo"]
KNOCK = ACTION_ID["knock"]
PLAY_ON = ACTION_ID["play-on"]
STOP = ACTION_ID["stop"]
