"""Embedders by name. Nothing but the name's own module is imported, and no model is loaded before the first text.

`auto` is `cued` when its wheel is installed and `hashing` with a warning when it is not: never a download, never a crash.
"""

import warnings
from collections.abc import Callable

from cued.errors import EmbedderError, InputError
from cued.ports import Embedder

__all__ = ["CuedWarning", "load"]

ACCEPTED = "auto, cued, minilm, hashing, hashing:DIMENSIONS, openai:MODEL, sentence-transformers:NAME, or an Embedder"


class CuedWarning(UserWarning):
    """Something works, and less well than it could."""


def load(spec: str | Embedder = "auto") -> Embedder:
    """The embedder that the spec names; an Embedder is given back as it is, an unknown spec is an InputError."""
    if not isinstance(spec, str):
        if not (callable(getattr(spec, "embed", None)) and hasattr(type(spec), "fingerprint")):
            raise InputError(_FIELD, spec, ACCEPTED)
        return spec
    name, colon, argument = spec.partition(":")
    maker = _MAKERS.get((name, bool(colon)))
    if maker is None or (colon and not argument.strip()):
        raise InputError(_FIELD, spec, ACCEPTED)
    return maker(argument.strip())


def _auto(_: str) -> Embedder:
    try:
        return _cued("")
    except EmbedderError as error:
        message = f"{error}; until then Cued embeds by hashing words, which finds shared words and not meaning"
        warnings.warn(message, CuedWarning, stacklevel=3)
        return _hashing("")


def _cued(_: str) -> Embedder:
    from cued.embed.minilm import MiniLM  # noqa: PLC0415

    return MiniLM("cued")


def _minilm(_: str) -> Embedder:
    from cued.embed.minilm import MiniLM  # noqa: PLC0415

    return MiniLM("minilm")


def _hashing(dimensions: str) -> Embedder:
    from cued.embed.hashing import DIMENSIONS, Hashing  # noqa: PLC0415

    if dimensions and not (dimensions.isascii() and dimensions.isdigit()):
        raise InputError(_FIELD, f"hashing:{dimensions}", "hashing:DIMENSIONS, a whole number")
    return Hashing(int(dimensions) if dimensions else DIMENSIONS)


def _openai(model: str) -> Embedder:
    from cued.embed.openai import OpenAICompatible  # noqa: PLC0415

    return OpenAICompatible(model)


def _sentence_transformers(name: str) -> Embedder:
    from cued.embed.sentence_transformers import SentenceTransformers  # noqa: PLC0415

    return SentenceTransformers(name)


_FIELD = "embedder"
_MAKERS: dict[tuple[str, bool], Callable[[str], Embedder]] = {
    ("auto", False): _auto,
    ("cued", False): _cued,
    ("minilm", False): _minilm,
    ("hashing", False): _hashing,
    ("hashing", True): _hashing,
    ("openai", True): _openai,
    ("sentence-transformers", True): _sentence_transformers,
}
