"""Runs the model: one text, one unit vector, and the same bytes whatever runs beside it."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cued_minilm import DIMENSIONS, ENCODERS, SUMS_PATH
from cued_minilm.tokenizer import Tokenizer

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # it is read once, when onnxruntime is loaded; a model on this machine tells nobody
import onnxruntime  # type: ignore[import-untyped]

MAX_THREADS = 4
_LARGEST, _LARGEST_SIGNED = 255, 127


class Model:
    """An encoder in int8 with its tokenizer; may be used from several threads at once."""

    def __init__(self, encoder: str = "recall") -> None:
        """Load the file of `recall` or `plain` into one session, which runs each text in the thread that asks."""
        options = _options()
        if overflows():
            # There the fast way gives other vectors than elsewhere; where it does not, this one takes 1.7 times as long.
            options.add_session_config_entry("session.x64quantprecision", "1")
        # The fused residual and normalisation is slower than the two it replaces: 4.1 against 3.5 ms for 25 tokens.
        slower = ["SkipLayerNormFusion"]
        self._session = onnxruntime.InferenceSession(ENCODERS[encoder].path, options, ["CPUExecutionProvider"], disabled_optimizers=slower)
        self._tokenizer = Tokenizer()

    def embed(self, text: str) -> NDArray[np.float32]:
        """The text's vector: 384 float32 of unit length."""
        tokens = np.array([self._tokenizer.ids(text)], dtype=np.int64)
        # Never more than one text a run: dynamic int8 takes one scale for all of the input, so company would change the vector.
        fed = {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
        embedding: NDArray[np.float32] = self._session.run(["embedding"], fed)[0][0]
        return embedding

    def embed_many(self, texts: Sequence[str], threads: int | None = None) -> NDArray[np.float32]:
        """One row a text, each the same bytes as `embed` gives; `threads` texts run at once (all cores up to 4)."""
        matrix = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        workers = min(threads or min(os.cpu_count() or 1, MAX_THREADS), len(texts))
        if workers <= 1:
            for row, text in enumerate(texts):
                matrix[row] = self.embed(text)
            return matrix
        with ThreadPoolExecutor(workers) as pool:
            for row, vector in enumerate(pool.map(self.embed, texts)):
                matrix[row] = vector
        return matrix


def _options() -> Any:  # noqa: ANN401 - onnxruntime has no types
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def overflows() -> bool:
    """Whether the fast way to multiply bytes adds them up in 16 bits here, as x86 processors without VNNI do: the largest tell."""
    session = onnxruntime.InferenceSession(SUMS_PATH, _options(), ["CPUExecutionProvider"])
    (given,) = session.get_inputs()
    largest = np.full((1, given.shape[1]), _LARGEST, dtype=np.uint8)
    (sums,) = session.run(None, {given.name: largest})
    return bool((sums != given.shape[1] * _LARGEST * _LARGEST_SIGNED).any())
