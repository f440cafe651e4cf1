"""One file, many processes: the SQLite store."""

from cued.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
