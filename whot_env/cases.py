"""Case files (rules section 7): JSON lines, each a position with steps that must hold."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from whot_env.errors import ActionError, EventError, WhotError, shown
from whot_env.game import Game

MAX_BYTES = 64 * 2**20
"""Longest case file that is read."""

_MULTISETS = ("hands", "known")


class CaseFailure(Exception):
    """A case that does not hold; the message names the case, the step, what was expected and what was found."""


def run_file(path: str | Path) -> Iterator[tuple[str, str | None]]:
    """Run every case of a file: yields (id, None) for one that holds and (id, reason) for one that does not.

    Raises:
        WhotError: the file cannot be read or a line is no case.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        text = data.decode("utf-8")
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or a path with a null character
        raise WhotError(
            "file", f"case file {str(path)!r} cannot be read ({error}); allowed: a JSON lines file"
        ) from error
    if len(data) > MAX_BYTES:
        raise WhotError("file", f"case file {str(path)!r} is too long; allowed: at most {MAX_BYTES} bytes")
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            case = _parse(path, number, line)
            try:
                run_case(case)
                yield str(case["id"]), None
            except CaseFailure as failure:
                yield str(case["id"]), str(failure)


def _parse(path: str | Path, number: int, line: str) -> dict[str, Any]:
    where = f"case file {str(path)!r} line {number}"
    try:
        case = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WhotError("case", f"{where} is no JSON ({error}); allowed: one case a line") from error
    fields = cast(dict[str, Any], case) if isinstance(case, dict) else {}
    if "position" not in fields or not isinstance(fields.get("id"), (str, int)):
        raise WhotError("case", f"{where} is no case; allowed: an object with an 'id' and a 'position'")
    return fields


def run_case(case: Mapping[str, Any]) -> None:
    """Run one case.

    Raises:
        CaseFailure: it does not hold.
    """
    if "refused" in case:
        _expect_refusal(case)
        return
    try:
        game = Game.from_position(case["position"])
    except WhotError as error:
        raise CaseFailure(f"the position is refused: {error}") from error
    shuffled = False
    steps: object = case.get("steps", [])
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in cast(list[Any], steps)):
        raise CaseFailure(f"steps are {shown(cast(object, steps))}; allowed: a list of objects")
    for index, step in enumerate(cast(list[dict[str, Any]], steps), 1):
        before = game.position()
        try:
            _run_step(game, step, shuffled)
        except CaseFailure as failure:
            raise CaseFailure(f"step {index} {json.dumps(step)}: {failure}") from None
        except (WhotError, LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
            raise CaseFailure(f"step {index} {json.dumps(step)}: {error}") from error
        after = game.position()
        shuffled = shuffled or after["recycled"] > before["recycled"] or len(after["left"]) > len(before["left"])


def _expect_refusal(case: Mapping[str, Any]) -> None:
    try:
        Game.from_position(case["position"])
    except WhotError as error:
        if case["refused"] != error.key and not re.search(rf"\b{re.escape(str(case['refused']))}\b", str(error)):
            raise CaseFailure(f"refused naming {error.key!r} ({error}), expected {shown(case['refused'])}") from error
        return
    raise CaseFailure(f"the position is accepted, expected a refusal naming {shown(case['refused'])}")


def _run_step(game: Game, step: Mapping[str, Any], shuffled: bool) -> None:
    for key in ("legal", "legal_has", "legal_lacks"):
        if key in step:
            _check_legal(game, key, step[key])
    if "illegal" in step:
        before = game.position()
        try:
            game.step(step["illegal"])
        except ActionError:
            if game.position() != before:
                raise CaseFailure("the refused action changed the position") from None
        else:
            raise CaseFailure("the action was accepted")
    if "reaction" in step:
        game.reaction({int(seat): seconds for seat, seconds in step["reaction"].items()})
    if "do" in step:
        game.step(step["do"])
    if "event" in step:
        _run_event(game, step)
    for key, value in step.get("expect", {}).items():
        found = _found(game, key)
        if not _equal(key, value, found, shuffled):
            raise CaseFailure(f"{key}: expected {value!r}, found {found!r}")


def _run_event(game: Game, step: Mapping[str, Any]) -> None:
    before = game.position()
    try:
        game.event(step["event"])
    except EventError:
        if not step.get("refused"):
            raise
        if game.position() != before:
            raise CaseFailure("the refused event changed the position") from None
        return
    if step.get("refused"):
        raise CaseFailure("the event was accepted")


def _check_legal(game: Game, key: str, names: list[str]) -> None:
    legal, given = set(game.legal()), set(names)
    holds = {"legal": legal == given, "legal_has": given <= legal, "legal_lacks": not given & legal}[key]
    if not holds:
        raise CaseFailure(f"{key}: expected {sorted(given)}, found legal {sorted(legal)}")


def _found(game: Game, key: str) -> Any:
    position = game.position()
    if key in position:
        return position[key]
    derived = {
        "top": lambda: position["pile"][-1],
        "hand_sizes": lambda: [len(hand) for hand in position["hands"]],
        "market_size": lambda: len(position["market"]),
        "pile_size": lambda: len(position["pile"]),
        "winners": lambda: game.winners,
        "places": lambda: game.places,
        "payoffs": lambda: game.payoffs,
        "sums": lambda: game.sums,
        "over": lambda: game.over,
    }
    if key not in derived:
        raise CaseFailure(f"expect key {shown(key)} is unknown; allowed: {', '.join([*position, *derived])}")
    return derived[key]()


def _equal(key: str, value: Any, found: Any, shuffled: bool) -> bool:
    if key in _MULTISETS:
        return [sorted(hand) for hand in value] == [sorted(hand) for hand in found]
    if key == "market" and shuffled:
        return sorted(value) == sorted(found)
    if key == "pile":
        return sorted(value[:-1]) == sorted(found[:-1]) and value[-1:] == found[-1:]
    if key in ("match", "move"):
        return all(name in found and _equal(name, v, found[name], shuffled) for name, v in value.items())
    if key == "pressed":
        return value.keys() == found.keys() and all(_close(v, found[k]) for k, v in value.items())
    if key == "payoffs":
        return found is not None and len(value) == len(found) and all(map(_close, value, found))
    return value == found and type(value) is type(found)


def _close(a: Any, b: Any) -> bool:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= 1e-6
    return a == b
