"""The BERT encoder of all-MiniLM-L6-v2 as an ONNX graph: token ids and mask in, unit embeddings out.

Six post-norm layers (Devlin et al. 2019), mean pooling over the mask and L2 normalisation (Reimers & Gurevych 2019).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, checker, helper, numpy_helper

from minilm_export.smooth import Smoothing
from minilm_export.weights import ROTATION, Weights

TURNED = "pool.turned"
LAYERS = 6
HIDDEN = 384
HEADS = 12
HEAD = HIDDEN // HEADS
POSITIONS = 256
EPSILON = 1e-12
OPSET = 20
IR_VERSION = 9
SUMMED = 64
LARGEST = 127


class Graph:
    """A growing list of nodes and constants; every method gives the name of the tensor it made."""

    def __init__(self, smoothing: Smoothing) -> None:
        """Start empty; `smoothing` names the products whose input channels are divided before they are multiplied."""
        self.smoothing = smoothing
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def constant(self, name: str, values: NDArray[np.generic] | list[int]) -> str:
        """Add a constant; a list is a list of int64."""
        array = np.asarray(values, dtype=np.int64) if isinstance(values, list) else np.asarray(values, order="C")
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def node(self, op: str, inputs: list[str], name: str, **attributes: Any) -> str:  # noqa: ANN401 (as ONNX has it)
        """Add a node with one output."""
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def linear(self, value: str, name: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """Add value · weightᵀ + bias; the weight comes as (out, in), as PyTorch stores it."""
        divisor = self.smoothing.get(f"{name}.product")
        if divisor is not None:
            value = self.node("Mul", [value, self.constant(f"{name}.factor", 1 / divisor)], f"{name}.smooth")
            weight = weight * divisor
        product = self.node("MatMul", [value, self.constant(f"{name}.weight", weight.T)], f"{name}.product")
        return self.node("Add", [product, self.constant(f"{name}.bias", bias)], name)

    def norm(self, value: str, name: str, weights: Weights) -> str:
        """Add a layer normalisation over the last axis with the weights called `name`."""
        scale = self.constant(f"{name}.weight", weights[f"{name}.weight"])
        bias = self.constant(f"{name}.bias", weights[f"{name}.bias"])
        return self.node("LayerNormalization", [value, scale, bias], name, axis=-1, epsilon=EPSILON)


def assemble(weights: Weights, smoothing: Smoothing | None = None) -> ModelProto:
    """The fp32 model: input_ids and attention_mask int64 [batch, sequence] → embedding float32 [batch, 384]."""
    graph = Graph(smoothing or {})
    mask = graph.node("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    bias = _mask_bias(graph, mask)
    hidden = _embeddings(graph, weights)
    for number in range(LAYERS):
        hidden = _layer(graph, hidden, bias, prefix=f"encoder.layer.{number}", weights=weights)
    _pool(graph, hidden, mask, rotation=weights.get(ROTATION))
    return _model(graph)


def _embeddings(graph: Graph, weights: Weights) -> str:
    words = graph.constant("words", weights["embeddings.word_embeddings.weight"])
    # Every text is of token type 0, so that row can be added to the positions once and for all.
    places = weights["embeddings.position_embeddings.weight"][:POSITIONS] + weights["embeddings.token_type_embeddings.weight"][0]
    length = graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    start, axis = graph.constant("first", [0]), graph.constant("rows", [0])
    place = graph.node("Slice", [graph.constant("places", places), start, length, axis], "place")
    word = graph.node("Gather", [words, "input_ids"], "word")
    return graph.norm(graph.node("Add", [word, place], "embedded"), "embeddings.LayerNorm", weights)


def _mask_bias(graph: Graph, mask: str) -> str:
    """What is added to attention logits [batch, 1, 1, sequence]: 0 where a token is, −10000 where none is."""
    wide = graph.node("Unsqueeze", [mask, graph.constant("mask.axes", [1, 2])], "mask.wide")
    absent = graph.node("Sub", [graph.constant("one", np.array(1, dtype=np.float32)), wide], "mask.absent")
    return graph.node("Mul", [absent, graph.constant("forbid", np.array(-10000, dtype=np.float32))], "mask.bias")


def _layer(graph: Graph, hidden: str, bias: str, *, prefix: str, weights: Weights) -> str:
    """Add one post-norm layer: attention and feed-forward, each with its residual and its normalisation."""
    context = _attention(graph, hidden, bias, prefix=f"{prefix}.attention.self", weights=weights)
    hidden = _residual(graph, context, hidden, prefix=f"{prefix}.attention.output", weights=weights)
    name = f"{prefix}.intermediate.dense"
    inner = graph.linear(hidden, name, weights[f"{name}.weight"], weights[f"{name}.bias"])
    active = graph.node("Gelu", [inner], f"{prefix}.gelu", approximate="none")
    return _residual(graph, active, hidden, prefix=f"{prefix}.output", weights=weights)


def _residual(graph: Graph, value: str, before: str, *, prefix: str, weights: Weights) -> str:
    name = f"{prefix}.dense"
    projected = graph.linear(value, name, weights[f"{name}.weight"], weights[f"{name}.bias"])
    return graph.norm(graph.node("Add", [projected, before], f"{prefix}.sum"), f"{prefix}.LayerNorm", weights)


def _attention(graph: Graph, hidden: str, bias: str, *, prefix: str, weights: Weights) -> str:
    """Add softmax(q·kᵀ/√32 + bias)·v over twelve heads.

    Query, key and value are one product, so the input is quantised once and not three times; 1/√32 is in the query's weights.
    """
    parts = ("query", "key", "value")
    scales = (1 / np.sqrt(np.float32(HEAD)), np.float32(1), np.float32(1))
    weight = np.concatenate([weights[f"{prefix}.{part}.weight"] * scale for part, scale in zip(parts, scales, strict=True)])
    shift = np.concatenate([weights[f"{prefix}.{part}.bias"] * scale for part, scale in zip(parts, scales, strict=True)])
    joined = graph.linear(hidden, f"{prefix}.joined", weight, shift)
    shaped = graph.node("Reshape", [joined, graph.constant(f"{prefix}.shape", [0, 0, 3, HEADS, HEAD])], f"{prefix}.shaped")
    heads = graph.node("Transpose", [shaped], f"{prefix}.heads", perm=[2, 0, 3, 1, 4])
    query, key, value = (_part(graph, heads, f"{prefix}.{part}", number) for number, part in enumerate(parts))
    turned = graph.node("Transpose", [key], f"{prefix}.turned", perm=[0, 1, 3, 2])
    logits = graph.node("Add", [graph.node("MatMul", [query, turned], f"{prefix}.dots"), bias], f"{prefix}.logits")
    shares = graph.node("Softmax", [logits], f"{prefix}.shares", axis=-1)
    mixed = graph.node("MatMul", [shares, value], f"{prefix}.mixed")
    back = graph.node("Transpose", [mixed], f"{prefix}.back", perm=[0, 2, 1, 3])
    return graph.node("Reshape", [back, graph.constant(f"{prefix}.flat", [0, 0, HIDDEN])], prefix)


def _part(graph: Graph, heads: str, name: str, number: int) -> str:
    """One of the three joined projections as [batch, head, sequence, 32]."""
    chosen = graph.constant(f"{name}.number", np.array(number, dtype=np.int64))
    return graph.node("Gather", [heads, chosen], name, axis=0)


def _pool(graph: Graph, hidden: str, mask: str, *, rotation: NDArray[np.float32] | None) -> None:
    """Add the mean over the tokens that are there, turned where there is a rotation, at unit length, as the output `embedding`.

    A rotation changes no cosine; it puts what matters into the leading dimensions, so that 256 of them are nearly as good.
    """
    last, middle = graph.constant("last", [-1]), graph.constant("middle", [1])
    present = graph.node("Unsqueeze", [mask, last], "pool.present")
    kept = graph.node("Mul", [hidden, present], "pool.kept")
    total = graph.node("ReduceSum", [kept, middle], "pool.total", keepdims=0)
    count = graph.node("ReduceSum", [mask, middle], "pool.count", keepdims=1)
    mean = graph.node("Div", [total, count], "pool.mean")
    if rotation is not None:
        mean = graph.node("MatMul", [mean, graph.constant(ROTATION, rotation)], TURNED)
    length = graph.node("ReduceL2", [mean, last], "pool.length", keepdims=1)
    graph.node("Div", [mean, length], "embedding")


def _model(graph: Graph) -> ModelProto:
    shape = ["batch", "sequence"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", HIDDEN])
    return _checked("all-MiniLM-L6-v2", graph, inputs, output)


def sums() -> ModelProto:
    """What tells how a processor adds up products of bytes, with the largest there are: bytes uint8 [rows, 64] → sums int32 [rows, 32]."""
    graph = Graph({})
    largest = graph.constant("largest", np.full((SUMMED, HEAD), LARGEST, dtype=np.int8))
    graph.node("MatMulInteger", ["bytes", largest], "sums")
    given = helper.make_tensor_value_info("bytes", TensorProto.UINT8, ["rows", SUMMED])
    return _checked("sums", graph, [given], helper.make_tensor_value_info("sums", TensorProto.INT32, ["rows", HEAD]))


def _checked(name: str, graph: Graph, inputs: list[ValueInfoProto], output: ValueInfoProto) -> ModelProto:
    body = helper.make_graph(graph.nodes, name, inputs, [output], initializer=graph.constants)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="cued-minilm", ir_version=IR_VERSION)
    checker.check_model(model)
    return model
