"""``Rules``: how one table plays, as a value (rules sections 3 and 8), and the nine presets."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, cast, get_args

import numpy as np

from whot_env.cards import MAX_COPIES_OF_WHOT, SUITED_NUMBERS
from whot_env.errors import RulesError, shown

MAX_SEATS = 8
MAX_DECKS = 2

StartCard = Literal["any", "no_whot", "prefer_plain"]
PickMode = Literal["debt", "at_once"]
Answers = Literal["same", "any_pick"]
WhotOnDebt = Literal["no", "cancels"]
MultiCard = Literal["single", "same_number", "straight"]
Finish = Literal["any", "plain_only"]
LastCard = Literal["at_once", "next_move", "catch"]
CheckUp = Literal["at_once", "next_move"]
Recycle = Literal["always", "once"]
NothingLeft = Literal["draw", "count"]
StarScore = Literal["face", "double", "double_hand"]
AfterFirstOut = Literal["stop", "vote"]
Timeout = Literal["draw", "forfeit"]
Payoff = Literal["winner", "placing"]
MatchKind = Literal["single", "best_of", "lowest_total", "elimination"]
Match = tuple[MatchKind, int]

EFFECTS = ("hold_on", "pick_two", "pick_three", "suspension", "general_market", "block")
"""The fields that give a number an effect; a number can have one of them only."""


def _doc(text: str, **kwargs: Any) -> Any:
    return field(metadata={"doc": text}, **kwargs)


@dataclass(frozen=True, slots=True)
class Rules:
    """One table's rules. Make one with ``Rules.preset``; every value is checked, and errors name the field.

    A field that is ``None`` means that the table does not have the rule. Fields and their meaning: rules sections 3, 4.
    """

    seats: int = _doc("seats at the table when none are named", default=2)
    seat_range: tuple[int, int] = _doc("fewest and most seats", default=(2, 8))
    hand_size: int = _doc("cards dealt to each seat", default=6)
    hand_range: tuple[int, int] | None = _doc("smallest and largest hand_size, where the page states one", default=None)
    decks: int = _doc("54-card decks mixed together", default=1)
    whots: int = _doc("Whots in each deck", default=5)
    start_card: StartCard = _doc("which card may be turned up first", default="any")
    hold_on: int | None = _doc("the number after which the same seat moves again", default=None)
    pick_two: int | None = _doc("the number that makes someone draw two", default=None)
    pick_three: int | None = _doc("the number that makes someone draw three", default=None)
    suspension: int | None = _doc("the number that skips the next seat", default=None)
    general_market: int | None = _doc("the number that makes everybody else draw one", default=None)
    block: int | None = _doc("the number that clears a debt", default=None)
    pick_mode: PickMode | None = _doc("a pick is owed as a debt, or drawn at once", default=None)
    stackable: tuple[int, ...] = _doc("numbers of the picks that can be answered with a pick", default=())
    answers: Answers | None = _doc("which pick answers a pick", default=None)
    whot_on_debt: WhotOnDebt | None = _doc("whether a Whot may be laid on a debt and cancels it", default=None)
    multi_card: MultiCard = _doc("whether several cards may go down in one move", default="single")
    multi_whot: bool = _doc("whether several Whots may go down together", default=False)
    star_as_double: bool = _doc("whether a star may be played as twice its number", default=False)
    whot_power: bool = _doc("whether a Whot may also reverse or make the next seat miss", default=False)
    reverse_on_pick: bool = _doc("whether a pick may turn the direction round", default=False)
    finish: Finish = _doc("which last card wins", default="any")
    last_card: LastCard | None = _doc("when a missed 'last card' is punished", default=None)
    check_up: CheckUp | None = _doc("when a missed 'check up' is punished", default=None)
    announce_penalty: int | None = _doc("cards drawn for a missed announcement", default=None)
    recycle: Recycle = _doc("how often the pile becomes a new market", default="always")
    nothing_left: NothingLeft = _doc("what happens when there is nothing to draw", default="draw")
    move_limit: int | None = _doc("moves after which the round is counted", default=None)
    star_score: StarScore = _doc("how stars count in a hand's sum", default="face")
    after_first_out: AfterFirstOut = _doc("whether the others may vote to play on", default="stop")
    timeout: Timeout | None = _doc("what a timeout does in steps 1 to 5", default=None)
    turn_seconds: int | None = _doc("seconds a turn may take, for the host's clock", default=None)
    undo_seconds: int | None = _doc("seconds in which a play can be taken back; 0 is off", default=None)
    match: Match = _doc("how rounds make a match", default=("single", 1))
    payoff: Payoff = _doc("how places become payoffs", default="winner")
    reaction_median: float = _doc("median reaction time in seconds", default=1.5)
    reaction_sigma: float = _doc("sigma of the log-normal reaction time", default=0.5)
    base: str = _doc("the preset this table started from", default="classic")

    def __post_init__(self) -> None:
        _check(self)

    @classmethod
    def preset(cls, name: str, /, **changes: Any) -> "Rules":
        """The preset ``name`` with any fields changed; values may be in JSON form (lists, ``{"best_of": 3}``).

        Raises:
            RulesError: unknown preset or field, or a value outside what is allowed.
        """
        if name not in PRESETS:
            raise RulesError("preset", f"preset {shown(name)} is unknown; allowed: {', '.join(PRESETS)}")
        for key in changes:
            if key not in _FIELDS or key == "base":
                raise RulesError(key, f"rules field {shown(key)} is unknown; allowed: {', '.join(FIELD_NAMES)}")
        values: dict[str, Any] = {k: _from_json(k, v) for k, v in changes.items()}
        return cls(**{**_PRESET_FIELDS[name], **values}, base=name)

    def change(self, **changes: Any) -> "Rules":
        """These rules with some fields changed, checked again."""
        for key in changes:
            if key not in _FIELDS or key == "base":
                raise RulesError(key, f"rules field {shown(key)} is unknown; allowed: {', '.join(FIELD_NAMES)}")
        return replace(self, **{k: _from_json(k, v) for k, v in changes.items()})

    def to_json(self) -> str | dict[str, Any]:
        """The preset's name, or an object with ``preset`` and the changed fields (rules section 3)."""
        preset = _PRESET_RULES[self.base]
        changed = {n: value_to_json(n, v) for n in FIELD_NAMES if (v := getattr(self, n)) != getattr(preset, n)}
        return {"preset": self.base, **changed} if changed else self.base

    def fields_json(self) -> dict[str, Any]:
        """Every field in JSON form."""
        return {n: value_to_json(n, getattr(self, n)) for n in FIELD_NAMES}

    @property
    def effect_numbers(self) -> frozenset[int]:
        """Numbers that have any effect: *special* in the sense of rules section 8.2."""
        return frozenset(n for e in EFFECTS if (n := getattr(self, e)) is not None)

    def check_seats(self, num_players: int) -> None:
        """Raise ``RulesError`` unless ``num_players`` may sit down here and the deck can deal to them."""
        low, high = self.seat_range
        if not _is_int(num_players) or not low <= num_players <= high:
            raise RulesError(
                "num_players", f"num_players is {shown(num_players)}; {self.base} allows {low} to {high} seats"
            )
        cards = self.deck_size
        if self.hand_size * num_players + 1 > cards:
            most = (cards - 1) // num_players
            raise RulesError(
                "hand_size",
                f"hand_size is {self.hand_size}; allowed: up to {most}, as {num_players} seats share {cards} cards and "
                "one is turned up",
            )

    @property
    def deck_size(self) -> int:
        """Cards in play: 54 a deck with five Whots."""
        return self.decks * (49 + self.whots)


_FIELDS = {f.name: f for f in fields(Rules)}
FIELD_NAMES: tuple[str, ...] = tuple(n for n in _FIELDS if n != "base")
"""Names of the fields a table can change, in the order of the documentation."""

FIELD_DOC: dict[str, str] = {n: f.metadata["doc"] for n, f in _FIELDS.items()}

_CHOICES: dict[str, tuple[str, ...]] = {
    "start_card": get_args(StartCard),
    "pick_mode": get_args(PickMode),
    "answers": get_args(Answers),
    "whot_on_debt": get_args(WhotOnDebt),
    "multi_card": get_args(MultiCard),
    "finish": get_args(Finish),
    "last_card": get_args(LastCard),
    "check_up": get_args(CheckUp),
    "recycle": get_args(Recycle),
    "nothing_left": get_args(NothingLeft),
    "star_score": get_args(StarScore),
    "after_first_out": get_args(AfterFirstOut),
    "timeout": get_args(Timeout),
    "payoff": get_args(Payoff),
}
_OPTIONAL = {
    *EFFECTS,
    *("pick_mode", "answers", "whot_on_debt", "last_card", "check_up", "announce_penalty", "move_limit"),
    *("timeout", "turn_seconds", "undo_seconds", "hand_range"),
}
_INTEGERS = {
    "seats": (1, MAX_SEATS),
    "hand_size": (1, 107),
    "decks": (1, MAX_DECKS),
    "whots": (0, MAX_COPIES_OF_WHOT),
    "announce_penalty": (1, 20),
    "move_limit": (1, 1_000_000),
    "turn_seconds": (1, 3600),
    "undo_seconds": (0, 10),
}
_SWITCHES = ("multi_whot", "star_as_double", "whot_power", "reverse_on_pick")
_RANGES = {"seat_range": (2, MAX_SEATS), "hand_range": (1, 107)}
_MATCHES: dict[str, tuple[int, int]] = {"best_of": (1, 99), "lowest_total": (1, 1000), "elimination": (1, 10_000)}


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _refuse(name: str, value: object, allowed: str) -> RulesError:
    return RulesError(name, f"rules field {name!r} is {shown(value_to_json(name, value))}; allowed: {allowed}")


def _from_json(name: str, value: Any) -> Any:
    """The field's own form of a JSON value; a value of the wrong kind is left for ``_check`` to refuse."""
    if name == "match":
        if value == "single":
            return ("single", 1)
        if isinstance(value, Mapping) and len(cast(Mapping[str, Any], value)) == 1:
            return next(iter(cast(Mapping[str, Any], value).items()))
    elif isinstance(value, list):
        return tuple(cast(list[Any], value))
    return cast(Any, value)


def _items(value: Any) -> tuple[Any, ...]:
    """The entries of a tuple; none of anything else, which the field's own check then refuses."""
    return cast(tuple[Any, ...], value) if isinstance(value, tuple) else ()


def value_to_json(name: str, value: Any) -> Any:
    """JSON form of a field's value."""
    items = _items(value)
    if name == "match" and len(items) == 2 and isinstance(items[0], str):
        return "single" if items[0] == "single" else {items[0]: items[1]}
    return list(items) if isinstance(value, tuple) else value


def _check(rules: Rules) -> None:
    for name in FIELD_NAMES:
        value = getattr(rules, name)
        if not (value is None and name in _OPTIONAL):
            _check_field(name, value)
    _check_together(rules)


def _check_field(name: str, value: Any) -> None:
    null = " or null" if name in _OPTIONAL else ""
    if name in EFFECTS:
        # bool is an int to Python, and `hold_on=True` would silently mean the number 1.
        if not _is_int(value) or value not in SUITED_NUMBERS:
            raise _refuse(name, value, f"a number that a card has ({', '.join(map(str, SUITED_NUMBERS))}) or null")
    elif name in _CHOICES:
        if value not in _CHOICES[name]:
            raise _refuse(name, value, ", ".join(map(repr, _CHOICES[name])) + null)
    elif name in _INTEGERS:
        low, high = _INTEGERS[name]
        if not _is_int(value) or not low <= value <= high:
            raise _refuse(name, value, f"a whole number from {low} to {high}{null}")
    elif name in _SWITCHES:
        if not isinstance(value, bool):
            raise _refuse(name, value, "true or false")
    elif name in _RANGES:
        low, high = _RANGES[name]
        items = _items(value)
        if len(items) != 2 or not all(map(_is_int, items)) or not low <= items[0] <= items[1] <= high:
            raise _refuse(name, value, f"[min, max] with {low} <= min <= max <= {high}{null}")
    elif name == "stackable":
        items = _items(value)
        ok = value == items and all(_is_int(n) and n in SUITED_NUMBERS for n in items)
        if not ok or len({*items}) != len(items):
            raise _refuse(name, value, "a list of different numbers that a card has")
    elif name == "match":
        _check_match(value)
    else:  # reaction_median, reaction_sigma
        low = 0.0 if name == "reaction_sigma" else 1e-3
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= 1e3:
            raise _refuse(name, value, f"seconds from {low:g} to 1000" if low else "a number from 0 to 1000")


def _check_match(value: Any) -> None:
    allowed = '"single", {"best_of": odd N}, {"lowest_total": rounds} or {"elimination": limit}'
    if value == ("single", 1):
        return
    items = _items(value)
    if len(items) != 2 or not isinstance(items[0], str) or items[0] not in _MATCHES:
        raise _refuse("match", value, allowed)
    kind, n = items[0], items[1]
    low, high = _MATCHES[kind]
    if not _is_int(n) or not low <= n <= high or (kind == "best_of" and n % 2 == 0):
        raise _refuse("match", value, f"{allowed} with {kind} from {low} to {high}")


def _check_together(rules: Rules) -> None:
    taken: dict[int, str] = {}
    for effect in EFFECTS:
        number = getattr(rules, effect)
        if number is None:
            continue
        if number in taken:
            raise RulesError(
                effect, f"rules field {effect!r} is {number}, which is already {taken[number]}; allowed: another number"
            )
        taken[number] = effect
    low, high = rules.seat_range
    if not low <= rules.seats <= high:
        raise _refuse("seats", rules.seats, f"the seat_range {low} to {high}")
    if rules.hand_range is not None:
        low, high = rules.hand_range
        if not low <= rules.hand_size <= high:
            raise _refuse("hand_size", rules.hand_size, f"the hand_range {low} to {high}")
    # More seats than that may still be too many for the deck, which is known once they sit down.
    rules.check_seats(rules.seat_range[0])


def _presets() -> dict[str, dict[str, Any]]:
    plain: dict[str, Any] = {}
    nigerian: dict[str, Any] = {
        **{"hand_size": 5, "hold_on": 1, "pick_two": 2, "pick_three": 5, "suspension": 8, "general_market": 14},
        **{"pick_mode": "debt", "stackable": (2, 5), "answers": "same", "whot_on_debt": "no"},
    }
    table: dict[str, dict[str, Any]] = {
        "classic": plain,
        "modern": {"multi_card": "straight", "star_as_double": True, "whot_power": True, "star_score": "double_hand"},
        "nigerian": {
            **nigerian,
            **{"hand_range": (3, 6), "last_card": "next_move", "check_up": "next_move", "announce_penalty": 2},
            **{"star_score": "double", "timeout": "draw", "turn_seconds": 10},
        },
        "variant_1_2_3_14": {
            **{"hold_on": 1, "pick_two": 2, "suspension": 3, "general_market": 14, "pick_mode": "at_once"},
        },
        "variant_1_4_7_8": {
            **{"hold_on": 1, "pick_two": 7, "suspension": 8, "general_market": 4, "pick_mode": "at_once"},
        },
        "arcade": {
            **nigerian,
            **{"start_card": "no_whot", "block": 7, "answers": "any_pick", "whot_on_debt": "cancels"},
            **{"multi_card": "same_number", "last_card": "catch", "announce_penalty": 2, "nothing_left": "count"},
            **{"move_limit": 500, "after_first_out": "vote"},
        },
        "naija_life": {
            **nigerian,
            **{"seat_range": (2, 2), "start_card": "no_whot", "pick_mode": "at_once", "stackable": (), "answers": None},
            **{"whot_on_debt": None, "recycle": "once", "nothing_left": "count", "star_score": "double"},
        },
        "house_table": {
            **nigerian,
            **{"start_card": "prefer_plain", "whot_on_debt": "cancels", "multi_card": "same_number"},
            **{"multi_whot": True, "finish": "plain_only", "star_score": "double", "timeout": "forfeit"},
            **{"turn_seconds": 60, "undo_seconds": 0},
        },
        "naija_whot": {
            **nigerian,
            **{"seats": 4, "seat_range": (2, 4), "hand_range": (3, 6), "start_card": "no_whot"},
            **{"last_card": "at_once", "check_up": "at_once", "announce_penalty": 2},
            **{"timeout": "draw", "turn_seconds": 20},
        },
    }
    return table


_PRESET_FIELDS = _presets()
PRESETS: tuple[str, ...] = tuple(_PRESET_FIELDS)
"""Names of the nine presets."""
_PRESET_RULES = {name: Rules(**values, base=name) for name, values in _PRESET_FIELDS.items()}

RulesLike = str | Mapping[str, Any] | Rules


def read_rules(text: str) -> Rules:
    """The table that a command line names: a preset, or a JSON object with ``preset`` and changed fields.

    Raises:
        RulesError: no JSON, or unknown or impossible rules.
    """
    if not text.lstrip().startswith("{"):
        return as_rules(text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RulesError("rules", f"rules are no JSON object ({error}); allowed: a preset or an object") from error
    return as_rules(value)


def as_rules(value: RulesLike) -> Rules:
    """``Rules`` from a preset name, an object as in a position (``preset`` and changed fields), or ``Rules``.

    Raises:
        RulesError: what is wrong, naming the field, the value and what is allowed.
    """
    if isinstance(value, Rules):
        return value
    if isinstance(value, str):
        return Rules.preset(value)
    if isinstance(value, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        if "preset" not in value:
            raise RulesError("preset", f"rules {shown(dict(value))} have no 'preset'; allowed: {', '.join(PRESETS)}")
        if not all(isinstance(k, str) for k in value):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise RulesError("rules", f"rules {shown(dict(value))} have a field that is no text; allowed: field names")
        if not isinstance(value["preset"], str):
            raise RulesError("preset", f"preset {shown(value['preset'])} is no text; allowed: {', '.join(PRESETS)}")
        if "cls" in value:
            raise RulesError("cls", f"rules field 'cls' is unknown; allowed: {', '.join(FIELD_NAMES)}")
        return Rules.preset(value["preset"], **{k: v for k, v in value.items() if k != "preset"})
    raise RulesError("rules", f"rules {shown(value)} are of no known kind; allowed: a preset name, an object, or Rules")


_COMPILED = (
    *("hand_size", "decks", "whots", "start_card", *EFFECTS, "pick_mode", "stack_two", "stack_three", "answers"),
    *("whot_on_debt", "multi_card", *_SWITCHES, "finish", "last_card", "check_up", "announce_penalty", "recycle"),
    *("nothing_left", "star_score", "after_first_out", "timeout", "turn_seconds", "undo_seconds", "match", "payoff"),
)
_OBSERVED = (*_COMPILED, "match_n", "move_limit")

RULE_NUMBERS: tuple[str, ...] = ("num_players", *_OBSERVED)
"""Names of the entries of the observation's ``rules`` segment, in order; ``move_limit`` is in hundreds there."""

RULES = np.dtype(
    [(name, np.int16) for name in _COMPILED]
    + [("match_n", np.int32), ("move_limit", np.int32), ("reaction_median", np.float64), ("reaction_sigma", np.float64)]
    + [("observed", np.int8, (len(_OBSERVED),))],
    align=True,
)
"""One compiled table: what the engine reads. Choices are their index in the documented order, plus one where the field
is optional, so that 0 is "the table has no such rule"; numbers are themselves, 0 for none."""

_MATCH_KINDS: tuple[str, ...] = get_args(MatchKind)


def compile_rules(rules: Rules) -> np.ndarray[Any, Any]:
    """``RULES[1]``: the engine's form of ``rules``. Null fields that a change made meaningful get the defaults of
    rules section 8.10."""
    row = np.zeros(1, RULES)
    for name in (*_OBSERVED, "reaction_median", "reaction_sigma"):
        row[name] = _compiled(rules, name)
    row["observed"] = [min(row[name][0], 127) for name in _COMPILED] + [
        min(row["match_n"][0], 127),
        -(-row["move_limit"][0] // 100) if row["move_limit"][0] <= 12_700 else 127,
    ]
    return row


def _compiled(rules: Rules, name: str) -> Any:
    if name in ("stack_two", "stack_three"):
        number = rules.pick_two if name == "stack_two" else rules.pick_three
        return float(number is not None and number in rules.stackable)
    if name == "match":
        return _MATCH_KINDS.index(rules.match[0])
    if name == "match_n":
        return rules.match[1]
    value = getattr(rules, name)
    if value is None:
        defaults = {"pick_mode": "at_once", "answers": "same", "whot_on_debt": "no", "announce_penalty": 2}
        value = defaults.get(name)
    if value is None:
        return 0
    if name in _CHOICES:
        optional = name in ("last_card", "check_up", "timeout")
        return _CHOICES[name].index(value) + (1 if optional else 0)
    return value


def compile_table(rules: Iterable[Rules]) -> np.ndarray[Any, Any]:
    """``RULES[R]``: one row for each of ``rules``."""
    return np.concatenate([compile_rules(r) for r in rules])
