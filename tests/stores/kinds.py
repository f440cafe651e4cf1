"""Where each kind of store is, for tests that hold all of them to the same."""

from contextlib import contextmanager

KINDS = ("memory", "sqlite", "postgres")


@contextmanager
def place(kind, folder):
    """What to open for an empty store of this kind; a machine that cannot run PostgreSQL skips the test, and says so."""
    if kind != "postgres":
        yield None if kind == "memory" else folder / "m.db"
        return
    from tests.stores.postgres import server  # noqa: PLC0415 - starts a server, or skips

    yield server().url
    server().empty()
