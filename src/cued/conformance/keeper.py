"""What every keeper promises, as one class of tests in levels: a keeper declares which it has, and the tests of the others are skipped."""

import pytest
from msgspec.structs import replace

from cued.conformance.row_samples import assert_as_written, break_off, logged, page, put, row, taken_apart
from cued.conformance.samples import HOUR, NOW, direction, entry
from cued.errors import StoreError
from cued.model import Edge, Filter, Head, Judged, LogQuery, LogRules, Shadowed, Stats, Supersession, Use
from cued.ports import Joint, Keeper
from cued.stores.admission import weighed
from cued.stores.arrays import ALWAYS, NEVER, micros

LEVELS = ("rows", "search", "listing", "log", "documents", "erasure")
RULES = LogRules()


class RowsLevel:
    """Level "rows": transactions, and rows that are read, inserted, updated and removed."""

    def test_what_was_inserted_is_read_back_whole(self, keeper: Keeper) -> None:
        """In the same transaction and later, by id; with content only where asked, and a stranger has nothing."""
        new = [row("a", use=Use(count=2.0), edges=(Edge("causes", "b"),)), row("a\x00b", vector=None), row("\u00e9")]
        with keeper.begin("t", write=True) as rows:
            rows.insert(new)
            assert_as_written(rows.read(["a", "a\x00b", "\u00e9"], content=True), new)
        with keeper.begin("t", write=False) as rows:
            found = rows.read(["\u00e9", "nope", "a", "a\x00b"], content=True)
            assert_as_written(found, new)
            assert len({each.key for each in found.values()}) == 3
            assert rows.read(["a"])["a"].memory == new[0].memory
            assert (rows.read([]), rows.read(["nope", "A"])) == ({}, {})
        with keeper.begin("T", write=False) as rows:
            assert (rows.read(["a"]), rows.head().change, rows.head().size) == ({}, 0, 0)

    def test_of_many_ids_those_that_are_stored_are_read(self, keeper: Keeper) -> None:
        """Before, between and after the others, in any script."""
        stored = {"b", "m\x00", "\u00e9", "\uffff"}
        asked = [*stored, "a", "c", "m", "m\x00\x00", "n", "\u00e8", "\u00ea", "\ue000", "\U00010000", "\U0010ffff"]
        put(keeper, *map(row, sorted(stored)))
        with keeper.begin("t", write=False) as rows:
            assert rows.read(asked).keys() == stored
        with keeper.begin("T", write=False) as rows:
            assert rows.read(asked) == {}

    def test_an_update_replaces_all_but_the_use_and_keeps_content_unless_told(self, keeper: Keeper) -> None:
        """By key; a row may be updated before another is inserted, in one transaction."""
        put(keeper, row("a", use=Use(count=2.0)), row("b"))
        with keeper.begin("t", write=True) as rows:
            a, b = rows.read(["a", "b"]).values()
            rows.update([row("a", "rain", importance=0.9, forward=None, key=a.key), row("b", "rain", vector=3, forward=b"new", key=b.key)])
            rows.insert([row("c")])
        with keeper.begin("t", write=False) as rows:
            a, b = rows.read(["a", "b"], content=True).values()
            assert (a.memory.text, a.memory.importance, a.memory.use, a.forward) == ("rain", 0.9, Use(count=2.0), b"forward of a")
            assert (b.forward, b.vector) == (b"new", direction(3).astype("<f4").tobytes())
            assert rows.head().size == 3

    def test_new_rows_are_told_their_keys_which_go_on_beyond_all_before(self, keeper: Keeper) -> None:
        """Those that they are read by; the key of a row that was removed is nobody else's."""
        with keeper.begin("t", write=True) as rows:
            first = list(rows.insert([row("b"), row("a")]))
            assert first == [rows.read([each])[each].key for each in ("b", "a")] == sorted(first)
        with keeper.begin("t", write=True) as rows:
            rows.remove(first[1:])
        with keeper.begin("t", write=True) as rows:
            later = list(rows.insert([row("c"), row("d")]))
            assert [*first, *later] == sorted({*first, *later})
            assert list(rows.changed(0).keys) == [first[0], *later]

    def test_removed_rows_are_gone_and_their_ids_free(self, keeper: Keeper) -> None:
        """With their uses and vectors; the rest stays."""
        put(keeper, row("a", use=Use(count=2.0)), row("b"))
        with keeper.begin("t", write=True) as rows:
            rows.remove([rows.read(["a"])["a"].key])
            assert rows.read(["a", "b"]).keys() == {"b"}
            rows.insert([row("a", "rain")])
        with keeper.begin("t", write=False) as rows:
            assert rows.read(["a"])["a"].memory == row("a", "rain").memory

    def test_the_bytes_of_memories_are_counted_through_every_change(self, keeper: Keeper) -> None:
        """What is there in the end counts, however it came to be."""
        grown, _ = row("b", "a much longer text than before"), put(keeper, row("a"), row("b"), row("c"))
        with keeper.begin("t", write=True) as rows:
            rows.remove([rows.read(["c"])["c"].key])
            rows.update([grown._replace(key=rows.read(["b"])["b"].key)])
            assert rows.head().bytes == weighed(row("a").memory) + weighed(grown.memory)

    def test_a_transaction_that_raises_leaves_nothing(self, keeper: Keeper) -> None:
        """Whatever it had written of rows, uses, counters."""
        put(keeper, row("a"), row("b"))
        with keeper.begin("t", write=False) as rows:
            before, counted = rows.read(["a", "b"], content=True), rows.head()
        for tenant in ("t", "new"):
            with pytest.raises(ZeroDivisionError):
                break_off(keeper, lambda rows: rows.insert([row("c")]), tenant=tenant)
        for write in (
            lambda rows: rows.update([row("a", "rain", key=before["a"].key)]),
            lambda rows: rows.remove([before["b"].key]),
            lambda rows: rows.put_uses([(before["b"].key, Use(count=2.0))]),
        ):
            with pytest.raises(ZeroDivisionError):
                break_off(keeper, write)
        with keeper.begin("t", write=False) as rows:
            assert (rows.read(["a", "b", "c"], content=True), rows.head()) == (before, counted)
        assert keeper.tenants() == ("t",)
        put(keeper, row("c"))
        with keeper.begin("t", write=False) as rows:
            assert rows.head() == Head(counted.change + 1, counted.epoch, 3, counted.bytes + weighed(row("c").memory))

    def test_transactions_of_several_tenants_are_one_where_the_keeper_can(self, keeper: Keeper) -> None:
        """All of it is there afterwards, and where the block raises nothing of any tenant's."""
        if not isinstance(keeper, Joint):
            pytest.skip("it makes each tenant's writes durable by themselves")
        put(keeper, row("a"))
        with pytest.raises(ZeroDivisionError), keeper.begin_all(["t", "u"]) as (one, other):  # noqa: PT012 - all of it is one block
            one.insert([row("lost")])
            other.insert([row("lost", tenant="u")])
            raise ZeroDivisionError
        assert keeper.tenants() == ("t",)
        with keeper.begin_all(["u", "t"]) as (other, one):
            one.insert([row("b")])
            other.insert([row("c", tenant="u")])
            other.remove([other.read(["c"])["c"].key])
            other.insert([row("d", tenant="u")])
        for tenant, stored in (("t", {"a", "b"}), ("u", {"d"})):
            with keeper.begin(tenant, write=False) as rows:
                assert rows.read(["a", "b", "c", "d", "lost"]).keys() == stored
                assert rows.head().size == len(stored)

    def test_the_head_counts_changes(self, keeper: Keeper) -> None:
        """Once a transaction that writes rows, whatever it writes; a removal is told, or the epoch is another; nothing for reading."""
        heads = [put(keeper, row("a")), put(keeper, row("b"), row("c"))]
        with keeper.begin("t", write=True) as rows:
            rows.read(["a"])
        with keeper.begin("t", write=True) as rows:
            a, b = rows.read(["a", "b"]).values()
            rows.update([row("a", key=a.key)])
            rows.remove([b.key])
            heads.append(rows.head())
        with keeper.begin("t", write=False) as rows:
            assert rows.head() == heads[-1]
            assert heads[2].epoch != heads[1].epoch or list(rows.removed(heads[1].change)) == [b.key]
            assert list(rows.removed(heads[2].change)) == []
        assert [(head.change, head.size) for head in heads] == [(1, 1), (2, 3), (3, 2)]
        assert heads[0].epoch == heads[1].epoch
        assert isinstance(keeper.pending(), tuple)

    def test_lapsed_rows_are_those_with_marks(self, keeper: Keeper) -> None:
        """A mark that was lifted or holds in one project; not one that holds everywhere."""
        lifted = Supersession(by="x", at=NOW - HOUR, lifted_at=NOW)
        put(keeper, row("a"), row("b", superseded=(lifted,)), row("c", superseded=(replace(lifted, lifted_at=None),)))
        with keeper.begin("t", write=False) as rows:
            assert [each.memory.id for each in rows.lapsed()] == ["b"]

    def test_tenants_are_those_with_rows(self, keeper: Keeper) -> None:
        """In order; a transaction that wrote nothing makes none."""
        put(keeper, row("a", tenant="\u00e9"), tenant="\u00e9")
        put(keeper, row("a"))
        with keeper.begin("asked", write=True) as rows:
            rows.read(["a"])
        assert keeper.tenants() == ("t", "\u00e9")

    def test_a_closed_keeper_says_so(self, keeper: Keeper) -> None:
        """A second closing does nothing."""
        keeper.close()
        keeper.close()
        with pytest.raises(StoreError), keeper.begin("t", write=False):
            pass


class SearchLevel:
    """Level "search": the columns that a shelf is made from, and the winners."""

    def test_all_rows_come_as_columns_by_key(self, keeper: Keeper) -> None:
        """With what the gates judge, as it was given, and the vectors apart; a stranger has none."""
        lifted = Supersession(by="x", at=NOW - HOUR, lifted_at=NOW)
        new = [row("b", kind="reflection", edges=(Edge("derived_from", "a"),)), row("a", superseded=(lifted,)), row("c", vector=None)]
        put(keeper, *new)
        with keeper.begin("t", write=False) as rows:
            read, vectors = rows.changed(0), taken_apart(rows.vectors(0))
            assert (list(read.ids), list(read.keys)) == (["b", "a", "c"], sorted(read.keys))
            assert [Judged(*each) for each in zip(*read.judged, strict=True)] == [each.judged for each in new]
            assert list(read.forwards) == [each.forward for each in new]
            assert list(read.fingerprints) == [each.memory.fingerprint or "" for each in new]
            assert vectors == {key: each.vector for key, each in zip(read.keys, new, strict=True) if each.vector is not None}
        with keeper.begin("stranger", write=False) as rows:
            assert (len(rows.changed(0).ids), list(rows.vectors(0))) == (0, [])

    def test_what_was_written_since_a_change_comes_alone(self, keeper: Keeper) -> None:
        """`contents` tells which rows have other content, and only their vectors come."""
        put(keeper, *(row(each) for each in "abc"))
        with keeper.begin("t", write=True) as rows:
            a, b = rows.read(["a", "b"]).values()
            rows.update([row("a", forward=None, importance=0.9, key=a.key), row("b", "rain", vector=3, key=b.key)])
            rows.insert([row("d")])
        with keeper.begin("t", write=False) as rows:
            since = rows.head().change - 1
            read = rows.changed(since)
            assert sorted(zip(read.ids, (content > since for content in read.contents), strict=True)) == [
                ("a", False),
                ("b", True),
                ("d", True),
            ]
            keys = dict(zip(read.keys, read.ids, strict=True))
            assert sorted(keys[key] for key in taken_apart(rows.vectors(since))) == ["b", "d"]
            assert len(rows.changed(since + 1).ids) == 0

    def test_winners_come_by_key_and_uses_apart(self, keeper: Keeper) -> None:
        """In the order asked; writing a use moves no counter."""
        head = put(keeper, row("a"), row("b", use=Use(count=2.0)), row("c"))
        with keeper.begin("t", write=True) as rows:
            keys = [each.key for each in rows.read(["c", "a", "b"]).values()]
            rows.put_uses([(keys[0], Use(count=7.0))])
            assert rows.head() == head
        with keeper.begin("t", write=False) as rows:
            assert [memory and memory.id for memory in rows.memories(keys)] == ["c", "a", "b"]
            assert dict(rows.uses(keys)) == {keys[0]: Use(count=7.0), keys[2]: Use(count=2.0)}
            assert rows.read(["c"])["c"].memory.use == Use(count=7.0)
            assert (list(rows.memories([])), list(rows.uses([]))) == ([], [])

    def test_a_shelf_is_given_back_as_it_was_put_or_not_at_all(self, keeper: Keeper) -> None:
        """It changes no counter, each takes the place of the one before, and it goes with the first row that is removed."""
        head, parts = put(keeper, row("a"), row("b"), row("c")), [b"one", b"", b"\x00\xff" * 5000]
        for some in (parts, parts[:1]):
            with keeper.begin("t", write=True) as rows:
                rows.put_shelf(some)
            with keeper.begin("t", write=False) as rows:
                assert list(rows.shelf()) in ([], some)
                assert rows.head() == head
        with keeper.begin("T", write=False) as rows:
            assert not rows.shelf()
        with keeper.begin("t", write=True) as rows:
            rows.remove([rows.read(["a"])["a"].key])
            assert not rows.shelf()
            rows.put_shelf(parts)
        with keeper.begin("t", write=True) as rows:
            rows.erase()
        put(keeper, row("a"))
        with keeper.begin("t", write=False) as rows:
            assert not rows.shelf()


class ListingLevel:
    """Level "listing": pages, scans, links and counts, which upkeep needs."""

    def test_a_page_is_a_part_of_what_is_wanted(self, keeper: Keeper) -> None:
        """By creation and id in either direction, beyond a place, with the count of all."""
        put(keeper, *(row(each, created_at=NOW - hours * HOUR) for each, hours in (("a", 1), ("b", 2), ("c", 2), ("d", 3))))
        with keeper.begin("t", write=False) as rows:
            assert page(rows, (NEVER, "")) == (["a", "c", "b", "d"], 4)
            assert page(rows, (ALWAYS, ""), limit=2, oldest_first=True) == (["d", "b"], 4)
            assert page(rows, (micros(NOW - 2 * HOUR), "c")) == (["b", "d"], 4)
            assert page(rows, (NEVER, ""), wanted=Filter(since=NOW - 2 * HOUR)) == (["a", "c", "b"], 3)

    def test_a_scan_goes_by_id(self, keeper: Keeper) -> None:
        """In the order of code points, with forward index and vector."""
        put(keeper, row("b"), row("a\x00"), row("B", vector=None), row("a"))
        with keeper.begin("t", write=False) as rows:
            found = rows.scan(3, "")
            assert [(each.memory.id, each.vector is None) for each in found] == [("B", True), ("a", False), ("a\x00", False)]
            assert [each.forward for each in found] == [b"forward of B", b"forward of a", b"forward of a\x00"]
            assert [each.memory.id for each in rows.scan(3, "a\x00")] == ["b"]

    def test_links_are_found_by_where_they_lead(self, keeper: Keeper) -> None:
        """Each memory once, and an update replaces its links."""
        edges = (Edge("causes", "x"), Edge("mentions", "x"))
        put(keeper, row("a", edges=edges), row("b", edges=edges))
        with keeper.begin("t", write=True) as rows:
            rows.update([row("b", edges=(Edge("causes", "y"),), forward=None, key=rows.read(["b"])["b"].key)])
        with keeper.begin("t", write=False) as rows:
            assert [[memory.id for memory in rows.linking(ids)] for ids in (["x"], ["y", "y"], ["z"], [])] == [["a"], ["b"], [], []]

    def test_what_is_stored_is_counted(self, keeper: Keeper) -> None:
        """A stranger's counts are nothing."""
        put(keeper, row("a", tags=("x", "y")), row("b", tags=("x",), forgotten_at=NOW), row("c", vector=None, expires_at=NOW))
        with keeper.begin("t", write=False) as rows:
            counts = rows.stats(micros(NOW))
        assert (counts.memories, counts.visible, counts.forgotten, counts.expired, counts.pending_vectors) == (3, 1, 1, 1, 1)
        assert counts.by_tag == {"x": 2, "y": 1}
        with keeper.begin("stranger", write=False) as rows:
            assert rows.stats(micros(NOW)) == Stats()


class LogLevel:
    """Level "log": the recall log, which feedback, rates and advice need."""

    def test_lines_come_back_as_written_and_by_what_is_asked(self, keeper: Keeper) -> None:
        """A known recall_id keeps its place; cue and evidence come only with `content`; a stranger has none."""
        trial = Shadowed(policy="p", policy_digest="", outcome="recalled", chosen=("on trial",), best_relevance=0.5, tokens=1)
        told = replace(entry("r1"), floor=0.5, stage_ms={"score": 1.5}, cited=("a",), degraded=("x",), shadow=trial)
        whole = replace(told, cue="tea?", evidence=b"\x00")
        with keeper.begin("t", write=True) as rows:
            rows.put_log([entry("r0"), entry("r1"), entry("r2")], RULES)
            rows.put_log([whole], RULES)
        with keeper.begin("t", write=False) as rows:
            assert list(rows.log(LogQuery(content=True))) == [entry("r2"), whole, entry("r0")]
            assert list(rows.log(LogQuery(recall_id="r1"))) == [told]
            assert [line.recall_id for line in rows.log(LogQuery(limit=2, oldest_first=True))] == ["r0", "r1"]
            assert [line.recall_id for line in rows.log(LogQuery(kept=True))] == ["r1"]
            assert [line.recall_id for line in rows.log(LogQuery(naming=("nobody", "on trial")))] == ["r1"]
        with keeper.begin("stranger", write=False) as rows:
            assert list(rows.log(LogQuery())) == []
        assert keeper.tenants() == ("t",)

    def test_the_log_is_bounded_by_rows_by_age_and_in_what_it_keeps_of_content(self, keeper: Keeper) -> None:
        """The newest stay; without their cue and evidence beyond the last ones."""
        lines = [replace(entry(f"r{each}"), at=NOW + each * HOUR, cue="tea?", evidence=b"e") for each in range(6)]
        assert logged(keeper, "a", lines, LogRules(rows=3)) == [("r5", True), ("r4", True), ("r3", True)]
        assert logged(keeper, "b", lines, LogRules(age=2 * HOUR)) == [("r5", True), ("r4", True), ("r3", True)]
        assert logged(keeper, "c", lines, LogRules(rows=3, content="last", last=1)) == [("r5", True), ("r4", False), ("r3", False)]
        assert logged(keeper, "d", lines[::-1], LogRules(rows=2)) == [("r5", True), ("r4", True)]

    def test_a_line_from_far_ahead_makes_no_later_one_too_old(self, keeper: Keeper) -> None:
        """A clock that was wrong once takes nothing from what is asked when it is right again."""
        lines = [entry("r1"), replace(entry("r2"), at=NOW + 99_999 * HOUR), replace(entry("r3"), at=NOW + HOUR)]
        assert [name for name, _ in logged(keeper, "t", lines, LogRules(age=2 * HOUR))] == ["r2", "r3"]

    def test_lines_of_a_transaction_that_raises_are_not_kept(self, keeper: Keeper) -> None:
        """Nor what it would have dropped for them."""
        with keeper.begin("t", write=True) as rows:
            rows.put_log([entry("r0")], RULES)
        with pytest.raises(ZeroDivisionError):
            break_off(keeper, lambda rows: rows.put_log([entry("r1")], LogRules(rows=1)))
        with keeper.begin("t", write=False) as rows:
            assert list(rows.log(LogQuery())) == [entry("r0")]


class DocumentsLevel:
    """Level "documents": small documents by name, which adaptation needs."""

    def test_a_document_is_written_replaced_and_removed(self, keeper: Keeper) -> None:
        """For its own tenant; one in a transaction that raises is as it was."""
        for body in (b"one", b"", b"\x00\xff"):
            with keeper.begin("t", write=True) as rows:
                rows.put_document("d", body)
                assert rows.document("d") == body
        with pytest.raises(ZeroDivisionError):
            break_off(keeper, lambda rows: rows.put_document("d", None))
        with keeper.begin("t", write=True) as rows:
            assert (rows.document("d"), rows.document("D"), rows.head()) == (b"\x00\xff", None, Head(0, rows.head().epoch, 0))
            assert keeper.tenants() == ("t",)
            rows.put_document("\u00e9", b"")
            assert list(rows.documents()) == ["d", "\u00e9"]
            rows.put_document("d", None)
            rows.put_document("\u00e9", None)
        with keeper.begin("t", write=False) as rows:
            assert (rows.document("d"), list(rows.documents())) == (None, [])
        assert keeper.tenants() == ()


class ErasureLevel:
    """Level "erasure": a whole tenant goes. That the bytes are gone too is for a test of your own, which knows where they lie."""

    def test_an_erased_tenant_leaves_nothing_and_touches_no_other(self, keeper: Keeper) -> None:
        """And under the same name a new life begins in another epoch."""
        for tenant in ("t", "T"):
            put(keeper, row("a", tenant=tenant, edges=(Edge("causes", "x"),)), tenant=tenant)
        with keeper.begin("t", write=False) as rows:
            before = rows.head()
        with keeper.begin("t", write=True) as rows:
            rows.erase()
        with keeper.begin("never was", write=True) as rows:
            rows.erase()
        assert keeper.tenants() == ("T",)
        with keeper.begin("t", write=False) as rows:
            assert (rows.read(["a"]), rows.head().change, rows.head().size) == ({}, 0, 0)
        assert put(keeper, row("a", "rain")).epoch != before.epoch

    def test_an_erasure_that_raises_erases_nothing(self, keeper: Keeper) -> None:
        """Not a row."""
        head = put(keeper, row("a"), row("b"))
        with pytest.raises(ZeroDivisionError):
            break_off(keeper, lambda rows: rows.erase())
        with keeper.begin("t", write=False) as rows:
            assert (list(rows.read(["a", "b"])), rows.head()) == (["a", "b"], head)


_LEVEL_OF = dict(zip((RowsLevel, SearchLevel, ListingLevel, LogLevel, DocumentsLevel, ErasureLevel), LEVELS, strict=True))
_LEVEL_NAMED = {level.__name__: name for level, name in _LEVEL_OF.items()}


class KeeperConformance(RowsLevel, SearchLevel, ListingLevel, LogLevel, DocumentsLevel, ErasureLevel):
    """Subclass it, give a `keeper` fixture that is empty at the start of each test, and say in `levels` what your keeper has."""

    levels: tuple[str, ...] = LEVELS

    @pytest.fixture
    def keeper(self) -> Keeper:
        """The keeper under test; every subclass overrides this."""
        raise NotImplementedError

    @pytest.fixture(autouse=True)
    def _declared(self, request: pytest.FixtureRequest) -> None:
        level = _LEVEL_NAMED.get(request.function.__qualname__.partition(".")[0])
        if level is not None and level not in self.levels:
            pytest.skip(f"this keeper does not declare the level {level!r}")
