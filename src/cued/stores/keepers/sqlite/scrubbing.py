"""Sees to it that what was erased is gone from the bytes of the file and of its log, not only from the tables."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from cued.stores.keepers.sqlite import residue
from cued.stores.keepers.sqlite.connection import patience, writing
from cued.stores.keepers.sqlite.removing import Gone

SCRUB_TIMEOUT_S = 2.0
"""How long an erasure waits for whoever reads."""
RETRY_S = 5.0
"""How long it is left alone after that: no write pays for another's reading."""
STALE_S = 3600.0
"""How old a copy in the making is that nobody makes any more."""
IN_MEMORY_BYTES = 512 * 2**20
"""Up to which size a file is rewritten without a copy of it in the folder for temporary files."""

log = logging.getLogger("cued")

_LEFT = "what was erased is in no answer any more, but its bytes are not all overwritten yet"


class Scrubber:
    """What is still to be done after erasures; what cannot be done now, for somebody is in the way, is tried again with a later write.

    The file itself tells of it too, so that whoever opens it after a crash goes on from there.
    """

    def __init__(self, path: Path) -> None:
        """Start with nothing to do."""
        self._path = path
        self._own: list[int] = []
        self._everything = False
        self._next_try = 0.0
        self._traces: list[residue.Traces] = []
        self.pending: tuple[str, ...] = ()

    @property
    def due(self) -> bool:
        """Whether erased bytes may still be there."""
        return bool(self._own) or self._everything

    @property
    def ready(self) -> bool:
        """Whether it is time to do what is due: at once after an erasure, and then no more than now and again."""
        return self.due and time.monotonic() >= self._next_try

    def erased(self, connection: apsw.Connection, gone: Gone) -> None:
        """Take notice of an erasure, inside its transaction."""
        connection.execute("INSERT INTO unscrubbed DEFAULT VALUES")
        self._own.append(connection.last_insert_rowid())
        self._traces.append(gone.traces)
        self._everything = self._everything or gone.replaced
        self._next_try = 0.0

    def resume(self, connection: apsw.Connection) -> None:
        """Finish what another process has left undone; what was erased then is not known any more, so the whole file is rewritten."""
        self._everything = True
        self.scrub(connection)

    def scrub(self, connection: apsw.Connection, *, patience_s: float | None = None) -> None:
        """Do what is due outside of any transaction: empty the log into the file, and rewrite that if anything is left in it."""
        waited = bool(self.pending)
        try:
            with _waiting(connection, patience_s if patience_s is not None else 0.0 if waited else SCRUB_TIMEOUT_S):
                self._scrub(connection)
        except (apsw.BusyError, apsw.LockedError, apsw.FullError, apsw.IOError) as error:
            self._next_try = time.monotonic() + RETRY_S
            self.pending = (f"{_LEFT}: {_why(error)}",)
            if not waited:
                log.warning("%s; a later write tries again", self.pending[0])
        else:
            self.pending = tuple(_copies_in_the_making(self._path))

    def _scrub(self, connection: apsw.Connection) -> None:
        last, replaced = _last(connection), int(connection.execute("SELECT ifnull(max(number), 0) FROM replaced").get)
        _empty_log(connection)
        if self._everything or self._leftover(connection):
            rewrite(connection)
            _empty_log(connection)
            with writing(connection):
                connection.execute("DELETE FROM replaced WHERE number <= ?", (replaced,))
                connection.execute("DELETE FROM unscrubbed WHERE key <= ?", (last,))
        else:
            # What others erased is left for them to do.
            with writing(connection):
                connection.executemany("DELETE FROM unscrubbed WHERE key = ?", [(key,) for key in self._own])
        self._own, self._everything, self._traces = [], False, []

    def _leftover(self, connection: apsw.Connection) -> bool:
        unused = bytes(residue.LONG_RUN).join(residue.unused(connection.filename))
        return any(traces.found_in(unused) for traces in self._traces)


def _last(connection: apsw.Connection) -> int:
    """The number of the last erasure whose bytes may still be there, 0 when there is none."""
    return int(connection.execute("SELECT ifnull(max(key), 0) FROM unscrubbed").get)


def rewrite(connection: apsw.Connection) -> None:
    """Copy all that is stored to fresh pages; a copy on the way there is in memory, where that is not too much of it."""
    size = connection.pragma("page_count") * connection.pragma("page_size")
    connection.pragma("temp_store", 2 if size <= IN_MEMORY_BYTES else 0)
    try:
        connection.execute("VACUUM")
    finally:
        connection.pragma("temp_store", 0)


def _empty_log(connection: apsw.Connection) -> None:
    """Move the write-ahead log into the file and cut it to nothing; a reader of long breath makes it a BusyError."""
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


@contextmanager
def _waiting(connection: apsw.Connection, seconds: float) -> Iterator[None]:
    connection.set_busy_handler(patience(seconds))
    try:
        yield
    finally:
        connection.set_busy_handler(patience())


def _why(error: apsw.Error) -> str:
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return "another reader still has the state from before open"
    return "there is no room to rewrite the file" if isinstance(error, apsw.FullError) else f"the file could not be written ({error})"


def _copies_in_the_making(path: Path) -> Iterator[str]:
    """What a backup beside the file may still hold; one that nobody makes any more is deleted."""
    for each in path.parent.glob(f".{path.name}.*.partial*"):
        try:
            if time.time() - each.stat().st_mtime > STALE_S:
                each.unlink()
                continue
        except FileNotFoundError:
            continue
        except OSError as error:
            log.warning("%s: a copy that was never finished cannot be deleted (%s)", each, error.strerror)
        yield f"a copy that is not finished may hold it: {each}"
