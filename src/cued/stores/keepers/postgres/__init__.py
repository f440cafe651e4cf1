"""Rows in PostgreSQL: the same parts as SQLite's, for many nodes and with isolation that the database itself enforces."""

from cued.stores.keepers.postgres.keeper import PostgresKeeper

__all__ = ["PostgresKeeper"]
