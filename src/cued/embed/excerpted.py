"""The vectors of memories' texts: each text's own and, where it is long, those of its excerpts, made by one call of the embedder."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from cued.model import Matrix, Vector
from cued.others import embedded
from cued.ports import Embedder
from cued.text.passages import excerpts


class Embedding(NamedTuple):
    """What an embedder made of a text: its vector, and those of its excerpts where it has any; None without an embedder."""

    vector: Vector | None = None
    excerpts: Matrix | None = None


def embedded_texts(texts: Sequence[str], embedder: Embedder) -> tuple[list[Embedding], str]:
    """The vectors of texts that are to be stored, and which model made them; an embedder that fails is an EmbedderError."""
    parts = list(map(excerpts, texts))
    vectors, fingerprint = embedded([*texts, *chain.from_iterable(parts)], embedder, role="memory")
    found, done = list[Embedding](), len(texts)
    for vector, own in zip(vectors[: len(texts)], parts, strict=True):
        found.append(Embedding(vector, vectors[done : done + len(own)] if own else None))
        done += len(own)
    return found, fingerprint
