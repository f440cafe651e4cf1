"""`Idempotency-Key`: a write that is sent again does not happen again, even after a crash.

What was done is kept for a day with the tenant's memories, as a small document without any text. Its ids are encrypted with the key,
which only the sender has, so that nothing readable of an erased memory is left here. A new memory without an id gets one that is derived
from the key, so that a write whose answer was lost in a crash is found by its ids. That, not the record, makes a repetition harmless.
"""

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cued.errors import InputError, NotFoundError
from cued.handles.keeping import Remembered
from cued.handles.tenant import Tenant
from cued.handles.turn_numbers import next_turn
from cued.model.plain import JSON
from cued.ports import Store
from cued.requests.checks import label, read
from cued.requests.turns import TurnsRequest, drafts_of
from cued.stores.rewriting import rewritten
from cued.surfaces import verbs
from cued.surfaces.http.problems import RefusedError

KEPT_S = 86_400
KEY = "[!-~]{1,200}"
"""The form of a key."""
_PER_DOCUMENT = 32
_REPLAYED = "replayed: stored before, under the same Idempotency-Key; conflicts are not looked for again"
Call = Callable[[JSON], JSON]


class _Done(Struct, frozen=True, kw_only=True):
    """A write that was done: digests of its key and request, its time, and its answer without texts, encrypted."""

    key: str
    request: str
    at: int
    sealed: bytes


class Once:
    """A tenant's write under an Idempotency-Key."""

    def __init__(self, store: Store, tenant: Tenant, verb: str, *, key: str) -> None:
        """Take the key as the caller sent it."""
        if not re.fullmatch(KEY, key):
            raise InputError("Idempotency-Key", key, "1 to 200 visible characters of ASCII")
        self._store, self._tenant, self._verb = store, tenant, verb
        # What is less trusted may guess a key of somebody more trusted: under its own word it takes no write of theirs for done.
        self._secret = hashlib.blake2b(f"{tenant.trust} {key}".encode(), digest_size=32).digest()
        self._key = self._digest(b"key")
        self._document = f"retries/{self._key[:2]}"

    def answer(self, body: JSON, call: Call) -> tuple[JSON, bool]:
        """The verb's answer, and whether it repeats that of an earlier request."""
        request = self._digest(b"request", self._verb.encode(), msgspec.json.encode(body, order="sorted"))
        for done in self._done_before():
            if done.key == self._key:
                if done.request != request:
                    raise _another()
                return self._replayed(msgspec.json.decode(self._sealed(done.sealed, request, done.at))), True
        if self._verb == "remember_turns":
            body, call = {"memories": self._turns(body)}, partial(verbs.call, "remember_many", self._tenant)
        answer, again = self._called(body, call)
        at, told = int(time.time()), msgspec.json.encode(self._without_texts(answer))
        self._keep(_Done(key=self._key, request=request, at=at, sealed=self._sealed(told, request, at)))
        return answer, again

    def _called(self, body: JSON, call: Call) -> tuple[JSON, bool]:
        named = self._with_ids(body)
        try:
            return call(named), False
        except InputError as error:
            if error.field != "id" or not self._verb.startswith("remember") or not (missing := self._missing(body, named)):
                raise
        rest, ids = missing
        if rest:
            call({**named, "memories": rest})
        return _remembered(ids, ()), True

    def _with_ids(self, body: JSON) -> JSON:
        """The request, in which new memories without an id get ones derived from the key."""
        if self._verb == "remember":
            return {"id": self._id(0), **_given(body)}
        memories = body.get("memories")
        if not self._verb.startswith("remember") or not isinstance(memories, list):
            return body
        return {**body, "memories": [{"id": self._id(at), **_given(m)} if isinstance(m, dict) else m for at, m in enumerate(memories)]}

    def _turns(self, body: JSON) -> list[JSON]:
        """The turns of a conversation as memories; those that an earlier try has stored keep their numbers."""
        asked = read(body, TurnsRequest)
        drafts = list(drafts_of(asked.turns, session=label("session", asked.session), scope=asked.scope, at=asked.at, first=0))
        first = asked.first
        if first is None and drafts:
            try:
                first = (self._tenant.get(self._id(0)).source.turn or 0) - (drafts[0].turn or 0)
            except NotFoundError:
                first = next_turn(self._tenant.list, asked.session)
        return [msgspec.to_builtins(replace(draft, turn=(draft.turn or 0) + (first or 0))) for draft in drafts]

    def _missing(self, body: JSON, named: JSON) -> tuple[list[JSON], list[str]] | None:
        """The drafts that an earlier try did not store, and the ids of all; None if no earlier try stored any."""
        drafts, own = ([named], [body]) if self._verb == "remember" else (named["memories"], body["memories"])
        stored = [self._stored(draft) if _given(mine).get("id") is None else False for draft, mine in zip(drafts, own, strict=True)]
        if not any(stored):
            return None
        return [draft for draft, there in zip(drafts, stored, strict=True) if not there], [draft["id"] for draft in drafts]

    def _stored(self, draft: JSON) -> bool:
        try:
            there = self._tenant.get(draft["id"])
        except NotFoundError:
            return False
        if there.text != draft.get("text"):
            raise _another()
        return True

    def _without_texts(self, answer: JSON) -> JSON:
        if self._verb == "update":
            return {"id": answer["id"]}
        if self._verb.startswith("remember"):
            ids = answer["ids"]
            made = ids == [self._id(at) for at in range(len(ids))]
            return {"ids": len(ids) if made else ids, "superseded": answer["superseded"]}
        return answer

    def _replayed(self, kept: JSON) -> JSON:
        if self._verb == "update":
            return self._tenant.get(kept["id"]).to_dict()
        if self._verb.startswith("remember"):
            ids = kept["ids"]
            return _remembered([self._id(at) for at in range(ids)] if isinstance(ids, int) else ids, kept["superseded"])
        return kept

    def _done_before(self) -> list[_Done]:
        return _decoded(self._store.document(self._tenant.name, self._document))

    def _keep(self, done: _Done) -> None:
        def with_it(old: bytes | None) -> bytes:
            recent = [each for each in _decoded(old) if each.key != done.key and each.at > done.at - KEPT_S]
            return msgspec.json.encode([*recent[1 - _PER_DOCUMENT :], done])

        busy = "the record of writes was changed by others again and again; the write itself is stored: send it again"
        rewritten(self._store, self._tenant.name, self._document, with_it, busy=busy, known=True)

    def _id(self, at: int) -> str:
        return "k" + self._digest(b"id", self._tenant.name.encode(), str(at).encode())[:30]

    def _sealed(self, told: bytes, request: str, at: int) -> bytes:
        """The bytes, encrypted for this request and time by an XOR, so that the same call decrypts them."""
        over = hashlib.shake_256(self._secret + f"{request} {at}".encode()).digest(len(told))
        return (int.from_bytes(told) ^ int.from_bytes(over)).to_bytes(len(told))

    def _digest(self, *parts: bytes) -> str:
        return hashlib.blake2b(b"\0".join(parts), key=self._secret, digest_size=16).hexdigest()


def _given(draft: Mapping[str, Any]) -> JSON:
    """The draft, without its id if that is None."""
    return {name: value for name, value in draft.items() if name != "id" or value is not None}


def _remembered(ids: Sequence[str], superseded: Sequence[str]) -> JSON:
    return Remembered(ids=tuple(ids), superseded=tuple(superseded), degraded=(_REPLAYED,)).to_dict()


def _decoded(body: bytes | None) -> list[_Done]:
    """The writes in a document; none if it cannot be read, so that no new write is refused for it."""
    try:
        return [] if body is None else msgspec.json.decode(body, type=list[_Done])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []


def _another() -> RefusedError:
    return RefusedError(422, "this Idempotency-Key was used for another request", "a new key for a new request")
