"""The table as plain text, for terminals, logs and ``render_mode="ansi"``."""

from __future__ import annotations

import textwrap

from whot_env.render.describe import (
    View,
    card_of,
    counts_as,
    headline,
    other_legal,
    plural,
    rules_name,
    seat_name,
    seat_tags,
    shape_and_number,
)

_UNICODE = {"circle": "●", "triangle": "▲", "cross": "✚", "square": "■", "star": "★"}
_ASCII = {"circle": "o", "triangle": "^", "cross": "+", "square": "#", "star": "*"}
_MAX_BACKS = 12  # longer face-down hands are shortened; the count column stays exact
_HAND_COLUMN = 25
_WIDTH = 100


def _card(name: str, symbols: dict[str, str]) -> str:
    """``circle-7`` -> "●7", ``whot`` -> "WHOT", ``star-4-as-8`` -> "★4=8"."""
    card = card_of(name) or name
    if card == "whot":
        return "WHOT"
    shape, number = shape_and_number(card)
    text = f"{symbols[shape]}{number}"
    return f"{text}={name.rsplit('-', 1)[1]}" if name != card else text


def _action(name: str, symbols: dict[str, str]) -> str:
    if card_of(name):
        return _card(name, symbols)
    if name.startswith("call:"):
        return f"call {symbols[name[5:]]} {name[5:]}"
    return name


def _hand(view: View, seat: int, symbols: dict[str, str], back: str) -> str:
    hand, size, known = view["hands"][seat], view["hand_sizes"][seat], view["known"][seat]
    if hand is not None:
        return "  ".join(_card(name, symbols) for name in hand) or "-"
    hidden = max(size - len(known), 0)
    backs = back * min(hidden, _MAX_BACKS) + (f"+{hidden - _MAX_BACKS}" if hidden > _MAX_BACKS else "")
    seen = "  ".join(_card(name, symbols) for name in known)
    return "  ".join(part for part in (backs, f"(seen: {seen})" if seen else "") if part) or "-"


def render_text(view: View, *, unicode: bool = True) -> str:
    """The table as a block of text, without a newline at its end.

    Args:
        view: what ``Game.view(viewer)`` gives. Hands that are ``None`` are drawn face down.
        unicode: False draws with ASCII only: ``o ^ + # *`` for circle, triangle, cross, square, star.

    Returns:
        Lines of at most 100 characters (log lines are given whole): who is asked, the pile, the call, the debt,
        the market, one row a seat with ``>`` at the seat asked, the viewer's legal actions, the last log lines.
    """
    symbols, back, rule, dot = (_UNICODE, "▒", "─", " · ") if unicode else (_ASCII, "?", "-", " | ")
    top = _card(view["top"], symbols) if view["top"] else "nothing"
    number = counts_as(view)
    called = f"{symbols[view['called']]} {view['called']}" if view["called"] else "none"
    facts = [
        f"Top {top}" + (f" (counts as {number})" if number is not None else ""),
        f"Call {called}",
        f"Debt {plural(view['debt'], 'card') if view['debt'] else 'none'}",
        f"Pile {view['pile_size']}",
        f"Market {view['market_size']}",
        "clockwise" if view["direction"] == 1 else "anticlockwise",
    ]
    title = f"{rule * 2} Whot{dot}{rules_name(view)}{dot}{headline(view)} "
    lines = [title + rule * max(_WIDTH - len(title), 2), " " + dot.join(facts)]
    if view["move"]:
        lines.append(" Laid so far: " + "  ".join(_card(name, symbols) for name in view["move"]))
    lines += ["", f"   {'Seat':<13}{'Cards':>5}    Hand"]
    for seat in range(view["num_players"]):
        mark = ">" if seat == view["asked"] and not view["over"] else " "
        start = f" {mark} {seat_name(view, seat):<13}{view['hand_sizes'][seat]:>5}    "
        lines += textwrap.wrap(
            _hand(view, seat, symbols, back), _WIDTH, initial_indent=start, subsequent_indent=" " * _HAND_COLUMN
        )
        tags = seat_tags(view, seat)
        if tags:
            lines.append(" " * _HAND_COLUMN + "[" + ", ".join(tags) + "]")
    if view["legal"]:
        others = set(other_legal(view))
        cards = [name for name in view["legal"] if name not in others]
        legal = "  ".join(_action(name, symbols) for name in [*cards, *other_legal(view)])
        lines += ["", *textwrap.wrap(legal, _WIDTH, initial_indent=" May: ", subsequent_indent=" " * 6)]
    if view["log"]:
        lines += ["", *(f"   {line if unicode else line.encode('ascii', 'replace').decode()}" for line in view["log"])]
    return "\n".join(lines)
