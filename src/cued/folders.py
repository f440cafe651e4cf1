"""Where memories lie: in a platform's folder for what belongs to a user, or in a database that an address names."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal

from cued.errors import InputError, StoreError

Purpose = Literal["data", "cache"]


def user_folder(purpose: Purpose, *, platform: str = sys.platform) -> Path:
    """Cued's own folder for this purpose, which may not be there yet; what is cached never lies among the data."""
    home = Path.home()
    if platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "cued" / _WINDOWS[purpose]
    if platform == "darwin":
        return home / "Library" / _MAC[purpose] / "cued"
    variable, usual = _XDG[purpose]
    return Path(os.environ.get(variable) or home / usual) / "cued"


def made(folder: Path) -> Path:
    """The folder, made for its owner alone if it is not there."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def private(path: str, flags: int) -> int:
    """A handle on a file that is made for its owner alone where there is none: an `opener` of `open`."""
    return os.open(path, flags, 0o600)


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, for its owner alone, that takes the path's place once it is whole; nothing is left of one that fails."""
    import tempfile  # noqa: PLC0415 - most commands write no file of their own

    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def plain_bytes(path: Path, *, most: int) -> bytes | None:
    """The bytes of a plain file, as many as its size says; None for one above `most`, and for a device or a pipe, which may never end."""
    size = path.stat().st_size if path.is_file() else most + 1
    if size > most:
        return None
    with path.open("rb") as file:
        return file.read(size)


_SCHEME = re.compile(r"[A-Za-z][A-Za-z\d+.-]+://")
_WINDOWS: dict[Purpose, str] = {"data": "", "cache": "Cache"}
_MAC: dict[Purpose, str] = {"data": "Application Support", "cache": "Caches"}
_XDG: dict[Purpose, tuple[str, str]] = {"data": ("XDG_DATA_HOME", ".local/share"), "cache": ("XDG_CACHE_HOME", ".cache")}


class Address:
    """A database server's address in the place of a file's path; as text it is without its password."""

    def __init__(self, url: str) -> None:
        """Keep the whole of it."""
        self.url = url

    def __str__(self) -> str:
        """The address as it may be shown."""
        # up to the last @: a password that should have been percent-encoded is one too
        return re.sub(r"(?<=://)([^/@:?]*):.*@", r"\1@", re.sub(r"([?&]password=)[^&]*", r"\1…", self.url))

    def exists(self) -> bool:
        """True: whether anything is there, the server says."""
        return True


def place(named: str | Path) -> Path | Address:
    """What a text names: a database server's address, or else a file, which this user may look at."""
    if isinstance(named, str) and named.startswith(("postgresql://", "postgres://")):
        return Address(named)
    if isinstance(named, str) and (scheme := _SCHEME.match(named)):
        # Nothing more of it is shown: what follows may have a password in it.
        raise InputError("path", f"{scheme[0]}…", "the path of a file, or a postgresql:// address")
    return looked_at(nameable("path", named))


def looked_at(path: Path) -> Path:
    """The path of a store, whether anything is there or not; one that this user may not even look at is a StoreError."""
    try:
        path.stat()
    except PermissionError as error:
        raise StoreError(f"{path}: this user may not look into its folder ({error.strerror})") from error
    except OSError:  # nothing is there
        pass
    return path


def nameable(field: str, named: str | Path) -> Path:
    """The path that is meant, whether anything is there or not; one that no file can have is an InputError."""
    try:
        os.lstat(named)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return Path(named)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "a name in Unicode, without NUL"
        raise InputError(field, str(named), f"the path of a file ({reason})") from error
    return Path(named)
