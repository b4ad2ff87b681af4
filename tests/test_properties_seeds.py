"""The same seed is the same game: in this process, in others, and in every version of Python."""

import json
import os
import subprocess
import sys
from typing import Any

import golden
import pytest
from hypothesis import given
from strategies import Play, examples, plays, walk

EXPECTED: dict[str, str] = json.loads(golden.FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", golden.TABLES)
def test_games_are_the_committed_ones(name: str) -> None:
    assert golden.digest(golden.TABLES[name]) == EXPECTED[name]


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_games_are_the_same_in_another_process(hash_seed: str) -> None:
    """Nothing depends on the order of a set or on an address."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, golden.__file__], capture_output=True, text=True, env=environment, check=True, timeout=300
    )
    assert json.loads(done.stdout) == EXPECTED


@given(plays(100))
@examples(30)
def test_the_same_seed_is_the_same_game(play: Play) -> None:
    def trace() -> list[Any]:
        return [
            (game.position(), game.rng_state(), game.observation().tobytes(), list(game.log)) for game in walk(play)
        ]

    assert trace() == trace()
