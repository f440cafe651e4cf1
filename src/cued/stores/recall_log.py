"""The recall log by the store's rules: what of a line is kept, which lines a question means, and whom a kept recall names."""

from collections.abc import Collection, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cued.model import ERASED, LogQuery, LogRules, RecallEntry


class _Named(Struct, frozen=True):
    id: str


class _Findings(Struct, frozen=True):
    memories: tuple[_Named, ...] = ()
    core: tuple[_Named, ...] = ()


class _Evidence(Struct, frozen=True):
    findings: _Findings = _Findings()


class _Envelope(Struct, frozen=True):
    """What of an envelope tells whom it names."""

    evidence: _Evidence = _Evidence()


def as_kept(entry: RecallEntry, rules: LogRules) -> RecallEntry:
    """A line as the rules have it written: with its cue and its evidence, or without."""
    return entry if rules.keeps_content(entry.recall_id) else bare(entry)


def bare(entry: RecallEntry) -> RecallEntry:
    """A line without its cue and its evidence."""
    return replace(entry, cue=None, evidence=None)


def without_ids(entry: RecallEntry, erased: Collection[str]) -> RecallEntry:
    """A line that names none of the erased memories, and has neither cue nor evidence; how many it chose is still told."""

    def told(ids: Sequence[str]) -> tuple[str, ...]:
        return tuple(ERASED if each in erased else each for each in ids)

    return replace(bare(entry), chosen=told(entry.chosen), cited=told(entry.cited), bad=told(entry.bad))


def asked_for(entry: RecallEntry, query: LogQuery) -> bool:
    """Whether a question means this line."""
    return (
        query.recall_id in (None, entry.recall_id)
        and query.outcome in (None, entry.outcome)
        and query.policy in (None, entry.policy)
        and (query.since is None or query.since <= entry.at)
        and (query.until is None or entry.at < query.until)
        and not (query.kept and entry.evidence is None)
        and (not query.naming or not set(query.naming).isdisjoint(entry.chosen))
    )


def named(evidence: bytes) -> set[str]:
    """The ids of all memories that the envelope of a recall has the texts of; what is no envelope names nobody."""
    try:
        findings = _DECODER.decode(evidence).evidence.findings
    except (msgspec.DecodeError, UnicodeDecodeError):
        return set()
    return {memory.id for memory in (*findings.memories, *findings.core)}


_DECODER = msgspec.json.Decoder(_Envelope)
