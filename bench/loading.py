"""Filling a store, with the vectors given: how fast, and what it takes on disk and in memory."""

from pathlib import Path

import numpy as np

import cued
from bench import corpus
from bench.figures import LOAD, Figure, Result, Spent, rate
from bench.measure import KIB, disk_mib, resident_mib, spent_on
from bench.sizes import Shape
from bench.vectors import GivenVectors, near
from cued.model import Vector
from cued.text.analyse import searchable
from cued.text.passages import excerpts

AT_ONCE = 5000


def database(folder: Path, shape: Shape) -> Path:
    """Where the store of this shape lies."""
    return folder / f"{shape.name}.db"


def opened(path: Path | str, embedder: GivenVectors) -> cued.Memories:
    """Open the store as anyone would, but for the given vectors and a clock that stands still."""
    return cued.open(path, embedder=embedder, clock=lambda: corpus.NOW)


def tenant_name(number: int) -> str:
    """The name of a tenant."""
    return f"tenant {number}"


def block_of(shape: Shape, tenant: int, start: int, count: int) -> corpus.Block:
    """So many memories of a tenant of this shape, from number `start` on."""
    made = corpus.block(tenant, start, count, among=shape.each, words=corpus.vocabulary())
    pages = corpus.pages(made, start, words=corpus.vocabulary()) if shape.long else made
    return corpus.notes(pages) if shape.notes else pages


def first_block(shape: Shape, tenant: int) -> corpus.Block:
    """The first memories that `fill` stores for a tenant, without what makes pages of them: questions are about the first sentence."""
    return corpus.block(tenant, 0, min(AT_ONCE, shape.each), among=shape.each, words=corpus.vocabulary())


def known(block: corpus.Block) -> dict[str, Vector]:
    """The vectors of a block's memories by the text that is embedded for each, and those of the excerpts of long notes."""
    texts = (searchable(draft["text"], draft.get("speaker")) for draft in block.drafts)
    found = dict(zip(texts, block.vectors, strict=True))
    notes = [(draft["text"], vector) for draft, vector in zip(block.drafts, block.vectors, strict=True) if "session" not in draft]
    parts = [(part, vector) for text, vector in notes for part in excerpts(text)]
    if parts:
        named, whole = zip(*parts, strict=True)
        found |= zip(named, near(np.stack(whole), np.random.default_rng(len(parts))), strict=True)
    return found


def fill(shape: Shape, folder: Path) -> Result:
    """Store all memories of the shape, tenant after tenant; making them up is not timed."""
    path, embedder, spent = database(folder, shape), GivenVectors({}), list[Spent]()
    memories = opened(path, embedder)
    for tenant in range(shape.tenants):
        handle = memories.tenant(tenant_name(tenant))
        for start in range(0, shape.each, AT_ONCE):
            count = min(AT_ONCE, shape.each - start)
            made = block_of(shape, tenant, start, count)
            embedder.known = known(made)
            spent.append(spent_on(lambda made=made, handle=handle: handle.remember_many(made.drafts)))  # type: ignore[misc]
    spent.append(spent_on(memories.close))
    stored, on_disk = shape.each * shape.tenants, disk_mib(path)
    return Result(
        figures=(
            rate(shape.name, LOAD, stored, spent),
            Figure(case=shape.name, measure="loading, peak memory", unit="MiB", value=resident_mib("VmHWM")),
            Figure(case=shape.name, measure="disk", unit="MiB", value=on_disk),
            Figure(case=shape.name, measure="disk a memory", unit="KiB", value=on_disk * KIB / stored),
        )
    )
