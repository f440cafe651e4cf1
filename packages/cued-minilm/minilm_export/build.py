"""Weights, with an adapter or without → fp32 ONNX → smoothed fp32 → int8 ONNX → a check against fp32 → the package's data folder."""

import hashlib
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from cued_minilm.tokenizer import Tokenizer
from numpy.typing import NDArray
from onnx import load_model, save_model
from onnxruntime.quantization import QuantType, quantize_dynamic  # type: ignore[import-untyped]

from minilm_export import graph, weights
from minilm_export.smooth import smoothing

LEAST_COSINE = 0.98
# What stays in full precision. In the plain model a few tokens ("thank you") reach values in the first layers that 8 bits cannot
# hold beside the rest, 3.5 MB of 26.6; the recall model does without, and loses 0.2 ± 0.3 points of recall on conversations.
KEPT = {
    "recall": (graph.TURNED,),
    "plain": ("encoder.layer.0.output.dense.product", "encoder.layer.1.output.dense.product"),
}
REVISION_CHARACTERS = 12
SAMPLES = (
    "",
    "ok",
    "The user prefers dark mode in every editor.",
    "Where did we put the staging database password policy?",
    "ERR_SSL_VERSION_OR_CIPHER_MISMATCH when calling https://api.example.com/v2/users",
    "def parse_config(path: Path) -> Config: return Config.from_toml(path.read_text())",
    "Caroline said she went to the support group on 7 May 2023 and felt much better afterwards.",
    "Naïve café owners in Zürich met on Straße 12. 東京で会いましょう。 🎉",
    "deploy failed deploy failed deploy failed " * 40,
)


class QualityError(RuntimeError):
    """The quantised model strays too far from the one it was made from."""


def build(data: Path, adapter: Path) -> dict[str, str]:
    """Write the vocabulary and both encoders, each with its revision, into `data`, and give the revisions."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = weights.installed() or weights.fetch(Path(scratch) / "fetched")
        plain = weights.read(folder)
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir(parents=True)
        vocab = Path(shutil.copyfile(folder / "vocab.txt", data / "vocab.txt"))
        save_model(graph.sums(), data / "sums.onnx")
        encoders = {"recall": weights.merged(plain, adapter), "plain": plain}
        return {
            key: _install(export(values, vocab, Path(scratch), kept=KEPT[key]), data / f"{key}.onnx") for key, values in encoders.items()
        }


def export(values: weights.Weights, vocab: Path, scratch: Path, *, kept: Sequence[str]) -> Path:
    """The int8 model file of these weights, all but the kept products quantised, checked against its own full precision."""
    fp32, smoothed, int8 = (scratch / name for name in ("fp32.onnx", "smoothed.onnx", "int8.onnx"))
    reference = graph.assemble(values)
    save_model(reference, fp32)
    save_model(graph.assemble(values, smoothing(reference, vocab)), smoothed)
    quantise(smoothed, int8, kept=kept)
    compare(fp32, int8, vocab)
    return int8


def quantise(fp32: Path, int8: Path, *, kept: Sequence[str]) -> None:
    """Write the model with 8-bit matrices and word table: one scale an output channel, activations scaled as they come."""
    quantize_dynamic(
        fp32,
        int8,
        op_types_to_quantize=["MatMul", "Gather"],
        nodes_to_exclude=list(kept),
        per_channel=True,
        weight_type=QuantType.QInt8,
        extra_options={"MatMulConstBOnly": True},
    )


def compare(fp32: Path, int8: Path, vocab: Path) -> float:
    """The least cosine between the two models over the samples; below 0.98 is a QualityError."""
    ids = [Tokenizer(vocab).ids(text) for text in SAMPLES]
    least = float((run(fp32, ids) * run(int8, ids)).sum(axis=1).min())
    if not least >= LEAST_COSINE:
        raise QualityError(f"int8 strays from fp32: cosine {least:.4f}, at least {LEAST_COSINE} is needed")
    return least


def run(model: Path, texts: list[list[int]]) -> NDArray[np.float32]:
    """The embeddings that a model file makes of texts, each given by its token ids and run alone."""
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")  # the right sums on any processor
    session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
    tokens = [np.array([ids], dtype=np.int64) for ids in texts]
    return np.concatenate([session.run(["embedding"], {"input_ids": one, "attention_mask": np.ones_like(one)})[0] for one in tokens])


def _install(model: Path, target: Path) -> str:
    """Write the model with its weights beside it, where they are mapped and not copied as it is loaded, and give its revision.

    The revision is a hash of the model in one file: it names what is computed, however that is kept.
    """
    revision = hashlib.sha256(model.read_bytes()).hexdigest()[:REVISION_CHARACTERS]
    weights_file = target.with_suffix(".weights")
    save_model(load_model(model), target, save_as_external_data=True, location=weights_file.name)
    weights_file.chmod(0o644)  # made for its owner alone
    target.with_suffix(".revision").write_text(f"{revision}\n", encoding="ascii")
    return revision
