"""Drawing cards and turning the pile into a market (rules 4.3, 4.4)."""

from typing import Any

from whot_env.engine.kernel import kernel
from whot_env.engine.log import LOG_RECYCLED, emit
from whot_env.engine.random import shuffle
from whot_env.state import MAX_COUNT


@kernel
def start_pile(s: Any, card: int) -> None:
    """The pile is this one card."""
    s.piled[:] = 0
    s.pile_len = 0
    lay(s, card)


@kernel
def lay(s: Any, card: int) -> None:
    """A card goes on the pile."""
    s.pile[s.pile_len] = card
    s.pile_len += 1
    s.piled[card] += 1


@kernel
def _refill(r: Any, s: Any, log: Any) -> None:
    """The market is empty: shuffle all of the pile but its top into a new one, as often as ``recycle`` allows.

    With ``once`` and ``nothing_left`` = count, a second emptiness, or a first one with nothing to turn, ends the round.
    """
    once = r.recycle == 1
    if once and s.recycled >= 1:
        s.counting = r.nothing_left
        return
    n = int(s.pile_len) - 1
    if n <= 0:
        if once:
            s.recycled = 1
            s.counting = r.nothing_left
        return
    for k in range(n):
        s.market[k] = s.pile[k]
    start_pile(s, int(s.pile[n]))
    s.market_len = n
    shuffle(s, s.market, n)
    s.recycled = min(s.recycled + 1, MAX_COUNT)
    emit(log, LOG_RECYCLED, -1, n)


@kernel
def draw_cards(r: Any, s: Any, log: Any, seat: int, amount: int) -> int:
    """``seat`` draws up to ``amount`` cards one at a time; returns how many there were. Cards are never made."""
    got = 0
    while got < amount and not s.counting:
        if s.market_len == 0:
            _refill(r, s, log)
            if s.market_len == 0:
                break
        s.market_len -= 1
        card = s.market[s.market_len]
        s.hands[seat, card] += 1
        s.hand_size[seat] += 1
        got += 1
        if s.market_len == 0:
            _refill(r, s, log)
    if got > 0:
        # What a seat declined tells less with every unseen card it takes; the observation shows the age.
        for k in range(5):
            age = s.declined_shapes[seat, k]
            s.declined_shapes[seat, k] = min(127, age + got) if age > 0 else 0
        for k in range(16):
            age = s.declined_numbers[seat, k]
            s.declined_numbers[seat, k] = min(127, age + got) if age > 0 else 0
    return got
