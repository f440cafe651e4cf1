"""An erasure says what it did, the list of erasures proves it without content, and a journal shows when somebody meddled."""

import os

import pytest

import cued
from cued.errors import InputError
from cued.insight.pairs import labels
from cued.model import LogQuery, LogRules
from cued.stores import Store
from cued.stores.journalling import entries, head_of, ids_digest
from cued.stores.keepers.memory import MemoryKeeper
from cued.upkeep.erasures import name_digest
from cued.upkeep.repairing import repair
from tests.fakes import FixedClock


@pytest.fixture(params=["file", "memory"])
def place(request, tmp_path):
    return tmp_path / "memories.db" if request.param == "file" else None


def test_an_erasure_says_that_the_bytes_are_gone_and_the_list_has_its_time(place):
    clock = FixedClock()
    with cued.open(place, embedder=None, clock=clock) as memories:
        tenant = memories.tenant("secretive ada")
        ids = tenant.remember_many(["Ada drinks tea.", "Ada lives in Paris.", {"text": "Soon gone.", "ttl": "1h"}]).ids
        assert tenant.forget(ids[1]) is None
        done = tenant.forget(ids[0], erase=True)
        assert (done.memories, done.gone, done.pending) == (1, True, ())
        clock.move(hours=2)
        assert len(tenant.sweep()) == 1
        clock.move(hours=1)
        assert tenant.erase_everything().memories == 1
        listed, pending = memories.erasures()
        assert pending == ()
        assert [(each.memories, each.everything, each.gone_at == each.at) for each in listed] == [(1, False, True)] * 2 + [(1, True, True)]
        assert {each.tenant for each in listed} == {name_digest(memories.parts.store, "secretive ada")}
        assert memories.tenants() == ()
    if place is not None:
        assert b"secretive" not in place.read_bytes()


def test_no_label_and_no_policy_on_trial_names_what_was_erased(tmp_path):
    path, rules = tmp_path / "memories.db", LogRules(content="last")
    with cued.open(path, embedder="hashing", settle="now", shadow="dense", log=rules) as memories:
        ada = memories.tenant("ada")
        ada.remember("Ada drinks tea.", id="ada-lovelace@example.com")
        ada.remember("Ada lives in Paris.", id="paris")
        asked = [ada.recall(words) for words in ("What does Ada drink?", "Where does Ada live?")]
        for recall in asked:
            ada.label(recall.recall_id, "right")
        assert [len(line.shadow.chosen) for line in memories.parts.store.log("ada", LogQuery())] == [2, 2]
        assert ada.forget("ada-lovelace@example.com", erase=True).gone
        assert ["erased" in line.shadow.chosen for line in memories.parts.store.log("ada", LogQuery())] == [True, True]
        assert [label.verdict for label in labels("ada", memories.parts.store)] == ["right", "right"]
    assert b"lovelace" not in path.read_bytes()


def test_an_erasure_that_a_reader_delays_says_so_and_is_finished_later(tmp_path):
    path = tmp_path / "memories.db"
    with cued.open(path, embedder=None) as memories, cued.open(path, embedder=None) as other:
        tenant = memories.tenant("ada")
        memory_id = tenant.remember("the password is xylophonequartz").id
        reader = other.parts.store.keeper.connection()
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memory").fetchall()
        done = tenant.forget(memory_id, erase=True)
        assert not done.gone
        assert "another reader" in done.pending[0]
        assert memories.erasures()[0][0].gone_at is None
        reader.execute("ROLLBACK")
        (line,), pending = memories.erasures()
        assert pending == ()
        assert line.gone_at is not None
    assert all(b"xylophonequartz" not in each.read_bytes() for each in tmp_path.iterdir())


def test_a_copy_in_the_making_is_pending_and_a_stale_one_is_deleted(tmp_path):
    path = tmp_path / "memories.db"
    stale, fresh = tmp_path / ".memories.db.a.partial", tmp_path / ".memories.db.b.partial"
    with cued.open(path, embedder=None) as memories:
        tenant = memories.tenant("ada")
        ids = tenant.remember_many(["one", "two"]).ids
        for each in (stale, fresh):
            each.write_bytes(b"one and two")
        os.utime(stale, (1, 1))
        done = tenant.forget(ids[0], erase=True)
        assert (stale.exists(), fresh.exists()) == (False, True)
        assert str(fresh) in done.pending[0]
        fresh.unlink()
        assert tenant.forget(ids[1], erase=True).gone


def test_a_journal_tells_what_was_done_and_no_content(place):
    with cued.open(place, embedder=None, journal=True) as memories:
        tenant = memories.tenant("ada")
        ids = tenant.remember_many(["the password is xylophonequartz", "tea"]).ids
        tenant.update(ids[1], importance=0.9)
        tenant.forget(ids[1])
        tenant.restore(ids[1])
        tenant.recall("tea")
        tenant.forget(ids[0], erase=True)
        with memories.parts.store.keeper.begin("ada", write=False) as rows:
            told, head = list(entries(rows)), head_of(rows)
        assert [(each.verb, each.memories, each.size) for each in told] == [
            ("remember", 2, 2), ("revise", 1, 2), ("forget", 1, 2), ("restore", 1, 2), ("erase", 1, 1),
        ]  # fmt: skip
        assert told[-1].ids == ids_digest(head, [ids[0]])
        checked = memories.check()
        assert (checked.ok, [(each.tenant, each.entries) for each in checked.journals]) == (True, [("ada", 5)])
    if place is not None:
        assert b"xylophonequartz" not in place.read_bytes()
        assert ids[0].encode() not in place.read_bytes()


def test_a_journal_goes_on_for_whoever_opens_the_store(tmp_path):
    path = tmp_path / "memories.db"
    for journal in (True, False):
        with cued.open(path, embedder=None, journal=journal) as memories:
            memories.tenant("ada").remember_many([f"note {number}" for number in range(100)])
            for number in range(70):
                memories.tenant("ada").remember(f"tea {number}", conflicts=False)
    with cued.open(path, embedder=None) as memories:
        assert memories.check().journals[0].entries == 142


TAMPERED = {
    "an entry changed": lambda old: old.replace(b'"memories":1', b'"memories":2', 1),
    "an entry taken out": lambda old: b"".join(old.splitlines(keepends=True)[:2] + old.splitlines(keepends=True)[3:]),
    "entries in another order": lambda old: b"".join(sorted(old.splitlines(keepends=True), reverse=True)),
    "the last cut off": lambda old: b"".join(old.splitlines(keepends=True)[:-1]),
    "garbage": lambda old: old[:-20] + b"}\n",
    "what is no text": lambda old: old.replace(b'"previous":""', b'"previous":"\xff"'),
    "what is nested without end": lambda old: old + b'{"x":' + b"[" * 100_000 + b"\n",
}


@pytest.mark.parametrize("how", TAMPERED.values(), ids=TAMPERED)
def test_whoever_meddles_with_a_journal_is_seen(place, how):
    with cued.open(place, embedder=None, journal=True) as memories:
        tenant, store = memories.tenant("ada"), memories.parts.store
        for number in range(5):
            tenant.remember(f"tea {number}", conflicts=False)
        name = "journal-00000000"
        old = store.document("ada", name)
        store.swap_document("ada", name, old=old, new=how(old))
        checked = memories.check()
        assert not checked.ok
        assert {each.part for each in checked.problems} == {"journal"}


def test_what_was_written_past_the_journal_is_seen(tmp_path):
    path = tmp_path / "memories.db"
    with cued.open(path, embedder=None, journal=True) as memories:
        tenant = memories.tenant("ada")
        tenant.remember("tea")
        keeper = memories.parts.store.keeper
        with keeper.begin("ada", write=True) as rows:
            found = next(iter(rows.scan(1, "")))
            rows.remove([found.key])
        assert "without an entry" in memories.check().problems[0].what
        for number in range(70):
            tenant.remember(f"coffee {number}", conflicts=False)
        told = memories.check().problems
        assert [each.part for each in told] == ["journal"], "and what is written later does not cover it"
        assert "1 memories were written or removed without an entry" in told[0].what


def test_a_repair_has_an_entry_of_its_own(tmp_path):
    path = tmp_path / "memories.db"
    with cued.open(path, embedder=None, journal=True) as memories:
        memories.tenant("ada").remember_many([f"note {number}" for number in range(9)])
        memories.tenant("bob").remember("tea")
    path.write_bytes(path.read_bytes().replace(b"note 4", b"note 5", 1))
    assert len(repair(path, at=FixedClock().now).aside) == 1
    with cued.open(path, embedder=None) as memories:
        assert [(each.tenant, each.entries) for each in memories.check().journals] == [("ada", 2), ("bob", 2)]
        memories.tenant("ada").remember("coffee")
        assert memories.check().ok


def test_a_journal_is_an_option_of_the_store_and_not_beside_one():
    with pytest.raises(InputError, match="journal"):
        cued.open(Store(MemoryKeeper()), embedder=None, journal=True)
