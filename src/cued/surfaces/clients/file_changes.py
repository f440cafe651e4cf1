"""A change of a configuration file: made in memory first, shown, then written with a backup of what was there, and undone."""

import difflib
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from cued.errors import InputError
from cued.surfaces.clients import hooking, jsonc
from cued.surfaces.clients.known import Client, editing

BACKUP: Final = ".before-cued"


class FileChange(Struct, frozen=True, kw_only=True):
    """What a file says now and what it will say; None where it is not there. `undoes` tells that it takes us out."""

    path: Path
    before: str | None
    after: str | None
    undoes: bool = False

    @property
    def changes(self) -> bool:
        """Whether anything changes."""
        return self.before != self.after

    def diff(self) -> str:
        """The change as a unified diff."""
        before, after = ((side or "").splitlines(keepends=True) for side in (self.before, self.after))
        lines = difflib.unified_diff(before, after, fromfile=str(self.path), tofile=str(self.path))
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def connected(client: Client, path: Path, entry: dict[str, Any]) -> FileChange:
    """The change that puts the server into a client's file."""
    edit = editing(client)
    return _change(path, edit.parse, lambda text: edit.put(text, client.at, entry), lambda data: _with(data, client.at, entry))


def disconnected(client: Client, path: Path) -> FileChange:
    """The change that takes the server out again; what was in its place before comes back."""
    edit = editing(client)
    return _undone(path, edit.parse, lambda text: _dropped(edit, text, client.at), lambda data: _without(data, client.at))


def hooked(path: Path, kinds: Sequence[str], launcher: Sequence[str], options: Sequence[str]) -> FileChange:
    """The change that puts our hooks into the settings of Claude Code."""

    def wanted(data: dict[str, Any]) -> dict[str, Any]:
        return hooking.hooked(data, kinds, launcher, options)

    return _change(path, jsonc.parse, lambda text: jsonc.put(text, ("hooks",), wanted(jsonc.parse(text))["hooks"]), wanted)


def unhooked(path: Path) -> FileChange:
    """The change that takes our hooks out again."""

    def edited(text: str) -> str:
        left = hooking.unhooked(jsonc.parse(text))
        return jsonc.put(text, ("hooks",), left["hooks"]) if "hooks" in left else jsonc.drop(text, ("hooks",))

    return _undone(path, jsonc.parse, edited, hooking.unhooked)


def write(change: FileChange) -> Path | None:
    """Write the change whole or not at all, and give where what was there before is kept; an undone change needs it no longer."""
    path = change.path.resolve()
    backup = path.with_name(path.name + BACKUP)
    if change.after is None:
        path.unlink()
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    if change.before is not None and not change.undoes and not backup.exists():
        _written(backup, change.before, like=path)
    _written(path, change.after, like=path if path.exists() else None)
    if change.undoes:
        if backup.exists() and _text(backup) == change.after:
            backup.unlink()
        return None
    return backup if backup.exists() else None


def _change(
    path: Path, parse: Callable[[str], Any], edited: Callable[[str], str], wanted: Callable[[dict[str, Any]], dict[str, Any]]
) -> FileChange:
    before = _text(path)
    data = _read(path, parse, before or "")
    try:
        after = edited(before or "")
        fine = parse(after) == wanted(data)
    except ValueError as error:
        raise _unreadable(path, str(error)) from error
    if not fine:
        raise _unreadable(path, "its layout is one that cannot be edited safely")
    return FileChange(path=path, before=before, after=after if data != wanted(data) else before)


def _undone(
    path: Path, parse: Callable[[str], Any], edited: Callable[[str], str], wanted: Callable[[dict[str, Any]], dict[str, Any]]
) -> FileChange:
    before = _text(path)
    if before is None:
        return FileChange(path=path, before=None, after=None, undoes=True)
    data, backup = _read(path, parse, before), _text(path.with_name(path.name + BACKUP))
    left = wanted(data)
    if left == data:
        return FileChange(path=path, before=before, after=before, undoes=True)
    if backup is not None and wanted(_read(path, parse, backup)) == left:
        return FileChange(path=path, before=before, after=backup, undoes=True)
    after = edited(before)
    if _read(path, parse, after) != left:
        raise _unreadable(path, "its layout is one that cannot be edited safely")
    return FileChange(path=path, before=before, after=after if left or backup is not None else None, undoes=True)


def _with(data: dict[str, Any], at: tuple[str, str], entry: dict[str, Any]) -> dict[str, Any]:
    return {**data, at[0]: {**data.get(at[0], {}), at[1]: entry}}


def _without(data: dict[str, Any], at: tuple[str, str]) -> dict[str, Any]:
    if at[1] not in (data.get(at[0]) or {}):
        return data
    rest = {name: value for name, value in data[at[0]].items() if name != at[1]}
    others = {name: value for name, value in data.items() if name != at[0]}
    return {**others, at[0]: rest} if rest else others


def _dropped(edit: Any, text: str, at: tuple[str, str]) -> str:  # noqa: ANN401 - one of the two editors
    without: str = edit.drop(text, at)
    return without if edit.parse(without).get(at[0]) else edit.drop(without, at[:1])


def _read(path: Path, parse: Callable[[str], Any], text: str) -> dict[str, Any]:
    try:
        data = parse(text)
    except ValueError as error:
        raise _unreadable(path, str(error)) from error
    if not isinstance(data, dict):
        raise _unreadable(path, "it holds no object")
    return data


def _unreadable(path: Path, problem: str) -> InputError:
    return InputError("configuration", str(path), f"a file that can be read; {problem}. Nothing was changed; --print shows what to add")


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise _unreadable(path, "it is not UTF-8") from error


def _written(path: Path, text: str, *, like: Path | None) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        if like is not None:
            Path(name).chmod(like.stat().st_mode & 0o777)
        Path(name).replace(path)
    except BaseException:  # also where somebody interrupts: nothing is left beside the file
        Path(name).unlink(missing_ok=True)
        raise
