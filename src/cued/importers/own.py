"""Our own exports: JSON lines with everything that a store keeps of a tenant, as `upkeep.export` writes them."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import BinaryIO, NamedTuple

from msgspec.structs import replace

from cued.errors import InputError
from cued.importers.intake import CHUNK, Imported, Incoming, Intake
from cued.importers.lines import (
    DocumentLine,
    End,
    Header,
    Line,
    MemoryLine,
    RecallLine,
    document,
    incoming,
    read_header,
    read_line,
    recalled,
)
from cued.model import LogQuery, RecallEntry
from cued.ports import Embedder, Progress, Store, silent

MAX_LINE = 8_000_000
_SAID = "what was learnt or said of recalls, for the file is not believed"


class Numbered(NamedTuple):
    """What a line holds, the line's number, and its length in bytes."""

    number: int
    size: int
    line: Header | Line


def read_export(lines: BinaryIO | Iterable[bytes]) -> Iterator[Numbered]:
    """The header and then each line of an export; whatever is wrong is an InputError that names its line."""
    started = False
    for number, line in bounded_lines(lines):
        with within(f"line {number}"):
            read = read_line(line) if started else read_header(line)
        started = True
        yield Numbered(number, len(line), read)
    if not started:
        raise InputError("export", "an empty file", "an export of Cued, which begins with a header")


def import_export(  # noqa: PLR0913 - whose, where to, what, with what, and whether it is believed
    tenant: str,
    store: Store,
    lines: BinaryIO | Iterable[bytes],
    *,
    at: datetime,
    embedder: Embedder | None,
    believed: bool = False,
    progress: Progress = silent,
) -> Imported:
    """Store what an export holds for this tenant and give what was new; known ids stay, so it can be run again.

    What is known only gives way to what is new, supersedes it and is trusted as much.

    Anybody can write such a file, so what is in it is an import's at most, nothing is pinned, vectors are made anew, and what was learnt
    about the traffic, or was said of recalls, is left out, and so are recalls after this moment, `at`. Of one that is `believed` everything
    is taken as it is; its vectors where the embedder's own fingerprint made them, and without an embedder all.
    """
    intake = Intake(tenant, store, embedder=embedder, progress=progress)
    with intake.noting():
        reading = _Reading(intake, read_export(lines), at=at, believed=believed)
        intake.take(reading.memories(), total=reading.total)
        reading.finish()
    return intake.result("cued")


def bounded_lines(lines: BinaryIO | Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank with their numbers from 1; no more than MAX_LINE bytes of a line are ever read."""
    for number, line in enumerate(_read_lines(lines), 1):
        if len(line) > MAX_LINE:
            with within(f"line {number}"):
                raise InputError("line", f"more than {MAX_LINE} bytes", f"lines of at most {MAX_LINE} bytes")
        plain = line.removeprefix(b"\xef\xbb\xbf").strip()
        if plain:
            yield number, plain


@contextmanager
def within(place: str) -> Iterator[None]:
    """Let an InputError raised inside say which line or file it is about."""
    try:
        yield
    except InputError as error:
        error.add_note(f"in {place}")
        raise


def _read_lines(lines: BinaryIO | Iterable[bytes]) -> Iterator[bytes]:
    readline = getattr(lines, "readline", None)
    return iter(lines) if readline is None else iter(lambda: readline(MAX_LINE + 2), b"")


class _Reading:
    """The lines of one export on their way in: memories are handed on, entries of the recall log are stored as they come."""

    def __init__(self, intake: Intake, lines: Iterator[Numbered], *, at: datetime, believed: bool) -> None:
        self._intake, self._lines, self._at, self._believed = intake, lines, at, believed
        self._memories = self._recalls = self._number = 0
        self._end: End | None = None
        self._entries: list[RecallEntry] = []
        header = next(lines).line
        self.total = header.memories + header.recalls if isinstance(header, Header) else 0

    def memories(self) -> Iterator[Incoming]:
        """The memories, one by one; the recall log is stored on the way."""
        for number, size, line in self._lines:
            self._number = number
            with within(f"line {number}"):
                if self._end is not None:
                    raise InputError("line", "a line more", "nothing after the end line")
                if isinstance(line, MemoryLine):
                    self._memories += 1
                    yield replace(self._as_believed(incoming(line, tenant=self._intake.tenant)), place=f"line {number}", size=size)
                elif isinstance(line, RecallLine):
                    self._keep(recalled(line))
                elif isinstance(line, DocumentLine) and not self._believed:
                    document(line)
                    self._intake.skip(_SAID)
                elif isinstance(line, DocumentLine):
                    self._intake.store.swap_document(self._intake.tenant, line.name, old=None, new=document(line))
                elif isinstance(line, End):
                    self._end = line

    def _as_believed(self, item: Incoming) -> Incoming:
        """A memory as it is, or as an import's where the file is not believed."""
        memory = item.memory
        if self._believed:
            return item
        if (memory.trust, memory.tier) != (taken := ("import", "fact" if memory.tier == "core" else memory.tier)):
            self._intake.note("trust: taken as imports, none pinned, whatever the file says; `as_exported` believes this store's own files")
        return replace(item, memory=replace(memory, trust="import", tier=taken[1], fingerprint=None), vector=None, excerpts=None)

    def finish(self) -> None:
        """Store what is left of the recall log, and refuse a file that is not whole."""
        self._log()
        with within(f"line {self._number}"):
            if self._end is None:
                raise InputError("end", None, "a last line that counts the others: this file was cut short")
            if (self._end.memories, self._end.recalls) != (self._memories, self._recalls):
                found = f"{self._memories} memories and {self._recalls} recalls"
                raise InputError("end", found, f"{self._end.memories} and {self._end.recalls}, as the last line says")

    def _keep(self, entry: RecallEntry) -> None:
        self._recalls += 1
        rules = self._intake.store.log_rules
        if self._recalls > rules.rows:
            self._intake.note(f"recall log: this store keeps the newest {rules.rows:,} lines, and the file has more")
        if entry.evidence is not None and not rules.keeps_content(entry.recall_id):
            self._intake.note("recall log: cues and evidence are left out where this store keeps none")
        if not self._believed and entry.at > self._at:
            # The log keeps its newest lines, and whatever happens would be older than these.
            self._intake.skip("recall that is yet to come, for the file is not believed")
            return
        self._entries.append(entry if self._believed else self._unsaid(entry))
        if len(self._entries) == CHUNK:
            self._log()

    def _unsaid(self, entry: RecallEntry) -> RecallEntry:
        """A line without what was said of its recall and what it rested on: policies are learnt from these, and texts shown."""
        if entry.cited or entry.bad:
            self._intake.skip(_SAID)
        if entry.evidence is not None and self._intake.store.log_rules.keeps_content(entry.recall_id):
            self._intake.note("recall log: cues and evidence are left out, for the file is not believed")
        return replace(entry, cited=(), bad=(), cue=None, evidence=None)

    def _log(self) -> None:
        """Store the lines that are not there yet; what feedback has said of one that is, stays."""
        if not self._entries:
            return
        store, tenant = self._intake.store, self._intake.tenant
        first: dict[str, RecallEntry] = {}
        for entry in self._entries:
            first.setdefault(entry.recall_id, entry)
        fresh = [entry for entry in first.values() if not store.log(tenant, LogQuery(recall_id=entry.recall_id, limit=1))]
        if fresh:
            store.settle(tenant, (), fresh)
        self._intake.recalls += len(fresh)
        self._entries = []
        self._intake.report(self.total)
