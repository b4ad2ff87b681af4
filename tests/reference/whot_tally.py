"""What a run of compared games reached, and what it should have reached."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

from whot_players import POLICIES
from whot_state import PHASES
from whot_tables import TABLES, read_rules

ASKING = PHASES[:-1]
ENOUGH = 50_000
"""Decisions from which on every reachable phase of every table must have come up."""


def reachable(rules: Any) -> set[str]:
    """The phases in which a table can ask a seat, at any number of seats it allows."""
    r = read_rules(rules)
    three_seats = r["seat_range"][1] >= 3
    asks = {
        "play": True,
        "stack": r["multi_card"] != "single",
        "call": r["whots"] > 0,
        "power": r["whots"] > 0 and r["whot_power"],
        "direction": three_seats and r["reverse_on_pick"] and bool({"pick_two", "pick_three"} & {*r["taken"].values()}),
        "declare": bool({"at_once", "next_move"} & {r["last_card"], r["check_up"]}),
        "proposal": r["undo_seconds"] > 0,
        "react": r["last_card"] == "catch",
        "vote": three_seats and r["after_first_out"] == "vote",
    }
    return {phase for phase, asked in asks.items() if asked}


@dataclass
class Tally:
    """What was compared; a table's name ends in `+` where fields were changed."""

    decisions: int = 0
    games: int = 0
    rounds: int = 0
    by_table: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_policy: Counter[str] = field(default_factory=Counter)
    by_seats: Counter[int] = field(default_factory=Counter)
    by_decks: Counter[int] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Count what another run compared too."""
        for part in fields(self):
            setattr(self, part.name, getattr(self, part.name) + getattr(other, part.name))

    def gaps(self) -> list[str]:
        """What should have come up and did not, or came up and should not."""
        found = []
        for name in TABLES:
            seen = {phase for table, phase in self.by_table if table == name}
            wanted = reachable(name)
            found += [f"{name} never asked {phase}" for phase in ASKING if phase in wanted - seen]
            found += [f"{name} must not ask {phase}" for phase in ASKING if phase in seen - wanted]
        changed = {phase for name, phase in self.by_table if name.endswith("+")}
        found += [f"no changed table asked {phase}" for phase in ASKING if phase not in changed]
        found += [f"nobody played {policy}" for policy in POLICIES if policy not in self.by_policy]
        found += [f"nobody played with {seats} seats" for seats in range(2, 9) if seats not in self.by_seats]
        found += [f"nobody played with {decks} decks" for decks in (1, 2) if decks not in self.by_decks]
        found += [f"no event {event}" for event in ("timeout", "leave", "end_game") if event not in self.events]
        return found

    def table(self) -> str:
        """Decisions by table and phase, then everything else that was counted."""
        lines = [f"{'table':<20}" + "".join(f"{phase:>10}" for phase in ASKING)]
        for name in sorted({name for name, _ in self.by_table}):
            lines.append(f"{name:<20}" + "".join(f"{self.by_table[name, phase]:>10}" for phase in ASKING))
        for what in ("policy", "seats", "decks"):
            counts = sorted(getattr(self, f"by_{what}").items())
            lines.append(f"decisions by {what}: " + ", ".join(f"{key} {count}" for key, count in counts))
        lines.append("host events: " + ", ".join(f"{kind} {count}" for kind, count in sorted(self.events.items())))
        lines.append(f"{self.decisions} decisions, {self.games} games, {self.rounds} rounds finished")
        return "\n".join(lines)
