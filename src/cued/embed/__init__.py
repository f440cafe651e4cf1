"""Embedders by name, and the one that needs no model. No other is imported but by its name, and none is loaded before the first text.

`auto` is `cued` when its wheel is installed and `hashing` with a warning when it is not: never a download, never a crash. `hashing` is
deterministic: it sees shared words and shared pieces of words, never meaning, and `doctor` calls it weak.
"""

import inspect
import os
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cued.errors import EmbedderError, InputError
from cued.model import Fingerprint, Matrix
from cued.ports import Embedder, Role
from cued.text.patterns import pattern

__all__ = ["CuedWarning", "load_embedder"]

ACCEPTED = "auto, cued, minilm, hashing, hashing:DIMENSIONS, openai:MODEL, sentence-transformers:NAME, or an Embedder"

DIMENSIONS = 384
LEAST_DIMENSIONS, MOST_DIMENSIONS = 8, 8192

# Chinese and Japanese are written without spaces, so each character is a word and bigrams do the rest; pictures are words too.
_SPACELESS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_PICTURES = "\u2190-\u2bff\U0001f000-\U0001faff"
_WORD = pattern(rf"[{_SPACELESS}{_PICTURES}]|[^\W{_SPACELESS}]+")
_GRAMS = (3, 4, 5)
_GRAMS_SHARE = 0.6
_BIGRAM_SHARE = 0.5
_GRAMMED_CHARACTERS = 48
_CACHED = 16384
_PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"

Features = tuple[NDArray[np.uint64], NDArray[np.float64]]


class CuedWarning(UserWarning):
    """Something works, and less well than it could."""


def load_embedder(spec: str | Embedder = "auto") -> Embedder:
    """The embedder that the spec names; an Embedder is given back as it is, an unknown spec is an InputError."""
    if not isinstance(spec, str):
        # looked for and not asked: it may ask the model
        marked = inspect.getattr_static(spec, "fingerprint", None) is not None
        if isinstance(spec, type) or not (marked and callable(getattr(spec, "embed", None))):
            raise InputError("embedder", spec, f"{ACCEPTED} of your own: a fingerprint, and a method embed(texts, *, role)")
        return spec
    name, colon, argument = spec.partition(":")
    maker = _MAKERS.get((name, bool(colon)))
    if maker is None or (colon and not argument.strip()):
        raise InputError("embedder", spec, ACCEPTED)
    return maker(argument.strip())


def _auto(_: str) -> Embedder:
    try:
        return _cued("")
    except EmbedderError as error:
        message = f"{error}; until then Cued embeds by hashing words, which finds shared words and not meaning"
        warnings.warn(message, CuedWarning, stacklevel=_callers_level())
        return _hashing("")


def _callers_level() -> int:
    """The stacklevel of a warning that is given where this is called, at the first line that is not of this package."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level


def _cued(_: str) -> Embedder:
    from cued.embed.minilm import MiniLM  # noqa: PLC0415

    return MiniLM("cued")


def _minilm(_: str) -> Embedder:
    from cued.embed.minilm import MiniLM  # noqa: PLC0415

    return MiniLM("minilm")


def _hashing(dimensions: str) -> Embedder:
    if dimensions and not (dimensions.isascii() and dimensions.isdigit()):
        raise InputError("embedder", f"hashing:{dimensions}", "hashing:DIMENSIONS, a whole number")
    return Hashing(int(dimensions) if dimensions else DIMENSIONS)


def _openai(model: str) -> Embedder:
    from cued.embed.openai import OpenAICompatible  # noqa: PLC0415

    return OpenAICompatible(model)


def _sentence_transformers(name: str) -> Embedder:
    from cued.embed.sentence_transformers import SentenceTransformers  # noqa: PLC0415

    return SentenceTransformers(name)


_MAKERS: dict[tuple[str, bool], Callable[[str], Embedder]] = {
    ("auto", False): _auto,
    ("cued", False): _cued,
    ("minilm", False): _minilm,
    ("hashing", False): _hashing,
    ("hashing", True): _hashing,
    ("openai", True): _openai,
    ("sentence-transformers", True): _sentence_transformers,
}


class Hashing:
    """Embeds by the words of a text, their pieces and their pairs; the same text gives the same bytes everywhere."""

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        """Choose the number of dimensions, 8 to 8192."""
        if not LEAST_DIMENSIONS <= dimensions <= MOST_DIMENSIONS:
            raise InputError("dimensions", dimensions, f"{LEAST_DIMENSIONS} to {MOST_DIMENSIONS}")
        self._dimensions = dimensions

    @property
    def fingerprint(self) -> Fingerprint:
        """The hashing that makes these vectors."""
        return Fingerprint(provider="hashing", model="words-grams-pairs", revision="1", dimensions=self._dimensions)

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:  # noqa: ARG002 (queries and memories are hashed alike)
        """One unit vector a text; a text without any feature gets one of its own."""
        matrix = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            matrix[row] = self._vector(text)
        return matrix

    def _vector(self, text: str) -> NDArray[np.float64]:
        """Σ (1 + ln tf)·weight·sign over the features, each at its hash modulo the dimensions, of unit length."""
        hashes, weights = _features(text)
        signs = np.where(hashes >> np.uint64(63), -1.0, 1.0)
        places = (hashes % np.uint64(self._dimensions)).astype(np.intp)
        vector: NDArray[np.float64] = np.bincount(places, weights * signs, self._dimensions).astype(np.float64)
        length = float(np.sqrt((vector * vector).sum()))
        if length > 0:
            return vector / length
        # Nothing to count, or everything cancelled: the text as a whole is the one feature.
        vector[_hash(f"text {text}") % self._dimensions] = 1.0
        return vector


def _features(text: str) -> Features:
    """The hashes and weights of all features of a text, a feature group for each distinct word and pair."""
    words = _words(text)
    singles, pairs = Counter(words), Counter(pairwise(words))
    groups = [(_word(word), count) for word, count in singles.items()]
    hashes = [group[0] for group, _ in groups]
    weights = [group[1] * (1 + np.log(count)) for group, count in groups]
    if pairs:
        hashes.append(np.array([_pair(*pair) for pair in pairs], dtype=np.uint64))
        weights.append(_BIGRAM_SHARE * (1 + np.log(np.fromiter(pairs.values(), dtype=np.float64))))
    if not hashes:
        return np.empty(0, dtype=np.uint64), np.empty(0)
    return np.concatenate(hashes), np.concatenate(weights)


def _words(text: str) -> list[str]:
    """The lower-cased words of a text, or its single characters when it has no word."""
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower()
    return _WORD.findall(plain) or [character for character in plain if not character.isspace()]


@lru_cache(_CACHED)
def _word(word: str) -> Features:
    """A word's own feature of weight 1 and those of its 3- to 5-grams, whose weights together have the length 0.6."""
    grams = list(_grams(f"<{word[:_GRAMMED_CHARACTERS]}>"))
    weights = np.full(len(grams) + 1, _GRAMS_SHARE / np.sqrt(max(len(grams), 1)))
    weights[0] = 1.0
    return np.array([_hash(f"word {word}"), *(_hash(f"gram {gram}") for gram in grams)], dtype=np.uint64), weights


def _grams(marked: str) -> Iterator[str]:
    for size in _GRAMS:
        for start in range(len(marked) - size + 1):
            yield marked[start : start + size]


@lru_cache(_CACHED)
def _pair(first: str, second: str) -> int:
    return _hash(f"pair {first} {second}")


def _hash(feature: str) -> int:
    """64 bits that depend on the feature alone, unlike hash(), which changes with each process."""
    return int.from_bytes(blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
