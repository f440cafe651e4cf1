"""Damage is found: no file that was damaged at random gives a wrong answer in silence, and a repair keeps what is whole."""

import os
from contextlib import closing
from itertools import islice
from random import Random

import apsw
import pytest

import cued
from cued.conformance.samples import NOW
from cued.errors import CorruptError, CuedError, StoreError
from cued.stores.keepers.sqlite import page_sums
from cued.upkeep.checking import check_file
from cued.upkeep.repairing import repair
from tests.faults.damaging import copied, damage, stocked, wrong

FILES = int(os.environ.get("CUED_DAMAGED_FILES", "60"))
"""How many files are damaged; 300 or more by choice."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A whole file, and what it holds."""
    path = tmp_path_factory.mktemp("sound") / "memories.db"
    return path, stocked(path, count=12)


@pytest.fixture(scope="module")
def unsummed(tmp_path_factory):
    """A whole file from before pages carried sums, and what it holds."""
    path = tmp_path_factory.mktemp("unsummed") / "memories.db"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(page_sums, "file_system", lambda: None)
        return path, stocked(path, count=12)


def assert_told(path, texts, folder):
    """Whatever is damaged is told, or changes no answer."""
    assert wrong(copied(path, folder / "whole.db"), texts) == []
    found = {}
    for seed in range(FILES):
        broken = copied(path, folder / "broken.db")
        kind = damage(broken, Random(seed))
        found |= {(seed, kind): said} if (said := wrong(broken, texts)) else {}
    assert found == {}


@pytest.mark.parametrize("made", ["sound", "unsummed"])
def test_no_damaged_file_gives_a_wrong_answer_in_silence(made, request, tmp_path):
    path, texts = request.getfixturevalue(made)
    assert_told(path, texts, tmp_path)


def test_whatever_the_damage_a_check_tells_it_and_a_repair_loses_nothing_that_a_backup_has(sound, tmp_path):
    path, texts = sound
    backup = copied(path, tmp_path / "backup.db")
    silent, lost = [], []
    for seed in range(FILES // 3):
        broken = copied(path, tmp_path / "broken.db")
        damage(broken, Random(seed))
        if broken.read_bytes() == path.read_bytes():
            continue
        checked = check_file(broken)
        if checked.ok and not _unused(path, broken):
            silent.append(seed)
        try:
            repaired = repair(broken, at=NOW, backup=backup)
        except StoreError as error:
            lost += [] if "cued restore" in str(error) else [(seed, str(error))]
            continue
        after = check_file(broken)
        assert after.ok, (seed, after.problems)
        said = wrong(broken, _without(texts, {(each.tenant, each.id) for each in repaired.aside if not each.restored}))
        lost += [(seed, said, repaired.aside)] if said else []
    assert silent == []
    assert lost == []


def _unused(path, broken):
    """Whether only bytes that nobody uses differ: the counters of the header, or the end of the last page."""
    old, new = path.read_bytes(), broken.read_bytes()
    return len(old) == len(new) and all(at < 100 for at in range(len(old)) if old[at] != new[at])


def _without(texts, gone):
    return {tenant: {each: text for each, text in known.items() if (tenant, each) not in gone} for tenant, known in texts.items()}


def flipped(path, needle, *, by=1):
    """Flip a bit where this text stands in the file, and have the sums of its pages made anew, as if only the row were broken."""
    data = bytearray(path.read_bytes())
    place = data.index(needle)
    data[place] ^= by
    path.write_bytes(data)
    connection = apsw.Connection(str(path), vfs=page_sums.file_system())
    connection.pragma("checksum_verification", 0)
    connection.execute("VACUUM")
    connection.close()


@pytest.fixture
def tenant_file(tmp_path):
    path = tmp_path / "memories.db"
    with cued.open(path, embedder="hashing", settle="off") as memories:
        memories.tenant("ada").remember_many([f"tea with number{number} friends" for number in range(30)])
    return path


def test_a_broken_memory_is_left_out_of_recall_and_said(tenant_file):
    flipped(tenant_file, b"tea with number17")
    with cued.open(tenant_file, embedder="hashing") as memories:
        recall = memories.tenant("ada").recall("tea with number17 friends", limit=40, floor=0.0)
        assert len(recall.memories) == 29
        assert any("1 damaged memory is left out" in each for each in recall.degraded)
        with pytest.raises(CorruptError, match="cued check"):
            memories.tenant("ada").list(limit=40)


def test_what_is_erased_while_a_file_is_checked_is_not_called_damaged(tmp_path):
    with cued.open(tmp_path / "m.db", embedder=None) as memories:
        ada = memories.tenant("ada")
        left = list(ada.remember_many([f"tea with number{number} friends" for number in range(20)]).ids)
        checked = memories.check(progress=lambda *_: left and ada.forget(left.pop(), erase=True))
        assert (checked.ok, checked.problems, left) == (True, (), [])


def test_a_repair_puts_a_broken_memory_aside_and_keeps_the_rest(tenant_file):
    flipped(tenant_file, b"tea with number17")
    (problem,) = check_file(tenant_file).problems
    assert (problem.part, problem.tenant) == ("memory", "ada")
    done = repair(tenant_file, at=NOW)
    assert (done.kept, [each.id for each in done.aside]) == (29, [problem.id])
    with cued.open(tenant_file, embedder="hashing") as memories:
        tenant = memories.tenant("ada")
        assert len(tenant.recall("tea with friends", limit=40, floor=0.0).memories) == 29
        assert memories.check().damaged == 1
        assert tenant.erase_everything().memories == 29
        assert memories.check().damaged == 0
    assert b"number17" not in tenant_file.read_bytes()


def test_a_repair_is_refused_while_somebody_has_the_file_open(tenant_file):
    flipped(tenant_file, b"tea with number17")
    with cued.open(tenant_file, embedder=None) as memories:
        memories.tenant("ada").stats()
        with pytest.raises(CuedError, match="open elsewhere"):
            repair(tenant_file, at=NOW)


def test_where_pages_carry_no_sums_rows_are_checked_one_by_one(tmp_path, monkeypatch):
    monkeypatch.setattr(page_sums, "file_system", lambda: None)
    tenant_file = tmp_path / "memories.db"
    with cued.open(tenant_file, embedder="hashing", settle="off") as memories:
        memories.tenant("ada").remember_many([f"tea with number{number} friends" for number in range(30)])
    data = bytearray(tenant_file.read_bytes())
    data[data.index(b"tea with number9")] ^= 1
    tenant_file.write_bytes(data)
    with cued.open(tenant_file, embedder="hashing") as memories:
        recall = memories.tenant("ada").recall("tea with number9 friends", limit=40, floor=0.0)
        assert len(recall.memories) == 29
        assert any("damaged" in each for each in recall.degraded)


def test_a_file_without_sums_gets_them_unless_it_is_damaged(unsummed, tmp_path):
    path, _ = unsummed
    whole, broken = copied(path, tmp_path / "whole.db"), copied(path, tmp_path / "broken.db")
    elsewhere = apsw.Connection(str(whole))
    elsewhere.execute("BEGIN IMMEDIATE")
    with cued.open(whole, embedder=None) as memories:
        assert (memories.check().page_sums, memories.tenant("ada").stats().memories) == (False, 13)
    elsewhere.close()
    with cued.open(whole, embedder=None) as memories:
        assert (memories.check().page_sums, memories.check().ok) == (True, True)
        memories.tenant("ada").remember("Ada goes on.")
    assert check_file(whole).ok
    connection = apsw.Connection(str(broken))
    root = connection.execute("SELECT rootpage FROM sqlite_master WHERE type = 'index' AND tbl_name = 'memory' LIMIT 1").get
    connection.close()
    data = bytearray(broken.read_bytes())
    data[root * 4096 - 64 : root * 4096] = bytes(64)
    broken.write_bytes(data)
    with pytest.raises(CorruptError, match="cued check"):
        cued.open(broken, embedder=None)
    repair(broken, at=NOW)
    with cued.open(broken, embedder=None) as memories:
        assert (memories.check().page_sums, memories.tenant("ada").stats().memories) == (True, 13)


def test_a_file_whose_sums_could_not_be_kept_up_is_only_read(tenant_file, monkeypatch):
    monkeypatch.setattr(page_sums, "file_system", lambda: None)
    with pytest.raises(StoreError, match="install apsw"):
        cued.open(tenant_file, embedder=None)
    with cued.open(tenant_file, embedder=None, readonly=True) as memories:
        assert memories.tenant("ada").stats().memories == 30


def test_without_any_sums_over_pages_no_damaged_file_gives_a_wrong_answer_in_silence(unsummed, tmp_path, monkeypatch):
    """An apsw that has no such file system: the file is looked through when it is opened, to be written or only to be read."""
    path, texts = unsummed
    monkeypatch.setattr(page_sums, "file_system", lambda: None)
    assert_told(path, texts, tmp_path)


FORGED = {
    "id": "UPDATE memory SET id = '~' WHERE key = (SELECT min(key) FROM memory)",
    "tags": "UPDATE memory SET tags = '[null, \"x\"]'",
    "kind": "UPDATE memory SET kind = 60",
    "tier": "UPDATE memory SET tier = -1",
    "change": f"UPDATE tenant SET change = {2**63 - 1}",
    "bytes": f"UPDATE tenant SET bytes = {2**63 - 1}",
    "locally": f"UPDATE memory SET locally = x'9193a0cf{'f' * 16}01'",
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_a_file_in_which_all_sums_are_right_and_other_things_are_not_is_told_and_read_to_an_end(tenant_file, forged):
    with closing(apsw.Connection(str(tenant_file), vfs=page_sums.file_system())) as connection:
        connection.execute(forged)
    refused = []
    with cued.open(tenant_file, embedder="hashing") as memories:
        tenant = memories.tenant("ada")
        for ask in (
            *(tenant.stats, tenant.plan_consolidation, lambda: next(islice(tenant.export(), 1_000, None), None)),
            *(lambda: tenant.recall("tea", as_of=NOW), lambda: tenant.remember("Tea is at five.")),
        ):
            try:
                ask()
            except CorruptError as error:
                refused.append(error)
    assert refused


COLUMNS = ("scope", "kind", "tier", "trust", "created", "forgotten", "superseded", "session", "tags", "id", "tenant", "fingerprint")


@pytest.mark.parametrize("readonly", [False, True])
@pytest.mark.parametrize("column", COLUMNS)
def test_without_any_sums_over_pages_a_column_that_says_otherwise_is_told(unsummed, tmp_path, monkeypatch, column, readonly):
    path, _ = unsummed
    monkeypatch.setattr(page_sums, "file_system", lambda: None)
    broken = copied(path, tmp_path / "broken.db")
    connection = apsw.Connection(str(broken))
    other = {"scope": "'elsewhere'", "session": "'s'", "tags": "'[]'", "id": "'other'", "fingerprint": "NULL", "tenant": "2"}
    connection.execute(f"UPDATE memory SET {column} = {other.get(column, 2)} WHERE key = (SELECT min(key) FROM memory)")
    connection.close()
    with pytest.raises(CorruptError, match="cued check"):
        cued.open(broken, embedder=None, readonly=readonly)
    repair(broken, at=NOW)
    with cued.open(broken, embedder=None, readonly=readonly) as memories:
        assert memories.check().ok
