"""all-MiniLM-L6-v2 as package data: where the files are and which revision they are ("" when the model is not built yet).

`cued_minilm.model.Model` runs it and `cued_minilm.tokenizer.Tokenizer` feeds it; importing this module alone loads neither.
"""

from pathlib import Path

__all__ = ["DIMENSIONS", "MAX_TOKENS", "MODEL_PATH", "NAME", "REVISION", "VOCAB_PATH"]

NAME = "all-MiniLM-L6-v2"
DIMENSIONS = 384
MAX_TOKENS = 256

_DATA = Path(__file__).parent / "data"
MODEL_PATH = _DATA / "model.onnx"
VOCAB_PATH = _DATA / "vocab.txt"

_REVISION_PATH = _DATA / "revision.txt"
# A source tree has no model before the first build, and the build itself imports the tokenizer from here.
REVISION = _REVISION_PATH.read_text(encoding="ascii").strip() if _REVISION_PATH.is_file() else ""
