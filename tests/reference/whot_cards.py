"""Cards, action names and the counter generator of the slow reference (nothing is shared with the engine)."""

from __future__ import annotations

SHAPES = ("circle", "triangle", "cross", "square", "star")
WHOT = "whot"
NUMBERS = {
    "circle": (1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 13, 14),
    "triangle": (1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 13, 14),
    "cross": (1, 2, 3, 5, 7, 10, 11, 13, 14),
    "square": (1, 2, 3, 5, 7, 10, 11, 13, 14),
    "star": (1, 2, 3, 4, 5, 7, 8),
}
CARDS = [f"{shape}-{number}" for shape in SHAPES for number in NUMBERS[shape]] + [WHOT]
CARD_ORDER = {card: place for place, card in enumerate(CARDS)}
CALLS = [f"call:{shape}" for shape in SHAPES]

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def shape_of(card: str) -> str | None:
    """The shape of a card; a Whot has none."""
    return None if card == WHOT else card.split("-")[0]


def number_of(card: str) -> int:
    """The printed number of a card (`star-4-as-8` is printed 4, a Whot 20)."""
    return 20 if card == WHOT else int(card.split("-")[1])


def played_number(card: str) -> int:
    """The number a card is played as: 8 for `star-4-as-8`, the printed one otherwise."""
    return int(card.split("-as-")[1]) if "-as-" in card else number_of(card)


def plain_name(card: str) -> str:
    """The card behind a way to play it: `star-4-as-8` is the card `star-4`."""
    return card.split("-as-")[0]


def doubled(star: str) -> str:
    """The name of playing a star as twice its number."""
    return f"{star}-as-{2 * number_of(star)}"


def full_deck(decks: int, whots: int) -> list[str]:
    """All cards in ascending order, equal cards together."""
    cards: list[str] = []
    for card in CARDS:
        cards += [card] * (decks * (whots if card == WHOT else 1))
    return cards


def count_of(cards: list[str]) -> dict[str, int]:
    """A multiset of cards as card -> count."""
    counts: dict[str, int] = {}
    for card in cards:
        counts[card] = counts.get(card, 0) + 1
    return counts


def _mix64(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


class CounterRng:
    """The counter-based generator: value n depends on the key and n only."""

    def __init__(self, seed: int = 0, counter: int = 0) -> None:
        self.key = _mix64((seed + _GOLDEN) & _MASK)
        self.counter = counter

    @classmethod
    def from_state(cls, key: int, counter: int) -> CounterRng:
        """Continue a generator whose key and counter are known."""
        rng = cls(0, counter)
        rng.key = key
        return rng

    def _next(self) -> int:
        self.counter += 1
        return _mix64((self.key + self.counter * _GOLDEN) & _MASK)

    def below(self, n: int) -> int:
        """A whole number 0 <= x < n."""
        return ((self._next() >> 32) * n) >> 32

    def uniform(self) -> float:
        """A number 0 <= x < 1."""
        return (self._next() >> 11) * 2.0**-53

    def shuffle(self, items: list) -> None:
        """Shuffle a list in place, from its end."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
