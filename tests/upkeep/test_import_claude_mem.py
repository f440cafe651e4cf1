"""claude-mem's database, of several versions and of bad intent."""

import apsw
import pytest

import cued
from cued.errors import InputError
from cued.importers import claude_mem, detect
from tests.upkeep.import_samples import imported, utc, written

NEW = """
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT, memory_session_id TEXT, project TEXT);
INSERT INTO sdk_sessions VALUES (1, 'talk-1', 'mem-1', 'atlas');
CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT, title TEXT, subtitle TEXT,
    facts TEXT, narrative TEXT, concepts TEXT, prompt_number INTEGER, created_at TEXT, created_at_epoch INTEGER);
INSERT INTO observations VALUES (1, 'mem-1', 'atlas', NULL, 'bugfix', 'Cache fixed', 'It was stale', '["Keys had no tenant","Now they do"]',
    'The cache mixed tenants.', '["cache","tenancy"]', 3, '2025-04-01T10:00:00.000Z', 1743501600000);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT, learned TEXT, notes TEXT,
    created_at TEXT, created_at_epoch INTEGER);
INSERT INTO session_summaries VALUES (1, 'mem-1', 'atlas', 'Fix the cache', 'Keys need a tenant', NULL, '2025-04-01T11:00:00Z',
    1743505200000);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, content_session_id TEXT, prompt_number INTEGER, prompt_text TEXT, created_at TEXT,
    created_at_epoch INTEGER);
INSERT INTO user_prompts VALUES (1, 'talk-1', 1, 'Why is the cache wrong?', '2025-04-01T09:00:00Z', 1743498000000);
"""
OLD = """
CREATE TABLE observations (id INTEGER PRIMARY KEY, sdk_session_id TEXT, project TEXT, text TEXT, type TEXT, created_at TEXT);
INSERT INTO observations VALUES (1, 's', 'borea', 'Ports are closed.', 'discovery', '2024-01-01T00:00:00Z');
"""
SERVER = """
CREATE TABLE memory_items (id TEXT PRIMARY KEY, project_id TEXT, kind TEXT, type TEXT, title TEXT, narrative TEXT,
    created_at_epoch INTEGER);
INSERT INTO memory_items VALUES ('i1', 'p9', 'observation', 'decision', 'Use apsw', 'It brings its own SQLite.', 1743501600000);
"""


def database(path, *scripts):
    """Write a database and give its path."""
    connection = apsw.Connection(str(path))
    for script in scripts:
        connection.execute(script)
    connection.close()
    return path


def test_observations_summaries_and_prompts_come_in_by_project(tmp_path):
    path = database(tmp_path / "claude-mem.db", NEW)

    done, found = imported(path)

    assert detect(path) == done.format == "claude-mem"
    assert (done.stored, done.skipped) == (3, {})
    prompt, observation, summary = found
    assert (prompt.text, prompt.source.speaker, prompt.kind, prompt.scope) == ("Why is the cache wrong?", "user", "episodic", "atlas")
    assert observation.text == "Cache fixed\nIt was stale\nThe cache mixed tenants.\n- Keys had no tenant\n- Now they do"
    assert (observation.kind, observation.tags, observation.scope) == ("semantic", ("bugfix", "cache", "tenancy"), "atlas")
    assert (observation.source.session, observation.source.turn) == ("claude-mem:mem-1", 3)
    assert observation.created_at == utc(2025, 4, 1, 10)
    assert summary.text == "Request: Fix the cache\nLearned: Keys need a tenant"


@pytest.mark.parametrize(
    ("script", "text", "scope"), [(OLD, "Ports are closed.", "borea"), (SERVER, "Use apsw\nIt brings its own SQLite.", "p9")]
)
def test_older_and_newer_tables_are_read_as_far_as_they_go(tmp_path, script, text, scope):
    _, found = imported(database(tmp_path / "m.db", script))

    assert [(m.text, m.scope) for m in found] == [(text, scope)]


def test_a_scope_of_the_callers_overrules_the_projects(tmp_path):
    _, found = imported(database(tmp_path / "m.db", NEW), scope="mine")

    assert {m.scope for m in found} == {"mine"}


def test_a_second_import_stores_nothing_and_equal_rows_of_another_file_are_others(tmp_path):
    path, other = database(tmp_path / "a.db", OLD), database(tmp_path / "b.db", OLD.replace("2024-01-01", "2024-01-02"))

    first = {m.id for m in imported(path)[1]}

    assert {m.id for m in imported(path)[1]} == first
    assert {m.id for m in imported(other)[1]}.isdisjoint(first)


def test_the_file_is_not_changed_and_may_be_open_elsewhere(tmp_path):
    path = database(tmp_path / "m.db", "PRAGMA journal_mode = wal", OLD)
    writer = apsw.Connection(str(path))
    writer.execute("INSERT INTO observations VALUES (2, 's', 'borea', 'Not yet checkpointed.', 'x', '2024-01-03')")
    before = path.read_bytes()

    done, _ = imported(path)

    assert done.stored == 2
    assert path.read_bytes() == before
    writer.close()


def test_nothing_is_left_beside_the_file_and_a_database_of_cued_is_refused_with_what_takes_it(tmp_path):
    path = database(tmp_path / "m.db", "PRAGMA journal_mode = wal", OLD)
    with cued.open(tmp_path / "own.db", embedder=None) as memories:
        memories.tenant("ada").remember("tea")
        memories.backup(tmp_path / "backup.db")
    before = sorted(each.name for each in tmp_path.iterdir())

    assert imported(path)[0].stored == 1
    with pytest.raises(InputError, match="cued restore"):
        imported(tmp_path / "backup.db")
    assert sorted(each.name for each in tmp_path.iterdir()) == before


HOSTILE = {
    "a view in place of a table": "CREATE VIEW observations AS SELECT 1 AS id, 'evil' AS text",
    "a view that never ends": (
        "CREATE VIEW observations AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 'evil' AS text FROM n"
    ),
    "a virtual table": "CREATE VIRTUAL TABLE observations USING fts5(id, text)",
    "no table that is known": "CREATE TABLE diary (text)",
    "a table with none of the columns": "CREATE TABLE observations (colour)",
}


@pytest.mark.parametrize("script", HOSTILE)
def test_what_is_no_plain_table_is_not_read(tmp_path, script):
    path = database(tmp_path / "m.db", HOSTILE[script])

    if "columns" in script:
        assert imported(path)[0].stored == 0
    else:
        with pytest.raises(InputError, match="observations, session_summaries, user_prompts, memory_items"):
            imported(path)


def test_odd_names_of_triggers_views_and_columns_change_nothing(tmp_path):
    odd = """
        CREATE TABLE "x"";DROP TABLE observations;--" ("a"" b" TEXT);
        CREATE VIEW "observations; SELECT" AS SELECT load_extension('evil');
        CREATE TRIGGER "t;" AFTER INSERT ON observations BEGIN SELECT raise(abort, 'no'); END;
        ALTER TABLE observations ADD COLUMN title TEXT GENERATED ALWAYS AS (upper(text)) VIRTUAL;
    """

    assert [m.text for m in imported(database(tmp_path / "m.db", OLD, odd))[1]] == ["Ports are closed."]


def test_cells_of_odd_types_and_broken_text_are_read_as_text(tmp_path):
    odd = "INSERT INTO observations VALUES (2, 7, 1.5, CAST(x'ff6f64642074657874' AS TEXT), NULL, 9e99), (3, NULL, NULL, NULL, NULL, NULL)"

    done, found = imported(database(tmp_path / "m.db", OLD, odd))

    assert (done.stored, done.skipped) == (2, {"empty text": 1})
    assert next(m for m in found if "odd" in m.text).text == "\ufffdodd text"


@pytest.mark.parametrize("data", [b"", b"SQLite format 3\0", b"SQLite format 3\0" + b"\xff" * 5000, b"not a database at all" * 500])
def test_a_file_that_is_no_database_is_an_input_error(tmp_path, data):
    with pytest.raises(InputError, match="claude-mem"):
        imported(written(tmp_path / "m.db", data), format="claude-mem")


def rows(count, text="'text'"):
    """Give the script that adds so many observations."""
    numbers = f"WITH RECURSIVE n(v) AS (SELECT 2 UNION ALL SELECT v + 1 FROM n WHERE v <= {count})"
    return f"{numbers} INSERT INTO observations SELECT v, 's', 'p', {text}, '', '' FROM n"


def test_a_damaged_database_is_an_input_error(tmp_path):
    path = database(tmp_path / "m.db", OLD, rows(90, "zeroblob(3000)"))
    data = bytearray(path.read_bytes())
    data[4096 * 2 : 4096 * 6] = b"\xff" * 4096 * 4
    path.write_bytes(data)

    with pytest.raises(InputError, match="SQLite can read"):
        imported(path)


def test_more_rows_than_are_accepted_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(claude_mem, "MAX_ROWS", 2)

    with pytest.raises(InputError, match="at most 2 rows"):
        imported(database(tmp_path / "m.db", OLD, rows(9)))


def test_a_query_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(claude_mem, "_MAX_STEPS", 1)
    monkeypatch.setattr(claude_mem, "_STEP", 10)

    with pytest.raises(InputError, match="SQLite can read"):
        imported(database(tmp_path / "m.db", OLD, rows(900)))
