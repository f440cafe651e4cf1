"""Stores with something in them, for tests of what works on a whole tenant."""

import math
from contextlib import closing

import numpy as np
from msgspec.structs import replace

from cued.model import Record
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.text.analyse import analyse, searchable

STORES = ("memory", "sqlite")
FINGERPRINT = "fake/plane@1/2"


def kept_by(kind, folder, **settings):
    """Give a store over a keeper of this kind."""
    return Store(MemoryKeeper() if kind == "memory" else SqliteKeeper(folder / "memories.db"), **settings)


def opened(kind, folder):
    """Give a store of this kind, to be closed after use."""
    return closing(kept_by(kind, folder))


def found_in(folder, secrets):
    """Give those of the secrets that stand in any file of a folder."""
    everything = b"".join(file.read_bytes() for file in folder.iterdir())
    return [secret for secret in secrets if secret.encode() in everything]


def pointing(degrees):
    """Give the unit vector of the plane that points this way: the cosine of two is that of the angle between them."""
    return np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))], dtype=np.float32)


def stock(store, *memories, way=0.0, vector=None, fingerprint=FINGERPRINT):
    """Store memories, all of them with one vector: `way` in degrees, or the one given; without a fingerprint there is none."""
    for memory in memories:
        kept = None if fingerprint is None else pointing(way) if vector is None else vector
        terms = analyse(searchable(memory.text, memory.source.speaker))
        store.remember(memory.tenant, [Record(memory=replace(memory, fingerprint=fingerprint), terms=terms, vector=kept)])


def everything(store, tenant="t"):
    """Give all that a tenant has, by id, vectors as lists."""
    found, after = {}, None
    while page := store.scan(tenant, limit=100, after=after):
        after = page[-1].memory.id
        found |= {stored.memory.id: (stored.memory, None if stored.vector is None else stored.vector.tolist()) for stored in page}
    return found
