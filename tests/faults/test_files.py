"""The file is its owner's, is opened with suspicion, and is missed when it is gone."""

import os
import shutil
import stat
import threading
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest
from click.testing import CliRunner

import cued
from cued.conformance.samples import lookup, words
from cued.engine.envelope import Envelope
from cued.errors import CuedError, ForeignFileError, ReadOnlyError, StoreError
from cued.stores import Store
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.surfaces.cli.root import cued_command
from cued.surfaces.failures import STORE
from cued.upkeep.backup import restore
from tests.faults.test_fork import in_a_child
from tests.stores import processes
from tests.stores.other_process import NOBODY, note

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="permissions and files work in another way here")


def mode(path) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


def as_nobody(work):
    """What the work says in a process that may not write what belongs to this one."""

    def there():
        if os.geteuid() == 0:
            os.setuid(NOBODY)
        return work()

    return in_a_child(there)


@pytest.fixture
def shared():
    """A folder that everybody may read and only its owner may write."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_what_is_made_is_its_owners_alone(tmp_path):
    before = os.umask(0)
    try:
        with cued.open(tmp_path / "memories.db", embedder=None) as memories:
            tenant = memories.tenant("ada")
            tenant.remember("Ada drinks green tea.")
            memories.backup(tmp_path / "copy.db")
            Envelope.of(tenant.gather("tea"), tenant.policy).save(tmp_path / "tea.evidence")
            assert {each.name: mode(each) for each in tmp_path.iterdir()} == {
                "memories.db": 0o600,
                "memories.db-wal": 0o600,
                "memories.db-shm": 0o600,
                "copy.db": 0o600,
                "tea.evidence": 0o600,
            }
    finally:
        os.umask(before)


def test_a_reader_without_write_permission_never_takes_a_live_file_as_never_changing(shared):
    path = shared / "memories.db"
    store = Store(SqliteKeeper(path))
    store.remember("t", [note("t", "kept-1"), note("t", "erased-2")])
    store.close()
    path.chmod(0o644)

    def read() -> str:
        try:
            return f"{Store(SqliteKeeper(path, readonly=True)).size('t')}"
        except ReadOnlyError as error:
            return f"refused: {error}"

    assert "cued backup" in as_nobody(read)  # Nobody has it open, and its owner may open it at any moment.
    store = Store(SqliteKeeper(path))
    store.size("t")
    for beside in ("-wal", "-shm"):
        assert mode(f"{path}{beside}") == 0o644
    assert as_nobody(read) == "2"
    store.erase("t", ["erased-2"])
    assert as_nobody(read) == "1"
    store.close()


def test_a_file_that_was_taken_as_never_changing_is_refused_once_it_changes(shared):
    path = shared / "memories.db"
    store = Store(SqliteKeeper(path))
    store.remember("t", [note("t", "kept-1"), note("t", "erased-2")])
    store.close()
    path.chmod(0o444)
    shared.chmod(0o555)
    asked, told = os.pipe()
    told_back, answered = os.pipe()

    def read() -> str:
        reader = Store(SqliteKeeper(path, readonly=True))
        said = f"{reader.size('t')}"
        os.write(answered, b"1")
        os.read(asked, 1)
        try:
            return said + f" {reader.size('t')}"
        except ReadOnlyError:
            return said + " refused"

    def change() -> None:
        os.read(told_back, 1)
        shared.chmod(0o755)
        path.chmod(0o644)
        writer = Store(SqliteKeeper(path))
        writer.erase("t", ["erased-2"])
        writer.close()
        os.write(told, b"1")

    changing = threading.Thread(target=change, daemon=True)
    changing.start()
    said = as_nobody(read)
    changing.join(5)
    assert said == "2 refused"


def test_a_file_that_was_named_from_here_stays_the_same_when_the_process_goes_elsewhere(tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    with cued.open("m.db", embedder="hashing") as memories:
        alice = memories.tenant("alice")
        alice.remember("The kettle is new.")
        monkeypatch.chdir(elsewhere)
        alice.remember("The toaster is old.")
        told = []
        in_a_thread = threading.Thread(target=lambda: told.append(alice.stats().memories))
        in_a_thread.start()
        in_a_thread.join()
        assert (told, memories.check().ok, memories.backup("copy.db").path) == ([2], True, "copy.db")
    assert [path.name for path in elsewhere.iterdir()] == ["copy.db"]


@pytest.mark.parametrize("what", ["deleted", "moved", "replaced"])
def test_a_file_that_is_gone_from_beneath_an_open_handle_is_missed(tmp_path, what):
    path = tmp_path / "memories.db"
    store = Store(SqliteKeeper(path))
    store.remember("t", [note("t", "kept-1")])
    if what == "deleted":
        path.unlink()
    elif what == "moved":
        path.rename(tmp_path / "elsewhere.db")
    else:
        other = Store(SqliteKeeper(tmp_path / "other.db"))
        other.close()
        (tmp_path / "other.db").replace(path)
    for attempt in (lambda: store.remember("t", [note("t", "lost-2")]), lambda: store.search("t", lookup(lexical=words("tea")))):
        with pytest.raises(StoreError, match="open it again"):
            attempt()
    store.close()


@pytest.mark.parametrize(
    ("gone", "others"), [(("-wal", "-shm"), False), (("-wal", "-shm"), True), (("-wal",), False), (("-shm",), False), (("-shm",), True)]
)
def test_a_log_that_is_taken_away_from_beneath_an_open_handle_is_missed(tmp_path, gone, others):
    path, theirs = tmp_path / "memories.db", set()
    Store(SqliteKeeper(path)).close()
    store = Store(SqliteKeeper(path))
    store.remember("t", [note("t", "early-1")])
    for suffix in gone:
        path.with_name(path.name + suffix).unlink()
    if others:
        another = processes.start("write", path, "late")
        theirs.add(another.stdout.readline().split()[-1])
        another.kill()
        another.communicate()
    for attempt in (lambda: store.remember("t", [note("t", "lost-3")]), lambda: store.search("t", lookup(lexical=words("tea")))):
        with pytest.raises(StoreError, match="open it again"):
            attempt()
    store.close()
    # What is in the log that was taken away is saved when the file is closed, unless others have gone on without it.
    ours = {"early-1"} if not others or "-wal" not in gone else set()
    with closing(Store(SqliteKeeper(path))) as again:
        assert again.known("t", ["early-1", "lost-3", *theirs]) == theirs | ours


@pytest.mark.parametrize(
    "planted",
    [
        "CREATE TRIGGER planted AFTER INSERT ON memory BEGIN DELETE FROM memory WHERE key = new.key; END",
        "CREATE VIEW planted AS SELECT * FROM memory",
    ],
)
def test_a_planted_trigger_or_view_is_refused_and_never_run(tmp_path, planted):
    path = tmp_path / "memories.db"
    store = Store(SqliteKeeper(path))
    store.remember("t", [note("t", "before-1")])
    stranger = apsw.Connection(str(path))
    stranger.execute(planted)
    stranger.close()
    store.remember("t", [note("t", "after-2")])
    assert store.size("t") == len(store.get("t", ["before-1", "after-2"])) == 2
    store.close()
    for readonly in (False, True):
        with pytest.raises(ForeignFileError, match="planted"):
            Store(SqliteKeeper(path, readonly=readonly))


@pytest.mark.parametrize("name", ["a" * 300, "a/" * 3000, "x\0y.toml", "\ud800.toml", "a" * 300 + ".toml"], ids=range(5))
def test_a_name_that_no_file_can_have_is_refused_in_words(tmp_path, name):
    with cued.open(tmp_path / "memories.db", embedder=None) as memories:
        tenant = memories.tenant("ada")
        attempts = [
            lambda: cued.open(name, embedder=None),
            lambda: tenant.import_file(name),
            lambda: tenant.recall("tea", policy=name),
            lambda: memories.backup(name),
            lambda: restore(name, tmp_path / "restored.db"),
            lambda: Envelope.load(name),
        ]
        for attempt in attempts:
            with pytest.raises(CuedError) as refused:
                attempt()
            str(refused.value).encode()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["memories.db"]


@pytest.mark.parametrize("readonly", [False, True])
def test_a_log_of_another_database_is_not_believed_whatever_is_in_it(tmp_path, readonly):
    """Both were emptied into their files before, so that the log has nothing but the last memory."""
    for name in ("ours", "theirs"):
        with cued.open(tmp_path / f"{name}.db", embedder=None) as memories:
            memories.tenant("ada").remember_many([f"{name} number {number}" for number in range(50)])
    with cued.open(tmp_path / "theirs.db", embedder=None) as memories:
        memories.tenant("ada").remember("What they say.", id="said")
        shutil.copyfile(tmp_path / "theirs.db-wal", tmp_path / "ours.db-wal")
        shutil.copyfile(tmp_path / "theirs.db", tmp_path / "copy.db")
        shutil.copyfile(tmp_path / "theirs.db-wal", tmp_path / "copy.db-wal")
    for _ in range(2):
        with pytest.raises(ForeignFileError, match="another database's"):
            cued.open(tmp_path / "ours.db", embedder=None, readonly=readonly)
    (tmp_path / "ours.db-wal").unlink()
    with cued.open(tmp_path / "ours.db", embedder=None, readonly=readonly) as memories:
        assert {memory.text.split()[0] for memory in memories.tenant("ada").list(limit=100)} == {"ours"}
    with cued.open(tmp_path / "copy.db", embedder=None, readonly=readonly) as memories:
        assert memories.tenant("ada").get("said").text == "What they say."


@pytest.mark.parametrize("deed", ["erase", "sweep", "settle", "document", "shelf"])
def test_whatever_was_written_last_a_log_of_our_own_is_believed(tmp_path, deed):
    path = tmp_path / "memories.db"
    with cued.open(path, embedder="hashing", settle="now") as memories:
        tenant = memories.tenant("ada")
        tenant.remember_many([{"text": f"tea number {number}", "id": f"m{number}"} for number in range(50)])
        tenant.remember("gone soon", ttl="1s", at="2020-01-01")
    with cued.open(path, embedder="hashing", settle="now") as memories:
        tenant = memories.tenant("ada")
        {
            "erase": lambda: tenant.forget("m3", erase=True),
            "sweep": tenant.sweep,
            "settle": lambda: tenant.recall("tea"),
            "document": lambda: tenant.policy_save("rrf"),
            "shelf": lambda: memories.parts.store.swap_document("ada", "x", old=None, new=b"y"),
        }[deed]()
        for beside in ("", "-wal"):
            shutil.copyfile(f"{path}{beside}", tmp_path / f"copy.db{beside}")
    assert (tmp_path / "copy.db-wal").stat().st_size
    with cued.open(tmp_path / "copy.db", embedder="hashing") as memories:
        assert memories.tenant("ada").stats().memories >= 49


STORE_COMMANDS = (("list",), ("recall", "tea"), ("remember", "tea"), ("check",), ("erasures",), ("stats",), ("export",), ("token", "list"))


def exit_codes(db):
    """What commands leave with on this database."""
    env = {"CUED_DB": str(db), "CUED_EMBEDDER": "hashing", "CUED_DIRECT": "1"}
    return {CliRunner().invoke(cued_command, list(args), env=env).exit_code for args in STORE_COMMANDS}


def test_a_store_that_may_not_be_read_is_the_stores_matter_for_every_command_and_for_python(shared):
    closed = shared / "closed"
    closed.mkdir()
    files = (closed / "memories.db", shared / "memories.db")
    for path in files:
        # what is loaded when it is needed is loaded here: not everybody may read where it lies
        assert CliRunner().invoke(cued_command, ["remember", "tea", "--db", str(path), "--embedder", "hashing"]).exit_code == 0
        assert exit_codes(path) == {0}
        path.chmod(0o000)
    closed.chmod(0o000)
    try:
        for path, said in zip(files, ("may not look into its folder", "may not read it"), strict=True):
            assert as_nobody(lambda path=path: exit_codes(path)) == f"{{{STORE}}}"
            assert said in as_nobody(lambda path=path: refusal(path))
    finally:
        closed.chmod(0o700)


def refusal(path):
    with pytest.raises(StoreError) as refused:
        cued.open(path, embedder=None)
    return str(refused.value)


def test_a_folder_in_the_place_of_a_store_is_the_stores_matter_too(tmp_path):
    assert exit_codes(tmp_path) == {STORE}
