"""Beliefs: what is at odds with what, what gave way to what, and near-duplicates that could be one."""

from collections.abc import Callable, Mapping, Sequence

from cued.errors import InputError, NotFoundError
from cued.model.plain import JSON
from cued.surfaces.inspector.visiting import Visit

COMPARED, COMPARED_IN_LARGE = 24, 12
LARGE = 10_000
CHAINS = 40
LONGEST = 20


def page(visit: Visit) -> JSON:
    """Open conflicts, chains of what gave way, and, when it is asked for, what a consolidation would do."""
    compared = COMPARED if visit.stats()["memories"] <= LARGE else COMPARED_IN_LARGE
    opened = visit.ask("conflicts", {"limit": compared, **visit.chosen("after")})
    hidden = visit.ask("list", {"state": "superseded", "limit": CHAINS})
    return {
        "opened": {**opened, "found": [_with_choices(each) for each in opened["found"]]},
        "compared_from": visit.said("after"),
        "chains": chains(hidden["memories"], lambda memory_id: _get(visit, memory_id)),
        "superseded": hidden["total"],
        "merging": _merging(visit) if visit.said("at_least") else None,
        "at_least": visit.said("at_least") or "0.95",
    }


def chains(superseded: Sequence[JSON], get: Callable[[str], JSON | None]) -> list[list[JSON]]:
    """Each line of beliefs from the oldest to the one that stands, the line with the latest change first."""
    known = {memory["id"]: memory for memory in superseded}
    heirs = {memory["id"]: heir for memory in superseded if (heir := heir_of(memory)) is not None}
    starts = [memory_id for memory_id in heirs if memory_id not in set(heirs.values())]
    lines = [_line(start, heirs, known, get) for start in starts or list(heirs)[:1]]
    return sorted(lines, key=lambda line: line[-1]["created_at"], reverse=True)


def heir_of(memory: JSON) -> str | None:
    """What a memory gave way to, the last of several; None where it stands, or where that one was swept."""
    return next((mark["by"] for mark in reversed(memory["superseded"]) if mark["lifted_at"] is None and mark["by"]), None)


def _line(start: str, heirs: Mapping[str, str], known: dict[str, JSON], get: Callable[[str], JSON | None]) -> list[JSON]:
    line: list[JSON] = []
    at: str | None = start
    while at is not None and len(line) < LONGEST and at not in {each["id"] for each in line}:
        memory = known.get(at) or get(at)
        if memory is None:
            break
        known[at] = memory
        line.append(memory)
        at = heirs.get(at) or heir_of(memory)
    return line


def choice_steps(newer: JSON, older_id: str) -> list[JSON]:
    """The four ways to settle a conflict, each with the steps that do it."""
    return [
        {"action": "keep both", "steps": [{"verb": "keep_both", "body": {"id": newer["id"], "other": older_id}}]},
        {
            "action": "update old",
            "steps": [
                {"verb": "update", "body": {"id": older_id, "text": newer["text"]}},
                {"verb": "forget", "body": {"ids": [newer["id"]]}},
            ],
        },
        {"action": "supersede", "steps": [{"verb": "update", "body": {"id": newer["id"], "supersedes": [older_id]}}]},
        {"action": "delete old", "steps": [{"verb": "forget", "body": {"ids": [older_id]}}]},
    ]


def _with_choices(opened: JSON) -> JSON:
    against = [{**each, "choices": choice_steps(opened["memory"], each["id"])} for each in opened["conflicts"]]
    return {"memory": opened["memory"], "conflicts": against}


def _merging(visit: Visit) -> JSON:
    try:
        at_least = float(visit.said("at_least"))
    except ValueError:
        raise InputError("at_least", visit.said("at_least"), "a number above 0 and at most 1") from None
    return {"plan": visit.ask("consolidate", {"at_least": at_least}), "standing": visit.ask("merges")["merges"]}


def _get(visit: Visit, memory_id: str) -> JSON | None:
    try:
        return visit.ask("get", {"id": memory_id})
    except NotFoundError:
        return None
