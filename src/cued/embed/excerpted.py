"""The vectors of memories: each text's own and, of a long note, those of its excerpts, made by one call of the embedder."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from cued.model import Matrix, Memory, Vector
from cued.others import embedded
from cued.ports import Embedder
from cued.text.analyse import searched_text
from cued.text.passages import excerpts


class Embedding(NamedTuple):
    """What an embedder made of a memory: its vector, and those of its excerpts where it has any; None without an embedder."""

    vector: Vector | None = None
    excerpts: Matrix | None = None


def embedded_memories(memories: Sequence[Memory], embedder: Embedder) -> tuple[list[Embedding], str]:
    """The vectors of memories that are to be stored, and which model made them; an embedder that fails is an EmbedderError."""
    texts, parts = list(map(searched_text, memories)), list(map(excerpts_of, memories))
    vectors, fingerprint = embedded([*texts, *chain.from_iterable(parts)], embedder, role="memory")
    found, done = list[Embedding](), len(texts)
    for vector, own in zip(vectors[: len(texts)], parts, strict=True):
        found.append(Embedding(vector, vectors[done : done + len(own)] if own else None))
        done += len(own)
    return found, fingerprint


def excerpts_of(memory: Memory) -> list[str]:
    """The excerpts of a long note; a turn, however long, is found by what it begins with and by what stands beside it."""
    return [] if memory.source.said else excerpts(searched_text(memory))
