"""The method and path of each verb, in one table. The server, OpenAPI and the reference are made from it."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Literal

from msgspec import Struct

from cued.requests.fields import Field, fields_of
from cued.surfaces.verb import Verb
from cued.surfaces.verbs import VERBS


class Route(Struct, frozen=True, kw_only=True):
    """One way to ask for a verb.

    `place` is the field of the request that stands in the path as `{id}`. The other fields come from the query of a GET or a DELETE, and
    from the body of other methods. With `once` a request may carry an Idempotency-Key.
    """

    verb: str
    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    operation: str = ""
    place: Literal["", "id", "ids"] = ""
    status: int = 200
    once: bool = False

    @property
    def name(self) -> str:
        """The operation's name, which no other route has."""
        return self.operation or self.verb

    @property
    def of(self) -> Verb:
        """The verb itself."""
        return VERBS[self.verb]

    @property
    def in_query(self) -> bool:
        """Whether the fields come from the query."""
        return self.method in {"GET", "DELETE"}

    @property
    def fields(self) -> dict[str, Field]:
        """The fields that are not in the path."""
        return {name: field for name, field in fields_of(self.of.request).items() if name != self.place}


def _posted() -> Iterator[Route]:
    once = {"remember_many", "remember_turns", "feedback", "forget", "restore", "unmerge", "label"}
    created = {"remember_many", "remember_turns"}
    for name in VERBS:
        if name not in _ELSEWHERE and name not in LEFT_OUT:
            yield Route(verb=name, method="POST", path=f"/v1/{name}", status=201 if name in created else 200, once=name in once)


LEFT_OUT: Mapping[str, str] = MappingProxyType(
    {
        "import": "it reads files of the machine that serves; `cued import` does it there",
        "backup": "it writes files of the machine that serves; `cued backup` does it there",
    }
)
"""Verbs that have no route, and why."""
_ELSEWHERE = frozenset(
    {"remember", "list", "get", "update", "stats", "log", "merges", "tenants", "erasures", "export", "insight", "compare", "doctor"}
)
ROUTES: tuple[Route, ...] = (
    Route(verb="remember", method="POST", path="/v1/memories", status=201, once=True),
    Route(verb="list", method="GET", path="/v1/memories"),
    Route(verb="get", method="GET", path="/v1/memories/{id}", place="id"),
    Route(verb="update", method="PATCH", path="/v1/memories/{id}", place="id", once=True),
    Route(verb="forget", method="DELETE", path="/v1/memories/{id}", place="ids", operation="forget_one", once=True),
    Route(verb="stats", method="GET", path="/v1/stats"),
    Route(verb="log", method="GET", path="/v1/log"),
    Route(verb="merges", method="GET", path="/v1/merges"),
    Route(verb="tenants", method="GET", path="/v1/tenants"),
    Route(verb="erasures", method="GET", path="/v1/erasures"),
    Route(verb="insight", method="GET", path="/v1/insight"),
    Route(verb="compare", method="GET", path="/v1/compare"),
    Route(verb="doctor", method="GET", path="/v1/doctor"),
    Route(verb="export", method="GET", path="/v1/export"),
    *_posted(),
)
