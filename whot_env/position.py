"""JSON positions ⇄ ``STATE`` (rules section 6).

Reading has two halves: ``read_state`` takes the form (types, names, lengths), ``_check_*`` the validity (each card as
often as it exists, a turn that is an active seat, …). Errors are ``PositionError`` with ``key`` naming the JSON key.
"""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from whot_env.actions import ACTION_ID, ACTION_NAMES, DRAW
from whot_env.cards import CARD_ID, CARD_NAMES, CARD_NUMBER, CARD_SHAPE, NUM_CARDS, SHAPES, WHOT, copies
from whot_env.engine import run
from whot_env.engine.log import NO_LOG
from whot_env.errors import PositionError, RulesError, shown
from whot_env.rules import Rules, as_rules, compile_rules
from whot_env.state import MAX_COUNT, MAX_LAID, MAX_OWED, MAX_TOTAL, NO_TIME, NONE, PHASES, POWERS, STATE

StateArray = np.ndarray[Any, Any]

KEYS = (
    *("rules", "partial", "hands", "market", "pile", "turn", "asked", "phase", "direction", "called", "top_number"),
    *("debt", "move", "queue", "pressed", "open_calls", "owes_announcement", "undos", "recycled", "moves", "out"),
    *("left", "known", "match"),
)
_MOVE_KEYS = ("cards", "call", "power", "turned", "declared")
_MATCH_KEYS = ("rounds", "wins", "totals", "eliminated", "first", "winners", "places", "payoffs")


def _error(key: str, value: Any, allowed: str) -> PositionError:
    return PositionError(key, f"position key {key!r} is {shown(value)}; allowed: {allowed}")


def _integer(key: str, value: object, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise _error(key, value, f"a whole number from {low} to {high}")
    return value


def _choice(key: str, value: object, allowed: tuple[Any, ...]) -> Any:
    if isinstance(value, (list, dict, bool, float)) or value not in allowed:
        raise _error(key, cast(object, value), ", ".join(map(repr, allowed)))
    return value


def _list(key: str, value: object, most: int) -> list[Any]:
    if not isinstance(value, list) or len(cast(list[Any], value)) > most:
        raise _error(key, cast(object, value), f"a list of at most {most}")
    return cast(list[Any], value)


def _object(key: str, value: object, allowed: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _error(key, value, "an object")
    for name in cast(Mapping[Any, Any], value):
        if name not in allowed:
            raise _error(key, name, f"the keys {', '.join(allowed)}")
    return cast(Mapping[str, Any], value)


def _card(key: str, value: object) -> int:
    if not isinstance(value, str) or value not in CARD_ID:
        raise _error(key, value, "a card's name, such as 'circle-7' or 'whot'")
    return CARD_ID[value]


def _cards(key: str, value: object, most: int) -> list[int]:
    return [_card(key, name) for name in _list(key, value, most)]


def _seats(key: str, value: object, n: int, most: int | None = None, distinct: bool = True) -> list[int]:
    seats = [_integer(key, seat, 0, n - 1) for seat in _list(key, value, n if most is None else most)]
    if distinct and len(set(seats)) != len(seats):
        raise _error(key, value, "each seat once")
    return seats


def read_position(position: object) -> tuple[Rules, StateArray]:
    """Rules and STATE[1] of a JSON position.

    Raises:
        PositionError: malformed or impossible; ``key`` names what.
        RulesError: the rules in it are.
    """
    fields = _object("position", position, KEYS)
    for key in ("rules", "hands", "pile"):
        if key not in fields:
            raise PositionError(key, f"position key {key!r} is missing; allowed: a value, there is no default")
    try:
        rules = as_rules(fields["rules"])
    except RulesError as error:
        raise RulesError(error.key, f"position key 'rules': {error}") from error
    hands = _list("hands", fields["hands"], 8)
    n = len(hands)
    low, high = rules.seat_range
    if not low <= n <= high:
        raise PositionError(
            "hands", f"position key 'hands' has {n} hands; allowed: {low} to {high}, the seat_range of {rules.base}"
        )
    partial = _choice_bool("partial", fields.get("partial", False))
    if not partial:
        rules.check_seats(n)
    states = np.zeros(1, STATE)
    s: Any = states[0]
    s["num_players"] = n
    _read_cards(rules, fields, s, hands, partial)
    _read_lists(rules, fields, s, n)
    _read_scalars(rules, fields, s, n)
    _read_match(rules, fields, s, n)
    _check_seats(s, n, fields)
    _read_move(rules, fields, s)
    _read_window(rules, fields, s, n)
    _read_known(fields, s, n)
    if s["phase"] == PHASES.index("over"):
        run.settle_one(compile_rules(rules), states, 0, NO_LOG)
    return rules, states


def _choice_bool(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _error(key, value, "true or false")
    return value


def _read_cards(rules: Rules, fields: Mapping[str, Any], s: Any, hands: list[Any], partial: bool) -> None:
    exist = copies(rules.whots, rules.decks).astype(int)
    used = np.zeros(NUM_CARDS, int)
    total = rules.deck_size
    parts = [("hands", hand) for hand in hands] + [("market", fields.get("market", [])), ("pile", fields["pile"])]
    read: list[list[int]] = []
    for key, value in parts:
        cards = _cards(key, value, total)
        for card in cards:
            used[card] += 1
            if used[card] > exist[card]:
                raise _error(
                    key, CARD_NAMES[card], f"{exist[card]} of this card in all hands, market and pile together"
                )
        read.append(cards)
    if not partial and (used != exist).any():
        missing = CARD_NAMES[int(np.flatnonzero(used != exist)[0])]
        raise PositionError(
            "market", f'position lacks {missing!r} in hands, market and pile; allowed: every card, or "partial": true'
        )
    *held, market, pile = read
    if not pile:
        raise _error("pile", [], "at least one card")
    for seat, cards in enumerate(held):
        for card in cards:
            s["hands"][seat, card] += 1
        s["hand_size"][seat] = len(cards)
    s["market"][: len(market)] = market[::-1]
    s["market_len"] = len(market)
    s["pile"][: len(pile)] = pile
    s["pile_len"] = len(pile)
    s["piled"] = np.bincount(pile, minlength=NUM_CARDS)


def _read_lists(rules: Rules, fields: Mapping[str, Any], s: Any, n: int) -> None:
    s["open_calls"][_seats("open_calls", fields.get("open_calls", []), n)] = 1
    owes = _seats("owes_announcement", fields.get("owes_announcement", []), n, MAX_OWED, distinct=False)
    s["owes"][: len(owes)] = owes
    s["owes_len"] = len(owes)
    for key in ("out", "left"):
        seats = _seats(key, fields.get(key, []), n)
        s[key][: len(seats)] = seats
        s[f"{key}_len"] = len(seats)


def _read_scalars(rules: Rules, fields: Mapping[str, Any], s: Any, n: int) -> None:
    s["phase"] = PHASES.index(_choice("phase", fields.get("phase", "play"), PHASES))
    s["turn"] = _integer("turn", fields.get("turn", 0), 0, n - 1)
    s["asked"] = _integer("asked", fields.get("asked", int(s["turn"])), 0, n - 1)
    s["direction"] = _choice("direction", fields.get("direction", 1), (1, -1))
    called = _choice("called", fields.get("called"), (*SHAPES, None))
    top = s["pile"][s["pile_len"] - 1]
    if called is not None and top != WHOT:
        raise _error("called", called, "null unless a Whot is on top")
    s["called"] = NONE if called is None else SHAPES.index(called)
    printed = int(CARD_NUMBER[top])
    doubled = (2 * printed,) if rules.star_as_double and top != WHOT and SHAPES[CARD_SHAPE[top]] == "star" else ()
    s["top_number"] = _choice("top_number", fields.get("top_number", printed), (printed, *doubled))
    s["debt"] = _integer("debt", fields.get("debt", 0), 0, MAX_COUNT)
    s["undos"] = _integer("undos", fields.get("undos", 0), 0, 2)
    s["recycled"] = _integer("recycled", fields.get("recycled", 0), 0, MAX_COUNT)
    s["moves"] = _integer("moves", fields.get("moves", 0), 0, MAX_TOTAL)


def _read_match(rules: Rules, fields: Mapping[str, Any], s: Any, n: int) -> None:
    match = _object("match", fields.get("match", {}), _MATCH_KEYS)
    s["rounds"] = _integer("match", match.get("rounds", 0), 0, MAX_COUNT)
    for key in ("wins", "totals"):
        values = _list("match", match.get(key, [0] * n), n)
        if len(values) != n:
            raise _error("match", {key: values}, f"{key} with {n} numbers")
        s[key][:n] = [_integer("match", v, 0, MAX_COUNT if key == "wins" else MAX_TOTAL) for v in values]
    eliminated = _seats("match", match.get("eliminated", []), n)
    s["eliminated"][: len(eliminated)] = eliminated
    s["eliminated_len"] = len(eliminated)
    first = match.get("first")
    s["first"] = NONE if first is None else _integer("match", first, 0, n - 1)
    # Winners, places and payoffs of a match follow from the rest; they are written, and read back from it.


def _check_seats(s: Any, n: int, fields: Mapping[str, Any]) -> None:
    out, left, eliminated = (set(s[k][: s[f"{k}_len"]].tolist()) for k in ("out", "left", "eliminated"))
    over = s["phase"] == PHASES.index("over")
    if out & left:
        raise _error("left", sorted(out & left), "seats that are not out")
    if (out & eliminated) and not over:
        raise _error("out", sorted(out & eliminated), "seats that are not eliminated")
    for seat in range(n):
        gone = seat in out or seat in left or (seat in eliminated and not over)
        # Who fell in the round just over took part in it and still holds its cards.
        s["active"][seat] = not gone and (seat not in eliminated or s["hand_size"][seat] > 0)
        if gone and s["hand_size"][seat] > 0:
            raise _error(
                "hands", fields["hands"][seat], f"an empty hand for seat {seat}, which is out, gone or eliminated"
            )
    if over:
        return
    for key in ("turn", "asked"):
        if not s["active"][s[key]]:
            raise _error(key, int(s[key]), "a seat that is active")
    for key, seats in (
        ("open_calls", np.flatnonzero(s["open_calls"])),
        ("owes_announcement", s["owes"][: s["owes_len"]]),
    ):
        for seat in seats:
            if not s["active"][seat]:
                raise _error(key, int(seat), "seats that are active")
    for seat in np.flatnonzero(s["open_calls"]):
        if s["hand_size"][seat] != 1:
            raise _error("open_calls", int(seat), "seats that hold exactly one card")
    if s["active"].sum() < 2:
        raise _error("phase", PHASES[s["phase"]], "over, with fewer than two active seats")


def _read_move(rules: Rules, fields: Mapping[str, Any], s: Any) -> None:
    move = _object("move", fields.get("move", {}), _MOVE_KEYS)
    names = _list("move", move.get("cards", []), MAX_LAID)
    for name in names:
        if not isinstance(name, str) or ACTION_ID.get(name, DRAW) >= DRAW:
            raise _error("move", name, "cards, or stars as their double, in 'cards'")
    ids = [ACTION_ID[name] for name in names]
    s["move_cards"][: len(ids)] = ids
    s["move_len"] = len(ids)
    call = _choice("move", move.get("call"), (*SHAPES, None))
    s["move_call"] = NONE if call is None else SHAPES.index(call)
    power = _choice("move", move.get("power"), (*POWERS, None))
    s["move_power"] = NONE if power is None else POWERS.index(power)
    s["move_turned"] = _choice_bool("move", move.get("turned", False))
    declared = move.get("declared")
    s["move_declared"] = NONE if declared is None else _choice_bool("move", declared)
    phase = PHASES[int(s["phase"])]
    building = phase in ("stack", "call", "power", "direction", "declare", "proposal")
    if building != bool(ids):
        raise _error("move", names, "cards in a move that is being built or proposed, and only there")
    if not building and any(v not in (None, False, []) for v in move.values()):
        raise _error("move", dict(move), f"nothing in phase {phase}")
    _check_laid(s, ids)
    if building:
        _check_step(rules, s, phase, ids)


def _check_laid(s: Any, ids: list[int]) -> None:
    counts = np.zeros(NUM_CARDS, int)
    for action in ids:
        card = CARD_ID[ACTION_NAMES[action].split("-as-")[0]]
        counts[card] += 1
        if counts[card] > s["hands"][s["turn"], card]:
            raise _error("move", CARD_NAMES[card], f"cards that seat {int(s['turn'])} holds")


def _check_step(rules: Rules, s: Any, phase: str, ids: list[int]) -> None:
    """The move must be one that the engine could have built, and the phase one that asks about it."""
    whot = ids[-1] == WHOT
    probe = compile_rules(rules), _probe(s)
    if not run.move_possible(*probe):
        raise _error("move", [ACTION_NAMES[a] for a in ids], "cards that may be laid together on the top")
    called, powered = s["move_call"] != NONE, s["move_power"] != NONE
    if phase in ("power", "direction", "declare", "proposal") and whot != called:
        raise _error("move", None if whot else SHAPES[int(s["move_call"])], "a 'call' with a Whot, and only then")
    turned, owed = bool(run.direction_asked(*probe)), bool(run.declare_owed(*probe))
    if powered and not (whot and rules.whot_power):
        raise _error("move", POWERS[int(s["move_power"])], "no 'power' where the table gives a Whot none")
    if s["move_turned"] and not turned:
        raise _error("move", True, "'turned' only where the move may turn the direction")
    if s["move_declared"] != NONE and not owed:
        raise _error("move", bool(s["move_declared"]), "'declared' only where an announcement is owed")
    asks = {
        "stack": bool(run.stack_open(*probe)),
        "call": whot,
        "power": whot and rules.whot_power,
        "direction": turned,
        "declare": owed,
        "proposal": bool(rules.undo_seconds),
    }
    if not asks[phase]:
        raise _error("phase", phase, "a phase that has something to ask about this move")


def _probe(s: Any) -> StateArray:
    states = np.zeros(1, STATE)
    states[0] = s
    return states


def _read_window(rules: Rules, fields: Mapping[str, Any], s: Any, n: int) -> None:
    phase = PHASES[int(s["phase"])]
    window = phase in ("react", "proposal", "vote")
    queue = _seats("queue", fields.get("queue", []), n)
    s["queue"][: len(queue)] = queue
    s["queue_len"] = len(queue)
    s["pressed"][:] = NO_TIME
    s["forced"][:] = NO_TIME
    s["votes"][:] = NONE
    s["caller"] = NONE
    pressed = fields.get("pressed", {})
    if not isinstance(pressed, Mapping):
        raise _error("pressed", pressed, "an object")
    if (queue or pressed) and not window:
        raise _error("queue" if queue else "pressed", queue or pressed, "nothing outside proposal, react and vote")
    asked = int(s["asked"])
    if not window and phase != "over" and asked != s["turn"]:
        raise _error("asked", asked, f"the seat to move, {int(s['turn'])}, in phase {phase}")
    if asked in queue or not all(s["active"][seat] for seat in queue):
        raise _error("queue", queue, "active seats other than the one asked")
    for seat_name, value in cast(Mapping[Any, Any], pressed).items():
        seat = _pressed_seat(seat_name, n)
        if phase == "vote":
            s["votes"][seat] = _choice("pressed", value, ("play-on", "stop")) == "play-on"
        elif phase == "react":
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 2.0 <= value < 1e9:
                raise _error("pressed", value, "seconds, at least 2")
            s["pressed"][seat] = value
        else:
            raise _error("pressed", dict(cast(Mapping[Any, Any], pressed)), "presses only in react and vote")
    if phase == "react":
        s["caller"] = run.next_seat(_probe(s), (queue or [asked])[-1])
        if not s["open_calls"][s["caller"]]:
            raise _error("open_calls", np.flatnonzero(s["open_calls"]).tolist(), f"the caller, seat {int(s['caller'])}")
    if phase == "vote" and s["out_len"] != 1:
        raise _error("out", s["out"][: s["out_len"]].tolist(), "one seat that went out, in the vote")


def _pressed_seat(name: object, n: int) -> int:
    if not isinstance(name, str) or not name.isascii() or not name.isdigit() or len(name) > 1 or int(name) >= n:
        raise _error("pressed", name, f"seats from '0' to '{n - 1}'")
    return int(name)


def _read_known(fields: Mapping[str, Any], s: Any, n: int) -> None:
    known = _list("known", fields.get("known", []), n)
    for seat, value in enumerate(known):
        for card in _cards("known", value, 108):
            s["known"][seat, card] += 1
            s["shown"] = 1
            if s["known"][seat, card] > s["hands"][seat, card]:
                raise _error("known", CARD_NAMES[card], f"cards that seat {seat} holds")


def _names(counts: Any) -> list[str]:
    return [name for name, count in zip(CARD_NAMES, counts.tolist(), strict=True) for _ in range(count)]


def write_position(rules: Rules, s: Any) -> dict[str, Any]:
    """The complete position of record ``s`` as JSON values; ``read_position`` of it gives the record back."""
    n = int(s["num_players"])
    held = [_names(s["hands"][seat]) for seat in range(n)]
    market: list[str] = [CARD_NAMES[c] for c in s["market"][: s["market_len"]][::-1].tolist()]
    pile: list[str] = [CARD_NAMES[c] for c in s["pile"][: s["pile_len"]].tolist()]
    phase = PHASES[int(s["phase"])]
    position: dict[str, Any] = {
        "rules": rules.to_json(),
        "hands": held,
        "market": market,
        "pile": pile,
        "turn": int(s["turn"]),
        "asked": int(s["asked"]),
        "phase": phase,
        "direction": int(s["direction"]),
        "called": None if s["called"] == NONE else SHAPES[int(s["called"])],
        "top_number": int(s["top_number"]),
        "debt": int(s["debt"]),
        "move": {
            "cards": [ACTION_NAMES[a] for a in s["move_cards"][: s["move_len"]]],
            "call": None if s["move_call"] == NONE else SHAPES[int(s["move_call"])],
            "power": None if s["move_power"] == NONE else POWERS[int(s["move_power"])],
            "turned": bool(s["move_turned"]),
            "declared": None if s["move_declared"] == NONE else bool(s["move_declared"]),
        },
        "queue": s["queue"][: s["queue_len"]].tolist(),
        "pressed": _pressed(s, n, phase),
        "open_calls": np.flatnonzero(s["open_calls"][:n]).tolist(),
        "owes_announcement": s["owes"][: s["owes_len"]].tolist(),
        "undos": int(s["undos"]),
        "recycled": int(s["recycled"]),
        "moves": int(s["moves"]),
        "out": s["out"][: s["out_len"]].tolist(),
        "left": s["left"][: s["left_len"]].tolist(),
        "known": [_names(s["known"][seat]) for seat in range(n)],
        "match": _match(s, n),
    }
    if sum(map(len, held)) + len(market) + len(pile) != rules.deck_size:
        position["partial"] = True
    return position


def _pressed(s: Any, n: int, phase: str) -> dict[str, Any]:
    if phase == "vote":
        return {str(i): ("stop", "play-on")[s["votes"][i]] for i in range(n) if s["votes"][i] != NONE}
    return {str(i): float(s["pressed"][i]) for i in range(n) if s["pressed"][i] >= 0}


def _match(s: Any, n: int) -> dict[str, Any]:
    match: dict[str, Any] = {
        "rounds": int(s["rounds"]),
        "wins": s["wins"][:n].tolist(),
        "totals": s["totals"][:n].tolist(),
        "eliminated": s["eliminated"][: s["eliminated_len"]].tolist(),
        "first": None if s["first"] == NONE else int(s["first"]),
    }
    if s["match_over"]:
        match["winners"] = np.flatnonzero(s["match_winners"][:n]).tolist()
        match["places"] = [int(p) or None for p in s["match_places"][:n]]
        match["payoffs"] = s["match_payoffs"][:n].tolist()
    return match
