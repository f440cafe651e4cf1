"""Moves the range of outlying activations into the weights before quantisation (SmoothQuant, Xiao et al. 2023).

A few channels of BERT's layer norms and GELUs are twenty times larger than the rest and would take the whole 8-bit scale.
Dividing channel j by s_j = max|X_j|^α / max|W_j|^(1−α), and multiplying row j of the weight by it, changes no result in full precision.
"""

from importlib.resources import files
from pathlib import Path

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from cued_minilm.tokenizer import Tokenizer
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper

ALPHA = 0.7
LEAST_RANGE = 1e-3
FEEDERS = ("LayerNorm", "gelu")

Smoothing = dict[str, NDArray[np.float32]]


def smoothing(model: ModelProto, vocab: Path) -> Smoothing:
    """The divisor of each input channel, by the name of its product, for the products that a layer norm or a GELU feeds."""
    weights = {constant.name: numpy_helper.to_array(constant) for constant in model.graph.initializer}
    fed = {node.name: node for node in model.graph.node if node.op_type == "MatMul" and node.input[0].endswith(FEEDERS)}
    ranges = _ranges(model, sorted({node.input[0] for node in fed.values()}), vocab)
    return {name: _divisor(ranges[node.input[0]], weights[node.input[1]]) for name, node in fed.items()}


def _divisor(activation: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """The divisor s of one product, scaled to a geometric mean of 1 and rounded to powers of two.

    A power of two divides without rounding, and another processor's last bits do not change the model file.
    """
    wide = np.maximum(activation, LEAST_RANGE) ** ALPHA / np.maximum(np.abs(weight).max(axis=1), LEAST_RANGE) ** (1 - ALPHA)
    logarithm = np.log2(wide)
    divisor: NDArray[np.float32] = np.exp2(np.rint(logarithm - logarithm.mean())).astype(np.float32)
    return divisor


def _ranges(model: ModelProto, names: list[str], vocab: Path) -> dict[str, NDArray[np.float32]]:
    """The largest absolute value of each channel of the named tensors over the calibration texts."""
    shown = ModelProto()
    shown.CopyFrom(model)
    shown.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    session = onnxruntime.InferenceSession(shown.SerializeToString(), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer(vocab)
    ranges = {name: np.zeros(1, dtype=np.float32) for name in names}
    for text in files("minilm_export").joinpath("calibration.txt").read_text(encoding="utf-8").splitlines():
        tokens = np.array([tokenizer.ids(text)], dtype=np.int64)
        seen = session.run(names, {"input_ids": tokens, "attention_mask": np.ones_like(tokens)})
        for name, values in zip(names, seen, strict=True):
            ranges[name] = np.maximum(ranges[name], np.abs(values[0]).max(axis=0))
    return ranges
