"""Two sentence encoders as package data: where their files are, and which revisions they are ("" while not built).

`recall` is all-MiniLM-L6-v2 with Cued's own adapter merged in, made to find the remark that answers a question; `plain` is
all-MiniLM-L6-v2 as published. `cued_minilm.model.Model` runs one and `cued_minilm.tokenizer.Tokenizer` feeds it; importing
this module alone loads neither.
"""

from pathlib import Path
from typing import NamedTuple

__all__ = ["DIMENSIONS", "ENCODERS", "MAX_TOKENS", "SUMS_PATH", "VOCAB_PATH", "Encoder"]

DIMENSIONS = 384
MAX_TOKENS = 256

_DATA = Path(__file__).parent / "data"
VOCAB_PATH = _DATA / "vocab.txt"
SUMS_PATH = _DATA / "sums.onnx"


class Encoder(NamedTuple):
    """One model: its name, where its file is, and a hash of its content, weights and all."""

    name: str
    path: Path
    revision: str


def _encoder(key: str, name: str) -> Encoder:
    revision = _DATA / f"{key}.revision"
    # A source tree has no model before the first build, and the build itself imports the tokenizer from here.
    return Encoder(name, _DATA / f"{key}.onnx", revision.read_text(encoding="ascii").strip() if revision.is_file() else "")


ENCODERS = {"recall": _encoder("recall", "recall-minilm-l6"), "plain": _encoder("plain", "all-MiniLM-L6-v2")}
