"""What a finished round does to the match, and the match's result (4.13, 8.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whot_scoring import grouped, payoffs_of, places_from_groups

if TYPE_CHECKING:
    from whot_reference import ReferenceGame


def settle_match(game: ReferenceGame) -> None:
    """Count the round just scored; set the match's winners, places and payoffs when it is decided."""
    kind, limit = match_kind(game)
    assert game.sums is not None
    assert game.winners is not None
    game.rounds += 1
    if len(game.winners) == 1:
        game.wins[game.winners[0]] += 1
    for seat in game.counted:
        game.totals[seat] += game.sums[seat]
    if kind == "single":
        game.match_winners, game.match_places = list(game.winners), list(game.places or [])
        game.match_payoffs = list(game.payoffs or [])
        return
    if kind == "elimination":
        fallen = [seat for seat in game.in_game() if game.totals[seat] > limit]
        game.eliminated += sorted(fallen, key=lambda seat: (-game.totals[seat], seat))
    staying = game.in_game()
    decided = len(staying) <= 1
    if kind == "best_of":
        decided = decided or any(2 * game.wins[seat] > limit for seat in staying)
    elif kind == "lowest_total":
        decided = decided or game.rounds >= limit
    if decided:
        groups = _groups(game, kind, staying)
        groups += [[seat] for seat in reversed(game.left)]
        game.match_places = places_from_groups(groups, game.n)
        game.match_winners = sorted(groups[0])
        game.match_payoffs = payoffs_of(game.match_places, game.match_winners, game.rules["payoff"])


def match_kind(game: ReferenceGame) -> tuple[str, int]:
    """The kind of a match and its number."""
    match = game.rules["match"]
    if match == "single":
        return "single", 1
    ((kind, number),) = match.items()
    return kind, number


def _groups(game: ReferenceGame, kind: str, staying: list[int]) -> list[list[int]]:
    """Seats that did not leave, best first, equal ones together."""
    if kind == "best_of":
        return grouped(staying, lambda seat: -game.wins[seat])
    if kind == "lowest_total":
        return grouped(staying, lambda seat: game.totals[seat])
    groups = grouped(staying, lambda seat: game.totals[seat])
    # Whoever falls later ranks better; who fell together is ranked by totals, and equal totals share.
    now = [seat for seat in game.eliminated if seat in game.counted and seat not in game.left]
    groups += grouped(now, lambda seat: game.totals[seat])
    before: list[list[int]] = []
    for seat in reversed(game.eliminated):
        if seat in game.counted or seat in game.left:
            continue
        if before and game.totals[before[-1][0]] == game.totals[seat]:
            before[-1].append(seat)
        else:
            before.append([seat])
    return groups + before
