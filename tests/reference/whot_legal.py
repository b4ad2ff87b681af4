"""What the seat asked may do, phase by phase (sections 2 to 5)."""

from __future__ import annotations

from whot_cards import CALLS, WHOT, doubled, number_of, plain_name, played_number, shape_of
from whot_state import State


def legal_actions(state: State) -> set[str]:
    """Names of all legal actions of the seat asked; nothing when the round is over."""
    phase = state.phase
    if phase == "play":
        return _plays(state) | {"draw"} | _step_one_calls(state)
    if phase == "stack":
        return stack_cards(state) | ({"end"} if may_end(state) else set())
    if phase == "call":
        return set(CALLS)
    if phase == "power":
        return {"plain", "reverse", "miss"}
    if phase == "direction":
        return {"keep", "reverse"}
    if phase == "declare":
        return {"last-card" if cards_left(state) == 1 else "check-up", "pass"}
    if phase == "proposal":
        return {"undo" if state.asked == state.turn else "knock", "pass"}
    if phase == "react":
        return {"last-card" if state.asked == caller(state) else "catch", "pass"}
    if phase == "vote":
        return {"play-on", "stop"}
    return set()


def caller(state: State) -> int:
    """In a react window: the seat that may announce, the next one after the last to be asked (8.13)."""
    last = state.queue[-1] if state.queue else state.asked
    return state.following(last)[0]


def cards_left(state: State) -> int:
    """Cards that the move being built would leave in the hand."""
    return len(state.hands[state.turn]) - len(state.move.cards)


def unused_cards(state: State) -> list[str]:
    """Cards of the hand that are not in the move being built."""
    rest = list(state.hands[state.turn])
    for played in state.move.cards:
        rest.remove(plain_name(played))
    return rest


def _plays(state: State) -> set[str]:
    names = set()
    for card in state.hands[state.turn]:
        if may_play(state, card):
            names.add(card)
        if state.rules["star_as_double"] and shape_of(card) == "star" and may_play(state, doubled(card)):
            names.add(doubled(card))
    return names


def matches(state: State, card: str) -> bool:
    """By shape or number, or by the called shape only; an uncalled Whot takes everything (4.2)."""
    if card == WHOT:
        return True
    if state.called is not None:
        return shape_of(card) == state.called
    top = state.pile[-1]
    if top == WHOT:
        return True
    number = state.top_number if state.top_number is not None else number_of(top)
    return shape_of(card) == shape_of(top) or played_number(card) == number


def may_play(state: State, card: str) -> bool:
    """Whether a card may be the first of a move, with or without a debt (4.5)."""
    if state.debt == 0:
        return matches(state, card)
    rules, top = state.rules, state.pile[-1]
    if card == WHOT:
        return rules["whot_on_debt"] == "cancels"
    number = number_of(card)
    if number == rules["block"]:
        return matches(state, card)
    picks = [pick for pick in (rules["pick_two"], rules["pick_three"]) if pick in rules["stackable"]]
    if number not in picks or number_of(top) not in picks:
        return False
    if rules["answers"] == "same":
        return number == number_of(top)
    return matches(state, card)


def _step_one_calls(state: State) -> set[str]:
    names = set()
    if state.asked in state.open_calls:
        names.add("last-card")
    if any(seat != state.asked for seat in state.open_calls):
        names.add("catch")
    return names


def stack_cards(state: State) -> set[str]:
    """Cards that may be laid on top of the move being built (4.6)."""
    cards = state.move.cards
    rest = unused_cards(state)
    mode = state.rules["multi_card"]
    first = cards[0]
    if "-as-" in first:
        return set()
    if mode == "same_number":
        if first == WHOT and not state.rules["multi_whot"]:
            return set()
        return {card for card in rest if number_of(card) == number_of(first)}
    if mode == "straight" and first != WHOT and state.debt == 0:
        shape, last = shape_of(first), number_of(cards[-1])
        if len(cards) > 1:
            step = number_of(cards[1]) - number_of(cards[0])
            return {f"{shape}-{last + step}"} & set(rest)
        return {
            f"{shape}-{last + step}"
            for step in (1, -1)
            if f"{shape}-{last + step}" in rest and f"{shape}-{last + 2 * step}" in rest
        }
    return set()


def may_end(state: State) -> bool:
    """A straight ends at one card or from three on; anything else ends anywhere."""
    return state.rules["multi_card"] != "straight" or len(state.move.cards) != 2
