"""The JSON contract: what each verb takes, from the request's types, and what it answers, from a recall that is really run."""

from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Struct
from msgspec import inspect as shapes

import cued
from cued.draft import Change, Draft
from cued.embed.hashing import Hashing
from cued.model import Filter
from cued.surfaces import service
from cued.surfaces.request import Ask
from tools.reference_policy import fields_of, rows, shape

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
_DIGITS = 3


def json_page() -> str:
    """Give every verb: its request, and an answer."""
    with cued.open(embedder=Hashing(), settle="off", clock=lambda: NOW) as memories:
        tenant = memories.tenant("alice")
        remember = service.remember(tenant, _DRAFTS[0])
        for draft in _DRAFTS[1:]:
            service.remember(tenant, draft)
        sections = [
            ("remember", _taken(Draft), remember),
            ("recall", _taken(Ask), service.recall(tenant, {"text": "When is the staging deploy?"})),
            ("explain", "The fields of `recall`. `memory` asks for the verdict on one memory.", _explained(tenant)),
            ("list", _taken(Filter, ("limit", "after")), service.list_memories(tenant, {"tags": ["ops"]})),
            ("get", "An id.", service.get(tenant, "deploy")),
            ("update", _taken(Change), service.update(tenant, "cake", {"importance": 0.9})),
            ("stats", "Nothing.", service.stats(tenant)),
            ("forget", "Ids, and `erase`.", service.forget(tenant, ["cake"])),
            ("restore", "Ids.", service.restore(tenant, ["cake"])),
            ("policy diff", "Two policies.", service.policy_diff(cued.load_policy("lexical"), cued.load_policy("dense"))),
            ("policy check", "A policy's TOML.", service.policy_check('[floor]\nat = "high"\non = "relevence"\n', name="mine")),
        ]
    parts = [f"## `{verb}`\n\nTakes:\n\n{taken}\n\nGives:\n\n```json\n{_written(answer)}\n```" for verb, taken, answer in sections]
    return "\n\n".join([_HEAD, *parts]) + "\n"


def _explained(tenant: cued.Tenant) -> dict[str, Any]:
    answer = service.explain(tenant, {"text": "When is the staging deploy?", "memory": "cake"})
    return {**answer, "block": "…", "memories": ["…"], "near_misses": ["…"]}


def _taken(struct: type[Struct], beside: tuple[str, ...] = ()) -> str:
    lines = [(f"`{field.name}`", shape(field.type), "needed" if field.required else _default(field)) for field in fields_of(struct)]
    lines += [(f"`{name}`", "see the Python reference", "") for name in beside]
    return rows(("field", "accepted", "default"), lines)


def _default(field: shapes.Field) -> str:
    value = field.default
    if value is msgspec.NODEFAULT or value is msgspec.UNSET or value in (None, (), ""):
        return ""
    return f"`{msgspec.json.encode(value).decode()}`"


def _written(answer: dict[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(_steady(answer)), indent=2).decode()


def _steady(value: Any, key: str = "") -> Any:  # noqa: ANN401 - any JSON value
    """Give the value without what changes from run to run: times of measuring, random ids, and digits beyond the third."""
    if isinstance(value, dict):
        return {name: _steady(item, "ms" if key == "timings_ms" else name) for name, item in value.items()}
    if isinstance(value, list):
        return [_steady(item, key) for item in value]
    if key == "ms":
        return 0.0
    if key == "recall_id":
        return "01JWNAQ5E0ZZZZZZZZZZZZZZZZ"
    if isinstance(value, float):
        return round(value, _DIGITS) + 0.0
    return value


_DRAFTS = (
    {"id": "deploy", "text": "The staging deploy runs every Friday at 16:00.", "tags": ["ops"], "at": "2025-05-20"},
    {"id": "cake", "text": "Bob bakes a lemon cake.", "at": "2025-05-30"},
)
_HEAD = """# The JSON contract

<!-- This page is written by tools/reference.py: the answers below come from a real run. -->

Every surface speaks the same JSON: `cued … --json` prints it today. Times are RFC 3339 in UTC. A number that is not finite is `null`. A
field that is not listed is refused by name. An error is `{"error": {"type", "message", "exit_code", "notes", …}}`, on stderr. No request
names a tenant: whose memories they are comes from where the request arrives. Numbers below are rounded, and the times of measuring in
`timings_ms` are set to 0."""
