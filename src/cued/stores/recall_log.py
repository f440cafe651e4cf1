"""The recall log by the store's rules: what of a line is kept, and which lines a question means."""

from hashlib import blake2b

from msgspec.structs import replace

from cued.model import LogQuery, LogRules, RecallEntry


def as_kept(entry: RecallEntry, rules: LogRules) -> RecallEntry:
    """A line as the rules have it written: with its cue and its evidence, or without."""
    if rules.content == "last" or (rules.content == "sampled" and _drawn(entry.recall_id) < rules.share):
        return entry
    return replace(entry, cue=None, evidence=None)


def asked_for(entry: RecallEntry, query: LogQuery) -> bool:
    """Whether a question means this line."""
    return (
        query.recall_id in (None, entry.recall_id)
        and query.outcome in (None, entry.outcome)
        and query.policy in (None, entry.policy)
        and (query.since is None or query.since <= entry.at)
        and (query.until is None or entry.at < query.until)
    )


def _drawn(recall_id: str) -> float:
    """A number from 0 to 1 that is the same for a recall in every process."""
    return int.from_bytes(blake2b(recall_id.encode(), digest_size=8).digest()) / 2**64
