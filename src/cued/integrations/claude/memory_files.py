"""Files over memories: a tree under /memories in which every file is a memory, with the commands of Claude's memory tool.

A file's text is the memory's text, so that a recall finds what an agent has written; a text too long for one memory is kept in several.
Folders are stored too, in a scope that no recall looks into, so that an empty one exists.
"""

import posixpath
from collections.abc import Iterator, Sequence
from hashlib import sha256

from msgspec.structs import replace

from cued.handles.tenant import Tenant
from cued.integrations.documents import packed, unpacked
from cued.integrations.searching import every, stands_alone, stays, stored
from cued.model import GLOBAL, Memory, Scalar
from cued.requests.checks import storable
from cued.requests.draft import Draft

ROOT = "/memories"
FOLDERS = "claude: folders"
MAX_PATH = 1024
MAX_LINES = 999_999
_CONTENT, _PATH, _PLACE = "content", "path", "place"
_PIECE = 50_000
_WIDTH = len(str(MAX_LINES))
_DEEPEST = 2
_SNIPPET = 2


class MemoryFiles:
    """The files of one tenant in one scope. A command that cannot be done is a ValueError with a message for the model."""

    def __init__(self, tenant: Tenant, *, scope: str = GLOBAL) -> None:
        """Keep the files in this tenant's memories; each scope has files of its own."""
        self._tenant, self._scope = tenant, scope

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """A folder's contents two levels deep, or a file's lines with their numbers."""
        place = resolved(path)
        if self._is_folder(place):
            return self._listed(path, place)
        content = self.read(place)
        if content is None:
            raise ValueError(f"The path {path} does not exist. Please provide a valid path.")
        lines = content.split("\n")
        if len(lines) > MAX_LINES:
            raise ValueError(f"File {path} exceeds maximum line limit of {MAX_LINES:,} lines.")
        first, last = _span(view_range, len(lines))
        return f"Here's the content of {path} with line numbers:\n" + _numbered(lines, first, last)

    def create(self, path: str, file_text: str) -> str:
        """The message about a new file."""
        _refuse_no_texts(file_text=file_text)
        place = resolved(path)
        if self._is_folder(place) or self.read(place) is not None:
            raise ValueError(f"File {path} already exists")
        self._make_folders(posixpath.dirname(place))
        self._write(place, file_text)
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old_str: str, new_str: str) -> str:
        """The lines around the one place where a text was replaced."""
        _refuse_no_texts(old_str=old_str, new_str=new_str)
        place, content = self._file(path)
        count = content.count(old_str)
        if not count:
            raise ValueError(f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}.")
        if count > 1:
            lines = ", ".join(map(str, _lines_with(content, old_str)))
            raise ValueError(
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {lines}. Please ensure it is unique"
            )
        line = content.count("\n", 0, content.find(old_str))
        new = content.replace(old_str, new_str)
        self._write(place, new)
        lines_now = new.split("\n")
        shown = _numbered(lines_now, max(0, line - _SNIPPET), min(len(lines_now), line + _SNIPPET + 1))
        return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{shown}"

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """The message about lines that were inserted after a line, 0 for the beginning."""
        _refuse_no_texts(insert_text=insert_text)
        place, content = self._file(path)
        lines = content.split("\n")
        if lines[-1] == "":
            lines.pop()
        if not isinstance(insert_line, int) or not 0 <= insert_line <= len(lines):
            raise ValueError(f"Invalid `insert_line` parameter: {insert_line}. It should be within the range [0, {len(lines)}].")
        lines.insert(insert_line, insert_text.rstrip("\n"))
        new = "\n".join(lines)
        self._write(place, new if new.endswith("\n") else new + "\n")
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        """The message about a file, or a folder with all its content, that was erased for good."""
        place = resolved(path)
        if place == ROOT:
            raise ValueError(f"Cannot delete the {ROOT} directory itself")
        gone = [memory.id for memory in self._at_or_below(place)]
        if not gone:
            raise ValueError(f"The path {path} does not exist")
        self._tenant.forget(*gone, erase=True)
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """The message about a file or folder that was moved."""
        old, new = resolved(old_path), resolved(new_path)
        if old == ROOT:
            raise ValueError(f"Cannot rename the {ROOT} directory itself")
        if self._is_folder(new) or self.read(new) is not None:
            raise ValueError(f"The destination {new_path} already exists")
        if new.startswith(f"{old}/"):
            raise ValueError(f"Cannot move {old_path} into itself")
        moved = list(self._at_or_below(old))
        if not moved:
            raise ValueError(f"The path {old_path} does not exist")
        self._make_folders(posixpath.dirname(new))
        self._remember([self._moved(memory, new + _path(memory)[len(old) :]) for memory in moved])
        self._tenant.forget(*(memory.id for memory in moved), erase=True)
        return f"Successfully renamed {old_path} to {new_path}"

    def clear(self) -> str:
        """The message that all files were erased."""
        gone = [memory.id for memory in self._at_or_below(ROOT)]
        self._tenant.forget(*gone, erase=True)
        return "All memory cleared"

    def read(self, place: str) -> str | None:
        """A file's text, exactly; None where there is no such file."""
        parts: list[str] = []
        while (part := self._standing(self._id(place, len(parts)))) is not None:
            parts.append(_text(part))
        return "".join(parts) if parts else None

    def paths(self) -> dict[str, int | None]:
        """Every file with its size in bytes, and every folder with None, in order."""
        sizes: dict[str, int | None] = {}
        for memory in self._at_or_below(ROOT):
            place = _path(memory)
            sizes[place] = None if memory.scope == FOLDERS else (sizes.get(place) or 0) + len(_text(memory).encode("utf-8", "replace"))
        return dict(sorted(sizes.items()))

    def _file(self, path: str) -> tuple[str, str]:
        place = resolved(path)
        content = self.read(place)
        if content is None:
            there = self._is_folder(place)
            raise ValueError(
                f"The path {path} is not a file." if there else f"The path {path} does not exist. Please provide a valid path."
            )
        return place, content

    def _write(self, place: str, content: str) -> None:
        """Replace a file's content; its first memory stays the same one, so that its history goes on."""
        texts = [content[at : at + _PIECE] for at in range(0, len(content), _PIECE)] or [""]
        new = [self._draft(place, number, text) for number, text in enumerate(texts)]
        missing: list[Draft] = []
        for draft in new:
            before = self._standing(draft.id or "")
            if before is not None and stands_alone(before):
                self._tenant.update(before.id, text=draft.text, meta=draft.meta)
            else:
                missing.append(draft)
        self._remember(missing)
        number = len(new)
        while (stale := self._standing(self._id(place, number))) is not None:
            self._tenant.forget(stale.id, erase=True)
            number += 1

    def _draft(self, place: str, number: int, text: str) -> Draft:
        plain = bool(text.strip()) and storable(text)
        meta: dict[str, Scalar] = {_PATH: place, _PLACE: self._scope}
        shown = text if plain else f"An empty file at {place}"
        return Draft(
            text=shown,
            id=self._id(place, number),
            scope=self._scope,
            trust="agent",
            turn=number,
            meta=meta if plain else {**meta, **packed(_CONTENT, text)},
        )

    def _moved(self, memory: Memory, place: str) -> Draft:
        number = memory.source.turn or 0
        if memory.scope == FOLDERS:
            return self._folder(place)
        return replace(self._draft(place, number, _text(memory)), at=memory.created_at)

    def _folder(self, place: str) -> Draft:
        meta: dict[str, Scalar] = {_PATH: place, _PLACE: self._scope}
        return Draft(text=f"A folder of files: {place}", id=self._id(f"{place}/", 0), scope=FOLDERS, trust="agent", meta=meta)

    def _make_folders(self, place: str) -> None:
        missing = []
        while place != ROOT and not self._is_folder(place):
            if self.read(place) is not None:
                raise ValueError(f"The path {place} is not a directory.")
            missing.append(self._folder(place))
            place = posixpath.dirname(place)
        self._remember(missing)

    def _remember(self, drafts: Sequence[Draft]) -> None:
        """Store files or folders; forgotten or merged memories with the same ids are erased first, for they would hide them."""
        before = self._tenant.known(*(draft.id or "" for draft in drafts))
        if before:
            self._tenant.forget(*before, erase=True)
        self._tenant.remember_many(drafts)

    def _is_folder(self, place: str) -> bool:
        return place == ROOT or self._standing(self._id(f"{place}/", 0)) is not None

    def _at_or_below(self, place: str) -> Iterator[Memory]:
        for scope in (self._scope, FOLDERS):
            for memory in every(self._tenant, scope=scope, meta={_PLACE: self._scope}, hidden=True):
                if stays(self._tenant, memory) and (_path(memory) == place or _path(memory).startswith(f"{place}/")):
                    yield memory

    def _standing(self, memory_id: str) -> Memory | None:
        memory = stored(self._tenant, memory_id)
        return memory if memory is not None and stays(self._tenant, memory) else None

    def _id(self, place: str, number: int) -> str:
        written = f"{self._scope}\x00{place}"
        name = f"file-{sha256(written.encode()).hexdigest()[:40]}"
        return f"{name}.{number}" if number else name

    def _listed(self, path: str, place: str) -> str:
        """The folder's own size and path, then those of what lies up to two levels below it, hidden things left out."""
        sizes = self.paths()
        lines = [f"{_size(_total(sizes, place))}\t{path}"]
        for each in sorted(sizes, key=lambda each: each.split("/")):
            below = each[len(place) + 1 :].split("/") if each.startswith(f"{place}/") else []
            if 1 <= len(below) <= _DEEPEST and not any(part.startswith(".") for part in below):
                mark = "/" if sizes[each] is None else ""
                lines.append(f"{_size(_total(sizes, each))}\t{path}/{'/'.join(below)}{mark}")
        return f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:\n" + "\n".join(lines)


def resolved(path: str) -> str:
    """The place that a path means; a ValueError if it leads out of /memories, or no file can be there."""
    if not isinstance(path, str) or not (path == ROOT or path.startswith(f"{ROOT}/")):
        raise ValueError(f"Path must start with {ROOT}, got: {path}")
    place = posixpath.normpath(path)
    if place != ROOT and not place.startswith(f"{ROOT}/"):
        raise ValueError(f"Path {path} would escape {ROOT} directory")
    if not storable(place) or not place.isprintable() or len(place) > MAX_PATH:
        raise ValueError(f"Path {path[:80]!r} is not accepted: a path has at most {MAX_PATH} printable characters")
    return place


def _path(memory: Memory) -> str:
    """The place of a file; "" for a memory of somebody else that has the same mark as ours."""
    return str(memory.source.meta.get(_PATH, ""))


def _text(memory: Memory) -> str:
    content = unpacked(_CONTENT, memory, str)
    return memory.text if content is None else content


def _lines_with(content: str, text: str) -> Iterator[int]:
    """The numbers of the lines at which a text begins, in order."""
    line, told, at = 1, 0, content.find(text)
    while at != -1:
        line += content.count("\n", told, at)
        yield line
        told, at = at, content.find(text, at + max(1, len(text)))


def _span(view_range: Sequence[int] | None, count: int) -> tuple[int, int]:
    """The first line, counted from 0, and the line after the last one of a range; a last line of -1 is the end."""
    if not view_range or (isinstance(view_range, Sequence) and len(view_range) != 2):  # noqa: PLR2004 - a first and a last line
        return 0, count
    match view_range:
        case [int(first), int(last)]:
            return max(1, first) - 1, count if last == -1 else last
    raise ValueError(f"Invalid `view_range` parameter: {view_range!r:.80}. It should be two line numbers, such as [1, 20]")


def _refuse_no_texts(**said: object) -> None:
    """Refuse arguments that should be texts and are not."""
    for name, value in said.items():
        if not isinstance(value, str):
            raise ValueError(f"Invalid `{name}` parameter: {value!r:.80}. It should be a text")  # noqa: TRY004 - as all that a model is told


def _numbered(lines: Sequence[str], first: int, last: int) -> str:
    return "\n".join(f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines[first:last], first + 1))


def _total(sizes: dict[str, int | None], place: str) -> int:
    own = sizes.get(place)
    return own if own is not None else sum(size or 0 for each, size in sizes.items() if each.startswith(f"{place}/"))


def _size(count: int) -> str:
    """A size in bytes as people read it: 512B, 1.5K, 2M."""
    step = min((max(count, 1).bit_length() - 1) // 10, 3)
    size = count / 1024**step
    return f"{int(size)}{'BKMG'[step]}" if size == int(size) else f"{size:.1f}{'BKMG'[step]}"
