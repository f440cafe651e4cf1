"""Memories: search, filter, page, change, and preview what a change does."""

from datetime import datetime

from cued.errors import NotFoundError
from cued.model import KINDS, TIERS, TRUSTS
from cued.model.plain import JSON
from cued.surfaces.inspector.visiting import Visit
from cued.surfaces.inspector.wording import read_time
from cued.surfaces.superseded import SUPERSEDED, superseded

ROWS = 50
MOST_PREVIEWED = 50
STATES = ("forgotten", "superseded", "expired")
COLUMNS = ("kind", "tier", "scope", "tags", "importance", "trust", "session", "written", "used")
USUAL = ("kind", "scope", "tags", "importance", "written")
UP = " up"
"""The suffix of an order in the address that sorts ascending."""
ORDERS = {
    "": "newest first",
    f"written{UP}": "oldest first",
    "importance": "most important first",
    "used": "last used first",
    f"scope{UP}": "by scope",
    f"kind{UP}": "by kind",
}
"""The orders that a narrow page offers, where no column heads are shown."""
_FROM_THE_TOP = ("written", "used", "importance")
_PLAIN = ("contains", "scope", "session", "since", "until", "state", "after")


def page(visit: Visit) -> JSON:
    """A page of the memories that the address asks for."""
    body = wanted(visit)
    answer = visit.ask("list", body)
    stats = visit.stats()
    shown = [each for each in COLUMNS if each in visit.query.getlist("col")] or list(USUAL)
    return {
        "stats": stats,
        "answer": answer,
        "rows": [row(each, visit.memories.clock()) for each in answer["memories"]],
        "filters": {name: visit.said(name) for name in (*_PLAIN, "kinds", "tiers", "tags", "trusts", "hidden", "quarantined", "order")},
        "filtered": any(name not in {"limit", "after", "order_by", "oldest_first"} for name in body),
        "choices": {
            "kinds": KINDS,
            "tiers": TIERS,
            "trusts": TRUSTS,
            "states": STATES,
            "scopes": list(stats["by_scope"]),
            "tags": sorted(stats["by_tag"], key=lambda tag: -stats["by_tag"][tag])[:100],
        },
        "columns": [{"name": each, "shown": each in shown} for each in COLUMNS],
        "shown": [heading(each, visit.said("order")) for each in shown],
        "orders": ORDERS if (order := visit.said("order")) in ORDERS else ORDERS | {order: f"by {order.removesuffix(UP)}"},
        "may_import": visit.may("import"),
    }


def wanted(visit: Visit) -> JSON:
    """The request for a listing that the address stands for."""
    body: JSON = visit.chosen(*_PLAIN) | {"limit": ROWS}
    for name in ("kinds", "tiers", "tags", "trusts"):
        if said := [each for each in visit.query.getlist(name) if each]:
            body[name] = said
    for name in ("hidden", "quarantined"):
        if visit.said(name):
            body[name] = True
    if order := visit.said("order"):
        body |= {"order_by": order.removesuffix(UP), "oldest_first": order.endswith(UP)}
    return body


def heading(column: str, order: str) -> JSON:
    """A column's head: how it sorts the listing now, and the order that a click asks for; tags cannot be sorted by."""
    order = order or "written"
    up = order.endswith(UP) if order.removesuffix(UP) == column else None
    rises = column not in _FROM_THE_TOP if up is None else not up
    asks = "" if column == "tags" else f"{column}{UP}" if rises else column
    return {"name": column, "up": up, "asks": asks}


def row(memory: JSON, now: datetime) -> JSON:
    """A memory as a row, with what has become of it."""
    return {**memory, "state": state_of(memory, now), "pinned": memory["tier"] == "core", "used": memory["use"]["last_at"]}


def state_of(memory: JSON, now: datetime) -> str:
    """Why a memory is not recalled, "" where it is; one that only a single project has superseded counts as recalled."""
    if memory["forgotten_at"]:
        return "forgotten"
    if memory["quarantined_at"]:
        return "quarantined"
    if superseded(memory["superseded"]) == SUPERSEDED:
        return SUPERSEDED
    expires = memory["expires_at"]
    return "expired" if expires and read_time(expires) <= now else ""


def effect(visit: Visit) -> JSON:
    """What forgetting the selected memories would do: which memories come back, and which lose what they were derived from."""
    ids = visit.query.getlist("id")
    back: dict[str, str] = {}
    ground: dict[str, str] = {}
    for memory_id in ids[:MOST_PREVIEWED]:
        try:
            told = visit.ask("why", {"id": memory_id, "depth": 1})
        except NotFoundError:
            continue
        back |= {each["id"]: each["text"] for each in told["because"] if each["relation"] in {"supersedes", "merged"} and each["text"]}
        ground |= {each["id"]: each["text"] for each in told["led_to"] if each["relation"] == "derived_from" and each["text"]}
    chosen = set(ids)
    return {
        "count": len(ids),
        "judged": min(len(ids), MOST_PREVIEWED),
        "back": [text for each, text in back.items() if each not in chosen],
        "ground": [text for each, text in ground.items() if each not in chosen],
    }
