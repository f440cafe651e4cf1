"""Files that are damaged, foreign, newer, full or not ours to write are told apart, and never harmed."""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import apsw
import pytest

from cued.conformance.samples import NOW, lookup, near, record, revision, words
from cued.errors import CorruptError, ForeignFileError, InputError, NewerSchemaError, ReadOnlyError, StoreError
from cued.model import Filter, LogQuery
from cued.stores import Store
from cued.stores.keepers.sqlite import SqliteKeeper
from tests.stores.other_process import note
from tests.stores.processes import run

PAGE = 4096


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memories.db"


@pytest.fixture
def filled(path):
    store = Store(SqliteKeeper(path))
    store.remember("t", [note("t", f"m-{number}") for number in range(200)])
    store.close()
    return path


def test_what_was_written_is_there_when_opened_again(filled):
    store = Store(SqliteKeeper(filled))
    found = store.search("t", lookup(lexical=words("tea"), dense=near(3)))
    assert (found.stored, len(store.list("t", Filter(), at=NOW, limit=500).memories)) == (200, 200)
    store.close()


def test_writes_are_synced_in_full_and_deleted_bytes_overwritten(filled):
    store = Store(SqliteKeeper(filled))
    connection = store.keeper.connection()
    assert [connection.pragma(name) for name in ("journal_mode", "synchronous", "secure_delete")] == ["wal", 2, 1]
    store.close()


@pytest.mark.parametrize("content", [b"hello, this is a diary\n" * 400, b"SQLite format 4\x00" + b"x" * 8000])
def test_a_file_that_is_no_database_is_refused_untouched(path, content):
    path.write_bytes(content)
    for readonly in (False, True):
        with pytest.raises(ForeignFileError):
            Store(SqliteKeeper(path, readonly=readonly))
    assert path.read_bytes() == content


def test_another_programs_database_is_refused_untouched(path):
    with apsw.Connection(str(path)) as connection:
        connection.execute("CREATE TABLE diary (day TEXT)")
    connection.close()
    before = path.read_bytes()
    for readonly in (False, True):
        with pytest.raises(ForeignFileError):
            Store(SqliteKeeper(path, readonly=readonly))
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_database_only_when_written(path):
    path.touch()
    with pytest.raises(ForeignFileError):
        Store(SqliteKeeper(path, readonly=True))
    assert path.read_bytes() == b""
    Store(SqliteKeeper(path)).close()
    Store(SqliteKeeper(path, readonly=True)).close()


def test_a_newer_schema_is_refused_untouched(filled):
    connection = apsw.Connection(str(filled))
    connection.pragma("user_version", 99)
    connection.close()
    before = filled.read_bytes()
    for readonly in (False, True):
        with pytest.raises(NewerSchemaError, match="99"):
            Store(SqliteKeeper(filled, readonly=readonly))
    assert filled.read_bytes() == before


def test_reading_never_migrates_an_older_schema(filled):
    connection = apsw.Connection(str(filled))
    connection.pragma("user_version", 0)
    connection.close()
    before = filled.read_bytes()
    with pytest.raises(StoreError, match="migrates"):
        Store(SqliteKeeper(filled, readonly=True))
    assert filled.read_bytes() == before


def test_a_damaged_file_is_reported_and_never_served_as_empty(filled):
    content = bytearray(filled.read_bytes())
    content[3 * PAGE :] = Random(3).randbytes(len(content) - 3 * PAGE)
    filled.write_bytes(content)
    with pytest.raises(CorruptError):
        read_everything(filled)


def test_a_truncated_file_is_reported(filled):
    filled.write_bytes(filled.read_bytes()[: 20 * PAGE])
    with pytest.raises(CorruptError):
        read_everything(filled)


def test_a_damaged_body_is_reported(filled):
    connection = apsw.Connection(str(filled))
    connection.execute("UPDATE memory SET body = x'c1ffff' WHERE id = 'm-7'")
    connection.close()
    with pytest.raises(CorruptError):
        read_everything(filled)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("UPDATE vector SET data = x'00ff01'", "uncomparable"),
        ("UPDATE memory SET forward = x'0011' WHERE key % 7 = 0", "damaged"),
    ],
)
def test_a_damaged_vector_or_index_is_told(filled, damage, told):
    connection = apsw.Connection(str(filled))
    connection.execute(damage)
    connection.close()
    store = Store(SqliteKeeper(filled))
    assert getattr(store.search("t", lookup(lexical=words("tea"), dense=near(1))), told) > 0
    store.close()


@pytest.mark.parametrize("seed", range(8))
def test_random_damage_gives_an_answer_or_a_store_error_and_nothing_else(filled, seed):
    random, content = Random(seed), bytearray(filled.read_bytes())
    for _ in range(40):
        content[random.randrange(100, len(content))] = random.randrange(256)
    filled.write_bytes(content)
    complaint = str(filled)
    try:
        read_everything(filled)
    except StoreError as error:
        complaint = str(error)
    assert str(filled) in complaint


@pytest.mark.parametrize("readonly", [False, True])
def test_a_folder_is_refused_as_one(tmp_path, readonly):
    for folder in (tmp_path, Path(tmp_path.anchor)):
        with pytest.raises(StoreError, match="this is a folder"):
            Store(SqliteKeeper(folder, readonly=readonly))


def test_a_missing_folder_and_a_missing_file_are_named(tmp_path):
    with pytest.raises(StoreError, match="folder"):
        Store(SqliteKeeper(tmp_path / "nowhere" / "memories.db"))
    with pytest.raises(StoreError, match="no such file"):
        Store(SqliteKeeper(tmp_path / "memories.db", readonly=True))
    assert list(tmp_path.iterdir()) == []


def test_a_readonly_store_reads_and_refuses_to_write(filled):
    before = filled.read_bytes()
    store = Store(SqliteKeeper(filled, readonly=True))
    assert store.search("t", lookup(lexical=words("tea"))).stored == 200
    for write in (
        lambda: store.remember("t", [record("t", "new")]),
        lambda: store.forget("t", ["m-1"], at=NOW),
        lambda: store.erase("t", ["m-1"]),
        lambda: store.revise("t", [revision("m-1", importance=0.9)], at=NOW),
        lambda: store.adopt("t", [record("t", "new")]),
        lambda: store.erase_tenant("t"),
        lambda: store.swap_document("t", "d", old=None, new=b"d"),
    ):
        with pytest.raises(ReadOnlyError):
            write()
    store.close()
    assert filled.read_bytes() == before


def test_a_file_in_a_folder_that_cannot_be_written_can_still_be_read(filled):
    # Not in tmp_path: that belongs to this user alone, and root may write everywhere.
    with TemporaryDirectory() as name:
        copy = Path(name) / "memories.db"
        copy.write_bytes(filled.read_bytes())
        copy.chmod(0o444)
        Path(name).chmod(0o555)
        said = run("nobody", copy)
        Path(name).chmod(0o755)
    assert said == ["read 10 200", "refused", "not made"]


def test_a_full_disk_keeps_what_was_acknowledged_and_nothing_else(path):
    *acked, last = run("fill", path, 400_000)
    assert last == f"full {10 * len(acked)} {10 * len(acked)}"
    store = Store(SqliteKeeper(path))
    assert store.size("t") == 10 * len(acked) == len(read_everything(path))
    assert store.keeper.connection().pragma("integrity_check") == "ok"
    store.close()


def test_a_closed_store_says_so(filled):
    store = Store(SqliteKeeper(filled))
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.size("t")


def test_text_that_the_file_cannot_carry_is_refused_in_every_question(filled):
    store = Store(SqliteKeeper(filled))
    for ask in (
        lambda: store.get("t", ["\ud800"]),
        lambda: store.scan("t", limit=3, after="\ud800"),
        lambda: store.linking("t", ["\ud800"]),
        lambda: store.log("t", LogQuery(limit=3, recall_id="\ud800")),
        lambda: store.list("t", Filter(scope="\ud800"), at=NOW, limit=3),
    ):
        with pytest.raises(InputError):
            ask()
    store.close()


def read_everything(path):
    store = Store(SqliteKeeper(path))
    try:
        store.search("t", lookup(lexical=words("tea", pool=500), dense=near(1, pool=500)))
        store.stats("t", at=NOW)
        return store.list("t", Filter(), at=NOW, limit=500).memories
    finally:
        store.close()
