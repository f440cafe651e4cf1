"""Files of every earlier schema are brought to the current one, whole or not at all."""

import json
from datetime import datetime
from pathlib import Path

import apsw
import numpy as np
import pytest
from msgspec import msgpack
from msgspec.structs import replace

from cued.conformance.samples import HOUR, NOW, entry, lookup, record, revision, words
from cued.conformance.searching import ids
from cued.embed import load_embedder
from cued.errors import CorruptError, StoreError
from cued.model import DERIVED_FROM, UNUSED, Edge, EntityLookup, Feedback, Filter, LogQuery, Supersession, Use
from cued.stores import Store
from cued.stores.admission import weighed
from cued.stores.arrays import micros
from cued.stores.columns.postings import NAME, pack
from cued.stores.encoding import new_row
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.stores.keepers.sqlite.schema import APPLICATION_ID, MIGRATIONS, VERSION
from cued.stores.keepers.sqlite.transaction import columns
from cued.stores.vector_bytes import as_data
from cued.text.analyse import query_terms
from cued.upkeep.checking import check_file
from tests.stores.files.write_third import as_line, found, kept

INSERT = """
    INSERT INTO memory (key, tenant, id, change, content, scope, kind, tier, created, valid_from, valid_until, expires, forgotten,
                        superseded, locally, session, turn, tags, fingerprint, forward, body)
    VALUES (:key, 1, :id, 1, 1, :scope, :kind, :tier, :created, :valid_from, :valid_until, :expires, :forgotten,
            :superseded, :locally, :session, :turn, :tags, 1, :forward, :body)
"""
EDGES = (Edge(DERIVED_FROM, "a"), Edge("mentions", "a\x00b"), Edge(DERIVED_FROM, "a"))
RECORDS = (
    record("t", "a", forgotten_at=NOW),
    record("t", "b", kind="reflection", edges=EDGES),
    record("t", "c", tier="core", edges=(Edge("causes", "b"),), use=Use(count=2.0)),
    record("t", "d", "code", entities=("ada", "grace"), tags=("ada",)),
    record("t", "e", "rain", entities=("grace",), superseded=(Supersession(by="x", at=NOW - HOUR, scope="p"),)),
)


def as_in_the_first(record, *, key):
    """Give the row of a memory as the first schema had it: names not told from words, and local supersessions in pairs."""
    pairs = [(mark.scope, micros(mark.at)) for mark in record.memory.superseded]
    packed = pack(record.memory, record.terms)
    entries = [packed[place : place + 10] for place in range(4, len(packed), 10)]
    untold = [each[:8] + b"\x01\x00" if each[8:] == NAME.to_bytes(2, "little") else each for each in entries]
    return columns(new_row(record), change=1) | {
        "key": key,
        "id": record.memory.id,
        "locally": msgpack.encode(pairs) if pairs else None,
        "forward": packed[:4] + b"".join(untold),
    }


def old_body(line):
    """Give a line of the log as it was written before it had columns."""
    names = ("recall_id", "at", "policy", "outcome", "candidates", "chosen", "best_relevance", "below_floor", "tokens", "total_ms")
    detail = {"surface": "mcp", "cited": ["a"]} if line.cited else {"cited": 7, "bad": [None, {}]}
    return msgpack.encode({name: getattr(line, name) for name in names} | {"detail": detail})


@pytest.fixture
def first(tmp_path):
    """Give a file as the first schema had it."""
    path = tmp_path / "memories.db"
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    connection.execute(MIGRATIONS[0].script)
    connection.pragma("user_version", 1)
    connection.pragma("application_id", APPLICATION_ID)
    connection.execute("INSERT INTO tenant VALUES (1, ?, 1, 0, ?, ?)", (b"t", len(RECORDS), len(RECORDS)))
    connection.execute("INSERT INTO fingerprint VALUES (1, ?)", (RECORDS[0].memory.fingerprint,))
    for key, each in enumerate(RECORDS, start=(1 << 32) + 1):
        connection.execute(INSERT, as_in_the_first(each, key=key))
        connection.execute("INSERT INTO vector VALUES (?, ?)", (key, as_data(each.vector, "float32")))
        if each.memory.use != Use():
            connection.execute("INSERT INTO use VALUES (?, ?)", (key, msgpack.encode(each.memory.use)))
    for number, line in enumerate([entry("r0"), entry("r1"), replace(entry("r0"), tokens=7, cited=("a",))], start=1):
        connection.execute("INSERT INTO recall VALUES (?, 1, ?, ?, ?)", (number, line.recall_id, micros(line.at), old_body(line)))
    connection.close()
    return path


def test_a_file_of_the_first_schema_gets_its_edges_and_keeps_all_it_had(first):
    store = Store(SqliteKeeper(first))
    assert store.keeper.connection().pragma("user_version") == VERSION > 1
    assert store.get("t", list("abcde")) == tuple(each.memory for each in RECORDS)
    assert [[memory.id for memory in store.linking("t", [target])] for target in ("a", "a\x00b", "b", "c")] == [["b"], ["b"], ["c"], []]
    found = store.search("t", lookup(lexical=words("tea"), core=True))
    assert found.struck == {"forgotten": 1, "provenance": 1}
    assert ([memory.id for memory in found.memories], [memory.id for memory in found.core]) == (["c"], ["c"])
    assert [(line.recall_id, line.tokens, line.cited) for line in store.log("t", LogQuery(limit=9))] == [("r0", 7, ("a",)), ("r1", 40, ())]
    store.swap_document("t", "d", old=None, new=b"d")
    store.erase("t", ["b"])
    assert store.linking("t", ["a"]) == ()
    assert store.keeper.connection().pragma("integrity_check") == "ok"
    store.close()
    Store(SqliteKeeper(first, readonly=True)).close()


def test_a_file_of_the_first_schema_gets_its_names_and_keeps_its_local_supersessions(first):
    store = Store(SqliteKeeper(first))
    asked = lookup(entity=EntityLookup(names=("ada",), pool=9))
    found = store.search("t", asked)
    assert (ids(found), found.columns["entities"].tolist()) == (["d"], [1.0])
    asked = lookup(lexical=words("code", "rain"), scope="p")
    assert ids(store.search("t", asked)) == ["d"]
    assert ids(store.search("t", replace(asked, at=NOW - 2 * HOUR, as_of=True))) == ["d", "e"]
    forwards = [forward for (forward,) in store.keeper.connection().execute("SELECT forward FROM memory ORDER BY key")]
    assert forwards == [pack(each.memory, each.terms) for each in RECORDS]
    store.close()


def test_a_file_of_the_first_schema_is_sound_once_it_is_migrated(first):
    Store(SqliteKeeper(first)).close()
    assert [each for each in check_file(first).problems if each.part != "permissions"] == []


def test_reading_never_migrates_a_file_of_the_first_schema(first):
    before = first.read_bytes()
    with pytest.raises(StoreError, match=r"schema 1, not \d+; reading never migrates"):
        Store(SqliteKeeper(first, readonly=True))
    assert first.read_bytes() == before


def test_a_migration_that_fails_leaves_the_file_as_it_was(first):
    connection = apsw.Connection(str(first))
    connection.execute("UPDATE memory SET body = x'c1ff' WHERE id = 'c'")
    with pytest.raises(CorruptError):
        Store(SqliteKeeper(first))
    assert connection.pragma("user_version") == 1
    assert connection.execute("SELECT count(*) FROM sqlite_schema WHERE name IN ('edge', 'document')").get == 0
    connection.close()


def test_a_new_file_has_the_tables_of_a_migrated_one(first, tmp_path):
    Store(SqliteKeeper(first)).close()
    Store(SqliteKeeper(tmp_path / "new.db")).close()
    tables = []
    for path in (first, tmp_path / "new.db"):
        connection = apsw.Connection(str(path))
        tables.append(sorted(connection.execute("SELECT name, ifnull(sql, '') FROM sqlite_schema")))
        connection.close()
    assert tables[0] == tables[1]


FILES = Path(__file__).parent / "files"
_USE_BYTES = len(msgpack.encode("use") + msgpack.encode(UNUSED))


@pytest.fixture
def third(tmp_path):
    """Give a copy of a file that a Cued of the third schema has written."""
    path = tmp_path / "third.db"
    path.write_bytes((FILES / "third.db").read_bytes())
    return path


def numbers(columns):
    """Columns that were written down byte by byte; how a vector is kept in memory has changed since, in the eighth decimal."""
    return {name: np.frombuffer(bytes.fromhex(column)).tolist() for name, column in columns.items()}


def test_a_file_of_the_third_schema_opens_with_its_log_in_columns_and_finds_the_same(third):
    expected = json.loads((FILES / "third.json").read_text())
    store, at = Store(SqliteKeeper(third)), datetime.fromisoformat(expected["at"])
    assert store.keeper.connection().pragma("user_version") == VERSION > 3
    assert store.tenants() == ("ada", "bo")
    assert kept(store) == expected["kept"]
    log = store.log("ada", LogQuery(content=True))
    assert [as_line(entry, entry.cited, entry.bad) for entry in log] == expected["log"]
    assert any(entry.cited for entry in log)
    assert {(entry.scope, entry.found_by, entry.floor, entry.cue, entry.evidence) for entry in log} == {("global", (), None, None, None)}
    assert store.document("ada", "arc") == b"learnt \xff"
    searched = json.loads(json.dumps(found(store, load_embedder("hashing"), at=at)))
    for (*now, held), (*then, wanted) in zip(searched, expected["found"], strict=True):
        assert now == then
        assert numbers(held) == {name: pytest.approx(column, abs=2e-7, nan_ok=True) for name, column in numbers(wanted).items()}
    store.close()


def test_feedback_goes_on_where_a_file_of_the_third_schema_left_it(third):
    store = Store(SqliteKeeper(third))
    told = next(entry for entry in store.log("ada", LogQuery()) if entry.cited)
    again = Feedback(recall_id=told.recall_id, cited=told.cited, cited_factor=1.05, bad_factor=0.95, least=0.5, most=1.5)
    assert store.feedback("ada", again) == ()
    store.close()


def test_lines_from_before_trials_are_read_without_one_and_new_ones_with_it(tmp_path):
    path = tmp_path / "fourth.db"
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    for migration in MIGRATIONS[:4]:
        connection.execute(migration.script)
        if migration.fill is not None:
            migration.fill(connection)
    connection.pragma("user_version", 4)
    connection.pragma("application_id", APPLICATION_ID)
    connection.execute("INSERT INTO tenant (key, name) VALUES (1, ?)", (b"t",))
    line = entry("old")
    columns = {name: getattr(line, name) for name in line.__struct_fields__ if name not in {"conversation", "cue_mark", "shadow"}}
    values = {name: json.dumps(value) if isinstance(value, tuple | dict) else value for name, value in columns.items()} | {
        "at": micros(line.at)
    }
    names = ", ".join(values)
    connection.execute(f"INSERT INTO recall (tenant, {names}) VALUES (1, {', '.join(f':{name}' for name in values)})", values)
    connection.close()
    store = Store(SqliteKeeper(path))
    assert store.keeper.connection().pragma("user_version") == VERSION > 4
    store.settle("t", [], [replace(entry("new"), at=NOW + HOUR)])
    new, old = store.log("t", LogQuery())
    assert new == replace(entry("new"), at=NOW + HOUR)
    assert old == replace(line, conversation="", cue_mark="", shadow=None)
    store.close()


def test_a_file_from_before_trust_acted_gets_its_trusts_and_its_bytes_and_keeps_all_else(tmp_path):
    path = tmp_path / "memories.db"
    path.write_bytes((FILES / "fourth.db").read_bytes())
    store = Store(SqliteKeeper(path))
    told = store.stats("ada", at=NOW)
    assert (told.by_trust, told.quarantined) == ({"agent": 1, "import": 1, "tool": 3, "user": 2}, 0)
    whole = list(store.list("ada", Filter(hidden=True), at=NOW, limit=9))
    # What was written then had its use written out, of which nothing is said now.
    assert told.bytes == sum(map(weighed, whole)) + len(whole) * _USE_BYTES
    assert store.stats("bob", at=NOW).bytes == weighed(store.get("bob", ["cake"])[0]) + _USE_BYTES
    assert {memory.id for memory in store.list("ada", Filter(trusts=("tool",)), at=NOW, limit=9)} == {"tool", "pinned", "new"}
    # what was pinned then is pinned no more, and what gave way stays so until a person says otherwise
    found = store.search("ada", lookup(lexical=words(*query_terms("tea coffee")), at=NOW, core=True, trusts=("user", "tool")))
    assert (ids(found), found.core) == (["new", "tool", "user"], ())
    store.revise("ada", [revision("pinned", importance=0.9)], at=NOW)
    store.revise("ada", [revision("new", quarantined_at=NOW)], at=NOW)
    assert "old" in ids(store.search("ada", lookup(lexical=words(*query_terms("coffee")), at=NOW)))
    store.close()
