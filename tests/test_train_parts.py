"""The training's parts: configuration, columns, advantages, sampling, checkpoints, export."""

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from whot_agents.network import OnnxAgent  # noqa: E402
from whot_env.batch import Batch  # noqa: E402
from whot_env.errors import WhotError  # noqa: E402
from whot_env.observation import LAYOUT  # noqa: E402
from whot_env.policies import make_policy  # noqa: E402
from whot_env.rules import Rules  # noqa: E402
from whot_train import checkpoint  # noqa: E402
from whot_train.columns import Columns, varying_columns  # noqa: E402
from whot_train.config import load_config, to_toml  # noqa: E402
from whot_train.export import to_onnx  # noqa: E402
from whot_train.kernels import CUT, GOES_ON, OVER, advantages, sample  # noqa: E402
from whot_train.network import masked_log_prob  # noqa: E402
from whot_train.ppo import SelfPlayMaskablePPO, backward, minibatches  # noqa: E402
from whot_train.selfplay import SelfPlay, SharedSelfPlay  # noqa: E402
from whot_train.tables import Tables  # noqa: E402
from whot_train.workers import Workers  # noqa: E402

RULES = Rules.preset("naija_whot")
TABLES = Tables(RULES, 2)


@pytest.fixture(scope="module")
def columns() -> Columns:
    return varying_columns(TABLES)


@pytest.fixture(scope="module")
def model(columns: Columns) -> SelfPlayMaskablePPO:
    return SelfPlayMaskablePPO(TABLES, columns, load_config(hidden=32, batch_size=128), seed=3)


def positions(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks from games between ``playful`` and itself."""
    batch, rng, player = Batch(RULES, 2, 50, seed=11), np.random.default_rng(0), make_policy("playful")
    seen = []
    while len(seen) * 50 < count:
        observation, mask = batch.observe(), batch.action_mask()
        seen.append((observation, mask))
        batch.step(player.act(observation, mask, rng))
        batch.reset(lanes=batch.over)
    observations, masks = zip(*seen, strict=True)
    return np.concatenate(observations)[:count], np.concatenate(masks)[:count]


def test_config_overlays_and_round_trips(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("epochs = 7\nclip = 1\n", encoding="utf-8")
    config = load_config(file, envs=5, steps=None)
    assert (config.epochs, config.clip, config.envs, config.steps) == (7, 1.0, 5, load_config().steps)
    file.write_text(to_toml(config), encoding="utf-8")
    assert load_config(file) == config


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("epoch = 2", "epoch"),
        ("epochs = 0", "epochs"),
        ("epochs = 1.5", "epochs"),
        ("epochs = true", "epochs"),
        ("clip = 'much'", "clip"),
        ("gae_lambda = 1.1", "gae_lambda"),
        ("tensorboard = 1", "tensorboard"),
        ("snapshot_share = 0.9\nplayful_share = 0.9", "snapshot_share"),
        ("epochs = ", "config"),
        ("envs = 65537", "envs"),
        ("envs = 65536\nsteps = 4096", "steps"),
        ("hidden = 1000000000", "hidden"),
        ("epochs = 0x" + "f" * 10_000, "epochs"),
        ("epochs = " + "9" * 10_000, "config"),
        ("eval_games = 1000000000000", "eval_games"),
        ("threads = 1000000", "threads"),
        ("learning_rate = inf", "learning_rate"),
        ("clip = nan", "clip"),
        ("snapshot_decisions = 1e300", "snapshot_decisions"),
        ("epochs = " + "[" * 100_000, "config"),
        ("# " + "x" * 2**20, "config"),
        ("epochs = '\udcff'", "config"),
    ],
)
def test_config_refuses(tmp_path: Path, text: str, key: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(WhotError) as error:
        load_config(file)
    assert error.value.key == key
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500


def test_every_number_has_a_largest_value() -> None:
    for name, value in asdict(load_config()).items():
        if not isinstance(value, bool):
            with pytest.raises(WhotError) as error:
                load_config(**{name: type(value)(10**12)})
            assert error.value.key == name


def test_columns_vary_and_repeat(columns: Columns) -> None:
    again = varying_columns(TABLES)
    assert np.array_equal(columns.index, again.index)
    assert np.array_equal(columns.scale, again.scale)
    chosen = set(columns.index.tolist())
    assert set(range(*LAYOUT["hand"].slice.indices(LAYOUT.size))) <= chosen
    assert not chosen & set(range(*LAYOUT["rules"].slice.indices(LAYOUT.size)))
    assert ((columns.scale > 0) & (columns.scale <= 1)).all()


def test_advantages_keep_seats_apart() -> None:
    # One lane: seats 0 1 0 | game over | 1 0 1 0, the last decision of each seat having no successor.
    seat = np.array([[0], [1], [0], [1], [0], [1], [0]], np.int8)
    learn = np.ones_like(seat, dtype=bool)
    ended = np.full_like(seat, GOES_ON)
    ended[2] = OVER
    payoffs = np.zeros((7, 1, 8), np.float32)
    payoffs[2, 0, :2] = (1, -1)
    values = np.array([[0.1], [0.2], [0.3], [0.4], [0.5], [0.6], [0.7]], np.float32)
    advantage, target = np.zeros_like(values), np.zeros_like(values)
    keep = advantages(seat, learn, ended, payoffs, values, 0.5, advantage, target)
    assert keep[:, 0].tolist() == [True, True, True, True, True, False, False]
    expected = [(0.3 - 0.1) + 0.5 * 0.7, -1 - 0.2, 1 - 0.3, 0.6 - 0.4, 0.7 - 0.5]
    np.testing.assert_allclose(advantage[:5, 0], expected, rtol=1e-5)
    np.testing.assert_allclose(target[:5], advantage[:5] + values[:5], rtol=1e-5)


def test_a_cut_game_pays_nobody() -> None:
    seat = np.zeros((3, 1), np.int8)
    ended = np.array([[GOES_ON], [CUT], [OVER]], np.int8)
    payoffs = np.ones((3, 1, 8), np.float32)
    values, zeros = np.zeros((3, 1), np.float32), np.zeros((3, 1), np.float32)
    keep = advantages(seat, seat == 0, ended, payoffs, values, 0.9, zeros.copy(), zeros.copy())
    assert keep[:, 0].tolist() == [True, False, True]


def test_sampling_is_legal_and_has_the_right_frequencies() -> None:
    count = 20_000
    logits = np.tile(np.array([0, 1, 80, 2], np.float32), (count, 1))
    mask = np.tile(np.array([1, 1, 0, 1], np.int8), (count, 1))
    actions, log_prob = np.zeros(count, np.int64), np.zeros(count, np.float32)
    sample(logits, mask, np.random.default_rng(0).random(count), actions, log_prob)
    expected = np.exp([0, 1, 2]) / np.exp([0, 1, 2]).sum()
    np.testing.assert_allclose(np.bincount(actions, minlength=4)[[0, 1, 3]] / count, expected, atol=0.015)
    same, _ = masked_log_prob(torch.from_numpy(logits), torch.from_numpy(mask))
    np.testing.assert_allclose(log_prob, same.numpy()[np.arange(count), actions], atol=1e-5)


def test_masks_are_safe_with_huge_logits() -> None:
    logits = torch.tensor([[1e30, -1e30, 0.0], [3e4, 3e4, -3e4]], requires_grad=True)
    log_probs, probs = masked_log_prob(logits, torch.tensor([[1, 1, 0], [0, 1, 1]]))
    assert torch.equal(probs, torch.tensor([[1, 0, 0], [0, 1, 0]]))
    entropy = -(probs * log_probs).sum()
    entropy.backward()
    assert torch.isfinite(entropy)
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()


def test_minibatches_cover_the_rows() -> None:
    parts = list(minibatches(1000, 300, np.random.default_rng(0)))
    assert [len(p) for p in parts] == [300, 300, 300]
    assert sorted(torch.cat(list(minibatches(1000, 250, np.random.default_rng(0)))).tolist()) == list(range(1000))


def test_collect_learns_from_every_seat(model: SelfPlayMaskablePPO, columns: Columns) -> None:
    player = make_policy("playful")
    games = SelfPlay([(RULES, 2)] * 40, columns, 1, 50, [(player, 0.5)], seed=1)
    samples = games.collect(model.policy.evaluator(), 0.95)
    assert samples is not None
    # About 20 lanes in which it makes every decision and 20 in which it makes about half of them.
    assert 1000 < len(samples) < 2000
    assert samples.mask.gather(1, samples.actions[:, None]).all()
    assert (samples.log_prob <= 1e-6).all()
    assert (samples.targets.abs() <= 2).all()
    assert games.groups[0].games > 0
    assert games.collect(model.policy.evaluator(), 0.95, stop=lambda: True) is None


def test_threads_play_the_same_games_as_one_does(model: SelfPlayMaskablePPO, columns: Columns) -> None:
    def part(lanes: int, first: int) -> SelfPlay:
        return SelfPlay([(RULES, 2)] * lanes, columns, 1, 40, [(make_policy("playful"), 0.3)], seed=first)

    shared = SharedSelfPlay(Workers(3), part, 31)
    evaluate = model.policy.evaluator()
    for _ in range(2):
        together = shared.collect(evaluate, 0.95)
        assert together is not None
    assert shared.decisions == 31 * 40
    alone = [part(11, 0), part(10, 11), part(10, 21)]
    for games in alone:
        games.collect(evaluate, 0.95)
    parts = [games.collect(evaluate, 0.95) for games in alone]
    assert torch.equal(together.actions, torch.cat([samples.actions for samples in parts]))
    groups = [games.groups[0] for games in alone]
    rate = sum(group.score for group in groups) / sum(group.games for group in groups)
    assert shared.win_rates() == {"playful": pytest.approx(rate)}
    assert shared.win_rates() == {}
    assert shared.collect(evaluate, 0.95, stop=lambda: True) is None


def test_gradients_of_parts_add_up_to_the_whole(model: SelfPlayMaskablePPO, columns: Columns) -> None:
    games = SelfPlay([(RULES, 2)] * 50, columns, 1, 60, seed=1)
    samples = games.collect(model.policy.evaluator(), 0.95)
    assert samples is not None

    def loss(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return model._loss(samples.take(rows), 0.2, 0.01)

    rows = torch.randperm(len(samples), generator=torch.Generator().manual_seed(0))[:2501]
    whole, statistics = loss(rows)
    expected = torch.autograd.grad(whole, list(model.policy.parameters()))
    for workers in (Workers(1), Workers(2), Workers(3)):
        torch.testing.assert_close(backward(model.policy, loss, rows, workers), statistics)
        for weight, gradient in zip(model.policy.parameters(), expected, strict=True):
            torch.testing.assert_close(weight.grad, gradient, rtol=1e-4, atol=1e-6)


def test_seeds_decide_the_network_and_leave_global_generators_alone(columns: Columns) -> None:
    config = load_config(hidden=16)
    torch.manual_seed(5)
    np_state = np.random.get_state()[1].copy()  # noqa: NPY002
    first, second, third = (SelfPlayMaskablePPO(TABLES, columns, config, seed) for seed in (1, 1, 2))
    drawn = torch.rand(1)
    torch.manual_seed(5)
    assert torch.equal(drawn, torch.rand(1))
    assert (np.random.get_state()[1] == np_state).all()  # noqa: NPY002
    weights = [m.policy.action_net.weight for m in (first, second, third)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_the_bundle_model_plays_as_the_network(model: SelfPlayMaskablePPO, columns: Columns) -> None:
    observations, masks = positions(1000)
    agent = OnnxAgent(to_onnx(model.policy))
    chosen = torch.from_numpy(observations[:, columns.index])
    with torch.inference_mode():
        logits, values = model.policy.evaluator()(chosen)
    expected = torch.where(torch.from_numpy(masks).bool(), logits, -torch.inf).argmax(dim=1)
    assert np.array_equal(agent.act(observations, masks, np.random.default_rng(0)), expected.numpy())
    np.testing.assert_allclose(agent.evaluate(observations)[1], values.numpy(), atol=1e-4)
    # SB3's own way through the policy agrees with the short one.
    own, _ = model.predict(observations, deterministic=True, action_masks=masks)
    assert np.array_equal(own, expected.numpy())


def test_checkpoints_refuse_damage_and_other_runs(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.pt"
    run = checkpoint.run_identity("naija_whot", 2, 0, 256)
    columns = {"index": torch.tensor([0]), "scale": torch.ones(1)}
    state = checkpoint.Checkpoint(run, checkpoint.Progress(seconds=3.0), {"w": torch.ones(2)}, {}, [], columns)
    checkpoint.save(path, state)
    assert [p.name for p in tmp_path.iterdir()] == ["checkpoint.pt"]
    loaded = checkpoint.load(path)
    assert loaded.progress == state.progress
    assert torch.equal(loaded.weights["w"], torch.ones(2))
    with pytest.raises(WhotError) as error:
        checkpoint.check_same_run(path, loaded.run, checkpoint.run_identity("naija_whot", 3, 0, 256))
    assert error.value.key == "players"
    for content in (path.read_bytes()[:100], b"", b"nonsense"):
        path.write_bytes(content)
        with pytest.raises(WhotError, match="not a usable checkpoint"):
            checkpoint.load(path)
