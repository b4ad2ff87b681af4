"""Makes the slow reference (tests/reference/) importable, sets the length of the differential test and Hypothesis's
profiles, and runs the engine as plain Python when `NUMBA_DISABLE_JIT=1` asks for it (tests/plain.py)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numba
import pytest
from hypothesis import settings

_HERE = Path(__file__).resolve().parent
for _folder in (_HERE / "reference", _HERE):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

import plain  # noqa: E402  (needs the path above)

if numba.config.DISABLE_JIT:
    plain.activate()

# No deadlines: a kernel that is compiled on first use takes seconds. `ci`, the default, draws the same examples every
# time; `--hypothesis-profile=long` draws other and more ones, and remembers what failed.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True, max_examples=100)
settings.register_profile("long", derandomize=False, deadline=None, print_blob=True, max_examples=2000)
settings.load_profile("ci")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--fuzz-decisions N`, or the environment variable WHOT_FUZZ_DECISIONS: decisions compared with the reference."""
    parser.addoption(
        "--fuzz-decisions",
        type=int,
        default=int(os.environ.get("WHOT_FUZZ_DECISIONS", "100000")),
        help="decisions the engine and the reference are compared on",
    )


@pytest.fixture
def fuzz_decisions(request: pytest.FixtureRequest) -> int:
    """Decisions to compare in the differential test."""
    return int(request.config.getoption("--fuzz-decisions"))
