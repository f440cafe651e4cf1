"""Backup while others write, and restore: the copy is whole or there is none, and the target is never worse off than before."""

import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest

import cued
from cued.conformance.samples import NOW, lookup, near, record, words
from cued.errors import BusyError, CorruptError, ForeignFileError, InputError, NewerSchemaError, StoreError
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.stores.keepers.sqlite.schema import VERSION
from cued.upkeep import backup as copying
from cued.upkeep.backup import backup, restore

WRITER = """
import sys
from itertools import count
from cued.conformance.samples import record
from cued.stores import Store
from cued.stores.keepers.sqlite import SqliteKeeper
store = Store(SqliteKeeper(sys.argv[1]))
for number in count():
    store.remember("t", [record("t", f"w-{number:06}", "tea " * 200, vector=number % 12)])
    print(f"w-{number:06}", flush=True)
"""


@pytest.fixture
def store(tmp_path):
    store = Store(SqliteKeeper(tmp_path / "live.db"))
    store.remember(
        "t", [record("t", f"m{number:03}", f"tea number{number} " + "garden " * 50, vector=number % 12) for number in range(200)]
    )
    yield store
    store.close()


def ids(path, tenant="t"):
    """Give the ids that a store's file holds."""
    store = Store(SqliteKeeper(path, readonly=True))
    try:
        return [each.memory.id for each in store.scan(tenant, limit=1_000_000)]
    finally:
        store.close()


def left_in(folder):
    return sorted(each.name for each in Path(folder).iterdir())


def test_a_backup_is_a_store_with_the_same_answers(store, tmp_path):
    done = backup(store, tmp_path / "copy.db")

    copy = Store(SqliteKeeper(tmp_path / "copy.db", readonly=True))
    asked = lookup(lexical=words("tea", "number7"), dense=near(3))
    assert copy.search("t", asked).memories == store.search("t", asked).memories
    copy.close()
    assert (done.schema, done.bytes) == (VERSION, (tmp_path / "copy.db").stat().st_size)
    assert [name for name in left_in(tmp_path) if "partial" in name] == []


def test_progress_hears_of_the_pages(store, tmp_path, monkeypatch):
    monkeypatch.setattr(copying, "PAGES", 8)
    heard = []

    backup(store, tmp_path / "copy.db", progress=lambda *each: heard.append(each))

    done = [each[0] for each in heard]
    assert len(heard) > 3
    assert done == sorted(done)
    assert heard[-1][0] == heard[-1][1]


def test_what_was_acknowledged_before_the_backup_began_is_in_it_while_a_thread_writes(store, tmp_path, monkeypatch):
    monkeypatch.setattr(copying, "PAGES", 4)
    acknowledged, going = [], threading.Event()

    def write():
        for number in range(400):
            store.remember("t", [record("t", f"w{number:04}", "tea " * 300)])
            acknowledged.append(f"w{number:04}")
            going.set()

    writer = threading.Thread(target=write)
    writer.start()
    going.wait()
    before, heard = list(acknowledged), []
    backup(store, tmp_path / "copy.db", progress=lambda *each: heard.append(each))
    writer.join()

    copied = ids(tmp_path / "copy.db")
    written = [each for each in copied if each.startswith("w")]
    assert set(before) <= set(copied)
    assert written == acknowledged[: len(written)]
    assert [each[0] for each in heard] == sorted(each[0] for each in heard)


def test_a_backup_while_another_process_writes_is_one_moment_of_it(store, tmp_path):
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "live.db")], stdout=subprocess.PIPE, text=True)
    try:
        before = [process.stdout.readline().strip() for _ in range(20)]
        for number in range(3):
            backup(store, tmp_path / f"copy{number}.db")
    finally:
        process.kill()
        process.communicate()

    for number in range(3):
        copied = [each for each in ids(tmp_path / f"copy{number}.db") if each.startswith("w")]
        assert set(before) <= set(copied)
        assert copied == [f"w-{place:06}" for place in range(len(copied))]


def test_a_backup_larger_than_a_cache_has_sums_on_the_pages_that_lay_in_the_log(tmp_path):
    with cued.open(tmp_path / "m.db", embedder="hashing") as memories:
        ada = memories.tenant("ada")
        ids = ada.remember_many([f"note {number} on tea" for number in range(2000)]).ids
        ada.forget(*ids)
        memories.backup(tmp_path / "copy.db")
    with cued.open(tmp_path / "copy.db", embedder=None) as copy:
        assert copy.check().ok
        assert copy.tenant("ada").stats().forgotten == 2000


def test_a_backup_does_not_overwrite_unless_told_and_never_itself(store, tmp_path):
    path = tmp_path / "copy.db"
    backup(store, path)
    store.forget("t", ["m000"], at=NOW)
    store.erase("t", ["m001"])

    with pytest.raises(StoreError, match="exists already"):
        backup(store, path)
    assert len(ids(path)) == 200
    backup(store, path, overwrite=True)
    assert len(ids(path)) == 199
    (tmp_path / "link.db").symlink_to(tmp_path / "live.db")
    for own in ("live.db", "link.db"):
        with pytest.raises(InputError, match="another file"):
            backup(store, tmp_path / own, overwrite=True)


def test_a_backup_over_a_backup_leaves_nothing_of_its_log(store, tmp_path):
    path = tmp_path / "copy.db"
    backup(store, path)
    crashed = subprocess.run([sys.executable, "-c", WRITER.replace("print(", "import os; os._exit(0); print("), str(path)], check=True)
    assert crashed.returncode == 0
    assert (tmp_path / "copy.db-wal").stat().st_size > 0

    backup(store, path, overwrite=True)

    assert ids(path) == ids(tmp_path / "live.db")


def test_only_a_store_in_a_sqlite_file_can_be_backed_up(tmp_path):
    with pytest.raises(StoreError, match=r"memory: only a SQLite file .* `cued copy`"):
        backup(Store(MemoryKeeper()), tmp_path / "copy.db")


@pytest.mark.parametrize("place", ["nowhere/copy.db", "."])
def test_a_backup_needs_the_name_of_a_file_in_a_folder(store, tmp_path, place):
    with pytest.raises(StoreError, match="folder"):
        backup(store, tmp_path / place)


def test_a_backup_of_a_store_opened_for_reading_alone_works(store, tmp_path):
    reader = Store(SqliteKeeper(tmp_path / "live.db", readonly=True))

    backup(reader, tmp_path / "copy.db")

    assert ids(tmp_path / "copy.db") == ids(tmp_path / "live.db")
    reader.close()


def test_a_backup_that_is_interrupted_leaves_nothing(store, tmp_path):
    before = left_in(tmp_path)

    def stop(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backup(store, tmp_path / "copy.db", progress=stop)

    assert left_in(tmp_path) == before
    store.remember("t", [record("t", "after")])


def spoilt(path, *, start=0.3, end=0.6):
    """Overwrite the middle of a file."""
    data = bytearray(path.read_bytes())
    first, last = int(len(data) * start), int(len(data) * end)
    data[first:last] = b"\xa5" * (last - first)
    path.write_bytes(data)
    return path


def test_a_damaged_store_gives_no_backup(store, tmp_path):
    backup(store, tmp_path / "live2.db")
    damaged = Store(SqliteKeeper(spoilt(tmp_path / "live2.db", start=0.6, end=0.9)))

    with pytest.raises(CorruptError):
        backup(damaged, tmp_path / "copy.db")

    assert not (tmp_path / "copy.db").exists()
    assert [name for name in left_in(tmp_path) if "partial" in name] == []
    damaged.close()


def test_a_restored_store_is_the_one_that_was_backed_up(store, tmp_path):
    backup(store, tmp_path / "copy.db")

    done = restore(tmp_path / "copy.db", tmp_path / "new.db")

    assert ids(tmp_path / "new.db") == ids(tmp_path / "live.db")
    assert done.schema == VERSION
    restored = Store(SqliteKeeper(tmp_path / "new.db"))
    restored.remember("t", [record("t", "more")])
    assert restored.keeper.connection().pragma("journal_mode") == "wal"
    restored.close()


def test_restoring_leaves_the_backup_as_it_was_and_nothing_beside_it(store, tmp_path):
    folder = tmp_path / "kept"
    folder.mkdir()
    backup(store, folder / "copy.db")
    before = (folder / "copy.db").read_bytes()

    restore(folder / "copy.db", tmp_path / "new.db")

    assert left_in(folder) == ["copy.db"]
    assert (folder / "copy.db").read_bytes() == before


@pytest.fixture
def target(tmp_path, store):
    """A store that was closed, with one memory of its own, and the path of a backup of another."""
    backup(store, tmp_path / "copy.db")
    old = Store(SqliteKeeper(tmp_path / "old.db"))
    old.remember("t", [record("t", "precious")])
    old.close()
    return tmp_path / "old.db"


def test_a_restore_overwrites_only_when_told(target, tmp_path):
    with pytest.raises(StoreError, match="exists already"):
        restore(tmp_path / "copy.db", target)
    assert ids(target) == ["precious"]

    restore(tmp_path / "copy.db", target, overwrite=True)

    assert [name for name in left_in(tmp_path) if name.startswith((".old", "old.db-"))] == []
    assert len(ids(target)) == 200


def test_a_target_that_is_open_elsewhere_is_left_alone(target, tmp_path):
    for readonly in (False, True):
        user = Store(SqliteKeeper(target, readonly=readonly))
        user.size("t")

        with pytest.raises(BusyError, match="open elsewhere"):
            restore(tmp_path / "copy.db", target, overwrite=True)

        assert user.get("t", ["precious"])
        user.close()
    assert ids(target) == ["precious"]
    assert [name for name in left_in(tmp_path) if "partial" in name] == []


def test_a_target_that_another_process_has_open_is_left_alone(target, tmp_path):
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE, text=True)
    try:
        process.stdout.readline()
        with pytest.raises(BusyError, match="open elsewhere"):
            restore(tmp_path / "copy.db", target, overwrite=True)
    finally:
        process.kill()
        process.communicate()

    assert "precious" in ids(target)


def test_a_log_that_a_crash_left_behind_is_not_played_into_the_restored_store(target, tmp_path):
    subprocess.run([sys.executable, "-c", WRITER.replace("print(", "import os; os._exit(0); print("), str(target)], check=True)
    assert target.with_name("old.db-wal").stat().st_size > 0

    restore(tmp_path / "copy.db", target, overwrite=True)

    assert "w-000000" not in ids(target)
    assert len(ids(target)) == 200


def test_a_log_without_its_store_is_not_played_into_the_restored_store(target, tmp_path):
    subprocess.run([sys.executable, "-c", WRITER.replace("print(", "import os; os._exit(0); print("), str(target)], check=True)
    target.unlink()

    restore(tmp_path / "copy.db", target)

    assert len(ids(target)) == 200


def test_a_damaged_target_can_be_restored_over(target, tmp_path):
    spoilt(target, start=0.03, end=0.9)

    restore(tmp_path / "copy.db", target, overwrite=True)

    assert len(ids(target)) == 200


@pytest.mark.parametrize("kind", ["text", "foreign"])
def test_a_target_that_is_no_store_of_ours_is_never_overwritten(target, tmp_path, kind):
    other = tmp_path / "other.db"
    if kind == "text":
        other.write_text("my novel\n" * 1000)
    else:
        apsw.Connection(str(other)).execute("CREATE TABLE novel (text); INSERT INTO novel VALUES ('mine')")
    before = other.read_bytes()

    with pytest.raises(ForeignFileError):
        restore(tmp_path / "copy.db", other, overwrite=True)

    assert other.read_bytes() == before


def foreign(path):
    apsw.Connection(str(path)).execute("CREATE TABLE novel (text)")


def newer(path):
    apsw.Connection(str(path)).pragma("user_version", VERSION + 1)


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (lambda path: path.unlink(), InputError),
        (lambda path: path.write_bytes(b""), ForeignFileError),
        (lambda path: path.write_text("my novel\n" * 1000), ForeignFileError),
        (lambda path: (path.unlink(), foreign(path)), ForeignFileError),
        (newer, NewerSchemaError),
        (spoilt, CorruptError),
        (lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]), CorruptError),
    ],
)
def test_a_backup_that_cannot_be_trusted_is_refused_and_the_target_stays(target, tmp_path, spoil, error):
    spoil(tmp_path / "copy.db")
    before = target.read_bytes()

    for overwrite in (True, False):
        with pytest.raises(error):
            restore(tmp_path / "copy.db", target if overwrite else tmp_path / "new.db", overwrite=overwrite)

    assert target.read_bytes() == before
    assert not (tmp_path / "new.db").exists()
    assert [name for name in left_in(tmp_path) if "partial" in name] == []


def test_a_backup_is_not_restored_over_itself(target, tmp_path):
    with pytest.raises(InputError, match="another file"):
        restore(tmp_path / "copy.db", tmp_path / "copy.db", overwrite=True)


def test_a_name_that_no_folder_can_take_is_refused(store, tmp_path):
    with pytest.raises(StoreError, match="could not be written"):
        backup(store, tmp_path / ("x" * 250))
    with pytest.raises(InputError, match="the path of a file"):
        backup(store, tmp_path / ("x" * 300))


def test_a_file_that_comes_up_while_the_copy_is_made_is_left_alone(store, tmp_path):
    path = tmp_path / "copy.db"

    with pytest.raises(StoreError):
        backup(store, path, progress=lambda _done, _total: path.write_text("mine"))

    assert path.read_text() == "mine"
