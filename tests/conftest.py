"""Makes the slow reference (tests/reference/) importable and adds the length of the differential test."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

_HERE = Path(__file__).resolve().parent
for _folder in (_HERE / "reference", _HERE):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

# `pytest --hypothesis-profile=long` looks further than `make test` does.
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("long", deadline=None, max_examples=5000)
settings.load_profile("ci")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--fuzz-decisions N`, or the environment variable WHOT_FUZZ_DECISIONS: decisions compared with the reference."""
    parser.addoption(
        "--fuzz-decisions",
        type=int,
        default=int(os.environ.get("WHOT_FUZZ_DECISIONS", "20000")),
        help="decisions the engine and the reference are compared on",
    )


@pytest.fixture
def fuzz_decisions(request: pytest.FixtureRequest) -> int:
    """Decisions to compare in the differential test."""
    return int(request.config.getoption("--fuzz-decisions"))
