"""The network as ONNX: one small graph, built by hand from the layers so that it needs no tracing.

``observation`` int8[N, LAYOUT.size] -> columns -> layers -> ``logits`` float32[N, 76] (before masking) and ``value``
float32[N].
"""

from typing import Any, cast

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from whot_env.actions import NUM_ACTIONS
from whot_env.observation import LAYOUT
from whot_train.network import ColumnPolicy

OPSET = 17
IR_VERSION = 8
"""Old enough for every onnxruntime that the extras allow."""


class _Graph:
    """Nodes and constants of a graph that grows from its input."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: np.ndarray[Any, Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def linear(self, layer: nn.Linear, source: str, output: str) -> str:
        weight, bias = layer.weight.detach().numpy(), layer.bias.detach().numpy()
        inputs = [source, self.constant(f"{output}.weight", weight), self.constant(f"{output}.bias", bias)]
        return self.node("Gemm", inputs, output, transB=1)

    def layers(self, layers: nn.Sequential, source: str, prefix: str) -> str:
        for i, layer in enumerate(layers):
            if isinstance(layer, nn.Linear):
                source = self.linear(layer, source, f"{prefix}.{i}")
            elif isinstance(layer, nn.ReLU):
                source = self.node("Relu", [source], f"{prefix}.{i}")
            else:
                raise TypeError(f"layer {type(layer).__name__} has no ONNX form here")
        return source


def to_onnx(policy: ColumnPolicy) -> bytes:
    """The policy as a serialised ONNX model."""
    graph, first = _Graph(), policy.features_extractor
    index = graph.constant("columns", first.index.numpy())
    chosen = graph.node("Gather", ["observation", index], "chosen", axis=1)
    numbers = graph.node("Cast", [chosen], "numbers", to=TensorProto.FLOAT)
    ages = np.zeros(len(first.index), bool)
    ages[first.ages] = True
    is_age, one = graph.constant("is_age", ages), graph.constant("one", np.array(1, np.float32))
    square = graph.node("Mul", [numbers, numbers], "square")
    evidence = graph.node("Div", [numbers, graph.node("Max", [square, one], "divisor")], "evidence")
    scaled = graph.node("Mul", [numbers, graph.constant("scale", first.scale.numpy())], "scaled")
    inputs = graph.node("Where", [is_age, evidence, scaled], "inputs")
    features = graph.linear(first.linear, inputs, "features.0")
    features = graph.node("Relu", [features], "features")
    graph.linear(
        cast(nn.Linear, policy.action_net), graph.layers(policy.mlp_extractor.policy_net, features, "policy"), "logits"
    )
    value = graph.layers(policy.mlp_extractor.value_net, features, "value_hidden")
    column = graph.linear(policy.value_net, value, "value_column")
    graph.node("Reshape", [column, graph.constant("flat", np.array([-1], np.int64))], "value")
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "whot_coach",
            [helper.make_tensor_value_info("observation", TensorProto.INT8, ["N", LAYOUT.size])],
            [
                helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", NUM_ACTIONS]),
                helper.make_tensor_value_info("value", TensorProto.FLOAT, ["N"]),
            ],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="whot-env",
        ir_version=IR_VERSION,
    )
    onnx.checker.check_model(model)
    return model.SerializeToString()
