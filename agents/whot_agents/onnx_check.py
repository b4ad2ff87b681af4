"""What an ONNX file from elsewhere may hold: one plain graph. Read before onnxruntime, which would do what it says.

Only the few fields of the format (onnx.proto) that can reach beyond the file, or run for ever, are looked at.
"""

from collections.abc import Iterator

from whot_agents.bundle import BundleError
from whot_env.errors import shown

MAX_PARTS = 1 << 18
"""Nodes, tensors and other fields that are looked at, at most; a network has some hundreds."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_GRAPH, _FUNCTIONS = 7, 25  # of a model
_NODE, _INITIALIZER, _SPARSE_INITIALIZER = 1, 5, 15  # of a graph
_ATTRIBUTE, _DOMAIN = 5, 7  # of a node
_TENSOR, _SUBGRAPH, _TENSORS, _SUBGRAPHS, _SPARSE, _SPARSES = 5, 6, 10, 11, 22, 23  # of an attribute
_EXTERNAL_DATA, _DATA_LOCATION = 13, 14  # of a tensor

_Value = int | memoryview


class _Reader:
    """Splits protocol-buffer messages into fields, and counts them."""

    def __init__(self) -> None:
        self._parts = 0

    def fields(self, message: _Value) -> Iterator[tuple[int, _Value]]:
        """Number and value of each field: a whole number, or the bytes of text and messages."""
        if isinstance(message, int):
            raise _refused("a number in place of a message")
        at = 0
        while at < len(message):
            self._parts += 1
            if self._parts > MAX_PARTS:
                raise _refused(f"more than {MAX_PARTS} parts")
            tag, at = _varint(message, at)
            number, wire = tag >> 3, tag & 7
            if tag >= 1 << 32:
                raise _refused("a damaged field")
            value: _Value = 0
            if wire == _VARINT:
                value, at = _varint(message, at)
            elif wire in (_FIXED64, _FIXED32):
                at += 8 if wire == _FIXED64 else 4
            elif wire == _BYTES:
                size, at = _varint(message, at)
                value = message[at : at + size]
                at += size
            else:
                raise _refused("a damaged field")
            if at > len(message):
                raise _refused("a field that is cut off")
            yield number, value


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            raise _refused("a field that is cut off")
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise _refused("a damaged number")


def _refused(what: str) -> BundleError:
    return BundleError("model", f"the model has {what}; allowed: one graph of standard operators, weights inside")


def check_onnx(model: bytes) -> None:
    """Refuse a model that names other files, has control flow or functions, or operators that are not ONNX's own.

    Raises:
        BundleError: what it has.
    """
    reader = _Reader()
    for number, value in reader.fields(memoryview(model)):
        if number == _FUNCTIONS:
            raise _refused("functions of its own")
        if number == _GRAPH:
            _check_graph(reader, value)


def _check_graph(reader: _Reader, graph: _Value) -> None:
    for number, value in reader.fields(graph):
        if number == _NODE:
            _check_node(reader, value)
        elif number == _INITIALIZER:
            _check_tensor(reader, value)
        elif number == _SPARSE_INITIALIZER:
            raise _refused("sparse weights")


def _check_node(reader: _Reader, node: _Value) -> None:
    for number, value in reader.fields(node):
        if number == _DOMAIN and (isinstance(value, int) or bytes(value) not in (b"", b"ai.onnx")):
            raise _refused(f"an operator of the domain {shown(value if isinstance(value, int) else bytes(value))}")
        if number == _ATTRIBUTE:
            for name, part in reader.fields(value):
                if name in (_SUBGRAPH, _SUBGRAPHS):
                    raise _refused("control flow (a graph inside an operator)")
                if name in (_SPARSE, _SPARSES):
                    raise _refused("sparse weights")
                if name in (_TENSOR, _TENSORS):
                    _check_tensor(reader, part)


def _check_tensor(reader: _Reader, tensor: _Value) -> None:
    for number, value in reader.fields(tensor):
        if number == _EXTERNAL_DATA or (number == _DATA_LOCATION and value != 0):
            raise _refused("weights in another file")
