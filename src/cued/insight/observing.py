"""What is looked at before anything is concluded: the newest recalls, the memories, the policy, the embedder and the files."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np
from msgspec import Struct

from cued.errors import EmbedderError
from cued.insight.rates import ENOUGH
from cued.model import Condition, LogQuery, Matrix, Memory, RecallEntry, Stats, Stored
from cued.others import embedded
from cued.policy.spec import Policy
from cued.ports import Embedder, Store

LATELY = 1000
"""How many of the newest recalls are looked at."""
MOST = 20_000
"""How many memories are looked at, in the order of their ids, at most."""
_PAGE = 1000


class Observed(Struct, frozen=True, kw_only=True):
    """Everything that a diagnosis rests on. `lines` are the newest recalls, oldest first; `vectors` is a row a memory, 0 without one.

    `embedder` is the fingerprint of the one in use, None where there is none, and `failing` what it said when it was tried.
    """

    now: datetime
    policy: Policy
    lines: tuple[RecallEntry, ...]
    stats: Stats
    size: int
    memories: tuple[Memory, ...]
    vectors: Matrix | None
    embedder: str | None
    failing: str = ""
    condition: Condition

    @property
    def missing(self) -> int:
        """How many recalls are missing before rates say anything."""
        return max(0, ENOUGH - len(self.lines))


def observe(tenant: str, store: Store, policy: Policy, *, embedder: Embedder | None, now: datetime) -> Observed:
    """All that is looked at for one tenant."""
    lines = store.log(tenant, LogQuery(limit=LATELY))
    stored = list(_scanned(tenant, store))
    fingerprint, failing = _tried(embedder)
    return Observed(
        now=now,
        policy=policy,
        lines=lines[::-1],
        stats=store.stats(tenant, at=now),
        size=store.size(tenant),
        memories=tuple(each.memory for each in stored),
        vectors=_vectors(stored, fingerprint),
        embedder=fingerprint,
        failing=failing,
        condition=store.condition(),
    )


def _scanned(tenant: str, store: Store) -> Iterator[Stored]:
    after: str | None = None
    for _ in range(MOST // _PAGE):
        page = store.scan(tenant, limit=_PAGE, after=after)
        if not page:
            return
        yield from page
        after = page[-1].memory.id


def _tried(embedder: Embedder | None) -> tuple[str | None, str]:
    """The fingerprint of the embedder, and what went wrong when it was asked for one vector."""
    if embedder is None:
        return None, ""
    try:
        return embedded(["Is anybody there?"], embedder, role="query")[1], ""
    except EmbedderError as error:
        return None, str(error)


def _vectors(stored: Sequence[Stored], fingerprint: str | None) -> Matrix | None:
    known = [each.vector for each in stored if each.vector is not None and each.memory.fingerprint == fingerprint]
    if not known:
        return None
    nothing = np.zeros_like(known[0])
    rows = (each.vector if each.vector is not None and each.memory.fingerprint == fingerprint else nothing for each in stored)
    return np.array(list(rows), dtype=np.float32)
