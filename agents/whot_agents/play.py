"""A game in the terminal: one person against agents. Reading and writing are arguments, so that tests can play."""

from collections.abc import Callable, Sequence

import numpy as np

from whot_agents.base import BatchAgent
from whot_env.actions import ACTION_NAMES
from whot_env.batch import check_seed
from whot_env.errors import WhotError
from whot_env.game import Game
from whot_env.render import render_text
from whot_env.rules import Rules

Read = Callable[[str], str]
"""Shows a prompt and gives the line typed; raises ``EOFError`` at the end of the input."""
Write = Callable[[str], object]

YOU = 0
"""The person's seat."""

HELP = """\
Type the number or the name of a choice; the beginning of a name is enough where it fits one choice only.
  circle-7, whot     lay a card          draw          go to market
  call:star          the shape called    end           lay no more cards
  last-card          announce            pass          say nothing, do nothing
  help, ?            this text           table         show the table again
  q                  leave the game
`whot actions` lists all names, `whot rules` the table's rules."""


class Quit(Exception):
    """The person left."""


def choose(typed: str, legal: Sequence[str]) -> str | list[str]:
    """The legal action meant by a typed line, or the list of those it may mean (empty: none).

    A number counts from 1; blanks and underscores stand for the hyphen; case does not matter.
    """
    word = "-".join(typed.lower().replace("_", " ").split())
    if word.isascii() and word.isdigit():
        index = int(word) - 1
        return legal[index] if 0 <= index < len(legal) else []
    if word in legal:
        return word
    found = [name for name in legal if name.startswith((word, f"call:{word}"))] if word else []
    return found[0] if len(found) == 1 else found


def play(
    opponent: BatchAgent,
    rules: Rules,
    num_players: int,
    seed: int,
    read: Read,
    write: Write,
    *,
    unicode: bool = True,
) -> None:
    """Play matches, the person at seat 0 and ``opponent`` at all others, until the person stops.

    Match m is dealt with ``seed + m``.

    Raises:
        WhotError: rules, seats or seed are refused.
    """
    rng = np.random.default_rng(int(check_seed(seed)))
    try:
        while True:
            write(f"Game {seed}: you are seat {YOU}; {opponent.name} plays the other seats. Type help for help.\n")
            _play_match(Game.new(rules, num_players, seed), opponent, rng, read, write, unicode)
            if not _again(read):
                break
            seed += 1
    except (EOFError, KeyboardInterrupt):
        write("\n")
    except Quit:
        pass
    write("Goodbye.\n")


def _again(read: Read) -> bool:
    while True:
        answer = read("Play again? [y/n] ").strip().lower()
        if answer in ("y", "yes"):
            return True
        if answer in ("n", "no", "q", "quit", ""):
            return False


def _play_match(
    game: Game, opponent: BatchAgent, rng: np.random.Generator, read: Read, write: Write, unicode: bool
) -> None:
    told = 0
    while True:
        for entry in game.log[told:]:
            text = entry.text if unicode else entry.text.translate({0x201C: '"', 0x201D: '"'})
            write("  " + text.replace(f"seat {YOU} ", f"seat {YOU} (you) ") + "\n")
        told = len(game.log)
        if game.over:
            _tell_result(game, write)
            if game.match_over:
                return
            game.next_round()
        elif game.asked == YOU:
            game.step(_ask(game, read, write, unicode))
        else:
            game.step(_move_of(opponent, game, rng))


def _move_of(agent: BatchAgent, game: Game, rng: np.random.Generator) -> str:
    mask = game.action_mask()
    action = int(agent.act(game.observation()[None], mask[None], rng)[0])
    if not mask[action]:
        raise WhotError("action", f"agent {agent.name!r} chose {ACTION_NAMES[action]!r}, which is not legal")
    return ACTION_NAMES[action]


def _ask(game: Game, read: Read, write: Write, unicode: bool) -> str:
    _show(game, write, unicode)
    legal = game.legal()
    while True:
        typed = read("> ").strip()
        if typed.lower() in ("q", "quit", "exit"):
            raise Quit
        if typed.lower() in ("help", "?", "h"):
            write(HELP + "\n")
        elif typed.lower() == "table":
            _show(game, write, unicode)
        elif typed:
            chosen = choose(typed, legal)
            if isinstance(chosen, str):
                return chosen
            if chosen:
                write(f"{typed!r} may be {', '.join(chosen)}; type more of it.\n")
            else:
                write(f"{typed!r} is no choice now; choose one of: {', '.join(legal)}\n")


def _show(game: Game, write: Write, unicode: bool) -> None:
    view = game.view(YOU)
    view["log"] = []  # told already, line by line
    numbered = "   ".join(f"{i} {name}" for i, name in enumerate(game.legal(), 1))
    write(f"\n{render_text(view, unicode=unicode)}\n\n{numbered}\n")


def _tell_result(game: Game, write: Write) -> None:
    winners = game.winners or []
    if winners == [YOU]:
        line = "You win."
    elif YOU in winners:
        line = f"You share the win with {', '.join(f'seat {s}' for s in winners if s != YOU)}."
    else:
        line = f"{' and '.join(f'Seat {s}' for s in winners) or 'Nobody'} wins."
    places = ", ".join(
        f"seat {seat} place {place} (hand {total})"
        for seat, (place, total) in enumerate(zip(game.places or [], game.sums or [], strict=False))
        if place is not None
    )
    write(f"\nRound over. {line}  {places}\n")
    if game.match_over and game.rules.match[0] != "single":
        won = game.position()["match"]["winners"]
        write(f"Match over. Won by {' and '.join('you' if s == YOU else f'seat {s}' for s in won) or 'nobody'}.\n")
