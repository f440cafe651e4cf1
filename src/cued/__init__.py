"""Cued recall for AI agents: the right memory at the right moment, or nothing at all, and it can show why.

>>> import cued
>>> alice = cued.open("memories.db").tenant("alice")
>>> alice.remember("Prefers Postgres for anything relational.")
>>> print(alice.recall("which database should I suggest?"))

`cued.connect` gives the same handle for the memories of a server, and `cued.aio` has the same verbs for asyncio.
A name is loaded when it is first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cued import aio
    from cued.embed import CuedWarning
    from cued.engine import decide
    from cued.engine.envelope import Envelope
    from cued.errors import (
        AccessError,
        BusyError,
        ConflictError,
        ContestedError,
        CorruptError,
        CuedError,
        EmbedderError,
        ForeignFileError,
        FullError,
        InputError,
        LostConnectionError,
        NewerSchemaError,
        NotFoundError,
        PolicyError,
        QuotaError,
        RateError,
        ReadOnlyError,
        ServerError,
        StoreError,
        TrustError,
        UnknownFieldError,
    )
    from cued.explain import Explanation, MeaningMap, Timeline, Verdict, Why
    from cued.handles.bootstrap import Pack
    from cued.handles.conversation import Conversation
    from cued.handles.keeping import OpenConflicts, Remembered
    from cued.handles.memories import Memories
    from cued.handles.memories import open_memories as open  # noqa: A004 - `cued.open` is the name that users type
    from cued.handles.tenant import Tenant
    from cued.importers.intake import Imported
    from cued.insight.comparing import Compared
    from cued.insight.doctor import Diagnosis
    from cued.insight.learnt import History
    from cued.insight.overview import Insight
    from cued.insight.pairs import Label, Unjudged
    from cued.insight.replay import Replayed
    from cued.insight.tuning import Tuned
    from cued.model import (
        Choice,
        Conflict,
        Cue,
        Evidence,
        Fingerprint,
        LogRules,
        Memory,
        Page,
        Quotas,
        Recall,
        Recalled,
        RecallEntry,
        Stats,
    )
    from cued.policy.presets import load_policy
    from cued.policy.spec import Policy
    from cued.requests.draft import Draft
    from cued.surfaces.remote.connecting import connect
    from cued.upkeep.backup import Copied
    from cued.upkeep.checking import Checked
    from cued.upkeep.consolidation import Applied, Merged, Plan
    from cued.upkeep.cooling import Cool
    from cued.upkeep.erasures import Erased, Erasure
    from cued.upkeep.reembedding import Reembedded

__version__ = "0.1.0"
__all__ = [
    "AccessError",
    "Applied",
    "BusyError",
    "Checked",
    "Choice",
    "Compared",
    "Conflict",
    "ConflictError",
    "ContestedError",
    "Conversation",
    "Cool",
    "Copied",
    "CorruptError",
    "Cue",
    "CuedError",
    "CuedWarning",
    "Diagnosis",
    "Draft",
    "EmbedderError",
    "Envelope",
    "Erased",
    "Erasure",
    "Evidence",
    "Explanation",
    "Fingerprint",
    "ForeignFileError",
    "FullError",
    "History",
    "Imported",
    "InputError",
    "Insight",
    "Label",
    "LogRules",
    "LostConnectionError",
    "MeaningMap",
    "Memories",
    "Memory",
    "Merged",
    "NewerSchemaError",
    "NotFoundError",
    "OpenConflicts",
    "Pack",
    "Page",
    "Plan",
    "Policy",
    "PolicyError",
    "QuotaError",
    "Quotas",
    "RateError",
    "ReadOnlyError",
    "Recall",
    "RecallEntry",
    "Recalled",
    "Reembedded",
    "Remembered",
    "Replayed",
    "ServerError",
    "Stats",
    "StoreError",
    "Tenant",
    "Timeline",
    "TrustError",
    "Tuned",
    "Unjudged",
    "UnknownFieldError",
    "Verdict",
    "Why",
    "aio",
    "connect",
    "decide",
    "load_policy",
    "open",
]

_HOMES = {
    "aio": ("aio",),
    "embed": ("CuedWarning",),
    "errors": tuple(name for name in __all__ if name.endswith("Error")),
    "engine": ("decide",),
    "engine.envelope": ("Envelope",),
    "explain": ("Explanation", "MeaningMap", "Timeline", "Verdict", "Why"),
    "handles.bootstrap": ("Pack",),
    "handles.conversation": ("Conversation",),
    "handles.keeping": ("OpenConflicts", "Remembered"),
    "handles.memories": ("Memories", "open"),
    "handles.tenant": ("Tenant",),
    "model": (
        "Choice",
        "Conflict",
        "Cue",
        "Evidence",
        "Fingerprint",
        "LogRules",
        "Memory",
        "Page",
        "Quotas",
        "Recall",
        "RecallEntry",
        "Recalled",
        "Stats",
    ),
    "policy.presets": ("load_policy",),
    "policy.spec": ("Policy",),
    "requests.draft": ("Draft",),
    "surfaces.remote.connecting": ("connect",),
    "importers.intake": ("Imported",),
    "insight.comparing": ("Compared",),
    "insight.doctor": ("Diagnosis",),
    "insight.learnt": ("History",),
    "insight.overview": ("Insight",),
    "insight.pairs": ("Label", "Unjudged"),
    "insight.replay": ("Replayed",),
    "insight.tuning": ("Tuned",),
    "upkeep.backup": ("Copied",),
    "upkeep.checking": ("Checked",),
    "upkeep.erasures": ("Erased", "Erasure"),
    "upkeep.consolidation": ("Applied", "Merged", "Plan"),
    "upkeep.cooling": ("Cool",),
    "upkeep.reembedding": ("Reembedded",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
_THERE = {"open": "open_memories"}
"""What a name is called in its module, where that is another."""


if not TYPE_CHECKING:  # who checks types knows the names above, and no others

    def __getattr__(name: str) -> object:
        """A public name, loaded from its module."""
        if name not in _HOME:
            raise AttributeError(f"module 'cued' has no attribute {name!r}; it has {', '.join(__all__)}")
        module = import_module(f"cued.{_HOME[name]}")
        value = module if name == _HOME[name] else getattr(module, _THERE.get(name, name))
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
