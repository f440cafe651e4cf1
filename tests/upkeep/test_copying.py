"""A copy has all that its source keeps, goes on where it was broken off, catches up, and never undoes what others wrote."""

import time
from contextlib import closing
from datetime import timedelta

import pytest
from click.testing import CliRunner
from msgspec import json
from msgspec.structs import replace

import cued
from cued.conformance.samples import NOW, entry, record
from cued.errors import StoreError
from cued.model import Filter, LogQuery, LogRules, Source, Touch
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.stores.standing.facts import judged
from cued.surfaces.cli.root import cued_command
from cued.upkeep import copying
from cued.upkeep.checking import check
from cued.upkeep.copy_check import copy_compared, differing
from cued.upkeep.copying import MARK, TriedRow

HOUR = timedelta(hours=1)


@pytest.fixture
def source(tmp_path):
    with closing(SqliteKeeper(tmp_path / "source.db")) as keeper:
        stocked(Store(keeper))
        yield keeper


@pytest.fixture
def target(tmp_path):
    with closing(SqliteKeeper(tmp_path / "target.db")) as keeper:
        yield keeper


def stocked(store):
    """Two tenants with whatever a tenant can have, and something of the store's own."""
    for tenant in ("ada", "bob\x00"):
        store.remember(
            tenant,
            [
                record(tenant, f"m{n:03}", f"tea and a note with the number {n} for {tenant}", vector=n % 20 if n % 5 else None)
                for n in range(40)
            ],
        )
        store.remember(tenant, [record(tenant, "newer", "tea of another kind", supersedes=("m003",), source=Source(session="s", turn=4))])
        store.remember(tenant, [record(tenant, "gone", "an expired note", expires_at=NOW - HOUR, tags=("x", "\u00e9"))])
        store.forget(tenant, ["m004"], at=NOW)
        store.settle(tenant, [touch("m005")], [entry(f"r{n}") for n in range(9)])
    store.swap_document("ada", "policy", old=None, new=b"\x00learnt")
    store.swap_document(" ", "tokens", old=None, new=b"[]")
    return store


def touch(memory_id):
    return Touch(id=memory_id, at=NOW, refresh_floor=timedelta(0), kept_per_day=1.0)


def contents(keeper):
    """All that a keeper has, but for keys and marks."""
    found = {}
    for tenant in keeper.tenants():
        with keeper.begin(tenant, write=False) as rows:
            found[tenant] = (
                [row._replace(key=0, judged=None) for row in rows.scan(1000, "")],
                list(rows.log(LogQuery(limit=1000, content=True))),
                {name: rows.document(name) for name in rows.documents() if name != MARK},
                rows.head().size,
                rows.head().bytes,
                rows.stats(0),
            )
    return found


def copied(source, target, **told):
    return copy_compared(source, target, name="source", at=NOW, **told)


def test_a_copy_has_every_row_line_and_document_and_says_so(source, target):
    heard = []
    made = copied(source, target, progress=lambda *each: heard.append(each))
    assert contents(target) == contents(source)
    assert (made.tenants, made.memories, made.lines, made.documents, made.mended) == (3, 84, 18, 2, 0)
    assert made.sampled == 84
    assert heard[-1] == (168, 168)
    assert heard == sorted(heard)


@pytest.mark.parametrize("after", [1, 4, 9, 13])
def test_one_that_is_broken_off_goes_on_where_it_was(source, target, monkeypatch, after):
    monkeypatch.setattr(copying, "PAGE", 7)
    written = []

    class Failing:
        """A keeper that stops in the middle."""

        tenants = target.tenants

        def begin(self, tenant, *, write):
            written.extend([1] * write)
            if len(written) > after:
                raise KeyboardInterrupt
            return target.begin(tenant, write=write)

    with pytest.raises(KeyboardInterrupt):
        copied(source, Failing())
    inserted = []
    monkeypatch.setattr(copying.Copy, "step", lambda _, rows: inserted.append(rows))
    copied(source, target)
    assert contents(target) == contents(source)
    assert sum(inserted) <= 168 - 7 * min(after - 1, 6), "what was there already is not put in again"


def test_what_was_written_and_erased_since_is_in_the_next_run(source, target):
    copied(source, target)
    store = Store(source)
    store.remember("ada", [record("ada", "later", "tea at five")])
    store.erase("ada", ["m001"])
    store.restore("ada", ["m004"])
    store.settle("ada", [touch("m006")], [entry("later")])
    store.swap_document("ada", "policy", old=b"\x00learnt", new=None)
    store.erase_tenant("bob\x00")
    made = copied(source, target)
    assert contents(target) == contents(source)
    assert made.mended == 3


def test_lines_that_the_source_has_dropped_or_erased_are_gone_from_the_copy_and_its_own_stay(source, target):
    store = Store(source, log_rules=LogRules(rows=3))
    for hours in range(5):
        copied(source, target)
        store.settle("ada", [], [replace(entry(f"later {hours}"), at=NOW + hours * HOUR)])
    Store(target).settle("ada", [], [replace(entry("asked of the copy"), at=NOW + 9 * HOUR)])
    copied(source, target)
    kept = ["later 2", "later 3", "later 4"]
    assert [line.recall_id for line in Store(target).log("ada", LogQuery(limit=9, oldest_first=True))] == [*kept, "asked of the copy"]

    for lines in ([replace(entry("after"), at=NOW + 20 * HOUR)], []):
        store.erase_tenant("ada")
        store.remember("ada", [record("ada", "m002", "tea at six")])
        store.settle("ada", [], lines)
        copied(source, target)
        assert contents(target) == contents(source)


def test_the_journal_of_a_copy_is_sound_until_somebody_writes_past_it(tmp_path, target):
    with closing(SqliteKeeper(tmp_path / "journalled.db")) as source:
        store = Store(source, journalled=True)
        store.remember("ada", [record("ada", "a", "tea at five"), record("ada", "b", "the spare key")])
        store.remember("ada", [record("ada", "c", "a lemon cake")])
        store.erase("ada", ["a"])
        copied(source, target)
    checked = check(Store(target))
    assert (checked.problems, [each.entries for each in checked.journals]) == ((), [3])

    with target.begin("ada", write=True) as rows:
        rows.update([row._replace(judged=judged(row.memory)) for row in rows.scan(1, "")])
    assert [each.part for each in check(Store(target)).problems] == ["journal"]


def test_what_is_written_while_it_runs_is_in_it(source, target, monkeypatch):
    monkeypatch.setattr(copying, "PAGE", 10)
    store, late = Store(source), iter(range(30))

    def write_more(_done, _total):
        for number in [next(late, None)]:
            if number is not None:
                store.remember("ada", [record("ada", f"a{number:03}", f"late tea {number}")])

    copied(source, target, progress=write_more)
    assert {key: value for key, value in contents(target).items() if key == "ada"}["ada"][3] >= 45
    copied(source, target)
    assert contents(target) == contents(source)


def test_what_is_there_already_or_was_written_to_since_is_not_touched(source, target):
    Store(target).remember("ada", [record("ada", "own", "something else")])
    with pytest.raises(StoreError, match="'ada' is in the target already"):
        copied(source, target)
    assert target.tenants() == ("ada",)
    Store(target).erase_tenant("ada")
    copied(source, target)
    with pytest.raises(StoreError, match="is a copy of source, not of elsewhere"):
        copy_compared(source, target, name="elsewhere", at=NOW)
    Store(target).remember("ada", [record("ada", "own", "something new")])
    with pytest.raises(StoreError, match="was written to in the target since"):
        copied(source, target)
    Store(target).erase_tenant("ada")
    Store(target).swap_document(" ", "tokens", old=b"[]", new=b"[1]")
    with pytest.raises(StoreError, match="tokens"):
        copied(source, target)


def test_a_recall_that_differs_is_found(source, target):
    copied(source, target)
    with target.begin("ada", write=False) as rows:
        row = rows.scan(1, "m010")[0]
    sample = TriedRow(tenant="ada", row=row, change=0)
    assert differing(Store(source), Store(target), [sample], at=NOW) == []
    Store(target).forget("ada", [row.memory.id], at=NOW)
    assert differing(Store(source), Store(target), [sample], at=NOW) == [sample]


def test_any_keeper_can_be_copied_into_any_other(source):
    between = MemoryKeeper()
    copied(source, between)
    assert contents(between) == contents(source)


def test_the_command_copies_a_file_and_refuses_nonsense(tmp_path, monkeypatch):
    monkeypatch.setenv("CUED_EMBEDDER", "hashing")
    made, copy = str(tmp_path / "one.db"), str(tmp_path / "two.db")
    with cued.open(made, embedder="hashing") as memories:
        memories.tenant("me").remember("Prefers tea in the morning.")
    told = CliRunner().invoke(cued_command, ["copy", made, copy])
    assert told.exit_code == 0, told.output
    assert "1 tenant, 1 memory, 0 lines of the recall log, 0 documents" in told.stdout
    again = json.decode(CliRunner().invoke(cued_command, ["copy", made, copy, "--json"]).stdout)
    assert (again["memories"], again["mended"], again["sampled"]) == (1, 0, 1)
    assert CliRunner().invoke(cued_command, ["copy", made, made]).exit_code == 2
    assert CliRunner().invoke(cued_command, ["copy", str(tmp_path / "none.db"), copy]).exit_code == 4
    with cued.open(copy, embedder="hashing") as memories:
        assert "tea" in memories.tenant("me").recall("what in the morning?", floor=0.0).block


def test_two_files_of_one_name_are_two_sources_and_one_file_is_one_by_whatever_path(tmp_path, monkeypatch):
    for folder, text in (("here", "Alpha is written in Rust."), ("there", "Beta is written in Go.")):
        (tmp_path / folder).mkdir()
        with cued.open(tmp_path / folder / "m.db", embedder="hashing") as memories:
            memories.tenant("me").remember(text)
    monkeypatch.chdir(tmp_path / "here")
    assert CliRunner().invoke(cued_command, ["copy", "m.db", "../all.db"]).exit_code == 0
    assert CliRunner().invoke(cued_command, ["copy", str(tmp_path / "here" / "m.db"), "../all.db"]).exit_code == 0
    monkeypatch.chdir(tmp_path / "there")
    refused = CliRunner().invoke(cued_command, ["copy", "m.db", "../all.db"])
    assert refused.exit_code == 4
    assert "is a copy of" in refused.output
    with cued.open(tmp_path / "all.db", embedder="hashing") as memories:
        assert [memory.text for memory in memories.tenant("me").list()] == ["Alpha is written in Rust."]


def test_long_logs_of_one_moment_are_copied_whole(tmp_path, target, monkeypatch):
    monkeypatch.setattr(copying, "PAGE", 3)
    with closing(SqliteKeeper(tmp_path / "source.db")) as source:
        store = Store(source)
        store.settle("ada", [], [entry(f"r{n:02}") for n in range(20)])
        started = time.perf_counter()
        assert copied(source, target).lines == 20
        assert time.perf_counter() - started < 30
        assert Store(target).log("ada", LogQuery(limit=50)) == store.log("ada", LogQuery(limit=50))
        assert Store(target).list("ada", Filter(), at=NOW, limit=5).total == 0
