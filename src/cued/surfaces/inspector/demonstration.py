"""A store worth looking at: a made-up year of a person and her assistant, stored and recalled by the real verbs."""

import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from importlib import resources
from typing import Any

from cued.handles.memories import Memories, open_memories
from cued.handles.tenant import Tenant
from cued.model import LogRules
from cued.model.plain import JSON
from cued.ports import Embedder
from cued.surfaces.verbs import call

TENANT = "ines"
_YEAR = 365
_MORNING = time(9, 30)
_TURN = timedelta(minutes=2)


class _Wound:
    """A clock that stands where it was set, until it is released."""

    def __init__(self, today: datetime | None) -> None:
        self.today, self.at = today, today or datetime.now(UTC)
        self.going = False

    def __call__(self) -> datetime:
        return datetime.now(UTC) if self.going and self.today is None else self.at


def demonstration(*, today: datetime | None = None, embedder: str | Embedder | None = "auto") -> Memories:
    """The demonstration's store, in this process; with a `today` its clock stands still there, and its content is always the same."""
    clock = _Wound(today)
    memories = open_memories(embedder=embedder, settle="now", clock=clock, log=LogRules(content="last", last=60))
    year = tomllib.loads(resources.files(__package__).joinpath("year.toml").read_text("utf-8"))
    end, tenant = clock.at, memories.tenant(TENANT)
    asks = list(_asks(year))
    for days in range(_YEAR, -1, -1):
        clock.at = datetime.combine(end.date() - timedelta(days=days), _MORNING, UTC)
        _lived(tenant, year, days, clock.at)
        for ask in asks:
            if (days + ask["offset"]) % ask["every"] == 0 and days:
                clock.at += timedelta(minutes=7)
                call("recall", tenant, ask["body"])
    _others(memories, end)
    clock.at, clock.going = end, True
    return memories


def _lived(tenant: Tenant, year: JSON, days: int, at: datetime) -> None:
    """Remember what was said on one day."""
    for fact in year["facts"]:
        if fact["day"] == days:
            body = {name: value for name, value in fact.items() if name != "day"}
            call("remember", tenant, {**body, "at": at.isoformat(), "conflicts": False})
    for session in year["sessions"]:
        if session["day"] == days:
            call("remember_turns", tenant, _turns(session, at))


def _turns(session: JSON, at: datetime) -> dict[str, Any]:
    begun = at.replace(hour=session["hour"], minute=5)
    turns = []
    for number, said in enumerate(session["turns"]):
        speaker, _, text = said.partition(": ")
        turns.append({"role": speaker, "content": text, "at": (begun + number * _TURN).isoformat()})
    return {"session": session["name"], "scope": session.get("scope", "global"), "turns": turns}


def _asks(year: JSON) -> Iterator[JSON]:
    for number, ask in enumerate(year["asks"]):
        yield {"every": ask["every"], "offset": number, "body": {name: value for name, value in ask.items() if name != "every"}}


def _others(memories: Memories, end: datetime) -> None:
    """Two more tenants, so that there is something to look after."""
    for tenant, text in (
        ("tomas", "The acoustic buoys report every six hours."),
        ("harbour-bot", "Answer passengers in their own language."),
    ):
        call("remember", memories.tenant(tenant), {"text": text, "at": (end - timedelta(days=30)).isoformat()})
