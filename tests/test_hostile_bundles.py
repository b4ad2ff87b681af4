"""Bundles from anywhere: refused in one sentence, within seconds and a bounded memory, and nothing in them is run."""

from __future__ import annotations

import functools
import io
import json
import os
import pickle
import stat
import struct
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from whot_agents import onnx_check  # noqa: E402
from whot_agents.bundle import MAX_BYTES, Bundle, BundleError, read_bundle, write_bundle  # noqa: E402
from whot_agents.network import MAX_SECONDS, OnnxAgent  # noqa: E402
from whot_agents.onnx_check import check_onnx  # noqa: E402
from whot_env.actions import NUM_ACTIONS  # noqa: E402
from whot_env.cli import main  # noqa: E402
from whot_env.observation import LAYOUT  # noqa: E402
from whot_env.rules import Rules  # noqa: E402

SIZE = LAYOUT.size
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def make(
    nodes: Sequence[Any] = (), weights: Sequence[Any] = (), domains: Sequence[str] = (), functions: Sequence[Any] = ()
) -> Any:
    """A model whose input and outputs are right: ``logits`` = ``observation`` @ w, unless ``nodes`` make them."""
    if not any("logits" in node.output for node in nodes):
        nodes = [*nodes, helper.make_node("MatMul", ["observation", "w"], ["logits"])]
    if not any(getattr(w, "name", None) == "w" for w in weights):
        weights = [*weights, numpy_helper.from_array(np.full((SIZE, NUM_ACTIONS), 0.5, np.float32), "w")]
    value = helper.make_node("ReduceMean", ["logits"], ["value"], axes=[1], keepdims=0)
    outputs = [("logits", ["n", NUM_ACTIONS]), ("value", ["n"])]
    graph = helper.make_graph(
        [*nodes, value],
        "coach",
        [helper.make_tensor_value_info("observation", FLOAT, ["n", SIZE])],
        [helper.make_tensor_value_info(name, FLOAT, shape) for name, shape in outputs],
        list(weights),
    )
    opsets = [helper.make_opsetid(domain, 13 if not domain else 1) for domain in ("", *domains)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=list(functions))


BUNDLE = Bundle(make().SerializeToString(), Rules.preset("naija_whot"), 2, "tester", {"seed": 7}, ({"win_rate": 0.5},))


def parts(bundle: Bundle = BUNDLE) -> dict[str, bytes]:
    return {"manifest.json": json.dumps(bundle.manifest()).encode(), "model.onnx": bundle.model}


def write(
    path: Path, members: Sequence[tuple[str | zipfile.ZipInfo, bytes]], method: int = zipfile.ZIP_DEFLATED
) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warning of a double name
        for name, data in members:
            archive.writestr(name, data, method, compresslevel=1)
    return path


def refused(path: Path) -> BundleError:
    with pytest.raises(BundleError) as error:
        read_bundle(path)
    assert_one_sentence(error.value)
    return error.value


def assert_one_sentence(error: BundleError) -> None:
    text = str(error)
    assert error.key and text.isprintable() and len(text) < 2000, text


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.whotcoach"


# The archive.


def read_any(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        bundle = read_bundle(path)
    except BundleError as error:
        assert_one_sentence(error)
    else:
        assert bundle.model == BUNDLE.model and bundle.rules == BUNDLE.rules


@functools.cache
def whole_bundle(path: Path) -> bytes:
    return write_bundle(path, BUNDLE).read_bytes()


@given(st.data())
def test_changed_bytes(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / "changed.whotcoach"
    whole = bytearray(whole_bundle(path))
    for _ in range(data.draw(st.integers(1, 4))):
        # Most of the file is weights; the headers at both ends are where a reader goes wrong.
        near = data.draw(st.integers(0, min(400, len(whole) - 1)))
        at = data.draw(st.sampled_from([near, len(whole) - 1 - near]))
        whole[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    read_any(path, bytes(whole[: data.draw(st.sampled_from([None, -1, -22, 30, 100]))]))


@given(st.binary(max_size=200))
def test_arbitrary_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "arbitrary.whotcoach"
    for content in (data, b"PK\x05\x06" + data, data + b"PK\x05\x06" + bytes(18)):
        path.write_bytes(content)
        refused(path)


NAMES = (
    *("../model.onnx", "/model.onnx", "C:\\model.onnx", "C:model.onnx", "..\\model.onnx", "a/model.onnx"),
    *("model.onnx/", "./model.onnx", "model.onnx\u200b", "model.onnx ", "MODEL.ONNX", "data.pkl", "inner.zip", "a\nb"),
    "x" * 5000,
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("instead", [False, True])
def test_other_names(path: Path, name: str, instead: bool) -> None:
    members = [*parts().items()]
    write(path, [*(members[:1] if instead else members), (name, BUNDLE.model)])
    before = sorted(path.parent.iterdir())
    assert refused(path).key == "members"
    assert sorted(path.parent.iterdir()) == before


@pytest.mark.parametrize("name", sorted(MAX_BYTES))
def test_removed_and_doubled_members(path: Path, name: str) -> None:
    members = parts()
    assert refused(write(path, [*members.items(), (name, members[name])])).key == "members"
    assert refused(write(path, [m for m in members.items() if m[0] != name])).key == "members"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions(path: Path, method: int) -> None:
    assert "allowed: deflate" in str(refused(write(path, [*parts().items()], method)))


def test_a_link_is_never_followed(path: Path) -> None:
    secret = path.with_name("secret")
    secret.write_bytes(BUNDLE.model)
    link = zipfile.ZipInfo("model.onnx")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    write(path, [("manifest.json", parts()["manifest.json"]), (link, str(secret).encode())])
    assert refused(path).key == "model_sha256"


def patch(path: Path, at: int, form: str, value: int) -> None:
    """Change a field of the directory's last entry, which is the model's."""
    data = bytearray(path.read_bytes())
    struct.pack_into(form, data, data.rfind(b"PK\x01\x02") + at, value)
    path.write_bytes(data)


def test_headers_that_zipfile_stumbles_over(path: Path) -> None:
    model = zipfile.ZipInfo("model.onnx")
    model.extra = struct.pack("<HHQ", 1, 8, (1 << 64) - 1)  # an offset in 64 bits
    for at, form, value in (
        (6, "<H", 99),  # made for a later version
        (8, "<H", 1),  # encrypted
        (8, "<H", 0x20),  # a patch
        (20, "<L", 10),  # the stream is cut off
        (42, "<L", 0xFFFFFFFF),  # the offset is the one above
        (46, "<B", 0xFF),  # no longer its name
    ):
        write(path, [("manifest.json", parts()["manifest.json"]), (model, BUNDLE.model)])
        read_bundle(path)
        patch(path, at, form, value)
        refused(path)
    write(path, [("manifest.json", parts()["manifest.json"]), ("mödel.onnx", b"")])
    patch(path, 47, "<B", 0xFF)  # a name that says it is UTF-8, and is not
    refused(path)


class Trap:
    """Its pickle makes a file when it is loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("member", ["model.onnx", "manifest.json", "provenance", "data.pkl", "file"])
def test_pickles_are_never_loaded(path: Path, member: str, capsys: pytest.CaptureFixture[str]) -> None:
    trap = path.with_name("trapped")
    payload = pickle.dumps(Trap(trap))
    members = parts()
    if member == "file":
        path.write_bytes(payload)
    elif member == "model.onnx":  # with a manifest that fits it
        write_bundle(path, Bundle(payload, BUNDLE.rules, 2))
    elif member == "provenance":
        write_bundle(path, Bundle(b"", BUNDLE.rules, 2, provenance={"pickle": payload.decode("latin-1")}))
    else:
        write(path, [*{**members, member: payload}.items()])
    assert main(["inspect", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not trap.exists()
    pickle.loads(payload)
    assert trap.exists()  # the trap works


# The manifest.

ODD_VALUES = (
    None,
    True,
    0,
    -1,
    1.5,
    float("nan"),
    10**30,
    "",
    "a\x1b[2Jb\nc",
    "\ud800",
    [],
    [[]],
    {},
    {"a": 1},
    "x" * 10**5,
)


@pytest.mark.parametrize("key", sorted(BUNDLE.manifest()))
def test_odd_values_of_every_key(path: Path, key: str, capsys: pytest.CaptureFixture[str]) -> None:
    for value in ODD_VALUES:
        manifest = {**BUNDLE.manifest(), key: value}
        write(path, [("manifest.json", json.dumps(manifest).encode()), ("model.onnx", BUNDLE.model)])
        try:
            read_bundle(path)
        except BundleError as error:
            assert_one_sentence(error)
        else:
            assert type(value) is type(BUNDLE.manifest()[key])
            assert main(["inspect", str(path)]) == 0
            printed = capsys.readouterr().out
            assert all(c.isprintable() or c == "\n" for c in printed)


@pytest.mark.parametrize("key", ["layout_hash", "layout_size", "actions", "model_sha256"])
def test_what_a_manifest_says_is_quoted(path: Path, key: str) -> None:
    hostile = "0\x1b[2J\n" * 1000
    manifest: dict[str, Any] = {**BUNDLE.manifest(), "whot_env": hostile}
    manifest[key] = {"layout_size": 10**400, "actions": [hostile]}.get(key, hostile)
    write(path, [("manifest.json", json.dumps(manifest).encode()), ("model.onnx", BUNDLE.model)])
    refused(path)


def test_a_manifest_with_odd_contents_is_shown_plainly(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = Bundle(
        BUNDLE.model, BUNDLE.rules, 2, "a\x1b[2Jb", {"\x07": "\u202e", "k": [float("nan")]}, ({"games": []},)
    )
    assert main(["inspect", str(write_bundle(path, bundle))]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed and "\x07" not in printed and "\u202e" not in printed


# Bombs: a process of its own, which may use so much memory and time and no more.

LIMITED = """
import re, sys
from pathlib import Path
from whot_agents.coach import Coach
from whot_env.errors import WhotError
import onnxruntime
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
before = peak()
try:
    Coach.load(sys.argv[1])
    print("accepted")
except WhotError as error:
    print(error)
print((peak() - before) // 1024)
"""


def load_limited(path: Path) -> tuple[str, int]:
    """What loading says, and the megabytes that it took."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-c", LIMITED, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=True)
    said, megabytes = done.stdout.splitlines()
    return said, int(megabytes)


def deflate_bomb(path: Path) -> None:
    write(path, [("manifest.json", b"{}"), ("model.onnx", bytes(2**28))])


def lying_bomb(path: Path) -> None:
    """The header says one byte, the stream holds 256 MB."""
    deflate_bomb(path)
    data = bytearray(path.read_bytes())
    at = data.rfind(b"PK\x01\x02")
    struct.pack_into("<L", data, at + 24, 1)
    path.write_bytes(data)


def many_members(path: Path) -> None:
    write(path, [(f"{k:05}", b"") for k in range(5000)], zipfile.ZIP_STORED)


def directory_in_64_bits(path: Path) -> None:
    """A whole bundle, but for a second end record that may give a directory of any size."""
    data = write_bundle(path, BUNDLE).read_bytes()
    entries, size, start = struct.unpack("<H2L", data[-12:-2])
    end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, entries, entries, size, start)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(data) - 22, 1)
    path.write_bytes(data[:-22] + end + locator + data[-22:])


def large_file(path: Path) -> None:
    write(path, [("manifest.json", b"{}"), ("model.onnx", bytes(80 * 2**20))], zipfile.ZIP_STORED)


def nested(path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.onnx", bytes(2**27))
    write_bundle(path, Bundle(inner.getvalue(), BUNDLE.rules, 2))


def long_manifest(path: Path) -> None:
    write(path, [("manifest.json", b"[" * 2**27), ("model.onnx", b"")])


def large_tensor(path: Path) -> None:
    shape = numpy_helper.from_array(np.array([40_000, 40_000], np.int64), "shape")
    nodes = [
        helper.make_node("ConstantOfShape", ["shape"], ["big"]),
        helper.make_node("ReduceMean", ["big"], ["mean"], axes=[0, 1], keepdims=0),
        helper.make_node("MatMul", ["observation", "w"], ["x"]),
        helper.make_node("Add", ["x", "mean"], ["logits"]),
    ]
    write_bundle(path, Bundle(make(nodes, [shape]).SerializeToString(), BUNDLE.rules, 2))


def large_constants(path: Path) -> None:
    """Known before the network runs, so that an optimizer would work them out while the model is loaded."""
    line = np.ones((10_000, 1), np.float32)
    weights = [numpy_helper.from_array(line, "a"), numpy_helper.from_array(line.T, "b")]
    nodes = [
        *(helper.make_node(kind, ["a", "b"], [kind]) for kind in ("Mul", "Add", "Sub")),
        helper.make_node("Sum", ["Mul", "Add", "Sub"], ["big"]),
        helper.make_node("ReduceMean", ["big"], ["mean"], axes=[0, 1], keepdims=0),
        helper.make_node("MatMul", ["observation", "w"], ["x"]),
        helper.make_node("Add", ["x", "mean"], ["logits"]),
    ]
    write_bundle(path, Bundle(make(nodes, weights).SerializeToString(), BUNDLE.rules, 2))


def long_work(path: Path) -> None:
    """Small in memory, endless in time: a thousand products of large matrices."""
    shape = numpy_helper.from_array(np.array([3000, 3000], np.int64), "shape")
    nodes = [helper.make_node("ConstantOfShape", ["shape"], ["x0"])]
    nodes += [helper.make_node("MatMul", [f"x{k}", f"x{k}"], [f"x{k + 1}"]) for k in range(1000)]
    nodes += [
        helper.make_node("ReduceMean", ["x1000"], ["mean"], axes=[0, 1], keepdims=0),
        helper.make_node("MatMul", ["observation", "w"], ["y"]),
        helper.make_node("Add", ["y", "mean"], ["logits"]),
    ]
    write_bundle(path, Bundle(make(nodes, [shape]).SerializeToString(), BUNDLE.rules, 2))


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process's memory is read from /proc")
@pytest.mark.parametrize(
    ("bomb", "said", "most"),
    [
        (deflate_bomb, "allowed: at most", 200),
        (lying_bomb, "is not a whole Coach bundle", 200),
        (many_members, "has a directory of", 200),
        (directory_in_64_bits, "does not end as a plain zip does", 200),
        (large_file, "allowed: at most", 200),
        (nested, "the model", 200),
        (long_manifest, "allowed: at most 1048576", 200),
        (large_tensor, "the model cannot be run", 700),
        (large_constants, "the model cannot be run", 700),
        (long_work, "terminate", 700),
    ],
)
def test_bombs_cost_little(path: Path, bomb: Callable[[Path], None], said: str, most: int) -> None:
    bomb(path)
    message, megabytes = load_limited(path)
    assert said in message
    assert megabytes < most


# The model.


def refuse_model(model: Any) -> str:
    data = model if isinstance(model, bytes) else model.SerializeToString()
    with pytest.raises(BundleError) as error:
        OnnxAgent(data)
    assert error.value.key == "model"
    assert_one_sentence(error.value)
    return str(error.value)


def test_the_plain_model_is_accepted() -> None:
    agent = OnnxAgent(make().SerializeToString())
    logits, _ = agent.evaluate(np.ones((2, SIZE), np.int8))
    assert np.allclose(logits, SIZE / 2)


@pytest.mark.parametrize("location", ["weights.bin", "../weights.bin", "/etc/passwd", ""])
@pytest.mark.parametrize("where", ["initializer", "constant"])
def test_weights_in_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, location: str, where: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    for folder in (tmp_path, inside):
        (folder / "weights.bin").write_bytes(np.ones((SIZE, NUM_ACTIONS), np.float32).tobytes())
    tensor = TensorProto(name="w", data_type=FLOAT, dims=[SIZE, NUM_ACTIONS], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=location)
    if where == "initializer":
        model = make(weights=[tensor])
    else:
        model = make([helper.make_node("Constant", [], ["w2"], value=tensor)])
        model.graph.node[-2].input[1] = "w2"
    assert "weights in another file" in refuse_model(model)


def endless_loop() -> Any:
    """10**12 rounds of nothing."""
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["c2"]), helper.make_node("Identity", ["x"], ["y"])],
        "body",
        [info("i", INT64, []), info("c", TensorProto.BOOL, []), info("x", FLOAT, None)],
        [info("c2", TensorProto.BOOL, []), info("y", FLOAT, None)],
    )
    node = helper.make_node("Loop", ["times", "true", "observation"], ["z"], body=body)
    last = helper.make_node("MatMul", ["z", "w"], ["logits"])
    constants = [np.array(10**12, np.int64), np.array(True)]
    named = [numpy_helper.from_array(c, n) for c, n in zip(constants, ("times", "true"), strict=True)]
    return make([node, last], named)


def test_control_flow() -> None:
    assert "control flow" in refuse_model(endless_loop())


def test_functions_and_other_domains() -> None:
    node = helper.make_node("MatMul", ["a", "b"], ["c"])
    function = helper.make_function("own", "F", ["a", "b"], ["c"], [node], [helper.make_opsetid("", 13)])
    call = helper.make_node("F", ["observation", "w"], ["logits"], domain="own")
    assert "functions" in refuse_model(make(domains=["own"], functions=[function]))
    assert "domain" in refuse_model(make([call], domains=["own"]))


def test_sparse_weights() -> None:
    model = make()
    model.graph.sparse_initializer.add(dims=[SIZE, NUM_ACTIONS])
    assert "the model has sparse weights" in refuse_model(model)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 3e38])
def test_weights_that_are_not_finite(number: float) -> None:
    bias = numpy_helper.from_array(np.full(NUM_ACTIONS, number, np.float32), "bias")
    nodes = [helper.make_node("MatMul", ["observation", "w"], ["x"]), helper.make_node("Add", ["x", "bias"], ["y"])]
    nodes.append(helper.make_node("Add", ["y", "bias"], ["logits"]))  # 3e38 twice is too much for a float32
    assert "not finite" in refuse_model(make(nodes, [bias]))


def change(edit: Callable[[Any], object]) -> Any:
    model = make()
    edit(model)
    return model


@pytest.mark.parametrize(
    "edit",
    [
        lambda m: m.graph.input[0].type.tensor_type.shape.dim[1].__setattr__("dim_value", SIZE - 1),
        lambda m: m.graph.input[0].type.tensor_type.__setattr__("elem_type", TensorProto.STRING),
        lambda m: m.graph.input.add().CopyFrom(helper.make_tensor_value_info("more", FLOAT, [1])),
        lambda m: m.graph.output.pop(),
        lambda m: m.graph.output[0].__setattr__("name", "scores"),
        lambda m: m.graph.node[0].__setattr__("op_type", "NoSuchOperator"),
        lambda m: m.graph.node[0].input.__setitem__(0, "nowhere"),
        lambda m: m.opset_import[0].__setattr__("version", 10_000),
        lambda m: m.opset_import.pop(),
        lambda m: m.__setattr__("ir_version", 10_000),
        lambda m: m.graph.initializer[0].dims.__setitem__(0, 1 << 40),
        lambda m: m.graph.initializer[0].dims.__setitem__(0, -1),
        lambda m: m.ClearField("graph"),
    ],
)
def test_wrong_models(edit: Callable[[Any], object]) -> None:
    refuse_model(change(edit))


def test_a_value_of_another_shape() -> None:
    model = make()
    model.graph.node[-1].attribute[0].ints[0] = 0  # the mean over the games
    assert "shapes" in refuse_model(model)


@given(st.data())
def test_changed_bytes_of_a_model(data: st.DataObject) -> None:
    model = bytearray(BUNDLE.model)
    for _ in range(data.draw(st.integers(1, 3))):
        near = data.draw(st.integers(0, 200))
        at = data.draw(st.sampled_from([near, len(model) - 1 - near]))
        model[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    try:
        OnnxAgent(bytes(model))
    except BundleError as error:
        assert_one_sentence(error)


def test_a_model_of_countless_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_check, "MAX_PARTS", 20)
    with pytest.raises(BundleError, match="more than 20 parts"):
        check_onnx(make().SerializeToString())


@pytest.mark.parametrize(
    "data",
    [
        *(b"\x3a", b"\x3a\xff", b"\x3a\x05ab", b"\x3a" + b"\xff" * 10, b"\xff" * 11, b"\x38\x01", b"\x3b", b"\x39\x00"),
        *(
            b"\x3a\x02\x0a\x80",
            b"\xba\x80\x80\x80\x80\x01\x00",
            b"\x3a\x04\x0a\x02\x28\x01",
            b"\x3a\x04\x0a\x02\x38\x01",
        ),
    ],
)
def test_damaged_messages(data: bytes) -> None:
    with pytest.raises(BundleError, match="the model has"):
        check_onnx(data)


def test_the_limits_are_what_the_tests_suppose() -> None:
    assert MAX_BYTES == {"model.onnx": 64 * 2**20, "manifest.json": 2**20}
    assert MAX_SECONDS < 30
