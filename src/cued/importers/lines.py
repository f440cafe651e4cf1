"""The lines of an export file: what each kind of line holds, and how one is read back without trusting it.

A file is a header, a line for each memory by id, one for each recall of the log from the oldest on, one for each of the tenant's
documents, and an end line that counts them.
"""

import base64
import binascii
import math
from datetime import datetime
from typing import Any

import msgspec
import numpy as np
from msgspec import NODEFAULT, UNSET, Struct
from msgspec.structs import fields, replace
from numpy.typing import NDArray

from cued.errors import InputError
from cued.flow.arc import DOCUMENT
from cued.importers.intake import Incoming
from cued.model import NOBODY, Edge, Matrix, Memory, RecallEntry, Source, Stored, Supersession, Use, Vector
from cued.model.words import LABELS_DOCUMENT, POLICY_DOCUMENT
from cued.requests.checks import MAX_URL, checked_text, confidence, importance, label, metadata, moment, one_of, storable
from cued.stores.admission import admit_entry
from cued.stores.columns.vectors import checked

FORMAT = 1
_MOST_TURNS = 2**63
_DEFAULTS = {each.name: each.default for each in fields(Memory) if each.default is not NODEFAULT}
_LINE_DEFAULTS = {each.name: each.default for each in fields(RecallEntry) if each.default is not NODEFAULT} | {"stage_ms": {}}


class Header(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line: which format this is, whose memories these were and when; the counts are for a progress bar."""

    cued: int
    tenant: str
    exported_at: datetime
    memories: int
    recalls: int


class End(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="end"):
    """The last line, with what the file holds and the seal of the store that wrote it; a file without it was cut short."""

    memories: int
    recalls: int
    seal: str = ""


class _Source(Source, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A source, strictly."""


class _Edge(Edge, frozen=True, forbid_unknown_fields=True):
    """An edge, strictly."""


class _Supersession(Supersession, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A supersession, strictly."""


class _Use(Use, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A use, strictly."""


class MemoryLine(Memory, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="memory"):
    """A memory as the file has it: without its tenant, and with its vectors as base64 of little-endian float32, excerpts end to end."""

    tenant: str = ""
    source: _Source = _Source()
    superseded: tuple[_Supersession, ...] = ()
    edges: tuple[_Edge, ...] = ()
    use: _Use = _Use()
    vector: str | None = None
    excerpts: str | None = None


class RecallLine(RecallEntry, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="recall"):
    """An entry of the recall log as the file has it."""


class DocumentLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="document"):
    """What has been learnt about a tenant, by its traffic or by tuning, or was said of its recalls, as base64."""

    name: str
    data: str


Line = MemoryLine | RecallLine | DocumentLine | End
DOCUMENTS = (DOCUMENT, POLICY_DOCUMENT, LABELS_DOCUMENT)
"""Those that are the tenant's own: what its traffic taught, policies, labels. A journal is its store's, and stays there."""
_HEADER = msgspec.json.Decoder(Header)
_LINE: msgspec.json.Decoder[Line] = msgspec.json.Decoder(Line)


def memory_line(stored: Stored, *, vector: bool) -> bytes:
    """A memory's line: every field that is not at its default, but for the tenant."""
    memory = stored.memory
    values = {name: getattr(memory, name) for name in Memory.__struct_fields__ if name != "tenant"}
    told: dict[str, Any] = {"type": "memory"} | {name: value for name, value in values.items() if value != _DEFAULTS.get(name, UNSET)}
    if vector:
        told |= {name: _base64(each) for name in ("vector", "excerpts") if (each := getattr(stored, name)) is not None}
    return written(told)


def recall_line(entry: RecallEntry) -> bytes:
    """The line of an entry of the recall log."""
    values: dict[str, Any] = {name: getattr(entry, name) for name in RecallEntry.__struct_fields__}
    return written({"type": "recall"} | {name: value for name, value in values.items() if value != _LINE_DEFAULTS.get(name, UNSET)})


def document_line(name: str, data: bytes) -> bytes:
    """The line of a document."""
    return written(DocumentLine(name=name, data=base64.b64encode(data).decode()))


def written(told: Struct | dict[str, Any]) -> bytes:
    """One line of JSON."""
    return msgspec.json.encode(told) + b"\n"


def read_header(line: bytes) -> Header:
    """The header; a file of another kind, or of a newer Cued, is an InputError."""
    try:
        header = _HEADER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError("header", line[:60], f'the first line of an export of Cued, {{"cued": {FORMAT}, …}} ({error})') from error
    if header.cued != FORMAT:
        raise InputError("cued", header.cued, f"{FORMAT}; a file of another number was written by another version of Cued")
    return header


def read_line(line: bytes) -> Line:
    """What a line after the header holds; an unknown field, a wrong type or malformed JSON is an InputError."""
    try:
        return _LINE.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError("line", line[:60], f"a memory, a recall or the end, as an export writes them ({error})") from error


def incoming(line: MemoryLine, *, tenant: str) -> Incoming:
    """The memory of a line, checked field by field, as this tenant's; whose it was in the file counts for nothing."""
    memory = Memory(
        id=label("id", line.id),
        tenant=tenant,
        text=checked_text("text", line.text),
        created_at=_time("created_at", line.created_at),
        updated_at=_time("updated_at", line.updated_at),
        kind=line.kind,
        tier=line.tier,
        scope=label("scope", line.scope),
        tags=_names("tags", line.tags),
        entities=_names("entities", line.entities),
        importance=importance(line.importance),
        weight=confidence(line.weight),
        trust=line.trust,
        source=_source(line.source),
        valid_from=moment("valid_from", line.valid_from),
        valid_until=moment("valid_until", line.valid_until),
        expires_at=moment("expires_at", line.expires_at),
        forgotten_at=moment("forgotten_at", line.forgotten_at),
        quarantined_at=moment("quarantined_at", line.quarantined_at),
        supersedes=_names("supersedes", line.supersedes),
        superseded=tuple(_supersession(each) for each in line.superseded),
        edges=tuple(Edge(label("edges", each.relation), label("edges", each.target)) for each in line.edges),
        use=_use(line.use),
        fingerprint=None if line.fingerprint is None else label("fingerprint", line.fingerprint, most=2000),
        version=_whole("version", line.version, least=1),
    )
    vector = _vector(line)
    return Incoming(memory=memory, vector=vector, excerpts=_excerpts(line, vector))


def recalled(line: RecallLine) -> RecallEntry:
    """The entry of the recall log in a line, checked."""
    label("recall_id", line.recall_id)
    _names("chosen", line.chosen)
    label("scope", line.scope)
    entry = RecallEntry(**{name: getattr(line, name) for name in RecallEntry.__struct_fields__})
    return admit_entry(replace(entry, at=_time("at", line.at), cited=_names("cited", line.cited), bad=_names("bad", line.bad)))


def document(line: DocumentLine) -> bytes:
    """The document in a line, if it is one of those that Cued keeps."""
    one_of("name", line.name, DOCUMENTS)
    return _bytes("data", line.data)


def _source(source: Source) -> Source:
    return Source(
        session=None if source.session is None else label("session", source.session),
        turn=None if source.turn is None else _whole("turn", source.turn, least=-_MOST_TURNS),
        speaker=None if source.speaker is None else label("speaker", source.speaker),
        url=None if source.url is None else label("url", source.url, most=MAX_URL),
        meta=metadata(source.meta),
    )


def _supersession(mark: Supersession) -> Supersession:
    return Supersession(
        by=NOBODY if mark.by == NOBODY else label("superseded", mark.by),
        at=_time("superseded", mark.at),
        scope=None if mark.scope is None else label("superseded", mark.scope),
        weight_before=confidence(mark.weight_before),
        lifted_at=moment("superseded", mark.lifted_at),
    )


def _use(use: Use) -> Use:
    return Use(
        last_at=moment("use", use.last_at),
        previous_at=moment("use", use.previous_at),
        count=_finite(use.count),
        counted_at=moment("use", use.counted_at),
        boost=_finite(use.boost, least=math.ulp(0.0)),
    )


def _vector(line: MemoryLine) -> Vector | None:
    if line.vector is None:
        return None
    if line.fingerprint is None:
        raise InputError("vector", line.vector, "a vector only together with the fingerprint of its embedder")
    return checked(_floats("vector", line.vector, 1), "vector")


def _excerpts(line: MemoryLine, vector: Vector | None) -> Matrix | None:
    if line.excerpts is None:
        return None
    if vector is None:
        raise InputError("excerpts", line.excerpts, "excerpts only together with the vector of the text")
    found: Matrix = _floats("excerpts", line.excerpts, len(vector)).reshape(-1, len(vector))
    return found


def _base64(vectors: NDArray[np.float32]) -> str:
    return base64.b64encode(np.asarray(vectors, dtype="<f4").tobytes()).decode()


def _floats(field: str, text: str, width: int) -> Vector:
    """The numbers, in rows of so many."""
    data = _bytes(field, text)
    if not data or len(data) % (4 * width):
        raise InputError(field, f"{len(data)} bytes", f"base64 of little-endian float32, {4 * width} bytes a row")
    return np.frombuffer(data, dtype="<f4")


def _bytes(field: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError(field, text, f"base64 ({error})") from error


def _names(field: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """The names; how many is bounded by the line alone, for consolidation and the analyser write more than a caller may."""
    for value in values:
        if not value.strip() or not storable(value):
            raise InputError(field, value, "names that are not only white space, without NUL and lone surrogates")
    return values


def _time(field: str, value: datetime) -> datetime:
    return moment(field, value) or value


def _finite(value: float, *, least: float = 0.0) -> float:
    if not (math.isfinite(value) and value >= least):
        raise InputError("use", value, "a finite number that is not negative")
    return value


def _whole(field: str, value: int, *, least: int) -> int:
    if not least <= value < _MOST_TURNS:
        raise InputError(field, value, f"a whole number from {least} on, of at most 64 bits")
    return value
