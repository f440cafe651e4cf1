"""The JSON contract: what each verb takes, from the request's types, and what it answers, from a recall that is really run."""

import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct

import cued
from cued.embed import Hashing
from cued.requests.fields import Field, accepted, fields_of
from cued.surfaces import service
from cued.surfaces.verb import Verb
from cued.surfaces.verbs import VERBS, call, schemas
from tools.reference_policy import rows

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
_DIGITS = 3
_STEADIED: dict[str, Any] = {"ms": 0.0, "total_ms": 0.0, "median_ms": 0.0, "bytes": 0, "recall_id": "01JWNAQ5E0ZZZZZZZZZZZZZZZZ"}
_TIMED = {"timings_ms", "stage_ms", "stages_ms", "ms"}
_MADE_ID = re.compile(r"\b01JWN[0-9A-HJKMNP-TV-Z]{21}\b")
_LAST = ("erase_everything",)
"""Verbs that leave nothing for the others to answer with."""
_OF_MANY = ("tune", "tune_for_all")
_JUDGED = 20


def json_page() -> str:
    """Every verb: its request, and an answer."""
    with tempfile.TemporaryDirectory() as folder:
        answers = _answers(Path(folder))
    parts = [_section(verb, answers[name]) for name, verb in VERBS.items()]
    policies = [
        ("policy diff", "Two policies.", service.policy_diff(cued.load_policy("lexical"), cued.load_policy("dense"))),
        ("policy check", "A policy's TOML.", service.policy_check('[floor]\nat = "high"\non = "relevence"\n', name="mine")),
    ]
    parts += [f"## `{name}`\n\nTakes:\n\n{taken}\n\nGives:\n\n```json\n{_written(answer)}\n```" for name, taken, answer in policies]
    return "\n\n".join([_HEAD, *parts]) + "\n"


def schema_file() -> str:
    """The JSON schema of every verb's request, in one object by the verb's name."""
    return msgspec.json.format(msgspec.json.encode(schemas()), indent=2).decode() + "\n"


def _answers(folder: Path) -> dict[str, dict[str, Any]]:
    """Each verb's answer to its first example, from one store that is really asked, in the order of the table."""
    (folder / "notes").mkdir()
    (folder / "notes" / "note.md").write_text("# Kitchen\n\nOats are in the left cupboard.\n", "utf-8")
    found: dict[str, dict[str, Any]] = {}
    kept = cued.LogRules(content="last")
    with cued.open(folder / "memories.db", embedder=Hashing(), settle="now", clock=lambda: NOW, log=kept) as memories:
        tenant = memories.tenant("alice")
        for draft in _DRAFTS[:-1]:
            call("remember", tenant, draft)
        found["remember"] = call("remember", tenant, _DRAFTS[-1])
        call("remember", memories.tenant("bob"), {"text": "Bob keeps bees."})
        for verb in sorted(VERBS.values(), key=lambda verb: verb.name in _LAST):
            if verb.name not in found:
                found[verb.name] = _answer(verb, memories, tenant, found, folder)
    return found


def _answer(verb: Verb, memories: cued.Memories, tenant: cued.Tenant, found: dict[str, Any], folder: Path) -> dict[str, Any]:
    body = dict(verb.examples[0])
    if "recall_id" in body:
        body["recall_id"] = found["recall"]["recall_id"]
    if "path" in body:
        body["path"] = str(folder / body["path"])
    if verb.name in _OF_MANY:
        _recall_often(tenant)
    more: dict[str, Any] = {"write": lambda _: None} if verb.streams else {}
    whose = memories.tenant("bob") if verb.name.startswith("remember") else tenant
    answer = call(verb.name, memories if verb.works_on == "store" else whose, body, **more)
    if verb.name == "explain":
        answer |= {"block": "…", "memories": ["…"], "near_misses": ["…"]}
    if verb.name == "doctor":
        answer["beside"] = ["…"]
    if "path" in answer:
        answer["path"] = verb.examples[0].get("path", "memories.db")
    return answer


def _recall_often(tenant: cued.Tenant) -> None:
    """So many recalls, and so many judged, that something can be learnt."""
    for number in range(200):
        recall = tenant.recall(("When is the staging deploy?", "How do I boil an egg?")[number % 2])
        if number < _JUDGED:
            tenant.label(recall.recall_id, "right" if recall.memories else "nothing")


def _section(verb: Verb, answer: dict[str, Any]) -> str:
    example = msgspec.json.encode(_DRAFTS[-1] if verb.name == "remember" else verb.examples[0]).decode()
    facts = f"{verb.about} {_AUTHORITIES[verb.authority]}{' It may take long.' if verb.long else ''}"
    told = f"{facts}\n\n{_taken(verb.request)}\n\n```json\n{example}\n```"
    return f"## `{verb.name}`\n\n{told}\n\nGives:\n\n```json\n{_written(answer)}\n```"


def _taken(struct: type[Struct]) -> str:
    fields = fields_of(struct).values()
    if not fields:
        return "Takes nothing."
    lines = [(f"`{each.name}`", accepted(each.type), _default(each), each.about) for each in fields]
    return f"Takes:\n\n{rows(('field', 'accepted', 'default', 'meaning'), lines)}"


def _default(field: Field) -> str:
    if field.required:
        return "needed"
    return "" if field.default in (UNSET, None, (), "") else f"`{msgspec.json.encode(field.default).decode()}`"


def _written(answer: dict[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(_steady(answer)), indent=2).decode()


def _steady(value: Any, key: str = "") -> Any:  # noqa: ANN401 - any JSON value
    """The value without what changes from run to run: times of measuring, random ids, and digits beyond the third."""
    if isinstance(value, dict):
        return {name: _steady(item, "ms" if key in _TIMED else name) for name, item in value.items()}
    if isinstance(value, list):
        return [_steady(item, key) for item in value]
    if isinstance(value, str):
        return _MADE_ID.sub(_STEADIED["recall_id"], value)
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
_AUTHORITIES = {
    "read": "For whoever may read the tenant's memories.",
    "write": "For whoever may write the tenant's memories.",
    "admin": "For whoever looks after the store.",
}
_HEAD = """# The JSON contract

<!-- This page is written by tools/reference.py: the answers below come from a real run. -->

Every surface speaks the same JSON: `cued … --json` prints it, and a server answers with it. Times are RFC 3339 in UTC. A number that is
not finite is `null`. A field that is not listed is refused by name. An error is `{"error": {"type", "message", "exit_code", "notes", …}}`,
on stderr. No request names a tenant: whose memories they are comes from where the request arrives. Numbers below are rounded, and the times
of measuring in `timings_ms` and the size of an export are set to 0. The same requests as JSON schemas:
[requests.schema.json](requests.schema.json)."""
