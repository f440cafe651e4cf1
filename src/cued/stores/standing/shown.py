"""Which memories a listing shows, which are due or speak, and what a tenant holds, counted."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import compress

import numpy as np
from msgspec.structs import replace

from cued.model import Filter, Gate, HiddenState, Lookup, Memory, Scalar, Stats
from cued.stores.admission import weighed
from cued.stores.arrays import LAST, Mask
from cued.stores.standing.facts import bounded
from cued.stores.standing.felling import EVERYWHERE, unlifted
from cued.stores.standing.judging import table


def shown(memories: Iterable[Memory], wanted: Filter, *, at: datetime) -> list[Memory]:
    """Those of the memories that a listing with this filter shows, in their order."""
    asked = [memory for memory in memories if _asked_for(memory, wanted)]
    if wanted.state is not None:
        struck = _Struck(asked, at)
        return _where(asked, struck.superseded if wanted.state == "superseded" else struck.by(_GATES[wanted.state]))
    return asked if wanted.hidden else _where(asked, ~_Struck(asked, at).hidden)


def out_of_time(memories: Sequence[Memory], *, at: datetime) -> list[Memory]:
    """Those of the memories whose time to live had run out by then, in their order."""
    return _where(memories, _Struck(memories, at).by("expiry"))


def speaking(memories: Sequence[Memory], *, at: datetime) -> list[Memory]:
    """Those of the memories that speak wherever they are seen, in order: not hidden, superseded nowhere, not quarantined, valid."""
    struck = _Struck(memories, at)
    heard = _where(memories, ~(struck.hidden | struck.by("quarantine", "validity")))
    return [memory for memory in heard if not unlifted(memory)]


def has_meta(held: Mapping[str, Scalar], wanted: Mapping[str, Scalar]) -> bool:
    """Whether a memory's own facts have all the wanted ones; true is not 1, and 7 is 7.0."""
    return all(
        name in held and held[name] == value and isinstance(held[name], bool) is isinstance(value, bool) for name, value in wanted.items()
    )


def has_words(text: str, words: Iterable[str]) -> bool:
    """Whether all these words, which are in lower case, stand in a text, be it inside of longer ones."""
    folded = text.casefold()
    for word in words:  # noqa: SIM110 - a generator would take as long as all the rest, for each memory
        if word not in folded:
            return False
    return True


def counted(memories: Sequence[Memory], *, at: datetime) -> Stats:
    """What a tenant with these memories holds; the `by_…` counts are over all of them."""
    times = [memory.created_at for memory in memories]
    struck = _Struck(memories, at)
    return Stats(
        memories=len(memories),
        visible=len(memories) - int(struck.hidden.sum()),
        forgotten=int(struck.by("forgotten").sum()),
        superseded=int(struck.superseded.sum()),
        expired=int(struck.by("expiry").sum()),
        quarantined=int(struck.by("quarantine").sum()),
        bytes=sum(map(weighed, memories)),
        pending_vectors=sum(memory.fingerprint is None for memory in memories),
        by_kind=_counts(memory.kind for memory in memories),
        by_tier=_counts(memory.tier for memory in memories),
        by_trust=_counts(memory.trust for memory in memories),
        by_scope=_counts(memory.scope for memory in memories),
        by_tag=_counts(tag for memory in memories for tag in set(memory.tags)),
        by_fingerprint=_counts(memory.fingerprint for memory in memories if memory.fingerprint is not None),
        oldest_at=min(times, default=None),
        newest_at=max(times, default=None),
    )


def _asked_for(memory: Memory, wanted: Filter) -> bool:
    return (
        wanted.scope in (None, memory.scope)
        and wanted.session in (None, memory.source.session)
        and (not wanted.kinds or memory.kind in wanted.kinds)
        and (not wanted.tiers or memory.tier in wanted.tiers)
        and (not wanted.trusts or memory.trust in wanted.trusts)
        and wanted.quarantined in (None, memory.quarantined_at is not None)
        and (not wanted.tags or set(wanted.tags) <= set(memory.tags))
        and has_meta(memory.source.meta, wanted.meta)
        and (wanted.since is None or wanted.since <= memory.created_at)
        and (wanted.until is None or memory.created_at < wanted.until)
        and (not wanted.contains or has_words(memory.text, wanted.contains))
    )


class _Struck:
    """What the gates say of memories wherever they are seen at a time; only those are judged of which anything was noted."""

    def __init__(self, memories: Sequence[Memory], at: datetime) -> None:
        self._everybody = len(memories)
        self._judged = [number for number, memory in enumerate(memories) if bounded(memory)]
        self._table, self._at = table([memories[number] for number in self._judged]), Lookup(scope=EVERYWHERE, at=at)

    def by(self, *gates: Gate) -> Mask:
        """Which of the memories any of these gates strikes."""
        return self._spread(self._table.struck(self._at, *gates))

    @property
    def superseded(self) -> Mask:
        """Which of the memories are superseded everywhere, be it by a clock that is ahead of the reader's."""
        return self._spread(self._table.struck(replace(self._at, at=LAST), "supersession"))

    @property
    def hidden(self) -> Mask:
        """Which of the memories are forgotten, superseded everywhere, or expired."""
        hidden: Mask = self.by("forgotten", "expiry") | self.superseded
        return hidden

    def _spread(self, struck: Mask) -> Mask:
        everybody = np.zeros(self._everybody, dtype=np.bool_)
        everybody[self._judged] = struck
        return everybody


_GATES: dict[HiddenState, Gate] = {"forgotten": "forgotten", "expired": "expiry"}


def _where(memories: Sequence[Memory], chosen: Mask) -> list[Memory]:
    return list(compress(memories, chosen.tolist()))


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
