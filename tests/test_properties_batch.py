"""A game in a batch is the same game alone, whatever lies beside it, in which lane, and in which thread."""

from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import Host, Play, do, examples, plays

from whot_env.actions import ACTION_ID, NUM_ACTIONS
from whot_env.batch import Batch
from whot_env.errors import EventError
from whot_env.game import Game

BATCH_EVENTS = {"leave": Batch.leave, "timeout": Batch.timeout}


def batch_of(games: list[Play]) -> Batch:
    batch = Batch([p.rules for p in games], [p.seats for p in games], len(games))
    batch.reset(seeds=np.array([p.deal for p in games]))
    return batch


def event(batch: Batch, lane: int, value: dict[str, Any]) -> bool:
    """The host event in one lane; whether it was accepted."""
    ((name, seat),) = value.items()
    try:
        if name == "end_game":
            batch.end_game(lane)
        else:
            BATCH_EVENTS[name](batch, lane, seat)
    except EventError:
        return False
    return True


def same_record(batch: Batch, lane: int, game: Game) -> bool:
    """Equal to the byte, but for the row of the rules, which a game alone has no choice of."""
    record = batch.states[lane : lane + 1].copy()
    record["rules"] = 0
    return record.tobytes() == game.state.tobytes()


def step_alone(game: Game, action: str) -> None:
    do(game, ("step", action))
    if game.over and not game.match_over:  # a batch deals at once
        game.next_round()


@given(st.lists(plays(), min_size=1, max_size=6), st.integers(0, 2**31))
@examples(80)
def test_a_lane_is_the_game_alone(chosen: list[Play], choices: int) -> None:
    batch, games, hosts = batch_of(chosen), [p.new() for p in chosen], [Host(p) for p in chosen]
    random = Random(choices)
    for _ in range(max(p.length for p in chosen)):
        masks, observed = batch.action_mask(), batch.observe()
        actions, select = np.full(len(games), NUM_ACTIONS + 1), np.zeros(len(games), np.bool_)
        for lane, (game, host) in enumerate(zip(games, hosts, strict=True)):
            assert same_record(batch, lane, game)
            assert np.array_equal(masks[lane], game.action_mask())
            assert np.array_equal(observed[lane], game.observation())
            if game.match_over or random.random() < 0.2:
                continue
            kind, value = host.deed(game.asked, masks[lane])
            if kind == "step":
                select[lane], actions[lane] = True, ACTION_ID[value]
                step_alone(game, value)
            elif "pause" not in value:  # no event that a batch has
                assert event(batch, lane, value) == do(game, (kind, value))
                if game.over and not game.match_over:
                    game.next_round()
        assert batch.step(actions, select).tolist() == [0 if chosen else 3 for chosen in select]
        assert batch.over.tolist() == [game.match_over for game in games]


@given(st.lists(plays(), min_size=2, max_size=8), st.data())
@examples(60)
def test_order_and_number_of_lanes_do_not_matter(chosen: list[Play], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(chosen))))[: data.draw(st.integers(1, len(chosen)))]
    whole, part = batch_of(chosen), batch_of([chosen[lane] for lane in order])
    hosts = [Host(p) for p in chosen]
    for _ in range(60):
        masks = whole.action_mask()
        actions = np.zeros(len(chosen), np.int64)
        for lane in np.flatnonzero(~whole.over):
            kind, value = hosts[lane].deed(whole.asked[lane], masks[lane])
            actions[lane] = ACTION_ID[value] if kind == "step" else NUM_ACTIONS  # refused in both
        assert np.array_equal(whole.step(actions)[order], part.step(actions[order]))
        assert np.array_equal(whole.observe()[order], part.observe())
        assert np.array_equal(whole.action_mask()[order], part.action_mask())


def run_through(batch: Batch, seed: int, steps: int) -> list[bytes]:
    """What was seen in a batch that plays on its own."""
    rng, seen = np.random.default_rng(seed), []
    for _ in range(steps):
        mask = batch.action_mask()
        batch.step((rng.random(mask.shape) * mask).argmax(1))
        seen.append(batch.observe().tobytes())
        batch.reset(batch.over)
    return seen


@given(st.lists(plays(0), min_size=4, max_size=4))
@examples(10)
def test_threads_do_not_disturb_one_another(chosen: list[Play]) -> None:
    """Four batches over neighbouring records of one array, at once and one after the other."""
    lanes, steps = 64, 100
    results = []
    for threads in (1, 4):
        shared = np.concatenate([Batch(p.rules, p.seats, lanes, seed=p.deal).states for p in chosen])
        parts = [Batch(p.rules, p.seats, lanes) for p in chosen]
        for i, part in enumerate(parts):
            part.states = shared[i * lanes : (i + 1) * lanes]
        with ThreadPoolExecutor(threads) as pool:
            seen = list(pool.map(run_through, parts, (p.choices for p in chosen), [steps] * 4))
        results.append((seen, shared.tobytes()))
    assert results[0] == results[1]
