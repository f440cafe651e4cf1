"""Many memories from JSON lines: each line a draft, stored in chunks that go in whole or not at all.

A line without an id gets one that is made from its number and its bytes. So what is stored already is skipped, and a load that was
interrupted, by a broken line or by a person, is simply run again.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import islice
from typing import IO

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from cued.errors import CuedError, InputError
from cued.handles.keeping import Remembered
from cued.handles.tenant import Tenant
from cued.model import Conflict
from cued.model.plain import JSON
from cued.ports import Progress, silent
from cued.requests.draft import Draft, read_draft
from cued.requests.many import CHUNK, misfit

MAX_LINE = 4_000_000
Numbered = tuple[int, Draft]
_ACCEPTED = 'a JSON object a line, such as {"text": "Likes tea.", "ts": "2025-03-01"}'


class _Done(Struct):
    """How far a load has come: the ids that are new, what they may not supersede, notes, and how many were known."""

    ids: list[str] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    known: int = 0


def lines_of(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file, of one that is too long no more than tells so: a file without line ends is not read whole."""
    return iter(lambda: file.readline(MAX_LINE + 2), b"")


def refuse_long(line: bytes) -> None:
    """Nothing, where a line may be so long; else an InputError."""
    if len(line) > MAX_LINE:
        raise InputError("line", f"{len(line)} bytes", f"at most {MAX_LINE} bytes")


def remember_lines(tenant: Tenant, lines: Iterable[bytes], *, total: int = 0, progress: Progress = silent) -> JSON:
    """What `remember` answers for a memory on each line, with how many were `known` already; conflicts are not looked for.

    A bad line raises with its number, and none of its chunk is stored.
    """
    done = _Done()
    try:
        drafts = _drafts(lines, done)
        while chunk := list(islice(drafts, CHUNK)):
            _store(tenant, chunk, done)
            progress(len(done.ids) + done.known, total)
    except KeyboardInterrupt as stopped:
        stopped.add_note(f"stopped; {_so_far(done)}")
        raise
    told = Remembered(ids=tuple(done.ids), conflicts=tuple(done.conflicts), degraded=tuple(dict.fromkeys(done.notes)))
    return {**told.to_dict(), "known": done.known}


def _drafts(lines: Iterable[bytes], done: _Done) -> Iterator[Numbered]:
    for number, line in enumerate(lines, 1):
        written = line.removeprefix(b"\xef\xbb\xbf").strip()
        if written:
            try:
                yield number, _with_id(_draft(written), number, written)
            except InputError as error:
                raise _placed(error, f"line {number}", done) from None


def _with_id(draft: Draft, number: int, line: bytes) -> Draft:
    """The draft with an id: its own, or one that the same line of the same file always gets; ids rise with the lines."""
    return draft if draft.id is not None else replace(draft, id=f"line-{number:08}-{blake2b(line, digest_size=8).hexdigest()}")


def _draft(line: bytes) -> Draft:
    refuse_long(line)
    try:
        fields = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError("line", line.decode("utf-8", "replace"), f"{_ACCEPTED} ({error})") from error
    if not isinstance(fields, dict):
        raise InputError("line", fields, _ACCEPTED)
    if "ts" in fields and "at" not in fields:
        fields["at"] = fields.pop("ts")
    if "text" not in fields:
        raise InputError("text", None, _ACCEPTED)
    return read_draft(fields)


def _store(tenant: Tenant, chunk: Sequence[Numbered], done: _Done) -> None:
    try:
        known = tenant.known(*(draft.id or "" for _, draft in chunk))
        _refuse_others(tenant, [each for each in chunk if each[1].id in known])
        stored = tenant.remember_many([draft for _, draft in chunk if draft.id not in known])
    except CuedError as error:
        raise _placed(*_misfit(error, chunk), done) from None
    done.ids += stored.ids
    done.conflicts += stored.conflicts
    done.notes += stored.degraded
    done.known += len(chunk) - len(stored.ids)


def _refuse_others(tenant: Tenant, known: Sequence[Numbered]) -> None:
    for number, draft in known:
        if tenant.get(draft.id or "").text != draft.text:
            error = InputError("id", draft.id, "an id that this tenant does not have yet, or has with the same text")
            error.add_note(f"in line {number}")
            raise error


def _misfit(error: CuedError, chunk: Sequence[Numbered]) -> tuple[CuedError, str]:
    """The error of the first line that is wrong by itself, and its place; else the chunk's own, which the store refused as a whole."""
    found = misfit((draft for _, draft in chunk), now=datetime.now(UTC))
    if found is not None:
        return found[1], f"line {chunk[found[0]][0]}"
    first, last = chunk[0][0], chunk[-1][0]
    return error, f"line {first}" if first == last else f"lines {first} to {last}"


def _placed(error: CuedError, place: str, done: _Done) -> CuedError:
    error.add_note(f"in {place}; nothing of the chunk with {place} is stored")
    error.add_note(_so_far(done))
    return error


def _so_far(done: _Done) -> str:
    span = f", {done.ids[0]} to {done.ids[-1]}" if done.ids else ""
    known = f", and {done.known} were known" if done.known else ""
    return f"{len(done.ids)} memories are stored so far{span}{known}; run it again, and what is stored is passed over"
