"""How the engine's speed depends on the games in the batch, the threads, the seats and the table."""

from typing import Any

from whot_env.bench import decisions_per_second
from whot_env.rules import PRESETS, Rules

BATCHES = tuple(4**k for k in range(9))  # 1 to 65,536
THREADS = (1, 2)
TABLES = ("naija_whot", "arcade")
USUAL: dict[str, Any] = {"rules": "naija_whot", "num_players": 2, "batch": 4096, "threads": 1, "policy": "uniform"}


def curves(seconds: float) -> dict[str, Any]:
    """Decisions per second, each measured once; what a curve does not vary is as in ``USUAL``."""

    def at(**changes: Any) -> int:
        return round(decisions_per_second(**{**USUAL, "seconds": seconds, **changes}))

    def seats(preset: str) -> range:
        low, high = Rules.preset(preset).seat_range
        return range(low, high + 1)

    return {
        "batch": {str(t): {str(b): at(batch=b, threads=t) for b in BATCHES if b >= t} for t in THREADS},
        "seats": {preset: {str(n): at(rules=preset, num_players=n) for n in seats(preset)} for preset in TABLES},
        "presets": {preset: at(rules=preset) for preset in PRESETS},
    }
