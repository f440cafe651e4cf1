"""Changes of configuration files: made in memory, shown, written with a backup of what was there, and undone."""

import difflib
import os
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from cued.errors import InputError
from cued.folders import plain_bytes
from cued.surfaces.clients import hooking, jsonc
from cued.surfaces.clients.known import NAME, Client, editing, starts_us

BACKUP: Final = ".before-cued"
_LARGEST: Final = 64_000_000
"""How many bytes of a file are read; some clients keep their whole history in it."""
_TRIES: Final = 5
"""How often a change is tried again when others write the file meanwhile: a client that starts or ends writes it once or twice."""


class FileChange(Struct, frozen=True, kw_only=True):
    """A file's text before and after a change; None where there is no file. `undoes` is true of a change that takes Cued out.

    `anew` makes the same change to the text that the file has by then.
    """

    path: Path
    before: str | None
    after: str | None
    anew: Callable[[], "FileChange"]
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
    """The change that takes the server out again; an entry that was there before Cued's comes back."""
    edit = editing(client)

    def wanted(data: dict[str, Any]) -> dict[str, Any]:
        return _without(data, client.at)

    def ours(data: dict[str, Any]) -> bool:
        return wanted(data) != data and starts_us(data[client.under][NAME])

    return _undone(path, edit.parse, lambda text: _dropped(edit, text, client.at), wanted, _Place(table=client.under, ours=ours))


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

    place = _Place(table="hooks", ours=lambda data: hooking.unhooked(data) != data)
    return _undone(path, jsonc.parse, edited, hooking.unhooked, place)


def write(change: FileChange) -> Path | None:
    """Write the change whole or not at all; what comes back is the backup's path, None where none is needed any more.

    What others wrote into the file since it was read is kept: the change is then made to the new text.
    """
    for _ in range(_TRIES):
        try:
            return _carry_out(change)
        except _OthersWroteError:
            change = change.anew()
    raise _unreadable(change.path, "others write it again and again")


class _Place(Struct, frozen=True, kw_only=True):
    """Where Cued stands in a file: the name of the table, and what tells whether an entry in it is ours."""

    table: str
    ours: Callable[[dict[str, Any]], bool]


class _OthersWroteError(Exception):
    """Somebody else has changed the file since it was read."""


def _carry_out(change: FileChange) -> Path | None:
    _refuse_changed(change)
    path, backup = _real(change.path), _backup_of(change.path)
    if change.after is None:
        path.unlink(missing_ok=True)
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    if keeps := change.before is not None and not change.undoes and not backup.exists():
        _written(backup, change.before or "", like=path)
    try:
        _written(path, change.after, like=path if path.exists() else None, sure=lambda: _refuse_changed(change))
    except _OthersWroteError:
        if keeps:
            backup.unlink()
        raise
    if change.undoes:
        if backup.exists() and _text(backup) == change.after:
            backup.unlink()
        return None
    return backup if backup.exists() else None


def _refuse_changed(change: FileChange) -> None:
    if _text(change.path) != change.before:
        raise _OthersWroteError


def _change(
    path: Path, parse: Callable[[str], Any], edited: Callable[[str], str], wanted: Callable[[dict[str, Any]], dict[str, Any]]
) -> FileChange:
    before, anew = _text(path), partial(_change, path, parse, edited, wanted)
    data = _read(path, parse, before or "")
    try:
        after, meant = edited(before or ""), wanted(data)
        fine = parse(after) == meant
    except ValueError as error:
        raise _unreadable(path, str(error)) from error
    if not fine:
        raise _unreadable(path, "its layout is one that cannot be edited safely")
    return FileChange(path=path, before=before, after=after if data != meant else before, anew=anew)


def _undone(
    path: Path, parse: Callable[[str], Any], edited: Callable[[str], str], wanted: Callable[[dict[str, Any]], dict[str, Any]], place: _Place
) -> FileChange:
    before, change = _text(path), partial(FileChange, path=path, undoes=True, anew=partial(_undone, path, parse, edited, wanted, place))
    if before is None:
        return change(before=None, after=None)
    data, backup = _read(path, parse, before), _before_us(path, parse, place)
    left = wanted(data)
    if left == data:
        return change(before=before, after=before)
    if backup is not None and _bare(wanted(_read(path, parse, backup)), place.table) == _bare(left, place.table):
        return change(before=before, after=backup)
    after = edited(before)
    if _read(path, parse, after) != left:
        raise _unreadable(path, "its layout is one that cannot be edited safely")
    return change(before=before, after=after if left or backup is not None else None)


def _before_us(path: Path, parse: Callable[[str], Any], place: _Place) -> str | None:
    """The text of the backup; None where there is none, or where it already has an entry of ours."""
    backup = _text(_backup_of(path))
    return None if backup is None or place.ours(_read(path, parse, backup)) else backup


def _bare(data: dict[str, Any], table: str) -> dict[str, Any]:
    """The data without this table if it is empty, for an empty table means the same as none."""
    return {name: value for name, value in data.items() if name != table or value}


def _with(data: dict[str, Any], at: tuple[str, str], entry: dict[str, Any]) -> dict[str, Any]:
    table = data.get(at[0], {})
    if not isinstance(table, dict):
        raise ValueError(f"{at[0]} is no table")  # noqa: TRY004 - what is wrong is a file's contents
    return {**data, at[0]: {**table, at[1]: entry}}


def _without(data: dict[str, Any], at: tuple[str, str]) -> dict[str, Any]:
    table = data.get(at[0])
    if not isinstance(table, dict) or at[1] not in table:
        return data
    rest = {name: value for name, value in table.items() if name != at[1]}
    others = {name: value for name, value in data.items() if name != at[0]}
    return {**others, at[0]: rest} if rest else others


def _dropped(edit: Any, text: str, at: tuple[str, str]) -> str:  # noqa: ANN401 - one of the two editors
    without: str = edit.drop(text, at)
    return without if edit.parse(without).get(at[0]) else edit.drop(without, at[:1])


def _read(path: Path, parse: Callable[[str], Any], text: str) -> dict[str, Any]:
    try:
        data = parse(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from error
    if not isinstance(data, dict):
        raise _unreadable(path, "it holds no object")
    return data


def _unreadable(path: Path, problem: str) -> InputError:
    return InputError("configuration", str(path), f"a file that can be read; {problem}. Nothing was changed; --print shows what to add")


def _real(path: Path) -> Path:
    """The file that a path leads to, links followed, so that a link stays a link."""
    try:
        real = path.resolve()
    except RuntimeError:  # so Python says until 3.12 that links lead to each other; later it gives one of them
        real = path
    if real.is_symlink():
        raise _unreadable(path, "it is a link that leads to itself")
    return real


def _backup_of(path: Path) -> Path:
    """The path of the backup: beside the file itself, to which several links may lead."""
    real = _real(path)
    return real.with_name(real.name + BACKUP)


def _text(path: Path) -> str | None:
    if not path.exists():
        return None
    if (written := plain_bytes(path, most=_LARGEST)) is None:
        raise _unreadable(path, f"it is no plain file of {_LARGEST:,} bytes at most")
    try:
        return written.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unreadable(path, "it is not UTF-8") from error


def _written(path: Path, text: str, *, like: Path | None, sure: Callable[[], None] = lambda: None) -> None:
    """Replace the file by the text in one step; `sure` is called right before, and may still refuse."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        if like is not None:
            Path(name).chmod(like.stat().st_mode & 0o777)
        sure()
        Path(name).replace(path)
    except BaseException:  # also where somebody interrupts: nothing is left beside the file
        Path(name).unlink(missing_ok=True)
        raise
