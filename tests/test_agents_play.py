"""The terminal game and the arena command, driven by typed lines."""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Iterator

import pytest

from whot_agents.commands import add_commands, read_rules
from whot_agents.play import choose, play
from whot_agents.spec import make_agent
from whot_env.errors import WhotError
from whot_env.rules import Rules

LEGAL = ["circle-1", "circle-11", "star-4", "whot", "star-4-as-8", "draw", "call:star", "last-card"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("1", "circle-1"),
        ("8", "last-card"),
        ("9", []),
        ("0", []),
        ("circle-1", "circle-1"),
        ("Circle 11", "circle-11"),
        ("circle_11", "circle-11"),
        ("c", ["circle-1", "circle-11", "call:star"]),
        ("w", "whot"),
        ("WH", "whot"),
        ("star 4", "star-4"),
        ("star-4-", "star-4-as-8"),
        ("st", ["star-4", "star-4-as-8", "call:star"]),
        ("l", "last-card"),
        ("call:s", "call:star"),
        ("square", []),
        ("²", []),
        ("", []),
    ],
)
def test_choices_by_number_name_and_beginning(typed: str, meant: str | list[str]) -> None:
    assert choose(typed, LEGAL) == meant


def run(lines: list[str], rules: Rules, players: int = 2, seed: int = 1, unicode: bool = True) -> str:
    """What the person sees who types ``lines``, first choices when they run out of ideas ("*")."""
    out = io.StringIO()
    source: Iterator[str] = iter(lines)

    def read(prompt: str) -> str:
        out.write(prompt)
        try:
            return next(source)
        except StopIteration:
            raise EOFError from None

    play(make_agent("playful"), rules, players, seed, read, out.write, unicode=unicode)
    return out.getvalue()


@pytest.mark.parametrize("preset", ["naija_whot", "arcade", "house_table", "modern", "naija_life"])
def test_a_whole_game_can_be_played(preset: str) -> None:
    # The first choice each time: plays before it draws.
    text = run(["1"] * 3000, Rules.preset(preset))
    assert "Round over." in text
    assert "Play again? [y/n]" in text


def test_a_match_of_rounds_and_another_game() -> None:
    rules = Rules.preset("naija_whot", match={"best_of": 3})
    lines = ["1"] * 10_000
    text = run(lines, rules)
    assert text.count("Round over.") >= 2
    assert "Match over. Won by " in text
    first_game = text.count("> ")
    again = run([*["1"] * first_game, "maybe", "y", "q"], rules)
    assert "Game 2: you are seat 0" in again
    assert again.endswith("Goodbye.\n")


def test_help_table_and_mistakes_take_no_turn() -> None:
    rules = Rules.preset("naija_whot")
    text = run(["help", "?", "", "table", "stone-3", "99", "q"], rules)
    assert text.count("`whot actions` lists all names") == 2
    assert "'stone-3' is no choice now; choose one of: " in text
    assert text.endswith("Goodbye.\n")


def test_ends_cleanly_at_the_end_of_the_input_and_at_ctrl_c() -> None:
    assert run([], Rules.preset("classic")).endswith("Goodbye.\n")

    def interrupt(prompt: str) -> str:
        raise KeyboardInterrupt

    out = io.StringIO()
    play(make_agent("playful"), Rules.preset("classic"), 2, 0, interrupt, out.write)
    assert out.getvalue().endswith("Goodbye.\n")


def test_plain_terminals_get_plain_text() -> None:
    run(["1"] * 3000, Rules.preset("naija_whot"), unicode=False).encode("ascii")


def test_hidden_cards_are_not_shown() -> None:
    from whot_env.game import Game

    game = Game.new("naija_whot", 2, 1)
    while game.asked != 0:
        game.step("draw")
    text = run(["q"], Rules.preset("naija_whot"), unicode=False)
    hidden = set(game.position()["hands"][1]) - set(game.position()["hands"][0])
    assert not any(card in text for card in hidden)


def parse(*line: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_commands(parser.add_subparsers())
    return parser.parse_args(line)


def test_play_command_reads_piped_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n1\nq\n"))
    args = parse("play", "--rules", "arcade", "--players", "3", "--seed", "4", "--coach", "playful")
    assert args.run(args) == 0
    assert capsys.readouterr().out.endswith("Goodbye.\n")


def test_arena_command(capsys: pytest.CaptureFixture[str]) -> None:
    args = parse("arena", "playful", "uniform", "--rules", "classic", "--games", "20", "--seed", "3")
    assert args.run(args) == 0
    assert "playful against uniform, classic, 2 seats: wins" in capsys.readouterr().out
    args = parse("arena", "playful", "playful", "--games", "3", "--players", "3", "--json")
    assert args.run(args) == 0
    assert json.loads(capsys.readouterr().out)["pairings"][0]["games"] == 3


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (["play", "--rules", "poker"], "preset"),
        (["play", "--players", "0"], "num_players"),
        (["play", "--players", "5"], "num_players"),
        (["play", "--coach", "nobody"], "agent"),
        (["play", "--coach", "missing.whotcoach"], "path"),
        (["play", "--seed", "-1"], "seed"),
        (["play", "--rules", "{"], "rules"),
        (["arena", "playful", "nobody"], "agent"),
        (["arena", "playful", "playful", "--games", "0"], "games"),
        (["arena", "playful", "playful", "--games", "1000000000000"], "games"),
        (["arena", "playful", "playful", "--players", "0"], "num_players"),
        (["arena", "playful", "uniform", "playful"], "entrants"),
        (["arena", "playful", "uniform", "--out", "/dev/null/folder"], "path"),
        (["inspect", "missing.whotcoach"], "path"),
    ],
)
def test_bad_input_is_one_sentence(line: list[str], key: str) -> None:
    args = parse(*line)
    with pytest.raises(WhotError) as error:
        args.run(args)
    assert error.value.key == key
    assert "\n" not in str(error.value)


def test_rules_by_name_or_object() -> None:
    assert read_rules("arcade") == Rules.preset("arcade")
    assert read_rules('{"preset": "arcade", "hand_size": 4}') == Rules.preset("arcade", hand_size=4)
