"""`search` and `fetch`: the two tools that some clients expect of every source of documents; recall and get under other names."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from cued.handles.tenant import Tenant
from cued.requests.checks import read
from cued.surfaces.mcp.answers import ToolAnswer, row, same
from cued.surfaces.mcp.arguments import BUDGET_TOKENS
from cued.surfaces.mcp.resources import address, memory_json
from cued.surfaces.verbs import call

_TITLE = 80


class Search(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `search` takes."""

    query: str


class Fetch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `fetch` takes."""

    id: str


class Hit(Struct, frozen=True, kw_only=True):
    """A memory that was found."""

    id: str
    title: str
    url: str


class Found(Struct, frozen=True, kw_only=True):
    """What was found, the best first."""

    results: tuple[Hit, ...]


class Document(Struct, frozen=True, kw_only=True):
    """A memory as a document."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, Any]


class PairTool(Struct, frozen=True, kw_only=True):
    """One of the two, as a client sees it."""

    title: str
    about: str
    takes: type[Struct]
    gives: type[Struct]


def pair_answered(name: str, said: Mapping[str, Any], *, tenant: Tenant, scope: str) -> ToolAnswer:
    """The answer of one of the two, as data and as one text of JSON."""
    return same(_search(read(said, Search), tenant, scope) if name == "search" else _fetch(read(said, Fetch), tenant, scope))


def _search(asked: Search, tenant: Tenant, scope: str) -> Found:
    answer = call("recall", tenant, {"text": asked.query, "scope": scope, "budget_tokens": BUDGET_TOKENS})
    found = [(row(each), address(each["id"])) for each in answer["memories"]]
    return Found(results=tuple(Hit(id=each.id, title=_title(each.text), url=url) for each, url in found))


def _fetch(asked: Fetch, tenant: Tenant, scope: str) -> Document:
    whole = memory_json(tenant, asked.id, scope=scope)
    text = whole.pop("text")
    return Document(id=whole["id"], title=_title(text), text=text, url=address(asked.id), metadata=whole)


def _title(text: str) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= _TITLE else line[:_TITLE].rstrip() + "…"


PAIR: Final = {
    "search": PairTool(
        title="Search memories",
        about="Find memories by a query; `fetch` gives one whole.",
        takes=Search,
        gives=Found,
    ),
    "fetch": PairTool(title="Fetch a memory", about="One memory by its id, whole.", takes=Fetch, gives=Document),
}
