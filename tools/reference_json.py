"""The JSON contract: what each verb takes, from the request's types, and what it answers, from a recall that is really run."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from cued.surfaces.request import Around, Ask, Cooling, Judged, Merging, Opening, Sweeping
from msgspec import Struct
from msgspec import inspect as shapes

import cued
from cued.embed.hashing import Hashing
from cued.model import Filter
from cued.requests.draft import Change, Draft
from cued.surfaces import service
from tools.reference_policy import fields_of, rows, shape

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
_DIGITS = 3
_STEADIED = {"ms": 0.0, "bytes": 0, "recall_id": "01JWNAQ5E0ZZZZZZZZZZZZZZZZ"}


def json_page() -> str:
    """Give every verb: its request, and an answer."""
    with cued.open(embedder=Hashing(), settle="now", clock=lambda: NOW) as memories:
        tenant = memories.tenant("alice")
        for draft in _DRAFTS[:-1]:
            service.remember(tenant, draft)
        conflicting = service.remember(tenant, _DRAFTS[-1])
        recalled = service.recall(tenant, {"text": "When is the staging deploy?"})
        recall_id = recalled["recall_id"]
        sections = [
            ("remember", _taken(Draft, conflicts="`true`, `false`"), conflicting),
            ("recall", _taken(Ask), recalled),
            ("bootstrap", _taken(Opening), service.bootstrap(tenant, {"budget_tokens": 100})),
            ("feedback", f"A recall's id.\n\n{_taken(Judged)}", service.feedback(tenant, recall_id, {"cited": ["deploy"]})),
            ("explain", "The fields of `recall`. `memory` asks for the verdict on one memory.", _explained(tenant)),
            (
                "list",
                _taken(Filter, limit="see the Python reference", after="see the Python reference"),
                service.list_memories(tenant, {"tags": ["ops"]}),
            ),
            ("get", "An id.", service.get(tenant, "deploy")),
            ("update", _taken(Change), service.update(tenant, "cake", {"importance": 0.9})),
            ("stats", "Nothing.", service.stats(tenant)),
            ("forget", "Ids, and `erase`.", service.forget(tenant, ["cake"])),
            ("restore", "Ids.", service.restore(tenant, ["cake"])),
            ("why", "An id, and `depth`.", service.why(tenant, "moved")),
            ("timeline", _taken(Around), service.timeline(tenant, {"id": "cake", "before": 0, "after": 0})),
            ("consolidate", _taken(Merging), service.consolidate(tenant, {"apply": True, "at_least": 0.9})),
            ("merges", "Nothing.", service.merges(tenant)),
            ("unmerge", "Ids: of memories that stayed, or of ones that gave way.", service.unmerge(tenant, ["cake"])),
            ("sweep", _taken(Sweeping), service.sweep(tenant, {"grace": "7d"})),
            ("cool", _taken(Cooling), service.cool(tenant, {"older_than": "30d", "importance_below": 0.6})),
            ("reembed", "Nothing.", service.reembed(tenant)),
            ("export", "`vectors`; the lines are handed out one by one.", service.export(tenant, lambda _: None)),
            ("import", "A path, `format` and `scope`.", _imported(tenant)),
            ("policy diff", "Two policies.", service.policy_diff(cued.load_policy("lexical"), cued.load_policy("dense"))),
            ("policy check", "A policy's TOML.", service.policy_check('[floor]\nat = "high"\non = "relevence"\n', name="mine")),
        ]
    parts = [f"## `{verb}`\n\nTakes:\n\n{taken}\n\nGives:\n\n```json\n{_written(answer)}\n```" for verb, taken, answer in sections]
    return "\n\n".join([_HEAD, *parts]) + "\n"


def _explained(tenant: cued.Tenant) -> dict[str, Any]:
    answer = service.explain(tenant, {"text": "When is the staging deploy?", "memory": "cake"})
    return {**answer, "block": "…", "memories": ["…"], "near_misses": ["…"]}


def _imported(tenant: cued.Tenant) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "note.md").write_text("# Kitchen\n\nOats are in the left cupboard.\n", "utf-8")
        return service.import_file(tenant, Path(folder), {"scope": "home"})


def _taken(struct: type[Struct], **beside: str) -> str:
    lines = [(f"`{field.name}`", shape(field.type), "needed" if field.required else _default(field)) for field in fields_of(struct)]
    lines += [(f"`{name}`", accepted, "") for name, accepted in beside.items()]
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
    if key in _STEADIED:
        return _STEADIED[key]
    return round(value, _DIGITS) + 0.0 if isinstance(value, float) else value


_DRAFTS = (
    {"id": "deploy", "text": "The staging deploy runs every Friday at 16:00.", "tags": ["ops"], "at": "2025-05-20"},
    {"id": "cake", "text": "Bob bakes a lemon cake.", "at": "2025-05-30"},
    {"id": "old-cake", "text": "Bob bakes a lemon cake", "at": "2025-02-01"},
    {"id": "english", "text": "Answer in British English.", "tier": "core", "at": "2025-01-01"},
    {"id": "code", "text": "The wifi code is 1234.", "at": "2025-01-01", "ttl": "2d"},
    {"id": "moved", "text": "The staging deploy runs every Monday at 16:00.", "derived_from": ["cake"], "at": "2025-06-01"},
)
_HEAD = """# The JSON contract

<!-- This page is written by tools/reference.py: the answers below come from a real run. -->

Every surface speaks the same JSON: `cued … --json` prints it today. Times are RFC 3339 in UTC. A number that is not finite is `null`. A
field that is not listed is refused by name. An error is `{"error": {"type", "message", "exit_code", "notes", …}}`, on stderr. No request
names a tenant: whose memories they are comes from where the request arrives. Numbers below are rounded, and the times of measuring in
`timings_ms` and the size of an export are set to 0."""
