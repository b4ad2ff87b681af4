"""Words shared by the renderers: what a card is, what is being asked, what to say about a seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from whot_env.cards import WHOT_NUMBER

View = Mapping[str, Any]
"""The dictionary of ``Game.view(viewer)``."""

_ASKED_FOR = {
    "play": "to play",
    "stack": "may add a card",
    "call": "calls a shape",
    "power": "uses the power of the Whot",
    "direction": "chooses the direction",
    "declare": "may announce",
    "proposal": "may take back or knock",
    "react": "may press",
    "vote": "votes: play on or stop",
}


def card_of(action: str) -> str | None:
    """The card that a card name or play action lays (``star-4-as-8`` lays ``star-4``); None for other actions."""
    if action == "whot":
        return action
    parts = action.split("-")
    if len(parts) in (2, 4) and parts[1].isdigit():
        return f"{parts[0]}-{parts[1]}"
    return None


def shape_and_number(card: str) -> tuple[str, int]:
    """``circle-7`` -> ("circle", 7); ``whot`` -> ("whot", 20): what is printed on the card."""
    if card == "whot":
        return card, WHOT_NUMBER
    shape, number = card.split("-")[:2]
    return shape, int(number)


def ordinal(place: int) -> str:
    """1 -> "1st", 2 -> "2nd", 3 -> "3rd", 4 -> "4th" (places go to 8)."""
    return f"{place}{({1: 'st', 2: 'nd', 3: 'rd'}).get(place, 'th')}"


def plural(count: int, noun: str) -> str:
    """``plural(1, "card")`` -> "1 card", ``plural(3, "card")`` -> "3 cards"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def seat_name(view: View, seat: int) -> str:
    """``Seat 2``, and ``Seat 2 (you)`` for the viewer."""
    return f"Seat {seat} (you)" if seat == view["viewer"] else f"Seat {seat}"


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def rules_name(view: View) -> str:
    """The preset in force; "arcade, changed" where the rules are a preset with changed fields."""
    rules = view["rules"]
    return f"{rules['preset']}, changed" if isinstance(rules, Mapping) else str(rules)


def headline(view: View) -> str:
    """One line: the result of a finished round, or who is asked for what."""
    if view["over"]:
        winners: list[int] = view["winners"] or []
        if not winners:
            return "Over, nobody wins"
        if len(winners) == 1:
            return f"Seat {winners[0]} wins"
        return f"Seats {_joined([str(seat) for seat in winners])} share the win"
    line = f"Seat {view['asked']} {_ASKED_FOR.get(view['phase'], view['phase'])}"
    return line if view["asked"] == view["turn"] else f"{line} (turn of seat {view['turn']})"


def counts_as(view: View) -> int | None:
    """The number the top card is matched by where that is not the printed one (a doubled star), else None."""
    top, number = view["top"], view["top_number"]
    if not top or number is None or top == "whot" or shape_and_number(top)[1] == number:
        return None
    return int(number)


def seat_tags(view: View, seat: int) -> list[str]:
    """Short notes on a seat: winner or place, points left in its hand, out, left, call not made, debt."""
    tags: list[str] = []
    places, sums = view["places"], view["sums"]
    if view["over"]:
        if seat in (view["winners"] or []):
            tags.append("winner")
        elif places is not None and places[seat] is not None:
            tags.append(ordinal(places[seat]))
        if sums is not None and sums[seat] is not None:
            tags.append(plural(int(sums[seat]), "point"))
    if seat in view["left"]:
        tags.append("left")
    elif seat in view["out"] and not view["over"]:
        tags.append(f"out {ordinal(list(view['out']).index(seat) + 1)}")
    if seat in view["open_calls"]:
        tags.append("last card not called")
    if view["debt"] and seat == view["turn"] and not view["over"]:
        tags.append(f"owes {view['debt']}")
    return tags


def other_legal(view: View) -> list[str]:
    """The viewer's legal actions that do not lay a card, in the order given."""
    return [name for name in view["legal"] if card_of(name) is None]
