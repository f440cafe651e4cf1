"""Upkeep on a timer: what a store needs now and then, for every tenant, by one server at a time.

Touches, the bounds of the recall log and expiry do not need it: each recall keeps them. What runs here is what `cued sweep`,
`cued consolidate` and `cued reembed` do. The store holds when it last ran, which server ran it and with what outcome, so that of several
servers on one store only one runs it, and each can show it.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cued.handles.memories import Memories
from cued.model import OWN_TENANT
from cued.model.plain import JSON
from cued.surfaces.http.workers import Workers
from cued.surfaces.verbs import call

log = logging.getLogger("cued.http")
LEASE_S = 3600.0
_DOCUMENT = "upkeep"
_LOOK_S = 60.0


class _Job(Struct, frozen=True):
    """A verb with its request, and the field of its answer that says how much was done."""

    verb: str
    body: Mapping[str, bool]
    counted: str


JOBS: Mapping[str, _Job] = MappingProxyType(
    {
        "sweep": _Job("sweep", {"apply": True}, "erased"),
        "consolidate": _Job("consolidate", {"apply": True}, "merges"),
        "preview": _Job("consolidate", {}, "merges"),
        "reembed": _Job("reembed", {}, "done"),
    }
)


class State(Struct, frozen=True, kw_only=True):
    """The stored state of upkeep: which server holds the lease and until when, when it last began, and what each job did."""

    holder: str = ""
    until: float = 0.0
    began_at: float = 0.0
    last: dict[str, dict[str, int]] = {}

    def held(self, now: float) -> bool:
        """Whether a server holds the lease; an end too far ahead was written by a wrong clock, and does not count."""
        return now < self.until <= now + LEASE_S


class UpkeepTimer:
    """The jobs of one server, and how often they are done."""

    def __init__(self, memories: Memories, workers: Workers, *, jobs: Sequence[str], every_s: float) -> None:
        """Do these jobs over this store in these threads."""
        self._memories, self._workers, self._jobs, self._every_s = memories, workers, tuple(jobs), every_s
        self._me = secrets.token_hex(8)

    async def go_on(self) -> None:
        """Check now and then whether upkeep is due, until cancelled."""
        while self._jobs:
            try:
                await self.run_if_due()
            except Exception as error:  # noqa: BLE001 - whatever it was, it is tried again at the next look
                log.warning("%s", msgspec.json.encode({"upkeep": self._jobs, "failed": type(error).__name__}).decode())
            await asyncio.sleep(min(self._every_s, _LOOK_S))

    async def run_if_due(self) -> bool:
        """Whether upkeep was due and no other server at it; if so, all jobs were run."""
        if not await self._workers.run(OWN_TENANT, self._take):
            return False
        outcome: dict[str, dict[str, int]] = {}
        try:
            for name in self._jobs:
                outcome[name] = await self._done(JOBS[name])
        finally:
            # in a thread of its own: the workers may be busy with what was broken off, and all connections wait for this one
            await asyncio.to_thread(self._change, lambda state: replace(state, holder="", until=0.0, last=outcome))
        log.info("%s", msgspec.json.encode({"upkeep": outcome}).decode())
        return True

    def shown(self) -> JSON:
        """When it last began, and what came of it."""
        state = self._read()[1]
        return {"jobs": list(self._jobs), "running": state.held(time.time()), "began_at": state.began_at or None, "last": state.last}

    async def _done(self, job: _Job) -> dict[str, int]:
        told = {"tenants": 0, "changed": 0, "failed": 0}
        for name in await self._workers.run(OWN_TENANT, self._memories.tenants):
            try:
                answer = await self._workers.run(name, partial(call, job.verb, self._memories.tenant(name), job.body), long=True)
            except Exception as error:  # noqa: BLE001 - whatever one tenant's memories do to it, the others are not to go without
                log.warning("%s", msgspec.json.encode({"upkeep": job.verb, "failed": type(error).__name__}).decode())
                told["failed"] += 1
                continue
            counted = answer[job.counted]
            told["tenants"] += 1
            told["changed"] += counted if isinstance(counted, int) else len(counted)
            await self._workers.run(OWN_TENANT, self._renew)
        return told

    def _take(self) -> bool:
        """Whether upkeep is due, and the lease could be taken."""
        old, state = self._read()
        now = time.time()
        if state.held(now) or 0 <= now - state.began_at < self._every_s:
            return False
        return self._swap(old, replace(state, holder=self._me, until=now + LEASE_S, began_at=now))

    def _renew(self) -> None:
        self._change(lambda state: replace(state, until=time.time() + LEASE_S))

    def _change(self, change: Callable[[State], State]) -> None:
        """Change the state while the lease is ours."""
        old, state = self._read()
        if state.holder == self._me:
            self._swap(old, change(state))

    def _read(self) -> tuple[bytes | None, State]:
        body = self._memories.parts.store.document(OWN_TENANT, _DOCUMENT)
        return body, State() if body is None else msgspec.json.decode(body, type=State)

    def _swap(self, old: bytes | None, new: State) -> bool:
        return self._memories.parts.store.swap_document(OWN_TENANT, _DOCUMENT, old=old, new=msgspec.json.encode(new))
