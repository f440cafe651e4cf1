"""The table of verbs: each once, with its request, its function, whether it writes, and who may use it.

The command line, the server, the tools of agents, the JSON schemas and the reference are made from it or checked against it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cued.errors import InputError
from cued.handles.memories import Memories
from cued.handles.tenant import Tenant
from cued.model.plain import JSON
from cued.ports import Progress, silent
from cued.requests import cue, draft, listing, turns, upkeep
from cued.requests.checks import read
from cued.surfaces import service
from cued.surfaces.insight_verbs import INSIGHT_VERBS
from cued.surfaces.upkeep_verbs import UPKEEP_VERBS
from cued.surfaces.verb import Verb

_NONE: Mapping[str, Any] = MappingProxyType({})


def call(name: str, target: Tenant | Memories, body: Mapping[str, Any] = _NONE, *, progress: Progress = silent, **more: Any) -> JSON:  # noqa: ANN401 - what a verb is handed beside its request
    """A verb's answer to the request in a JSON object; `more` is passed on to the verb's function."""
    if name not in VERBS:
        raise InputError("verb", name, f"one of {', '.join(VERBS)}")
    verb = VERBS[name]
    heard = {"progress": progress} if verb.long else {}
    return verb.function(target, read(body, verb.request), **heard, **more)


def schemas() -> dict[str, JSON]:
    """The JSON schema of each verb's request, by the verb's name; each is complete in itself."""
    return {name: schema_of(verb.request) for name, verb in VERBS.items()}


def schema_of(kind: type[Struct]) -> JSON:
    """The JSON schema of a struct, complete in itself."""
    (_,), parts = msgspec.json.schema_components([kind])
    whole = dict(parts.pop(kind.__name__))
    return {**whole, "$defs": parts} if parts else whole


_TABLE = (
    Verb(
        name="remember",
        about="Store a memory, and tell what it is at odds with.",
        request=draft.RememberRequest,
        function=service.remember,
        authority="write",
        examples=({"text": "The staging deploy runs every Friday at 16:00.", "tags": ["ops"]},),
    ),
    Verb(
        name="remember_many",
        about="Store many memories.",
        request=upkeep.ManyRequest,
        function=service.remember_many,
        authority="write",
        long=True,
        examples=({"memories": [{"text": "Bob bakes a lemon cake."}, {"text": "The kiln cracked.", "scope": "pottery"}]},),
    ),
    Verb(
        name="remember_turns",
        about="Store turns of a conversation.",
        request=turns.TurnsRequest,
        function=service.remember_turns,
        authority="write",
        examples=({"session": "monday", "turns": [{"role": "user", "content": "I moved to Lisbon."}]},),
    ),
    Verb(
        name="recall",
        about="Bring to mind what fits a cue, or nothing.",
        request=cue.RecallRequest,
        function=service.recall,
        authority="read",
        writes=True,
        examples=({"text": "When is the staging deploy?"}, {"text": "Try it again", "goal": "Deploy the billing service", "limit": 3}),
    ),
    Verb(
        name="bootstrap",
        about="Show what a conversation should start with.",
        request=upkeep.BootstrapRequest,
        function=service.bootstrap,
        authority="read",
        examples=({"budget_tokens": 100},),
    ),
    Verb(
        name="explain",
        about="Show why each memory came back or did not.",
        request=cue.ExplainRequest,
        function=service.explain,
        authority="read",
        examples=({"text": "When is the staging deploy?", "memory": "cake"},),
    ),
    Verb(
        name="feedback",
        about="Tell what a recall was good for.",
        request=upkeep.FeedbackRequest,
        function=service.feedback,
        authority="write",
        examples=({"recall_id": "01JWNAQ5E0ZZZZZZZZZZZZZZZZ", "cited": ["deploy"]},),
    ),
    Verb(
        name="log",
        about="Show lines of the recall log: what each recall came to.",
        request=listing.LogRequest,
        function=service.log,
        authority="read",
        examples=({"limit": 1}, {"since": "2025-05-01", "outcome": "below_floor", "oldest_first": True}),
    ),
    Verb(
        name="list",
        about="List memories, newest first.",
        request=listing.ListRequest,
        function=service.list_memories,
        authority="read",
        examples=({"tags": ["ops"]}, {"meta": {"ticket": 7}}),
    ),
    Verb(
        name="get",
        about="Show a memory by its id.",
        request=upkeep.IdRequest,
        function=service.get,
        authority="read",
        examples=({"id": "deploy"},),
    ),
    Verb(
        name="stats",
        about="Count what is stored.",
        request=upkeep.NoFields,
        function=service.stats,
        authority="read",
    ),
    Verb(
        name="why",
        about="Show what a memory comes from and led to.",
        request=upkeep.WhyRequest,
        function=service.why,
        authority="read",
        examples=({"id": "moved"},),
    ),
    Verb(
        name="timeline",
        about="Show what was stored around a memory or a time.",
        request=listing.TimelineRequest,
        function=service.timeline,
        authority="read",
        examples=({"id": "cake", "before": 0, "after": 0}, {"at": "2025-06-01"}),
    ),
    Verb(
        name="map",
        about="Lay memories out by meaning.",
        request=listing.MapRequest,
        function=service.lay_out,
        authority="read",
        examples=({"limit": 3}, {"scope": "pottery", "text": "Why did the kiln crack?"}),
    ),
    Verb(
        name="conflicts",
        about="List open conflicts: what stands and is at odds with something older.",
        request=upkeep.ConflictsRequest,
        function=service.conflicts,
        authority="read",
        examples=({"limit": 5},),
    ),
    Verb(
        name="keep_both",
        about="Settle a conflict by keeping both memories.",
        request=upkeep.KeepBothRequest,
        function=service.keep_both,
        authority="write",
        examples=({"id": "deploy", "other": "cake"},),
    ),
    Verb(
        name="update",
        about="Change a memory.",
        request=draft.UpdateRequest,
        function=service.update,
        authority="write",
        examples=({"id": "cake", "importance": 0.9},),
    ),
    Verb(
        name="forget",
        about="Hide memories from every recall, or erase them for good.",
        request=upkeep.ForgetRequest,
        function=service.forget,
        authority="write",
        examples=({"ids": ["cake"]},),
    ),
    Verb(
        name="restore",
        about="Bring forgotten memories back.",
        request=upkeep.IdsRequest,
        function=service.restore,
        authority="write",
        examples=({"ids": ["cake"]},),
    ),
    Verb(
        name="quarantine",
        about="Keep memories from every recall until a person promotes them.",
        request=upkeep.IdsRequest,
        function=service.quarantine,
        authority="write",
        examples=({"ids": ["cake"]},),
    ),
    Verb(
        name="promote",
        about="Let memories out of quarantine, or vouch for them.",
        request=upkeep.PromoteRequest,
        function=service.promote,
        authority="write",
        examples=({"ids": ["cake"], "trust": "user"},),
    ),
    Verb(
        name="erase_everything",
        about="Erase all that is kept for the tenant, for good.",
        request=upkeep.NoFields,
        function=service.erase_everything,
        authority="admin",
        writes=True,
    ),
    *UPKEEP_VERBS,
    *INSIGHT_VERBS,
)
VERBS: Mapping[str, Verb] = MappingProxyType({verb.name: replace(verb, writes=verb.writes or verb.authority == "write") for verb in _TABLE})
