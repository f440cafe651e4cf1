"""Markdown notes, a file or a folder of them: Obsidian's, basic-memory's with their observations and relations, or plain ones."""

import os
import re
import stat
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from cued.errors import InputError
from cued.importers.drafting import drafted, meta, names, session, short, shorts, source_id, when
from cued.importers.files import MAX_BYTES, head
from cued.importers.intake import Skipped
from cued.importers.notes import Block, Matter, blocks, split
from cued.requests.draft import Draft
from cued.text.entities import entities

WHAT = "a Markdown file (.md, .markdown), or a folder of them such as an Obsidian vault"
SUFFIXES = {".md", ".markdown"}
MAX_NOTE = 4_000_000
MAX_NOTES = 100_000

_DATED = re.compile(r"\d{4}-\d{2}-\d{2}")
_CREATED = ("created", "created_at", "date", "created-at", "creation date")


class _Note(Struct, frozen=True, kw_only=True):
    """A note by the name that it keeps: its permalink, or its place in the folder."""

    name: str
    title: str
    matter: Matter
    at: datetime | None


def read(path: Path, *, max_bytes: int = MAX_BYTES) -> Iterator[Draft | Skipped]:
    """A draft for each paragraph, list item, observation and relation of the notes, by name of note."""
    alone = not path.is_dir()
    unread: list[OSError] = []
    left, number = max_bytes, 0
    for number, found in enumerate([path] if alone else _notes(path, unread), 1):
        if number > MAX_NOTES:
            raise InputError("file", path.name, f"a folder of at most {MAX_NOTES} notes")
        problem = None if alone else _unreadable(found)
        data = b"" if problem is not None else head(found, MAX_NOTE + 1)
        left -= len(data)
        if left < 0:
            raise InputError("file", path.name, f"notes of at most {max_bytes} bytes together; import them in parts")
        text = problem or _text(data)
        if isinstance(text, Skipped) and alone:
            raise InputError("file", path.name, f"{WHAT}, not a {text.reason}")
        yield from [text] if isinstance(text, Skipped) else _drafts(found, found.name if alone else _place(found, path), text)
    yield from (Skipped("folder that cannot be read") for _ in unread)
    if not number:
        raise InputError("file", path.name, "a folder with at least one Markdown file (.md, .markdown) in it")


def _notes(folder: Path, unread: list[OSError]) -> Iterator[Path]:
    """The Markdown files of a folder in a fixed order; hidden folders are left out, and links to folders are not followed."""
    for place, folders, files in os.walk(folder, onerror=unread.append, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if Path(name).suffix.lower() in SUFFIXES and not name.startswith("."):
                yield Path(place, name)


def _unreadable(path: Path) -> Skipped | None:
    """Why a file in a folder is not read, if so: a link may leave the folder, and reading from a pipe may never end."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return Skipped("note that cannot be read")
    if stat.S_ISLNK(mode):
        return Skipped("symbolic link")
    return None if stat.S_ISREG(mode) and os.access(path, os.R_OK) else Skipped("note that cannot be read")


def _text(data: bytes) -> str | Skipped:
    if len(data) > MAX_NOTE:
        return Skipped(f"note of more than {MAX_NOTE} bytes")
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        return Skipped("note that is not UTF-8")


def _place(path: Path, folder: Path) -> str:
    return os.fsencode(path.relative_to(folder)).decode("utf-8", "replace").replace(os.sep, "/")


def _drafts(path: Path, place: str, text: str) -> Iterator[Draft | Skipped]:
    matter, body = split(text)
    stem = place.rpartition("/")[2].rpartition(".")[0]
    title = short(_one(matter, "title")) or short(stem)
    note = _Note(name=_one(matter, "permalink") or place, title=title, matter=matter, at=_at(path, matter))
    for block in blocks(body):
        yield _draft(note, block)


def _at(path: Path, matter: Matter) -> datetime | None:
    """When a note was made: as it says itself, as a daily note is called, or when the file was last changed."""
    said = next((time for time in (when(_one(matter, key)) for key in _CREATED) if time is not None), None)
    dated = _DATED.match(path.name)
    return said or (when(dated[0]) if dated is not None else None) or when(path.stat().st_mtime)


def _draft(note: _Note, block: Block) -> Draft | Skipped:
    trail = [heading for heading in block.headings if heading != note.title]
    own = _tags(note.matter)
    related = block.kind == "relation"
    aside = f" ({block.context})" if block.context else ""
    words = f"{note.title} {block.relation.replace('_', ' ')} {block.target}" if related else _in_context(note, trail, block.text)
    text = words + aside
    return drafted(
        text if block.text else "",
        id=source_id("markdown", note.name, block.kind, *trail, block.text),
        tags=shorts([block.category, *block.tags, *own] if not related else ["relation", *own]),
        entities=shorts((*names(note.title), *(names(block.target) if related else ()), *entities(text))),
        session=session("markdown", note.name),
        url=_one(note.matter, "url") or None,
        at=note.at,
        meta=meta({"note": note.title, "heading": " > ".join(trail), "type": _one(note.matter, "type")}),
    )


def _in_context(note: _Note, trail: list[str], text: str) -> str:
    return f"{' > '.join([note.title, *trail])}: {text}"


def _one(matter: Matter, key: str) -> str:
    value = matter.get(key, "")
    return value if isinstance(value, str) else value[0] if value else ""


def _tags(matter: Matter) -> list[str]:
    value = matter.get("tags", "")
    given = value.replace(",", " ").split() if isinstance(value, str) else list(value)
    return [tag.lstrip("#") for tag in given]
