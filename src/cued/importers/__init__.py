"""Memories from elsewhere: which formats there are, which one a file has, and how it is taken in.

Every memory gets its id from what it is called at its source, so a second import stores nothing twice and a later export of a
conversation adds only the turns that are new.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from cued.errors import InputError
from cued.folders import nameable
from cued.importers import chatgpt, claude, claude_mem, markdown, mcp_memory, mem0
from cued.importers.files import MAX_BYTES, head, is_zip, members
from cued.importers.intake import Imported, Incoming, Intake, Skipped
from cued.importers.own import bounded_lines, import_export, within
from cued.importers.sealing import refuse_foreign
from cued.ports import Embedder, Progress, Store, silent
from cued.requests.checks import label, one_of
from cued.requests.draft import Draft, compose

Read = Callable[..., Iterator[Draft | Skipped]]


class Format(Struct, frozen=True):
    """A format: what it is, in words, and how a file of it is read."""

    what: str
    read: Read


FORMATS: dict[str, Format] = {
    "chatgpt": Format(chatgpt.WHAT, chatgpt.read),
    "claude": Format(claude.WHAT, claude.read),
    "claude-mem": Format(claude_mem.WHAT, claude_mem.read),
    "markdown": Format(markdown.WHAT, markdown.read),
    "mcp-memory": Format(mcp_memory.WHAT, mcp_memory.read),
    "mem0": Format(mem0.WHAT, mem0.read),
}
OWN = "cued"
NAMES = (OWN, *FORMATS)

_TELLING = {
    "cued": OWN,
    "mapping": "chatgpt",
    "chat_messages": "claude",
    "prompt_template": "claude",
    "docs": "claude",
    "entityType": "mcp-memory",
    "relationType": "mcp-memory",
    "memory": "mem0",
}
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_KEY = re.compile(rb'(?<!\\)"(' + "|".join(_TELLING).encode() + rb')"\s*:')
_ARCHIVED = re.compile(f"{chatgpt.WANTED.pattern}|{claude.WANTED.pattern}")


def detect(path: Path, *, max_bytes: int = MAX_BYTES) -> str:
    """The name of the format that a file or folder has, by what is in it; an InputError lists the formats when it is none."""
    if path.is_dir():
        return "markdown"
    start = head(path)
    if start.startswith(_UTF_16):
        raise InputError("file", path.name, "a file in UTF-8; this one is in UTF-16, as some shells write what is sent to a file with >")
    if start.startswith(claude_mem.MAGIC):
        return "claude-mem"
    if is_zip(path):
        start = next(iter(members(path, _ARCHIVED, max_bytes=max_bytes))).data
    if path.suffix.lower() in markdown.SUFFIXES:
        return "markdown"
    found = _KEY.search(start) if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")) else None
    if found is None:
        known = "; ".join(f"{name}: {each.what}" for name, each in FORMATS.items())
        raise InputError("file", path.name, f"one of these formats; {OWN}: an export of Cued; {known}")
    return _TELLING[found[1].decode()]


def import_file(  # noqa: PLR0913 - one keyword each for what, with what, as of when, where to, and how much
    tenant: str,
    store: Store,
    path: Path,
    *,
    embedder: Embedder | None,
    at: datetime,
    format: str | None = None,  # noqa: A002 - the word for it
    scope: str | None = None,
    user: str | None = None,
    as_exported: bool = False,
    progress: Progress = silent,
    max_bytes: int = MAX_BYTES,
) -> Imported:
    """Store what is in a file or folder for this tenant and give what was new; without a `format` it is told by the contents.

    `at` is when memories were made whose source says no time. `scope` puts everything into one scope; without it claude-mem's
    projects become scopes and everything else is global. An export of Cued keeps its own scopes and times, and with `as_exported` all
    that is in it, if this very store has written it. `user` takes one user's rows of a file of mem0's that has those of several.
    """
    intake = Intake(tenant, store, embedder=embedder, progress=progress)
    nameable("file", path)
    with within(str(path)):
        name = detect(path, max_bytes=max_bytes) if format is None else one_of("format", format, NAMES)
        if user is not None and name != "mem0":
            raise InputError("user", user, f"no user for {name}: only rows of mem0 name theirs")
        if name == OWN:
            if scope is not None:
                raise InputError("scope", scope, "no scope for an export of Cued: its memories have theirs")
            return _import_own(tenant, store, path, at=at, embedder=embedder, as_exported=as_exported, progress=progress)
        if as_exported:
            raise InputError("as_exported", name, "an export of Cued: no other format has a seal")
        drafts = FORMATS[name].read(path, max_bytes=max_bytes, **({} if user is None else {"user": user}))
        with intake.noting():
            intake.take(_composed(drafts, tenant=tenant, at=at, scope=None if scope is None else label("scope", scope)))
    return intake.result(name)


def _import_own(  # noqa: PLR0913 - as above
    tenant: str, store: Store, path: Path, *, at: datetime, embedder: Embedder | None, as_exported: bool, progress: Progress
) -> Imported:
    head(path, 0)
    with path.open("rb") as file:
        if as_exported:
            refuse_foreign((line for _, line in bounded_lines(file)), store, tenant)
            file.seek(0)
        return import_export(tenant, store, file, at=at, embedder=embedder, believed=as_exported, progress=progress)


def _composed(drafts: Iterable[Draft | Skipped], *, tenant: str, at: datetime, scope: str | None) -> Iterator[Incoming | Skipped]:
    for number, draft in enumerate(drafts, 1):
        if isinstance(draft, Skipped):
            yield draft
            continue
        try:
            moved = draft if scope is None else replace(draft, scope=scope)
            memory = compose(moved, tenant=tenant, memory_id=f"unnamed-{number}", now=at)
        except InputError as error:
            yield Skipped(f"memory whose {error.field} cannot be stored")
        else:
            yield Incoming(memory=memory, place=f"item {number}")
