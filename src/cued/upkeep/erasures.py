"""What was erased and when, as proof: times, counts and a digest of the tenant's name, but no content."""

from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import blake2b
from secrets import token_hex
from typing import Final

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from cued.model import OWN_TENANT
from cued.ports import Store
from cued.stores.rewriting import TRIES, rewritten

DOCUMENT: Final = "erasures"
KEPT: Final = 10_000
"""How many erasures the list goes back."""


class Erased(Struct, frozen=True, kw_only=True):
    """What an erasure did: of how many memories, whether their bytes are gone from every file of the store, and if not why not yet."""

    memories: int
    gone: bool
    pending: tuple[str, ...] = ()


class Erasure(Struct, frozen=True, kw_only=True):
    """One line of the list: when how many memories were erased, or `everything` of a tenant, and since when their bytes are gone.

    `tenant` is a digest of the tenant's name under a key of this store; `cued.upkeep.erasures.name_digest` has it for a name.
    """

    at: datetime
    tenant: str
    memories: int
    everything: bool = False
    gone_at: datetime | None = None


class _Listed(Struct, frozen=True, kw_only=True):
    key: str
    erasures: tuple[Erasure, ...] = field(default_factory=tuple)


def note(store: Store, tenant: str, memories: int, *, at: datetime, everything: bool = False) -> Erased:
    """What an erasure that was just done came to, written down in the list."""
    pending = store.pending()

    def with_it(listed: _Listed) -> _Listed:
        line = Erasure(at=at, tenant=_digest(listed.key, tenant), memories=memories, everything=everything, gone_at=None if pending else at)
        return replace(listed, erasures=(*listed.erasures, line)[-KEPT:])

    _rewrite(store, with_it)
    return Erased(memories=memories, gone=not pending, pending=pending)


def erasures(store: Store, *, at: datetime) -> tuple[tuple[Erasure, ...], tuple[str, ...]]:
    """The list, oldest first, and what is still pending; what can be finished now is, as of `at`."""
    pending = store.pending()
    listed = _read(store.document(OWN_TENANT, DOCUMENT))
    if not pending and any(each.gone_at is None for each in listed.erasures):
        listed = _rewrite(store, lambda old: replace(old, erasures=_gone(old.erasures, at)))
    return listed.erasures, pending


def name_digest(store: Store, tenant: str) -> str:
    """How the list calls a tenant."""
    return _digest(_read(store.document(OWN_TENANT, DOCUMENT)).key, tenant)


def _gone(lines: Sequence[Erasure], at: datetime) -> tuple[Erasure, ...]:
    return tuple(replace(each, gone_at=at) if each.gone_at is None else each for each in lines)


def _rewrite(store: Store, change: Callable[[_Listed], _Listed]) -> _Listed:
    busy = f"the list of erasures was changed by others {TRIES} times while a line was to be added; what was to be erased is"
    return _read(rewritten(store, OWN_TENANT, DOCUMENT, lambda old: msgspec.json.encode(change(_read(old))), busy=busy))


def _read(document: bytes | None) -> _Listed:
    return _Listed(key=token_hex(16)) if document is None else _DECODER.decode(document)


def _digest(key: str, tenant: str) -> str:
    return blake2b(tenant.encode("utf-8", "surrogatepass"), digest_size=16, key=key.encode()).hexdigest()


_DECODER = msgspec.json.Decoder(_Listed)
