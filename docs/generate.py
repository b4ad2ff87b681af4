"""Writes the generated blocks of README.md and docs/: run it after changing a preset, an action, the observation,
the list of mutations or the benchmarks' results.

A block stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``; ``python docs/generate.py`` rewrites every
block, and ``--check`` only says which files are stale (exit status 1), which is what the tests ask.
"""

import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from whot_env.actions import ACTION_NAMES
from whot_env.observation import LAYOUT
from whot_env.rules import FIELD_DOC, FIELD_NAMES, PRESETS, Rules

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"(<!-- generated: ([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)

README_FIELDS = ("pick_two", "pick_three", "suspension", "general_market", "pick_mode", "answers", "multi_card")
"""The fields in which the presets differ most visibly."""


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [list(header), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def shown(value: object) -> str:
    """A field's JSON value as the tables print it."""
    return "–" if value is None else f"`{json.dumps(value)}`"


def fields(preset: str) -> str:
    """Every field of one preset, and how it differs from ``classic``."""
    values, plain = Rules.preset(preset).fields_json(), Rules.preset("classic").fields_json()
    rows = (
        (f"**{name}**" if values[name] != plain[name] else name, shown(values[name]), FIELD_DOC[name])
        for name in FIELD_NAMES
    )
    return table(("field", "value", "meaning"), rows)


def presets() -> str:
    """The nine presets side by side, for the README."""
    rows = []
    for name in PRESETS:
        values = Rules.preset(name).fields_json()
        low, high = values["seat_range"]
        seats = str(low) if low == high else f"{low}–{high}"
        cells = ("–" if values[f] is None else str(values[f]) for f in README_FIELDS)
        rows.append((f"[`{name}`](docs/rules/{name}.md)", seats, str(values["hand_size"]), *cells))
    return table(("preset", "seats", "hand", *(f.replace("_", " ") for f in README_FIELDS)), rows)


def actions() -> str:
    """Action ids and names."""
    return table(("id", "action"), ((str(i), f"`{name}`") for i, name in enumerate(ACTION_NAMES)))


def layout() -> str:
    """The observation's segments: what ``print(LAYOUT)`` shows is a Markdown table."""
    return f"{LAYOUT}\n\n{LAYOUT.size} numbers, hash `{LAYOUT.hash}`.\n"


def mutations() -> str:
    """What `make mutations` found: the list and the result that its runner keeps."""
    broken = tomllib.loads((ROOT / "tests" / "mutations.toml").read_text(encoding="utf-8"))["mutation"]
    found = json.loads((ROOT / "tests" / "mutations.json").read_text(encoding="utf-8"))
    breaks = {entry["id"]: (entry["breaks"], entry["file"]) for entry in broken}
    rows = ((f"`{e['id']}`", *breaks[e["id"]], e["caught_by"], f"`{e['noticed']}`") for e in found)
    counts = ", ".join(f"{n} by {name}" for name, n in Counter(e["caught_by"] for e in found).items())
    listed = table(("mutation", "breaks rule", "in", "caught by", "noticed first"), rows)
    return f"{len(found)} mutations, caught: {counts}.\n\n{listed}"


def benchmarks() -> str:
    """What `make bench` measured."""
    results = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))
    machine = results["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    rows = []
    for pair in results["pairs"]:
        both = [
            (side["name"], side["writes"], str(side["cores"]), f"{side['per_second'][1]:,}")
            for side in (pair["ours"], pair["theirs"])
        ]
        low, middle, high = pair["ratio"]
        aim = "–" if pair["target"] is None else f"≥ {pair['target']:g}"
        aim += " (missed)" if pair["target"] is not None and middle < pair["target"] else ""
        cells = ("<br>".join(lines) for lines in zip(*both, strict=True))
        rows.append((*cells, f"**{middle:g}** ({low:g} to {high:g})", aim))
    header = ("ours<br>theirs", "each decision writes", "cores", "decisions/s", "ratio (least to greatest)", "aim")
    return (
        f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}, Python {machine['python']}; {versions}; "
        f"{results['date']}, {results['turns']} turns of {results['seconds']:g} s each.\n\n{table(header, rows)}"
    )


BLOCKS: dict[str, Callable[[], str]] = {
    "benchmarks": benchmarks,
    "presets": presets,
    "actions": actions,
    "layout": layout,
    "mutations": mutations,
    **{f"fields {name}": (lambda name=name: fields(name)) for name in PRESETS},
}


def refreshed(text: str) -> str:
    """``text`` with every generated block written anew."""
    return BLOCK.sub(lambda m: f"{m[1]}{BLOCKS[m[2]]()}{m[3]}", text)


def main(arguments: list[str]) -> int:
    """Write the stale files, or with ``--check`` name them; returns the exit status."""
    stale = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        if (fresh := refreshed(text)) != text:
            stale.append(path.relative_to(ROOT).as_posix())
            if "--check" not in arguments:
                path.write_text(fresh, encoding="utf-8", newline="\n")
    if stale:
        print("stale:" if "--check" in arguments else "written:", ", ".join(stale))
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
