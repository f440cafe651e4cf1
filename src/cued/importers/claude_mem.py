"""claude-mem's database, opened for reading alone: observations, session summaries, the user's prompts, and memory items.

Tables and columns came and went over its versions, so whatever is there of the known ones is read. The file is taken for hostile: only
plain tables are asked, by our own names, and neither its views nor its triggers nor its functions are ever run.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw
import msgspec
from msgspec import Struct

from cued.errors import InputError
from cued.importers.drafting import drafted, meta, session, short, shorts, source_id, when
from cued.importers.files import MAX_BYTES, head
from cued.importers.intake import Skipped
from cued.model import GLOBAL
from cued.requests.draft import Draft
from cued.stores.keepers.sqlite.schema import APPLICATION_ID

WHAT = "the database of claude-mem, usually ~/.claude-mem/claude-mem.db"
MAGIC = b"SQLite format 3\0"
MAX_ROWS = 2_000_000

_MAX_CELL = 4_000_000
_MAX_STEPS = 2_000
_STEP = 1_000_000
_ACCEPTED = f"a database that SQLite can read; accepted is {WHAT}"

Row = dict[str, str]


class _Table(Struct, frozen=True):
    """What is read from a table: the columns that make the text, in order, and the kind of memory it becomes."""

    texts: tuple[str, ...]
    kind: str
    tags: tuple[str, ...] = ()
    speaker: str | None = None


_SESSIONS = ("memory_session_id", "sdk_session_id", "content_session_id", "claude_session_id", "session_id")
_PLACES = ("id", "project", "project_id", "prompt_number", "created_at", "created_at_epoch", *_SESSIONS)
_TABLES = {
    "observations": _Table(("title", "subtitle", "narrative", "text", "facts"), "semantic", ("type", "concepts")),
    "session_summaries": _Table(("request", "investigated", "learned", "completed", "next_steps", "notes"), "episodic"),
    "user_prompts": _Table(("prompt_text",), "episodic", speaker="user"),
    "memory_items": _Table(("title", "subtitle", "narrative", "text", "facts"), "semantic", ("kind", "type", "concepts")),
}
_LABELS = {"request": "Request", "investigated": "Investigated", "learned": "Learned", "completed": "Completed", "next_steps": "Next"}


def read(path: Path, *, max_bytes: int = MAX_BYTES) -> Iterator[Draft | Skipped]:
    """A draft for each row of the known tables; a project becomes a scope."""
    if head(path, len(MAGIC)) != MAGIC or path.stat().st_size > max_bytes * 16:
        raise InputError("file", path.name, f"{_ACCEPTED}, of at most {max_bytes * 16} bytes")
    with _opened(path) as connection:
        found = {name: table for name, table in _TABLES.items() if _columns(connection, name)}
        if connection.pragma("application_id") == APPLICATION_ID:
            told = "no database of Cued: `cued restore` takes a backup, `cued copy` a whole store, and `cued export` writes a file"
            raise InputError("file", path.name, told)
        if not found:
            raise InputError("file", path.name, f"a database with one of the tables {', '.join(_TABLES)}; accepted is {WHAT}")
        projects = _projects(connection)
        for name, table in found.items():
            for row in _rows(connection, name, (*_PLACES, *table.texts, *table.tags)):
                yield _draft(name, table, row, projects)


@contextmanager
def _opened(path: Path) -> Iterator[apsw.Connection]:
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        connection = _connected(path, flags)
        try:
            yield connection
        finally:
            connection.close()
    except apsw.Error as error:
        raise InputError("file", path.name, f"{_ACCEPTED} ({error})") from error


def _connected(path: Path, flags: int) -> apsw.Connection:
    """A connection that can only read; where nobody has the file open, or its folder cannot be written, the file alone is read.

    Else SQLite would leave files of its own beside it.
    """
    name = path.resolve().as_uri()
    if not any(path.with_name(path.name + suffix).exists() for suffix in ("-wal", "-shm")):
        return _guarded(apsw.Connection(f"{name}?mode=ro&immutable=1", flags=flags))
    try:
        return _guarded(apsw.Connection(f"{name}?mode=ro", flags=flags))
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        return _guarded(apsw.Connection(f"{name}?mode=ro&immutable=1", flags=flags))


def _guarded(connection: apsw.Connection) -> apsw.Connection:
    steps = 0

    def too_long() -> bool:
        nonlocal steps
        steps += 1
        return steps > _MAX_STEPS

    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, _MAX_CELL)
    connection.set_busy_timeout(5000)
    connection.set_progress_handler(too_long, _STEP)
    connection.execute("PRAGMA cell_size_check = 1; PRAGMA query_only = 1; SELECT count(*) FROM sqlite_schema").fetchall()
    return connection


def _columns(connection: apsw.Connection, table: str) -> set[str]:
    """The ordinary columns of a plain table; none where it is missing, a view, or a virtual table."""
    plain = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? AND rootpage > 0"
    if connection.execute(plain, (table,)).fetchone() is None:
        return set()
    return {name for (name,) in connection.execute("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", (table,))}


def _rows(connection: apsw.Connection, table: str, wanted: Sequence[str]) -> Iterator[Row]:
    """The rows as texts by column, without what is missing; a broken character becomes a replacement character."""
    there = _columns(connection, table)
    columns = [name for name in dict.fromkeys(wanted) if name in there]
    if not columns:
        return
    # Only names from this module are ever put into the statement.
    cells = ", ".join(f'CAST("{name}" AS BLOB)' for name in columns)
    order = 'ORDER BY "id"' if "id" in there else ""
    for number, cells_of_row in enumerate(connection.execute(f'SELECT {cells} FROM "{table}" {order}')):  # noqa: S608
        if number == MAX_ROWS:
            raise InputError(table, f"more than {MAX_ROWS} rows", f"at most {MAX_ROWS} rows a table")
        yield {name: cell.decode("utf-8", "replace") for name, cell in zip(columns, cells_of_row, strict=True) if cell is not None}


def _projects(connection: apsw.Connection) -> dict[str, str]:
    """The project of each session, by each of the session's names."""
    projects: dict[str, str] = {}
    for row in _rows(connection, "sdk_sessions", ("project", *_SESSIONS)):
        projects |= {row[name]: row["project"] for name in _SESSIONS if name in row and row.get("project")}
    return projects


def _draft(name: str, table: _Table, row: Row, projects: dict[str, str]) -> Draft | Skipped:
    spoken = next((row[column] for column in _SESSIONS if row.get(column)), "")
    project = row.get("project") or projects.get(spoken) or row.get("project_id") or ""
    written = row.get("created_at_epoch") or row.get("created_at") or ""
    number = row.get("prompt_number", "")
    return drafted(
        "\n".join(filter(None, (_labelled(column, row.get(column, "")) for column in table.texts))),
        # A row's number means something only in its own file, so the session and the time are part of the name.
        id=source_id("claude-mem", name, spoken, row.get("id", ""), written),
        kind=table.kind,
        scope=short(project) or GLOBAL,
        tags=shorts([tag for column in table.tags for tag in _listed(row.get(column, ""))]),
        session=session("claude-mem", spoken) if spoken else None,
        turn=int(number) if number.isdecimal() and number.isascii() and len(number) < _DIGITS else None,
        speaker=table.speaker,
        at=when(row.get("created_at_epoch")) or when(row.get("created_at")),
        meta=meta({"table": name, "project": project}),
    )


def _labelled(column: str, text: str) -> str:
    said = "\n".join(f"- {fact}" for fact in _listed(text)) if column == "facts" else text.strip()
    return f"{_LABELS[column]}: {said}" if said and column in _LABELS else said


def _listed(text: str) -> list[str]:
    """The texts of a JSON list; what is none is one text by itself."""
    if not text.lstrip().startswith("["):
        return [text.strip()] if text.strip() else []
    try:
        return [fact for fact in msgspec.json.decode(text, type=list[str]) if fact.strip()]
    except (msgspec.DecodeError, RecursionError):
        return [text.strip()]


_DIGITS = 10
