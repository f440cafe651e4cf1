"""The cache of computed vectors and evidence: its folder, and the names of its files.

It may be deleted at any time; that changes only how long a run takes.
"""

from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import msgspec

from cued.errors import InputError
from cued.folders import made, user_folder

MOST_BYTES = 2 * 2**30
_READING = (
    "engine/envelope.py",
    "engine/__init__.py",
    "handles",
    "model",
    "requests",
    "text",
    "stores",
    "flow/cue.py",
    "evaluation/runner.py",
    "evaluation/evidence_cache.py",
)


def default_folder() -> Path:
    """The cache's usual place: in the platform's folder for what can be made again."""
    return user_folder("cache") / "eval"


def digest(*parts: object) -> str:
    """A short name that depends on every part."""
    return blake2b(msgspec.json.encode(parts), digest_size=16).hexdigest()


@cache
def reading_digest() -> str:
    """A digest of the code that reads and analyses, because evidence of other code must not be reused."""
    root = resources.files("cued")
    files = sorted((file.name, file.read_text("utf-8")) for part in _READING for file in _sources(root.joinpath(part)))
    return digest(files)


def checked_folder(folder: Path) -> Path:
    """The folder, made if it is not there; one that cannot be written is refused."""
    try:
        made(folder)
    except OSError as error:
        raise InputError("cache", str(folder), f"a folder that can be written ({error})") from error
    return folder


def prune(folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
    """Delete the files used longest ago until the rest fits."""
    files = sorted((path for path in folder.iterdir() if path.is_file()), key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for path in files:
        total += path.stat().st_size
        if total > most_bytes:
            path.unlink(missing_ok=True)


def _sources(place: Traversable) -> Iterable[Traversable]:
    if place.is_file():
        return [place] if place.name.endswith(".py") else []
    return [source for inner in place.iterdir() for source in _sources(inner)]
