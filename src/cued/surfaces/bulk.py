"""Many memories from JSON lines: each line a draft, stored in chunks that go in whole or not at all."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice

import msgspec

from cued.errors import CuedError, InputError
from cued.handles.tenant import CHUNK, Remembered, Tenant
from cued.model.plain import JSON
from cued.ports import Progress, silent
from cued.requests.draft import Draft, compose, read_draft
from cued.surfaces.contract import remembered_json

MAX_LINE = 4_000_000
Numbered = tuple[int, Draft]
_ACCEPTED = 'a JSON object a line, such as {"text": "Likes tea.", "ts": "2025-03-01"}'


def remember_lines(tenant: Tenant, lines: Iterable[bytes], *, total: int = 0, progress: Progress = silent) -> JSON:
    """Store one memory a line and give what `remember` does, without conflicts, which are not looked for.

    A bad line raises with its number, and none of its chunk is stored.
    """
    ids: list[str] = []
    notes: list[str] = []
    drafts = _drafts(lines, ids)
    while chunk := list(islice(drafts, CHUNK)):
        stored = _store(tenant, chunk, done=len(ids))
        ids += stored.ids
        notes += stored.degraded
        progress(len(ids), total)
    return remembered_json(Remembered(ids=tuple(ids), degraded=tuple(dict.fromkeys(notes))))


def _drafts(lines: Iterable[bytes], ids: Sequence[str]) -> Iterator[Numbered]:
    for number, line in enumerate(lines, 1):
        written = line.removeprefix(b"\xef\xbb\xbf").strip()
        if written:
            try:
                yield number, _draft(written)
            except InputError as error:
                raise _placed(error, f"line {number}", len(ids)) from None


def _draft(line: bytes) -> Draft:
    if len(line) > MAX_LINE:
        raise InputError("line", f"{len(line)} bytes", f"at most {MAX_LINE} bytes")
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


def _store(tenant: Tenant, chunk: Sequence[Numbered], *, done: int) -> Remembered:
    try:
        return tenant.remember_many(draft for _, draft in chunk)
    except CuedError as error:
        raise _placed(error, _place(tenant.name, chunk), done) from None


def _place(tenant: str, chunk: Sequence[Numbered]) -> str:
    """The line that cannot stand by itself; where each could, the chunk's lines are at odds with each other or with the store."""
    for number, draft in chunk:
        try:
            compose(draft, tenant=tenant, memory_id="unstored", now=datetime.now(UTC))
        except InputError:
            return f"line {number}"
    first, last = chunk[0][0], chunk[-1][0]
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _placed(error: CuedError, place: str, done: int) -> CuedError:
    error.add_note(f"in {place}; {done} memories from the lines before are stored, nothing of the chunk with {place} is")
    error.add_note(f"to store the rest and nothing twice, leave out the first {done} lines that are not empty")
    return error
