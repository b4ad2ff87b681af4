"""Sums, places, payoffs and matches (rules 4.10, 4.13)."""

from typing import Any

from whot_env.cards import CARD_NUMBER, NUM_CARDS, WHOT
from whot_env.engine.kernel import kernel
from whot_env.engine.legal import FIRST_STAR, OVER
from whot_env.engine.log import LOG_OVER, emit
from whot_env.engine.seats import clear_move, clear_window, has_left, is_eliminated, was_dealt_in
from whot_env.state import MAX_COUNT, MAX_TOTAL

SINGLE, BEST_OF, LOWEST_TOTAL, ELIMINATION = range(4)
_DOUBLE, _DOUBLE_HAND = 1, 2
_LAST = MAX_TOTAL + 1


@kernel
def hand_sum(r: Any, s: Any, seat: int) -> int:
    """The hand's numbers added up, stars as ``star_score`` says, a Whot 20."""
    total = 0
    stars = 0
    for card in range(NUM_CARDS):
        n = s.hands[seat, card]
        if n == 0:
            continue
        total += n * CARD_NUMBER[card]
        if card >= FIRST_STAR and card != WHOT:
            stars += n
            if r.star_score == _DOUBLE:
                total += n * CARD_NUMBER[card]
    if r.star_score == _DOUBLE_HAND:
        # The hand's own number keeps the shift small: two decks hold 14 stars.
        total <<= stars
    return total


@kernel
def _index(seats: Any, n: int, seat: int) -> int:
    for k in range(n):
        if seats[k] == seat:
            return k
    return -1


@kernel
def _rank_seats(keys: Any, n: int, places: Any) -> None:
    """Places from keys (smaller is better, negative does not take part): 1 + the number of better seats."""
    for i in range(n):
        places[i] = 0
        if keys[i] >= 0:
            better = 0
            for j in range(n):
                if 0 <= keys[j] < keys[i]:
                    better += 1
            places[i] = better + 1


@kernel
def _pay(r: Any, n: int, places: Any, winners: Any, payoffs: Any) -> None:
    """Payoffs of ``n`` seats from their places (0: not taking part, paid nothing)."""
    seats = 0
    won = 0
    for i in range(n):
        payoffs[i] = 0.0
        seats += places[i] > 0
        won += winners[i]
    if seats < 2 or won == 0:
        return
    for i in range(n):
        if places[i] == 0:
            continue
        if r.payoff == 0:
            payoffs[i] = (seats - won) / (won * (seats - 1)) if winners[i] else -1.0 / (seats - 1)
        else:
            tied = 0
            for j in range(n):
                tied += places[j] == places[i]
            payoffs[i] = 1.0 - (2.0 * (places[i] - 1) + (tied - 1)) / (seats - 1)


@kernel
def settle_round(r: Any, s: Any) -> None:
    """Sums, places, winners and payoffs of a finished round: first who went out, then the sums, then who left."""
    n = s.num_players
    # The payoffs' eight slots serve as keys first: nothing is allocated in a kernel.
    keys = s.payoffs
    for seat in range(n):
        s.sums[seat] = hand_sum(r, s, seat)
        gone = _index(s.left, s.left_len, seat)
        out = _index(s.out, s.out_len, seat)
        if not was_dealt_in(s, seat):
            keys[seat] = -1
        elif gone >= 0:
            keys[seat] = _LAST + 8 - gone
        elif out >= 0:
            keys[seat] = out
        else:
            keys[seat] = 8 + s.sums[seat]
    _rank_seats(keys, n, s.places)
    for seat in range(n):
        s.winners[seat] = s.places[seat] == 1 and keys[seat] < _LAST
    _pay(r, n, s.places, s.winners, s.payoffs)


@kernel
def _last_of_its_fall(s: Any, k: int) -> int:
    """The last entry of ``eliminated`` that shares the place of entry ``k``: equal totals that fell together.

    Whoever fell in the round just played still holds its cards; of earlier rounds only the totals are known.
    """
    seat = s.eliminated[k]
    while k + 1 < s.eliminated_len:
        after = s.eliminated[k + 1]
        now, then = s.hand_size[after] > 0, s.hand_size[seat] > 0
        if s.totals[after] != s.totals[seat] or now != then:
            break
        k += 1
    return k


@kernel
def settle_match(r: Any, s: Any) -> None:
    """Decide the match if its end is reached, and place every seat in it."""
    n = s.num_players
    playing = 0
    most = 0
    for seat in range(n):
        playing += not is_eliminated(s, seat) and not has_left(s, seat)
        most = max(most, s.wins[seat])
    s.match_over = (
        playing <= 1
        or r.match == SINGLE
        or (r.match == BEST_OF and 2 * most > r.match_n)
        or (r.match == LOWEST_TOTAL and s.rounds >= r.match_n)
    )
    if not s.match_over:
        return
    if r.match == SINGLE:
        for seat in range(n):
            s.match_places[seat] = s.places[seat]
            s.match_winners[seat] = s.winners[seat]
            s.match_payoffs[seat] = s.payoffs[seat]
        return
    keys = s.match_payoffs
    for seat in range(n):
        gone = _index(s.left, s.left_len, seat)
        fell = _index(s.eliminated, s.eliminated_len, seat)
        if gone >= 0:
            keys[seat] = _LAST + 8 - gone
        elif r.match == BEST_OF:
            keys[seat] = most - s.wins[seat]
        elif fell < 0:
            keys[seat] = s.totals[seat] if r.match == LOWEST_TOTAL else 0
        else:
            keys[seat] = 1 + s.eliminated_len - _last_of_its_fall(s, fell)
    _rank_seats(keys, n, s.match_places)
    for seat in range(n):
        s.match_winners[seat] = s.match_places[seat] == 1 and keys[seat] < _LAST
    _pay(r, n, s.match_places, s.match_winners, s.match_payoffs)


@kernel
def _eliminate(r: Any, s: Any) -> None:
    """Seats whose total passed the limit fall, the highest total first, so that a later one is the better one."""
    while True:
        worst = -1
        for seat in range(s.num_players):
            over = s.totals[seat] > r.match_n and not is_eliminated(s, seat) and not has_left(s, seat)
            if over and (worst < 0 or s.totals[seat] > s.totals[worst]):
                worst = seat
        if worst < 0:
            return
        s.eliminated[s.eliminated_len] = worst
        s.eliminated_len += 1


@kernel
def finish_round(r: Any, s: Any, log: Any, moved_last: int) -> None:
    """The round is over: settle it, add it to the match, close every window (8.14)."""
    clear_move(s)
    clear_window(s)
    s.phase = OVER
    s.debt = 0
    s.undos = 0
    s.counting = 0
    s.turn = moved_last
    s.asked = moved_last
    settle_round(r, s)
    s.rounds = min(s.rounds + 1, MAX_COUNT)
    winners = 0
    for seat in range(s.num_players):
        s.totals[seat] = min(s.totals[seat] + s.sums[seat], MAX_TOTAL)
        winners += s.winners[seat]
    if winners == 1:
        for seat in range(s.num_players):
            s.wins[seat] = min(s.wins[seat] + s.winners[seat], MAX_COUNT)
    if r.match == ELIMINATION:
        _eliminate(r, s)
    settle_match(r, s)
    emit(log, LOG_OVER, moved_last, winners)
