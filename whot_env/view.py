"""What one seat may see of a game, as JSON values: the input of every renderer and client. No hidden card is in it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whot_env.game import Game

LOG_LINES = 8


def make_view(game: "Game", viewer: int | None) -> dict[str, Any]:
    """The view of ``viewer``; None shows every hand. Keys are those of a position where they mean the same, with the
    other hands None, the market's and pile's sizes, and the last lines of the log."""
    p = game.position()
    n = game.num_players
    phase = p["phase"]
    own_move = viewer is None or viewer == p["turn"] or phase == "proposal"
    building = phase in ("stack", "call", "power", "direction", "declare")
    return {
        "rules": p["rules"],
        "viewer": viewer,
        "num_players": n,
        "hands": [hand if viewer in (None, seat) else None for seat, hand in enumerate(p["hands"])],
        "hand_sizes": [len(hand) for hand in p["hands"]],
        "known": p["known"],
        "top": p["pile"][-1],
        "top_number": p["top_number"],
        "called": p["called"],
        "debt": p["debt"],
        "turn": p["turn"],
        "asked": p["asked"],
        "phase": phase if own_move or not building else "play",
        "direction": p["direction"],
        "market_size": len(p["market"]),
        "pile_size": len(p["pile"]),
        "move": p["move"]["cards"] if own_move else [],
        "move_call": p["move"]["call"] if own_move else None,
        "open_calls": p["open_calls"],
        "owes_announcement": p["owes_announcement"],
        "out": p["out"],
        "left": p["left"],
        "moves": p["moves"],
        "over": game.over,
        "winners": game.winners,
        "places": game.places,
        "sums": game.sums,
        "match": p["match"],
        "legal": game.legal() if viewer in (None, game.asked) else [],
        "log": [entry.text for entry in game.log[-LOG_LINES:]],
    }
