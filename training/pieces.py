"""Texts to WordPiece ids, by the tokenizer that comes with the base weights."""

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer


class Pieces:
    """The base model's tokenizer, cut at a length and without padding."""

    def __init__(self, path: Path, *, longest: int) -> None:
        """Read a `tokenizer.json`; the padding to 128 that it declares is taken off."""
        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(longest)

    def __call__(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text, in order."""
        return [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> tuple[list[list[int]], list[list[int]]]:
        """The ids and the segment marks of each pair of texts, for a cross-encoder."""
        encodings = self._tokenizer.encode_batch(list(pairs))
        return [encoding.ids for encoding in encodings], [encoding.type_ids for encoding in encodings]
