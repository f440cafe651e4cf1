"""One file, many processes: the SQLite keeper."""

from cued.stores.keepers.sqlite.keeper import SqliteKeeper

__all__ = ["SqliteKeeper"]
