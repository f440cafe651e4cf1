"""One file, many processes: the SQLite store."""

from cued.stores.keepers.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
