"""Labelled pairs: a cue's evidence with the memories that were right for it, and what an answer is worth by them."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cued.engine.envelope import Envelope
from cued.errors import InputError
from cued.model import Evidence, LogQuery, RecallEntry
from cued.model.plain import Plain
from cued.model.words import LABELS_DOCUMENT
from cued.ports import Store
from cued.requests.checks import moment
from cued.requests.insights import Judgement, Labelled

_MOST = 5000
NOISE = 0.1
"""What a place taken by a memory that was not right costs, of what the whole gold is worth."""


class LabelledPair(Struct, frozen=True, kw_only=True):
    """One cue's evidence, when it was asked, and the ids that were right; none says that nothing was."""

    evidence: Evidence
    at: datetime
    gold: tuple[str, ...]


class Label(Struct, frozen=True, kw_only=True):
    """What a person said of one recall: what came back was right, was wrong, or nothing in the store was right.

    What is kept of it leaves out what was `chosen`: the recall's line tells that, and of what is erased no longer.
    """

    recall_id: str
    verdict: Judgement
    chosen: tuple[str, ...] = ()
    at: datetime


def read_labelled(data: bytes, *, where: str = "pairs") -> tuple[Labelled, ...]:
    """The labelled cues in JSON lines; one that cannot be read is refused with its line and what is accepted."""
    accepted = '{"query": "When is the deploy?", "gold_ids": ["deploy"]}; no gold_ids say that nothing in the store is right'
    cues = list[Labelled]()
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            try:
                cues.append(_labelled(line))
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise InputError(f"{where}, line {number}", line.decode("utf-8", "replace"), f"{accepted} ({error})") from error
    return tuple(cues)


def _labelled(line: bytes) -> Labelled:
    """A labelled cue; what the lines of a data set have beside it is passed over."""
    written = msgspec.json.decode(line, type=dict[str, Any])
    said = {name: value for name, value in written.items() if name not in _BESIDE and value is not None}
    at = moment("asked_at", said.pop("asked_at", None))
    return msgspec.convert({**said, "asked_at": at}, Labelled)


class Unjudged(Plain, frozen=True, kw_only=True):
    """A kept recall to be judged: its cue, and the texts that came back, or the near misses where none did."""

    recall_id: str
    at: datetime
    cue: str
    chosen: tuple[str, ...]
    texts: tuple[str, ...]


def labels(tenant: str, store: Store) -> tuple[Label, ...]:
    """What a person has said of recalls so far, in the order said."""
    kept = store.document(tenant, LABELS_DOCUMENT)
    return () if kept is None else _LABELS.decode(kept)


def labelled(kept: bytes | None, label: Label) -> bytes:
    """The document with this label in place of an earlier one on the same recall; of many, the last few thousand stay."""
    earlier = () if kept is None else _LABELS.decode(kept)
    return msgspec.json.encode([*(each for each in earlier if each.recall_id != label.recall_id), replace(label, chosen=())][-_MOST:])


def unlabelled(tenant: str, store: Store, *, limit: int) -> tuple[Unjudged, ...]:
    """The newest kept recalls that nobody has judged, those that spoke and those that nearly did in turn."""
    known = {label.recall_id for label in labels(tenant, store)}
    lines = store.log(tenant, LogQuery(kept=True, limit=_MOST))
    fresh = [line for line in lines if line.recall_id not in known and not line.cited and not line.bad and line.candidates]
    spoke = [line for line in fresh if line.chosen]
    silent = sorted((line for line in fresh if not line.chosen), key=lambda line: -line.best_relevance)
    half = limit // 2
    taken = [*spoke[: max(half, limit - len(silent))], *silent[: max(limit - half, limit - len(spoke))]][:limit]
    whole = (store.log(tenant, LogQuery(recall_id=line.recall_id, limit=1, content=True)) for line in taken)
    return tuple(_to_judge(found[0]) for found in whole if found and found[0].evidence is not None)


def _to_judge(line: RecallEntry) -> Unjudged:
    recall = Envelope.decode(line.evidence or b"").decide()
    texts = tuple(each.text for each in (recall.memories or recall.near_misses))
    return Unjudged(recall_id=line.recall_id, at=line.at, cue=line.cue or "", chosen=line.chosen, texts=texts)


def judged_pairs(tenant: str, store: Store) -> tuple[LabelledPair, ...]:
    """The pairs that labels and feedback make of kept recalls, oldest first."""
    said = {label.recall_id: label for label in labels(tenant, store)}
    lines = store.log(tenant, LogQuery(kept=True, limit=_MOST, oldest_first=True))
    pairs = list[LabelledPair]()
    for line in lines:
        gold = _gold(line, said.get(line.recall_id))
        if gold is None:
            continue
        for whole in store.log(tenant, LogQuery(recall_id=line.recall_id, limit=1, content=True)):  # none where it was erased meanwhile
            if whole.evidence is not None:
                pairs.append(LabelledPair(evidence=Envelope.decode(whole.evidence).evidence, at=line.at, gold=gold))
    return tuple(pairs)


def _gold(line: RecallEntry, label: Label | None) -> tuple[str, ...] | None:
    """The ids known to be right for a recall, () where silence would have been right, None where neither is known."""
    if label is not None and label.verdict != "wrong":
        return line.chosen if label.verdict == "right" else ()
    if line.cited:
        return line.cited
    # Nothing that came back was right: what would have been nobody knows, but silence would have been better.
    wrong = line.chosen if label is not None else line.bad
    return () if wrong and set(wrong) == set(line.chosen) else None


def found(chosen: Collection[str], gold: Collection[str]) -> float:
    """The share of the gold that is among the chosen; without gold, 1 for silence and 0 for speaking."""
    return len(set(gold) & set(chosen)) / len(gold) if gold else float(not chosen)


def worth(chosen: Sequence[str], pair: LabelledPair, *, limit: int) -> float:
    """What an answer is worth: the share of the gold found, less a tenth of the share of places that others took."""
    others = sum(memory_id not in pair.gold for memory_id in chosen)
    return found(chosen, pair.gold) - NOISE * others / limit


def by_time(pairs: Iterable[LabelledPair]) -> list[LabelledPair]:
    """The pairs, oldest first."""
    return sorted(pairs, key=lambda pair: (pair.at, pair.evidence.recall_id))


_BESIDE = frozenset({"id", "category", "tenant", "gold_sessions"})
_LABELS = msgspec.json.Decoder(tuple[Label, ...])
