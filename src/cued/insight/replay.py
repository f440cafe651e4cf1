"""Replay: what another policy would have made of recalls that are kept, before anybody switches to it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from cued.engine import decide
from cued.engine.envelope import Envelope
from cued.engine.narrowing import narrowed
from cued.errors import InputError
from cued.model import CHANNELS, LogQuery, Memory, Outcome, Recall, RecallEntry
from cued.model.plain import Plain
from cued.policy.calibration import digest
from cued.policy.spec import Policy
from cued.ports import Progress, Store

_SHOWN = 10
KEEP = 'kept recalls: open the store with log=LogRules(content="last"), or `cued --keep last`, and recall for a while'


class Place(Struct, frozen=True, kw_only=True):
    """Where a memory stood in one recall under both policies; None where it was not in the answer."""

    id: str
    text: str
    before: int | None
    after: int | None
    relevance: float
    fate: str


class Changed(Struct, frozen=True, kw_only=True):
    """One recall under both policies: what came in, what went, and the tokens of the block."""

    recall_id: str
    at: datetime
    cue: str
    outcome_before: Outcome
    outcome_after: Outcome
    came: tuple[str, ...]
    went: tuple[str, ...]
    tokens_before: int
    tokens_after: int
    places: tuple[Place, ...] = ()


class Moved(Struct, frozen=True, kw_only=True):
    """A memory that comes in or goes, and in how many recalls."""

    id: str
    text: str
    recalls: int


class Replayed(Plain, frozen=True, kw_only=True):
    """What policy B would have changed over these recalls.

    `overlap` is the mean share of memories that both have, of those that either has, over recalls in which either spoke. `notes` tell
    what could not be replayed, since it was not read then.
    """

    policy: str
    policy_digest: str
    recalls: int
    asked: int
    injection_before: float
    injection_after: float
    overlap: float
    unchanged: int
    tokens_before: float
    tokens_after: float
    came: tuple[Moved, ...]
    went: tuple[Moved, ...]
    changed: tuple[Changed, ...]
    notes: tuple[str, ...] = ()


def replay(tenant: str, store: Store, policy: Policy, *, last: int, progress: Progress) -> Replayed:
    """What the policy makes of the last kept recalls, beside what was decided then."""
    lines = store.log(tenant, LogQuery(kept=True, content=True, limit=last))
    if not lines:
        raise InputError("replay", 0, KEEP)
    seen: dict[str, Memory] = {}
    changes, notes = list[Changed](), dict[str, None]()
    for done, line in enumerate(reversed(lines), 1):
        envelope = Envelope.decode(line.evidence or b"")
        seen |= {memory.id: memory for memory in envelope.evidence.findings.memories}
        notes |= dict.fromkeys(_unread(envelope, policy))
        changes.append(_changed(line, decide(narrowed(envelope.evidence, policy), policy)))
        progress(done, len(lines))
    texts = {memory_id: memory.text for memory_id, memory in seen.items()}
    return replace(_summed(policy, [*reversed(lines)], changes, texts), asked=last, notes=tuple(notes))


def replay_one(tenant: str, store: Store, policy: Policy, recall_id: str) -> Replayed:
    """One kept recall under the policy, side by side with what was decided then."""
    lines = store.log(tenant, LogQuery(recall_id=recall_id, content=True, limit=1))
    if not lines or lines[0].evidence is None:
        raise InputError("recall_id", recall_id, KEEP)
    envelope = Envelope.decode(lines[0].evidence)
    after = decide(narrowed(envelope.evidence, policy), policy)
    texts = {memory.id: memory.text for memory in envelope.evidence.findings.memories}
    change = _changed(lines[0], after, places=_places(lines[0], after, texts))
    return replace(_summed(policy, lines, [change], texts), notes=tuple(_unread(envelope, policy)))


def _changed(line: RecallEntry, after: Recall, *, places: tuple[Place, ...] = ()) -> Changed:
    new = tuple(each.id for each in after)
    return Changed(
        recall_id=line.recall_id,
        at=line.at,
        cue=line.cue or "",
        outcome_before=line.outcome,
        outcome_after=after.outcome,
        came=tuple(each for each in new if each not in line.chosen),
        went=tuple(each for each in line.chosen if each not in new),
        tokens_before=line.tokens,
        tokens_after=after.tokens,
        places=places,
    )


def _places(line: RecallEntry, after: Recall, texts: dict[str, str]) -> tuple[Place, ...]:
    """Every memory of either answer, the old order first."""
    before = {memory_id: rank for rank, memory_id in enumerate(line.chosen, 1)}
    now = {each.id: each.rank for each in after}
    row = {memory_id: number for number, memory_id in enumerate(after.trace.ids)}
    relevance = after.trace.columns.get("relevance")
    return tuple(
        Place(
            id=memory_id,
            text=texts.get(memory_id, ""),
            before=before.get(memory_id),
            after=now.get(memory_id),
            relevance=float(relevance[row[memory_id]]) if relevance is not None and memory_id in row else 0.0,
            fate=after.trace.fates[row[memory_id]] if memory_id in row else "not among what the policy would have read",
        )
        for memory_id in dict.fromkeys([*before, *now])
    )


def _summed(policy: Policy, lines: Sequence[RecallEntry], changes: Sequence[Changed], texts: Mapping[str, str]) -> Replayed:
    count, both = len(changes), list(zip(lines, changes, strict=True))
    sizes = [(len(line.chosen), len(line.chosen) - len(change.went) + len(change.came)) for line, change in both]
    shared = [
        (old - len(change.went)) / (old + len(change.came)) for (old, new), (_, change) in zip(sizes, both, strict=True) if old or new
    ]

    def moved(name: str) -> tuple[Moved, ...]:
        counts = Counter(memory_id for change in changes for memory_id in getattr(change, name))
        return tuple(Moved(id=memory_id, text=texts.get(memory_id, ""), recalls=n) for memory_id, n in counts.most_common(_SHOWN))

    differing = [change for change in changes if change.came or change.went]
    return Replayed(
        policy=policy.name,
        policy_digest=digest(policy),
        recalls=count,
        asked=count,
        injection_before=sum(old > 0 for old, _ in sizes) / count,
        injection_after=sum(new > 0 for _, new in sizes) / count,
        overlap=sum(shared) / len(shared) if shared else 1.0,
        unchanged=count - len(differing),
        tokens_before=sum(change.tokens_before for change in changes) / count,
        tokens_after=sum(change.tokens_after for change in changes) / count,
        came=moved("came"),
        went=moved("went"),
        changed=tuple(changes if any(change.places for change in changes) else differing[-_SHOWN:]),
    )


def _unread(envelope: Envelope, policy: Policy) -> dict[str, None]:
    """What the policy would have looked for and the recall had not, told once."""
    if envelope.evidence.lookup is None:
        return {}
    read = envelope.policy
    opened = [name for name in CHANNELS if getattr(policy.channels, name) is not None and getattr(read.channels, name) is None]
    return dict.fromkeys(f"{name}: was shut when these recalls were made, so it adds nothing here" for name in opened)
