"""Every agent against every other: the cross-table, its ratings, and how both are kept."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import whot_env
from whot_agents.arena import Pairing, check_arguments, play_pairing
from whot_agents.arena_games import Stop
from whot_agents.arena_ratings import ANCHOR, Rating, model_name, need_choix, rate
from whot_agents.base import BatchAgent
from whot_agents.files import write_atomically
from whot_env.errors import WhotError
from whot_env.rules import RulesLike

FORMAT = "whot-arena"
VERSION = 1

MAX_ENTRANTS = 100

TableProgress = Callable[[int, int, int], None]
"""Called with the pairing's number, its games finished and its games at most."""


@dataclass(frozen=True)
class Setting:
    """What every pairing is played with; the fields are those of ``evaluate``."""

    rules: RulesLike
    num_players: int | None
    games: int
    """A pairing's, at most if ``sequential``."""
    seed: int
    max_moves: int
    sequential: bool


@dataclass
class CrossTable:
    """What has been played of all pairings.

    Two agents: one pairing, the first as A. More: at two seats one pairing for every two of them, at more seats two,
    since one A against B's is another question than one B against A's.
    """

    names: list[str]
    setting: Setting
    pairs: list[tuple[int, int]]
    """Of all pairings, the numbers of A and B."""
    pairings: list[Pairing]
    """Those played, in the order of ``pairs``; the last of them may have been interrupted."""
    ratings: list[Rating] | None = None
    """The best first; None for two agents, and as long as a pairing is missing."""
    interrupted: bool = False
    seconds: float = 0.0

    def win_rates(self) -> list[list[float | None]]:
        """[K][K]: how often the agent of the row wins against that of the column; None where they did not meet."""
        size = len(self.names)
        table: list[list[float | None]] = [[None] * size for _ in range(size)]
        for (a, b), pairing in zip(self.pairs, self.pairings, strict=False):
            result = pairing.result
            table[a][b] = result.win_rate
            if result.num_players == 2:
                table[b][a] = 1 - result.truncated / result.games - result.win_rate
        return table

    def to_json(self) -> dict[str, Any]:
        """As documented in docs/arena.md."""
        table, seats = check_arguments(*_arguments(self.setting))
        ratings = None
        if self.ratings is not None:
            anchor = ANCHOR if ANCHOR in self.names else "mean"
            ratings = {"model": model_name(seats), "anchor": anchor, "rows": [asdict(row) for row in self.ratings]}
        return {
            "format": FORMAT,
            "version": VERSION,
            "whot_env": whot_env.__version__,
            "rules": table.to_json(),
            "num_players": seats,
            "seed": self.setting.seed,
            "games": self.setting.games,
            "max_moves": self.setting.max_moves,
            "sequential": self.setting.sequential,
            "complete": len(self.pairings) == len(self.pairs) and not self.interrupted,
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 3),
            "entrants": self.names,
            "pairings": [pairing.result.to_json() for pairing in self.pairings],
            "win_rates": self.win_rates(),
            "ratings": ratings,
        }

    def write(self, path: Path) -> None:
        """``to_json`` into a file, whole or not at all. Raises ``WhotError`` if that cannot be done."""
        write_atomically(path, (json.dumps(self.to_json(), indent=1) + "\n").encode())


def play_table(
    agents: Sequence[BatchAgent],
    setting: Setting,
    names: Sequence[str] | None = None,
    progress: TableProgress | None = None,
    stop: Stop | None = None,
    played: Callable[[CrossTable], None] | None = None,
) -> CrossTable:
    """Play all pairings.

    Args:
        agents: two or more.
        setting: what they play.
        names: of the agents in the results; None: their own.
        progress: called now and then.
        stop: asked between two steps; once it is true, what has been played is what is returned.
        played: called before the first and after each pairing with what there is.

    Raises:
        WhotError: a field of ``setting`` is refused, agents are too few, too many or share a name, choix is not
            installed, or an agent chose an illegal action.
    """
    names = [agent.name for agent in agents] if names is None else list(names)
    if not 2 <= len(agents) <= MAX_ENTRANTS:
        raise WhotError("entrants", f"entrants are {len(agents)}; allowed: 2 to {MAX_ENTRANTS}")
    rules, seats = check_arguments(*_arguments(setting))
    if len(agents) > 2:
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise WhotError("entrants", f"entrant {twice!r} is there more than once; allowed: each name once")
        need_choix()  # missing, it should be missed before the games
    table = CrossTable(names, setting, pairs_of(len(agents), seats), [])
    start = time.perf_counter()
    if played is not None:
        played(table)
    for number, (a, b) in enumerate(table.pairs):

        def show(finished: int, most: int, number: int = number) -> None:
            if progress is not None:
                progress(number, finished, most)

        pairing = play_pairing(
            (agents[a], agents[b]),
            rules,
            seats,
            setting.games,
            setting.seed,
            setting.max_moves,
            setting.sequential,
            show,
            stop,
        )
        table.seconds = time.perf_counter() - start
        if pairing is not None:
            named = replace(pairing.result, agent_a=names[a], agent_b=names[b])
            table.pairings.append(replace(pairing, result=named))
        if pairing is None or pairing.result.stopping == "interrupted":
            table.interrupted = True
            break
        if played is not None and number + 1 < len(table.pairs):
            played(table)
    if len(agents) > 2 and len(table.pairings) == len(table.pairs):
        table.ratings = rate(names, table.pairs, table.pairings)
        table.seconds = time.perf_counter() - start
    if played is not None:
        played(table)
    return table


def pairs_of(agents: int, seats: int) -> list[tuple[int, int]]:
    """The pairings of so many agents: see ``CrossTable``."""
    if agents == 2:
        return [(0, 1)]
    return [(a, b) for a in range(agents) for b in range(agents) if a < b or (a != b and seats > 2)]


def _arguments(setting: Setting) -> tuple[RulesLike, int | None, int, int, int]:
    return setting.rules, setting.num_players, setting.games, setting.seed, setting.max_moves
