"""Another world that one seat cannot tell from the real one: what search plays on and what tests of information need.

*Hidden* is all that ``write_observation`` does not show the observer: the other hands beyond their ``known`` cards, the
market and its order, sealed answers, a move that another seat is still building, and the randomness to come.
"""

from typing import Any

from whot_env.cards import NUM_CARDS
from whot_env.engine.kernel import kernel
from whot_env.engine.legal import DECLARE, PROPOSAL, REACT, STACK, VOTE
from whot_env.engine.random import below, reaction_time, seed_game, shuffle
from whot_env.engine.seats import count_active, next_active
from whot_env.engine.turn import ask_to_play
from whot_env.engine.windows import SAFE_SECONDS

_TRIES = 32
"""Draws of a reaction time that has to fall into a range before the seat is taken not to have reacted."""


@kernel
def redeal_hidden(r: Any, s: Any, observer: int, seed: Any) -> None:
    """Replace in place what ``observer`` cannot know by a random draw; ``seed`` also becomes the game's generator.

    Every way to share out the unseen cards is equally likely. A sealed press or vote is a fair coin with reaction times
    drawn as the table draws them; a move that another seat is building goes back to its first step.
    """
    seed_game(s, seed)
    for seat in range(s.num_players):
        s.forced[seat] = -1.0
    _redeal_cards(s, observer)
    if STACK <= s.phase <= DECLARE and observer != s.turn:
        ask_to_play(s)
    elif s.phase == REACT:
        _redraw_presses(r, s, observer)
    elif s.phase == PROPOSAL:
        _redraw_queue(r, s)
    elif s.phase == VOTE:
        for seat in range(s.num_players):
            if seat != observer and s.votes[seat] >= 0:
                s.votes[seat] = below(s, 2)


@kernel
def _redeal_cards(s: Any, observer: int) -> None:
    """The market collects every card that the observer has not seen, is shuffled, and deals the hands out again."""
    for seat in range(s.num_players):
        if seat == observer:
            continue
        for card in range(NUM_CARDS):
            for _ in range(s.hands[seat, card] - s.known[seat, card]):
                s.market[s.market_len] = card
                s.market_len += 1
            s.hands[seat, card] = s.known[seat, card]
    shuffle(s, s.market, int(s.market_len))
    for seat in range(s.num_players):
        if seat == observer:
            continue
        missing = int(s.hand_size[seat])
        for card in range(NUM_CARDS):
            missing -= s.known[seat, card]
        for _ in range(missing):
            s.market_len -= 1
            s.hands[seat, s.market[s.market_len]] += 1


@kernel
def _redraw_presses(r: Any, s: Any, observer: int) -> None:
    """Seats asked before the one asked now, the caller first, may have pressed; all others have not been asked."""
    seat = int(s.caller)
    while seat != s.asked:
        if seat != observer:
            s.pressed[seat] = -1.0
            if below(s, 2) == 1:
                # The window would have closed at once on an announcement within the safe seconds.
                s.pressed[seat] = _time_in(r, s, seat, SAFE_SECONDS if seat == s.caller else 0.0, 1e9)
                if s.pressed[seat] >= 0.0:
                    s.pressed[seat] = max(s.pressed[seat], SAFE_SECONDS)
        seat = next_active(s, seat)


@kernel
def _redraw_queue(r: Any, s: Any) -> None:
    """Whoever reacts to the proposal later than the seat asked now, and still in time, will be asked, in that order."""
    now = max(_time_in(r, s, int(s.asked), 0.0, float(r.undo_seconds)), 0.0)
    s.queue_len = 0
    seat = int(s.turn)
    for _ in range(count_active(s)):
        seat = next_active(s, seat)
        time = reaction_time(r, s, seat)
        if seat == s.asked or time < now or time > r.undo_seconds:
            continue
        k = s.queue_len
        while k > 0 and s.pressed[s.queue[k - 1]] > time:
            s.queue[k] = s.queue[k - 1]
            k -= 1
        s.queue[k] = seat
        s.queue_len += 1
        s.pressed[seat] = time
    for seat in range(s.num_players):
        s.pressed[seat] = -1.0


@kernel
def _time_in(r: Any, s: Any, seat: int, low: float, high: float) -> float:
    """A reaction time of ``seat`` from ``low`` to ``high``; -1.0 if none came up."""
    for _ in range(_TRIES):
        time = reaction_time(r, s, seat)
        if low <= time <= high:
            return time
    return -1.0
