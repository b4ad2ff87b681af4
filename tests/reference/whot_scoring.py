"""Sums, places and payoffs of a round and of a match (sections 4.10 and 4.13)."""

from __future__ import annotations

from typing import Any

from whot_cards import number_of, shape_of


def hand_sum(hand: list[str], star_score: str) -> int:
    """What a hand counts."""
    total, stars = 0, 0
    for card in hand:
        star = shape_of(card) == "star"
        stars += star
        total += number_of(card) * (2 if star and star_score == "double" else 1)
    return total * 2**stars if star_score == "double_hand" else total


def places_from_groups(groups: list[list[int]], seats: int) -> list[int | None]:
    """Places from groups of equal seats, best first: 1, 1, 3; a seat in no group has none."""
    places: list[int | None] = [None] * seats
    place = 1
    for group in groups:
        for seat in group:
            places[seat] = place
        place += len(group)
    return places


def grouped(seats: list[int], key: Any) -> list[list[int]]:
    """Seats in ascending order of key, equal ones together."""
    groups: list[list[int]] = []
    for value in sorted({key(seat) for seat in seats}):
        groups.append([seat for seat in seats if key(seat) == value])
    return groups


def payoffs_of(places: list[int | None], winners: list[int], payoff: str) -> list[float]:
    """Payoffs; a seat without a place gets nothing."""
    counted = [seat for seat, place in enumerate(places) if place is not None]
    total = len(counted)
    result = [0.0] * len(places)
    if total < 2 or not winners:
        return result
    if payoff == "winner":
        for seat in counted:
            result[seat] = -1 / (total - 1)
        for seat in winners:
            result[seat] = (total - len(winners)) / (len(winners) * (total - 1))
        return result
    for seat in counted:
        place = places[seat]
        assert place is not None
        tied = sum(places[other] == place for other in counted)
        slots = [1 - 2 * (place - 1 + k) / (total - 1) for k in range(tied)]
        result[seat] = sum(slots) / tied
    return result
