"""Coach bundles: written whole, read with suspicion, played by onnxruntime alone."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from whot_agents.arena import evaluate  # noqa: E402
from whot_agents.bundle import Bundle, BundleError, read_bundle, write_bundle  # noqa: E402
from whot_agents.coach import Coach  # noqa: E402
from whot_agents.commands import add_commands  # noqa: E402
from whot_agents.network import OnnxAgent  # noqa: E402
from whot_agents.spec import make_agent  # noqa: E402
from whot_env.actions import NUM_ACTIONS  # noqa: E402
from whot_env.batch import Batch  # noqa: E402
from whot_env.errors import WhotError  # noqa: E402
from whot_env.observation import LAYOUT  # noqa: E402
from whot_env.rules import Rules  # noqa: E402

WEIGHTS = np.random.default_rng(0).normal(size=(LAYOUT.size, NUM_ACTIONS)).astype(np.float32)


def make_model(
    weights: Any = WEIGHTS, kind: int = TensorProto.INT8, source: str = "observation", actions: int = NUM_ACTIONS
) -> bytes:
    """Logits are a linear function of the observation, the value is their mean."""
    nodes = [
        helper.make_node("Cast", [source], ["x"], to=TensorProto.FLOAT),
        helper.make_node("MatMul", ["x", "w"], ["logits"]),
        helper.make_node("ReduceMean", ["logits"], ["value"], axes=[1], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "coach",
        [helper.make_tensor_value_info(source, kind, ["n", LAYOUT.size])],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", actions]),
            helper.make_tensor_value_info("value", TensorProto.FLOAT, ["n"]),
        ],
        [numpy_helper.from_array(np.asarray(weights), "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return model.SerializeToString()


BUNDLE = Bundle(
    model=make_model(),
    rules=Rules.preset("naija_whot", hand_size=6),
    num_players=2,
    name="tester",
    provenance={"seed": 7, "decisions": 1000},
    strength=({"agent_b": "playful", "win_rate": 0.5},),
)


def observations(n: int = 64) -> tuple[Any, Any]:
    batch = Batch("arcade", 3, n, seed=1)
    return batch.observe(), batch.action_mask()


def rewrite(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest of the bundle at ``path``."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members["manifest.json"])
    change(manifest)
    members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_comes_back_as_it_was(tmp_path: Path) -> None:
    path = write_bundle(tmp_path / "a.whotcoach", BUNDLE)
    assert read_bundle(path) == BUNDLE
    other = write_bundle(tmp_path / "b.whotcoach", BUNDLE)
    assert path.read_bytes() == other.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.whotcoach", "b.whotcoach"]


def test_writing_replaces_whole_or_fails_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.whotcoach"
    path.write_text("old")
    write_bundle(path, BUNDLE)
    assert read_bundle(path).name == "tester"
    with pytest.raises(BundleError, match="cannot be written"):
        write_bundle(tmp_path / "no" / "a.whotcoach", BUNDLE)
    with pytest.raises(BundleError, match="allowed: at most"):
        write_bundle(path, Bundle(bytes(64 * 2**20 + 1), Rules.preset("classic"), 2))
    assert read_bundle(path).name == "tester"


@pytest.mark.parametrize("cut", [0, 1, 100, -200, -1])
def test_a_truncated_file_is_refused(tmp_path: Path, cut: int) -> None:
    path = write_bundle(tmp_path / "a.whotcoach", BUNDLE)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(BundleError, match="is not a whole Coach bundle"):
        read_bundle(path)


def test_flipped_bytes_never_pass(tmp_path: Path) -> None:
    path = write_bundle(tmp_path / "a.whotcoach", BUNDLE)
    whole = path.read_bytes()
    rng = np.random.default_rng(3)
    for position in rng.integers(len(whole), size=200):
        broken = bytearray(whole)
        broken[position] ^= 1 << int(rng.integers(8))
        path.write_bytes(broken)
        with contextlib.suppress(BundleError):
            assert read_bundle(path) == BUNDLE  # some bytes of a zip, such as dates, mean nothing here


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda m: m.update(format="zip"), "format"),
        (lambda m: m.update(format_version=2), "format_version"),
        (lambda m: m.update(layout_hash="0" * 16), "layout_hash"),
        (lambda m: m.update(layout_size=5), "layout_hash"),
        (lambda m: m["actions"].reverse(), "actions"),
        (lambda m: m.pop("actions"), "actions"),
        (lambda m: m.update(num_players=True), "num_players"),
        (lambda m: m.update(num_players=9), "num_players"),
        (lambda m: m.update(rules="poker"), "preset"),
        (lambda m: m.update(rules={"preset": "classic", "hand_size": "many"}), "hand_size"),
        (lambda m: m.update(name=None), "name"),
        (lambda m: m.update(strength=[1]), "strength"),
        (lambda m: m.update(model_sha256="0" * 64), "model_sha256"),
    ],
)
def test_a_wrong_manifest_is_refused_by_key(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], key: str
) -> None:
    path = write_bundle(tmp_path / "a.whotcoach", BUNDLE)
    rewrite(path, change)
    with pytest.raises(BundleError) as error:
        read_bundle(path)
    assert error.value.key == key
    assert "\n" not in str(error.value)


def test_a_wrong_layout_names_both(tmp_path: Path) -> None:
    path = write_bundle(tmp_path / "a.whotcoach", BUNDLE)
    rewrite(path, lambda m: m.update(layout_hash="feedfeedfeedfeed"))
    with pytest.raises(BundleError, match=f"feedfeedfeedfeed.*{LAYOUT.hash}"):
        read_bundle(path)


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/evil", "code.pkl", "model.onnx.data", "MODEL.onnx", "manifest.json/"]
)
def test_other_members_are_refused(tmp_path: Path, name: str) -> None:
    path = write_bundle(tmp_path / "a.whotcoach", BUNDLE)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, b"x")
    with pytest.raises(BundleError, match=r"allowed: model\.onnx and manifest.json, once each"):
        read_bundle(path)


def test_missing_and_double_members_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.whotcoach"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", "{}")
    with pytest.raises(BundleError, match=r"'model.onnx' 0 times"):
        read_bundle(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("model.onnx", "x")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("model.onnx", "y")
    with pytest.raises(BundleError, match=r"'model.onnx' 2 times"):
        read_bundle(path)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.whotcoach"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", bytes(2 * 2**20))
        archive.writestr("model.onnx", b"x")
    with pytest.raises(BundleError, match=r"allowed: at most 1048576"):
        read_bundle(path)


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"format": "whotcoach"}', "[" * 100_000, "\udcff"])
def test_manifests_of_other_kinds_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.whotcoach"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", text.encode("utf-8", "surrogateescape"))
        archive.writestr("model.onnx", b"x")
    with pytest.raises(BundleError):
        read_bundle(path)


def test_files_that_are_no_bundles_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.whotcoach"):
        with pytest.raises(BundleError, match="cannot be read"):
            read_bundle(path)


@pytest.mark.parametrize(
    "model",
    [
        b"",
        b"not onnx",
        make_model(source="obs"),
        make_model(kind=TensorProto.INT32),
        make_model(WEIGHTS[:, :75], actions=75),
        make_model(WEIGHTS[:-1]),
        make_model(np.full_like(WEIGHTS, np.nan)),
    ],
)
def test_unusable_models_are_refused(model: bytes) -> None:
    with pytest.raises(BundleError, match="model"):
        OnnxAgent(model)


@pytest.mark.parametrize("kind", [TensorProto.INT8, TensorProto.FLOAT])
def test_plays_the_largest_legal_logit(kind: int) -> None:
    observation, mask = observations()
    logits = observation.astype(np.float32) @ WEIGHTS
    agent = OnnxAgent(make_model(kind=kind))
    found, value = agent.evaluate(observation)
    np.testing.assert_allclose(found, logits, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(value, logits.mean(axis=1), rtol=1e-3, atol=1e-3)
    expected = np.where(mask > 0, found, -np.inf).argmax(axis=1)
    assert np.array_equal(agent.act(observation, mask, np.random.default_rng(0)), expected)


def test_samples_by_the_softmax_of_legal_logits() -> None:
    observation, mask = (a[:1] for a in observations())
    legal = np.flatnonzero(mask[0])
    weights = np.zeros_like(WEIGHTS)
    hand = LAYOUT["hand"].slice
    weights[hand, legal[0]] = np.log(3) / observation[0, hand].sum()
    agent = OnnxAgent(make_model(weights), temperature=1.0)
    n = 4000
    drawn = agent.act(np.repeat(observation, n, axis=0), np.repeat(mask, n, axis=0), np.random.default_rng(0))
    share = 3 / (3 + len(legal) - 1)
    assert set(drawn) == set(legal)
    assert np.mean(drawn == legal[0]) == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / n))


@pytest.mark.parametrize("temperature", [-1.0, float("nan"), float("inf")])
def test_wrong_temperatures_are_refused(temperature: float) -> None:
    with pytest.raises(WhotError, match="temperature is"):
        OnnxAgent(make_model(), temperature=temperature)


def test_a_coach_plays_in_the_arena_by_its_path(tmp_path: Path) -> None:
    path = write_bundle(tmp_path / "a.whotcoach", BUNDLE)
    coach = make_agent(str(path))
    assert isinstance(coach, Coach)
    assert coach.name == "tester"
    result = evaluate(coach, make_agent("playful"), coach.bundle.rules, 2, games=20, max_moves=300)
    assert result.agent_a == "tester"


def test_inspect_says_what_is_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import argparse

    path = write_bundle(tmp_path / "a.whotcoach", BUNDLE)
    parser = argparse.ArgumentParser()
    add_commands(parser.add_subparsers())
    args = parser.parse_args(["inspect", str(path)])
    assert args.run(args) == 0
    text = capsys.readouterr().out
    for part in ("tester", "naija_whot", "2 seats", BUNDLE.sha256, "seed", "playful"):
        assert part in text
    args = parser.parse_args(["inspect", str(path), "--json"])
    assert args.run(args) == 0
    assert json.loads(capsys.readouterr().out) == BUNDLE.manifest()


def test_importing_the_package_loads_no_learning_library() -> None:
    code = "import sys, whot_agents, whot_agents.commands, whot_agents.coach\n"
    code += "assert not {'torch', 'onnxruntime', 'onnx', 'stable_baselines3'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env=_environment())


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
