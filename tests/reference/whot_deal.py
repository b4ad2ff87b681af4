"""The deal (4.1): shuffle, hands, start card, first seat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whot_cards import WHOT, full_deck
from whot_state import Move

if TYPE_CHECKING:
    from whot_reference import ReferenceGame


def deal_round(game: ReferenceGame) -> None:
    """Deal a round to the seats still in the match; the first seat moves on by one after the first round."""
    rules, rng = game.rules, game.rng
    cards = full_deck(rules["decks"], rules["whots"])
    rng.shuffle(cards)
    game.out = []
    dealt = game.in_game()
    game.partial = False
    game.counted = [seat for seat in range(game.n) if seat not in game.eliminated]
    game.hands = [[] for _ in range(game.n)]
    for seat in dealt:
        game.hands[seat] = [cards.pop() for _ in range(rules["hand_size"])]
    game.pile = [_start_card(game, cards)]
    game.market = cards
    if game.rounds == 0:
        game.first = dealt[rng.below(len(dealt))]
    else:
        game.first = game.following(game.first, direction=1)[0]
    game.turn = game.asked = game.first
    game.phase, game.direction, game.called, game.top_number, game.debt = "play", 1, None, None, 0
    game.move, game.queue, game.pressed = Move(), [], {}
    game.open_calls, game.owes, game.known = [], [], [[] for _ in range(game.n)]
    game.undos = game.recycled = game.moves = 0
    game.winners = game.places = game.payoffs = game.sums = None


def _start_card(game: ReferenceGame, cards: list[str]) -> str:
    mode = game.rules["start_card"]
    if mode == "prefer_plain":
        eligible = [place for place, card in enumerate(cards) if not game.is_special(card)]
        eligible = eligible or [place for place, card in enumerate(cards) if card != WHOT]
        if eligible:
            return cards.pop(eligible[game.rng.below(len(eligible))])
    card = cards.pop()
    while mode == "no_whot" and card == WHOT and any(other != WHOT for other in cards):
        cards.insert(game.rng.below(len(cards) + 1), card)
        card = cards.pop()
    return card
