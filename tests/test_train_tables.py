"""Training at every table at once: random house rules, lanes of mixed tables, and what the critic sees."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

import torch

from whot_env.batch import Batch
from whot_env.cards import NUM_CARDS
from whot_env.policies import make_policy
from whot_env.rules import PRESETS, Rules
from whot_train import tables
from whot_train.columns import varying_columns
from whot_train.config import load_config
from whot_train.house_rules import SEATS, house_rules
from whot_train.kernels import take_others
from whot_train.ppo import SelfPlayMaskablePPO
from whot_train.selfplay import SelfPlay
from whot_train.tables import HOUSE_SHARE, Tables, held_out

EVERY = Tables(None, None)


def test_house_rules_are_playable_varied_and_repeat() -> None:
    drawn = [house_rules(np.random.default_rng(seed)) for seed in range(300)]
    assert drawn == [house_rules(np.random.default_rng(seed)) for seed in range(300)]
    assert len(set(drawn)) > 295
    assert {rules.base for rules, _ in drawn} == set(PRESETS)
    assert {seats for _, seats in drawn} == set(SEATS)
    for field in ("multi_card", "finish", "last_card", "pick_mode", "hold_on", "general_market", "hand_size"):
        assert len({getattr(rules, field) for rules, _ in drawn}) > 2 - (field in ("finish", "pick_mode"))
    rules, seats = zip(*drawn, strict=True)
    batch, rng, player = Batch(rules, seats, 300), np.random.default_rng(0), make_policy("playful")
    for _ in range(100):
        assert not batch.step(player.act(batch.observe(), batch.action_mask(), rng)).any()
        batch.reset(lanes=batch.over)


def test_held_out_tables_are_twenty_and_never_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = held_out()
    assert len(set(kept)) == len(kept) == 20
    presets = [Rules.preset(name) for name in PRESETS]
    assert all(len(rules.to_json()) >= 5 for rules, _ in kept)
    assert not {rules for rules, _ in kept} & set(presets)
    drawn = iter([*kept, *(house_rules(np.random.default_rng(seed)) for seed in range(3000))])
    monkeypatch.setattr(tables, "house_rules", lambda rng: next(drawn))
    lanes = EVERY.lanes(2000, np.random.default_rng(0))
    assert not set(lanes) & set(kept)


def test_lanes_mix_every_preset_and_number_of_seats() -> None:
    lanes = EVERY.lanes(4000, np.random.default_rng(0))
    presets = [rules for rules, _ in lanes if rules in {Rules.preset(name) for name in PRESETS}]
    assert {rules.base for rules in presets} == set(PRESETS)
    assert len(presets) / len(lanes) == pytest.approx(1 - HOUSE_SHARE, abs=0.03)
    assert {seats for _, seats in lanes} == set(SEATS)
    assert all(rules.seat_range[0] <= seats <= rules.seat_range[1] for rules, seats in lanes)
    one = Tables(Rules.preset("arcade"), 3)
    assert one.lanes(2, np.random.default_rng(0)) == [(Rules.preset("arcade"), 3)] * 2


def test_the_critic_sees_the_other_hands_clockwise() -> None:
    batch = Batch(["naija_whot", "arcade", "classic"], [2, 4, 3], 3, seed=5)
    for _ in range(7):
        batch.step(make_policy("playful").act(batch.observe(), batch.action_mask(), np.random.default_rng(1)))
    out = np.full((3, 3 * NUM_CARDS), 9, np.int8)
    take_others(batch.states["hands"], batch.asked.copy(), batch.num_players, out)
    for lane, players in enumerate((2, 4, 3)):
        seats = [(int(batch.asked[lane]) + k) % players for k in range(1, players)]
        expected = np.concatenate([batch.states["hands"][lane, seat] for seat in seats])
        assert np.array_equal(out[lane, : len(expected)], expected)
        assert not out[lane, len(expected) :].any()


def test_a_universal_network_learns_at_mixed_tables_and_plays_from_what_a_seat_sees() -> None:
    config = load_config(hidden=16, batch_size=64)
    columns = varying_columns(EVERY)
    model = SelfPlayMaskablePPO(EVERY, columns, config, seed=1)
    rules = EVERY.lanes(80, np.random.default_rng(3))
    games = SelfPlay(rules, columns, 3, 600, [(make_policy("uniform"), 0.5)], seed=1)
    samples = games.collect(model.policy.evaluator(), 0.95)
    assert samples is not None
    loss, _ = model._loss(samples, 0.2, 0.01)
    loss.backward()
    assert all(weight.grad is not None and weight.grad.abs().sum() > 0 for weight in model.policy.parameters())
    own = len(columns.index)
    blind = samples.columns.clone()
    blind[:, own:] = 0
    with torch.no_grad():
        heads = model.policy.heads()
        seen, unseen = heads(samples.columns), heads(blind)
        logits, values = model.policy.evaluator()(samples.columns[:, :own].contiguous())
    assert torch.equal(seen.logits, unseen.logits)
    assert torch.equal(seen.value, unseen.value)
    assert not torch.equal(seen.critic, unseen.critic)
    torch.testing.assert_close(logits, seen.logits)
    torch.testing.assert_close(values, seen.value)
    # Scores are shares of a win, whatever the number of seats.
    group = games.groups[0]
    assert 0 < group.score < group.games
