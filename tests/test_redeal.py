"""``redeal`` draws every world that an observer cannot tell from the real one, each as often as it should."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from whot_env import Game
from whot_env.batch import Batch
from whot_env.cards import CARD_NAMES
from whot_env.errors import WhotError

WORLDS = 60_000


def worlds(game: Game, seat: int, count: int = WORLDS) -> np.ndarray[Any, Any]:
    """STATE[count]: redealt copies of the game's record."""
    batch = Batch(game.rules, game.num_players, count)
    batch.states[:] = game.state
    batch.redeal(np.arange(count), np.full(count, seat))
    return batch.states


def assert_frequencies(counts: Counter[Any], expected: dict[Any, float]) -> None:
    """Nothing outside ``expected`` (probabilities) occurs, all of it does, and chi-square stays within 4.5 sigma."""
    total = sum(counts.values())
    assert set(counts) <= set(expected), "an inconsistent world was dealt"
    assert set(counts) == {world for world, p in expected.items() if p > 0}, "a consistent world never came"
    chi_square = sum((counts[world] - total * p) ** 2 / (total * p) for world, p in expected.items())
    freedom = len(expected) - 1
    # Wilson and Hilferty's cube root makes chi-square normal, also for few degrees of freedom.
    sigma = ((chi_square / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom))
    assert sigma < 4.5, f"chi-square {chi_square:.1f} on {freedom} degrees of freedom"


def deal_of(record: Any, seats: int) -> tuple[Any, ...]:
    """Hands as counts and the market in order."""
    hands = tuple(tuple(record["hands"][seat]) for seat in range(seats))
    return hands, tuple(record["market"][: record["market_len"]])


SMALL: dict[str, dict[str, Any]] = {
    "two seats, a pair of equal cards": {
        "rules": {"preset": "classic", "decks": 2},
        "hands": [["circle-1"], ["star-2", "cross-3"]],
        "pile": ["circle-5"],
        "market": ["star-2", "whot", "cross-3"],
        "turn": 0,
    },
    "three seats, a known card, an empty market": {
        "rules": "nigerian",
        "hands": [["circle-1"], ["star-2", "cross-3", "whot"], ["whot", "square-5"]],
        "known": [[], ["cross-3"], []],
        "pile": ["circle-5"],
        "market": [],
        "turn": 0,
    },
    "three seats, one of them without cards": {
        "rules": {"preset": "arcade"},
        "hands": [["circle-1", "circle-2"], [], ["whot", "square-5", "star-1"]],
        "out": [1],
        "known": [[], [], ["star-1"]],
        "pile": ["circle-5"],
        "market": ["triangle-4", "triangle-5"],
        "turn": 0,
    },
}


def enumerate_worlds(position: dict[str, Any], seat: int) -> dict[tuple[Any, ...], float]:
    """Probability of each deal, by laying out the unseen cards in every order."""
    ids = {name: card for card, name in enumerate(CARD_NAMES)}
    hands = [[ids[name] for name in hand] for hand in position["hands"]]
    known = [[ids[name] for name in cards] for cards in position.get("known", [[] for _ in hands])]
    fixed = [hand if s == seat else known[s] for s, hand in enumerate(hands)]
    unseen = [ids[name] for name in position["market"]]
    for hand, kept in zip(hands, fixed, strict=True):
        unseen += list((Counter(hand) - Counter(kept)).elements())
    counts: Counter[tuple[Any, ...]] = Counter()
    for order in itertools.permutations(unseen):
        rest = list(order)
        dealt = []
        for hand, kept in zip(hands, fixed, strict=True):
            full = [*kept, *(rest.pop() for _ in range(len(hand) - len(kept)))]
            dealt.append(tuple(full.count(card) for card in range(len(CARD_NAMES))))
        counts[tuple(dealt), tuple(rest)] += 1
    total = sum(counts.values())
    return {world: count / total for world, count in counts.items()}


@pytest.mark.parametrize("name", SMALL)
def test_hidden_cards_are_dealt_as_an_exact_enumeration_says(name: str) -> None:
    position = SMALL[name] | {"partial": True}
    game = Game.from_position(position, seed=3)
    for seat in range(game.num_players):
        states = worlds(game, seat)
        counts = Counter(deal_of(record, game.num_players) for record in states)
        assert_frequencies(counts, enumerate_worlds(position, seat))


VOTE = {
    "rules": {"preset": "arcade"},
    "hands": [[], ["circle-1"], ["circle-2"], ["circle-3"]],
    "pile": ["circle-5"],
    "market": ["star-1"],
    "out": [0],
    "turn": 1,
    "asked": 3,
    "phase": "vote",
    "pressed": {"1": "play-on", "2": "stop"},
}


def test_sealed_votes_are_fair_coins_and_the_own_one_stays() -> None:
    game = Game.from_position(VOTE | {"partial": True})
    votes = worlds(game, 3)["votes"][:, :4]
    counts = Counter(map(tuple, votes.tolist()))
    assert_frequencies(counts, {(-1, a, b, -1): 0.25 for a in (0, 1) for b in (0, 1)})
    own = worlds(game, 2, 1000)["votes"][:, :4]
    assert set(map(tuple, own.tolist())) == {(-1, 0, 0, -1), (-1, 1, 0, -1)}


REACT = {
    "rules": {"preset": "arcade", "reaction_median": 2.0, "reaction_sigma": 0.5},
    "hands": [["circle-4"], ["circle-1"], ["circle-2", "circle-8"], ["circle-3"]],
    "pile": ["circle-5"],
    "market": ["star-1"],
    "turn": 1,
    "asked": 2,
    "phase": "react",
    "open_calls": [0],
    "queue": [3],
    "pressed": {"1": 2.5},
}


def test_sealed_presses_come_from_the_tables_reaction_times() -> None:
    game = Game.from_position(REACT | {"partial": True})
    pressed = worlds(game, 2)["pressed"][:, :4]
    by_kind = Counter((float(a) >= 0, float(b) >= 0, b == 2.0) for a, b in pressed[:, :2])
    # Half of a log-normal's times lie below its median, here the two safe seconds: such a catch counts from there.
    expected = {
        **{(a, True, safe): 0.125 for a in (False, True) for safe in (False, True)},
        **{(a, False, False): 0.25 for a in (False, True)},
    }
    assert_frequencies(by_kind, expected)
    # An announcement below two seconds would have closed the window.
    assert (pressed[:, 0][pressed[:, 0] >= 0] >= 2.0).all() and (pressed[:, 0] == 2.0).mean() < 1e-3
    assert (pressed[:, 2:] == -1).all()  # nobody else was asked yet
    own = worlds(game, 1, 1000)["pressed"]
    assert (own[:, 1] == 2.5).all() and len(np.unique(own[:, 0])) > 100


def test_a_caller_that_is_always_fast_cannot_have_pressed() -> None:
    fast = REACT | {"partial": True, "rules": {"preset": "arcade", "reaction_median": 0.5, "reaction_sigma": 0.0}}
    game = Game.from_position(fast)
    assert set(np.unique(worlds(game, 2, 1000)["pressed"][:, 0])) == {-1.0}
    assert set(np.unique(worlds(game, 2, 1000)["pressed"][:, 1])) == {-1.0, 2.0}


def test_a_proposals_queue_is_whoever_reacts_later_and_in_time() -> None:
    game = Game.new({"preset": "house_table", "undo_seconds": 2}, 2, seed=5)
    game.reaction({0: 0.5, 1: 0.7})
    while game.phase == "play":
        game.step(game.legal()[0])
    while game.phase != "proposal":
        game.step(game.legal()[0])
    assert game.asked == 0
    queued = worlds(game, 0)["queue_len"]
    # Both times are log-normal, median 1.5, sigma 0.5: half of F(2) when the first is known to lie within it.
    in_time = 0.5 * (1 + math.erf(math.log(2 / 1.5) / 0.5 / math.sqrt(2)))
    assert_frequencies(Counter(queued.tolist()), {1: in_time / 2, 0: 1 - in_time / 2})


def test_several_that_react_to_a_proposal_come_in_every_order() -> None:
    game = Game.new({"preset": "house_table", "undo_seconds": 5, "reaction_sigma": 0.2}, 4, seed=5)
    game.reaction(dict.fromkeys(range(4), 0.5))
    while game.phase != "proposal":
        game.step(game.legal()[0])
    states = worlds(game, game.asked, 5000)
    full = states[states["queue_len"] == 3]["queue"][:, :3]
    others = [seat for seat in range(4) if seat != game.asked]
    assert {tuple(row) for row in full.tolist()} == set(itertools.permutations(others))
    assert (states["pressed"][:, :4] == -1).all()


def test_a_world_is_a_valid_position_with_all_that_is_public_unchanged() -> None:
    hidden = {"hands", "market", "pressed", "queue", "partial"}
    for seed in range(60):
        game = Game.new(("arcade", "naija_whot", "house_table", "modern")[seed % 4], 2 + seed % 3, seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(40):
            if game.over:
                break
            world = game.redeal(seed=int(rng.integers(1 << 62)))
            position, before = world.position(), game.position()
            Game.from_position(json.loads(json.dumps(position)))
            assert {k: v for k, v in position.items() if k not in hidden} == {
                k: v for k, v in before.items() if k not in hidden
            }
            assert position["hands"][game.asked] == before["hands"][game.asked]
            assert list(map(len, position["hands"])) == list(map(len, before["hands"]))
            game.step(str(rng.choice(game.legal())))


def test_a_move_built_by_another_goes_back_to_its_first_step() -> None:
    position = {
        "rules": "arcade",
        "partial": True,
        "hands": [["circle-1"], ["star-2"]],
        "pile": ["circle-5"],
        "market": ["whot", "cross-3"],
        "turn": 0,
        "phase": "call",
        "move": {"cards": ["whot"]},
    }
    position["hands"][0].append("whot")
    position["market"] = ["cross-3"]
    game = Game.from_position(position)
    assert game.redeal(seed=1, seat=1).phase == "play"
    own = game.redeal(seed=1, seat=0)
    assert own.phase == "call" and own.position()["move"] == game.position()["move"]


def test_seeds_decide_the_world_and_what_it_draws_later() -> None:
    game = Game.new("naija_whot", 2, seed=1)
    before = game.state.tobytes()
    one, same, other = game.redeal(seed=7), game.redeal(seed=7), game.redeal(seed=8)
    assert game.state.tobytes() == before
    assert one.state.tobytes() == same.state.tobytes()
    assert one.position()["hands"][1 - game.asked] != other.position()["hands"][1 - game.asked]
    assert len({g.rng_state()[0] for g in (game, one, other)}) == 3, "the real game's randomness must stay hidden"


def test_refusals() -> None:
    game = Game.new("naija_whot", 2, seed=1)
    with pytest.raises(WhotError, match="seat is 2"):
        game.redeal(seed=1, seat=2)
    with pytest.raises(WhotError, match="seed is -1"):
        game.redeal(seed=-1)
    game.event({"end_game": True})
    with pytest.raises(WhotError, match="the round is over"):
        game.redeal(seed=1)
    batch = Batch("naija_whot", 2, 2)
    with pytest.raises(WhotError, match="seeds"):
        batch.redeal([1, -1])
    with pytest.raises(WhotError, match="seats"):
        batch.redeal([1, 2], [0, 2])
    batch.end_game(1)
    with pytest.raises(WhotError, match="hides nothing"):
        batch.redeal([1, 2])
