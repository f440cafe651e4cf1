"""What revisions make of memories: which apply, what each one changes, and what is searched of the result."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import ValidationError
from msgspec.msgpack import Decoder
from msgspec.structs import replace

from cued.errors import InputError, TrustError
from cued.model import DISTINCT, MERGED, LeftOut, Memory, Record, Revised, Revision, Row, VectorShape, outranks
from cued.ports import Transaction
from cued.stores.admission import admit_memory, admit_pin, admit_record, body
from cued.stores.columns.postings import pack, relabelled
from cued.stores.standing.shown import speaking
from cued.stores.vector_bytes import as_data, as_vector
from cued.stores.work import Content, Work

_MEMORY = Decoder(Memory)
_KEPT = ("id", "tenant", "superseded", "use", "forgotten_at", "version")
_SETTABLE = tuple(name for name in Memory.__struct_fields__ if name not in _KEPT)
_BRIEF = frozenset({"fingerprint", "quarantined_at", "trust"})
"""The fields that make a memory hardly larger, and that a full quota must not keep from being set."""
_SEARCHED = frozenset({"text", "entities", "tags", "fingerprint", "source", "created_at"})
"""The fields whose change may change what is searched."""


def revise(tenant: str, rows: Transaction, revisions: Sequence[Revision], *, at: datetime, shape: VectorShape) -> Revised:
    """What became of these revisions, those that apply written down; new vectors are of this shape."""
    for revision in revisions:
        _check(revision)
    stored = rows.read(_ids_of(revisions))
    with_content = list(dict.fromkeys(each.id for each in revisions if _searched(each) and each.id in stored))
    held = rows.read(with_content, content=True) if with_content else {}
    run = _Run(tenant, Work(rows, stored, shape=shape), stored, held)
    left_out = tuple(left for each in revisions if (left := run.take(each, at=at)) is not None)
    return Revised(memories=run.write(), left_out=left_out)


def grows(revision: Revision) -> bool:
    """Whether a revision may make a memory larger by what a caller has to say; that two are merged, or parted again, is not a caller's."""
    merged, parted = ({edge.target for edge in revision.link if edge.relation == each} for each in (MERGED, DISTINCT))
    upkeep = merged & set(revision.supersede) | parted & set(revision.let_go)
    return bool(set(revision.set) - _BRIEF or set(revision.supersede) - upkeep or {edge.target for edge in revision.link} - upkeep)


class _Run:
    """The revisions of one call in turn, each over what the ones before it have left."""

    def __init__(self, tenant: str, work: Work, stored: Mapping[str, Row], held: Mapping[str, Row]) -> None:
        self._tenant, self._work, self._stored = tenant, work, stored
        self._contents = {memory_id: Content(row.forward or b"", row.vector) for memory_id, row in held.items()}
        self._before = dict(self._contents)
        self._revised: dict[str, None] = {}

    def take(self, revision: Revision, *, at: datetime) -> LeftOut | None:
        """Apply a revision, or say why it is left out."""
        if revision.id not in self._stored:
            return LeftOut(revision.id, "gone", revision.id)
        beliefs = self._work.beliefs
        old = beliefs.get(revision.id)
        new, content = _changed(old, revision), self._contents.get(revision.id)
        changed = None if content is None else self._content(content, revision, old, new)
        if new == old and changed == content:
            return LeftOut(revision.id, "unchanged", revision.id)
        left_out = _unfit(revision, self._stored, at=at)
        if left_out is not None:
            return left_out
        if replace(new, fingerprint=old.fingerprint) != old or (changed and content and changed.forward != content.forward):
            new = replace(new, version=self._stored[revision.id].memory.version + 1)
        _refuse_low(old, new, revision)
        self._admit(new, revision, changed)
        beliefs.revise(old, new, at=at, word=revision.word)
        self._revised[revision.id] = None
        if changed is not None:
            self._contents[revision.id] = changed
        return None

    def write(self) -> tuple[Memory, ...]:
        """The revised memories, written down."""
        memories = tuple(self._work.beliefs.get(memory_id) for memory_id in self._revised)
        self._work.update({memory.id: self._contents[memory.id] for memory in memories if self._searched_anew(memory)})
        return memories

    def _content(self, content: Content, revision: Revision, old: Memory, new: Memory) -> Content:
        """What is searched of a memory after a revision: a new text needs its terms, and keeps no vector but the one that it brings."""
        if revision.terms is None and new.text != old.text:
            raise InputError("terms", None, "the terms of the new text")
        forward = relabelled(content.forward, old, new) if revision.terms is None else pack(new, revision.terms)
        if revision.vector is not None:
            return Content(forward, as_data(revision.vector, self._work.shape, revision.excerpts))
        same = (new.text, new.fingerprint) == (old.text, old.fingerprint)
        return Content(forward, content.vector if same else None)

    def _searched_anew(self, memory: Memory) -> bool:
        if memory.id not in self._contents:
            return False
        before = self._stored[memory.id].memory
        return self._contents[memory.id] != self._before[memory.id] or _place(memory) != _place(before)

    def _admit(self, new: Memory, revision: Revision, content: Content | None) -> None:
        if (new.tier, new.trust) != (self._stored[new.id].memory.tier, self._stored[new.id].memory.trust):
            admit_pin(new)
        if content is None:
            admit_memory(self._tenant, new)
        else:
            vector = revision.vector if revision.vector is not None else as_vector(content.vector)
            admit_record(self._tenant, Record(memory=new, terms=revision.terms or {}, vector=vector, excerpts=revision.excerpts))


def _check(revision: Revision) -> None:
    for name in revision.set:
        if name not in _SETTABLE:
            raise InputError("set", name, f"fields of a memory that can be set: {', '.join(_SETTABLE)}")


def _ids_of(revisions: Sequence[Revision]) -> list[str]:
    ids = [revision.id for revision in revisions] + [need.id for revision in revisions for need in revision.needs]
    return list(dict.fromkeys(ids))


def _searched(revision: Revision) -> bool:
    return revision.terms is not None or revision.vector is not None or not _SEARCHED.isdisjoint(revision.set)


def _unfit(revision: Revision, stored: Mapping[str, Row], *, at: datetime) -> LeftOut | None:
    memory = stored[revision.id].memory
    if revision.made_from not in (None, memory.version):
        return LeftOut(revision.id, "changed", revision.id)
    for need in revision.needs:
        if need.id not in stored:
            return LeftOut(revision.id, "gone", need.id)
        needed = stored[need.id].memory
        if needed.version != need.version or not speaking([needed], at=at):
            return LeftOut(revision.id, "changed", need.id)
    return None


def _refuse_low(old: Memory, new: Memory, revision: Revision) -> None:
    """Refuse what the word of the one who revises is not worth."""
    word = revision.word
    if outranks(old.trust, word):
        remedy = f"remember it beside this one: then a {old.trust} resolves the conflict"
        raise TrustError(f"memory {old.id!r} comes from {old.trust}, and no {word}'s word changes it", remedy, memory_id=old.id)
    if outranks(new.trust, word):
        raise TrustError(f"trust: no {word}'s word makes this one a {new.trust}'s", f"{word}, or less", memory_id=old.id)
    if old.quarantined_at is not None and new.quarantined_at is None and word != "user":
        raise TrustError(f"memory {old.id!r} is in quarantine, and no {word}'s word lets it out", "a person's `promote`", memory_id=old.id)


def _changed(old: Memory, revision: Revision) -> Memory:
    new = replace(old, **revision.set)
    kept = [each for each in new.supersedes if each not in revision.let_go]
    added = [each for each in dict.fromkeys(revision.supersede) if each not in kept]
    edges = [edge for edge in new.edges if edge not in revision.unlink]
    linked = [edge for edge in dict.fromkeys(revision.link) if edge not in edges]
    return _typed(replace(new, supersedes=(*kept, *added), edges=(*edges, *linked)), revision)


def _typed(new: Memory, revision: Revision) -> Memory:
    """The memory as it would be read back; values of another type than their fields' are an InputError."""
    try:
        return _MEMORY.decode(body(new))
    except ValidationError as error:
        raise InputError("set", revision.set, f"values of the fields' own types ({error})") from error


def _place(memory: Memory) -> tuple[object, ...]:
    return memory.source.session, memory.source.turn, memory.created_at, memory.fingerprint
