"""The nouns. Frozen values that can do no more than show themselves; every other module is functions between them.

Times are aware UTC datetimes. Scores: higher is better. Ranks start at 1 and 0 means "not found by this channel".
A noun is loaded when it is first used, so that what needs words alone does not wait for numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cued.model.array_types import Column, Matrix, Vector
    from cued.model.conflict import Choice, Conflict
    from cued.model.cues import Cue
    from cued.model.log import Feedback, LogQuery, LogRules, RecallEntry
    from cued.model.lookup import (
        COLUMNS,
        Background,
        DenseLookup,
        EntityLookup,
        Findings,
        Interval,
        LexicalLookup,
        Lookup,
        TemporalLookup,
        TermStatistic,
    )
    from cued.model.memory import (
        Edge,
        Filter,
        Fingerprint,
        LeftOut,
        Memory,
        Page,
        Record,
        Revised,
        Revision,
        Seen,
        Source,
        Stats,
        Stored,
        Supersession,
        Touch,
        Use,
    )
    from cued.model.recall import Evidence, Omitted, Recall, Recalled, Summary, Trace
    from cued.model.rows import Head, Indexed, Judged, Row, Slice
    from cued.model.words import (
        CHANNELS,
        DERIVED_FROM,
        DISTINCT,
        EPOCH,
        GATES,
        GLOBAL,
        KINDS,
        MERGED,
        NO_TIME,
        TIERS,
        TRUSTS,
        ChannelName,
        ConflictType,
        Gate,
        Intent,
        Kind,
        Outcome,
        Scalar,
        Tier,
        Trust,
    )

__all__ = [
    "CHANNELS",
    "COLUMNS",
    "DERIVED_FROM",
    "DISTINCT",
    "EPOCH",
    "GATES",
    "GLOBAL",
    "KINDS",
    "MERGED",
    "NO_TIME",
    "TIERS",
    "TRUSTS",
    "Background",
    "ChannelName",
    "Choice",
    "Column",
    "Conflict",
    "ConflictType",
    "Cue",
    "DenseLookup",
    "Edge",
    "EntityLookup",
    "Evidence",
    "Feedback",
    "Filter",
    "Findings",
    "Fingerprint",
    "Gate",
    "Head",
    "Indexed",
    "Intent",
    "Interval",
    "Judged",
    "Kind",
    "LeftOut",
    "LexicalLookup",
    "LogQuery",
    "LogRules",
    "Lookup",
    "Matrix",
    "Memory",
    "Omitted",
    "Outcome",
    "Page",
    "Recall",
    "RecallEntry",
    "Recalled",
    "Record",
    "Revised",
    "Revision",
    "Row",
    "Scalar",
    "Seen",
    "Slice",
    "Source",
    "Stats",
    "Stored",
    "Summary",
    "Supersession",
    "TemporalLookup",
    "TermStatistic",
    "Tier",
    "Touch",
    "Trace",
    "Trust",
    "Use",
    "Vector",
]

_HOMES = {
    "array_types": ("Column", "Matrix", "Vector"),
    "conflict": ("Choice", "Conflict"),
    "log": ("Feedback", "LogQuery", "LogRules", "RecallEntry"),
    "lookup": (
        "COLUMNS",
        "Background",
        "DenseLookup",
        "EntityLookup",
        "Findings",
        "Interval",
        "LexicalLookup",
        "Lookup",
        "TemporalLookup",
        "TermStatistic",
    ),
    "memory": (
        "Edge",
        "Filter",
        "Fingerprint",
        "LeftOut",
        "Memory",
        "Page",
        "Record",
        "Revised",
        "Revision",
        "Seen",
        "Source",
        "Stats",
        "Stored",
        "Supersession",
        "Touch",
        "Use",
    ),
    "cues": ("Cue",),
    "recall": ("Evidence", "Omitted", "Recall", "Recalled", "Summary", "Trace"),
    "rows": ("Head", "Indexed", "Judged", "Row", "Slice"),
    "words": (
        "CHANNELS",
        "DERIVED_FROM",
        "DISTINCT",
        "EPOCH",
        "GATES",
        "GLOBAL",
        "KINDS",
        "MERGED",
        "NO_TIME",
        "TIERS",
        "TRUSTS",
        "ChannelName",
        "ConflictType",
        "Gate",
        "Intent",
        "Kind",
        "Outcome",
        "Scalar",
        "Tier",
        "Trust",
    ),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any noun
    """A noun, loaded from its module."""
    if name not in _HOME:
        raise AttributeError(f"module 'cued.model' has no attribute {name!r}")
    value = getattr(import_module(f"cued.model.{_HOME[name]}"), name)
    globals()[name] = value
    return value
