"""What every store promises about listings and counts, as tests."""

from typing import get_args

import numpy as np
import pytest
from msgspec.structs import replace

from cued.conformance.samples import FINGERPRINT, HOUR, NOW, OTHER_FINGERPRINT, record
from cued.errors import InputError, NotFoundError
from cued.model import Filter, Order, Source, Stats, Touch
from cued.ports import Store

_ORDERED: dict[Order, str] = {
    "used": "a m01 m00 m02 é",
    "importance": "a m00 m01 m02 é",
    "kind": "é a m00 m01 m02",
    "tier": "m00 m01 m02 é a",
    "trust": "a m00 m01 m02 é",
    "scope": "é a m00 m01 m02",
    "session": "é m00 m01 m02 a",
    "chance": "a m02 m00 m01 é",
}


class ListingConformance:
    """Pages, filters and statistics."""

    def test_pages_are_newest_first_and_meet_without_gap_or_overlap(self, store: Store) -> None:
        """By (created_at, id) descending, whatever the page size."""
        store.remember("t", [record("t", f"m{number:02}", created_at=NOW - (number // 3) * HOUR) for number in range(11)])
        wanted = ["m02", "m01", "m00", "m05", "m04", "m03", "m08", "m07", "m06", "m10", "m09"]
        for size in (1, 2, 5, 11, 50):
            assert walk(store, Filter(), size) == wanted

    def test_oldest_first_is_the_same_listing_backwards(self, store: Store) -> None:
        """Whatever the page size, with cursors that do not fit the other direction."""
        store.remember("t", [record("t", f"m{number:02}", created_at=NOW - (number // 3) * HOUR) for number in range(11)])
        for size in (1, 2, 5, 11, 50):
            assert walk(store, Filter(), size, oldest_first=True) == walk(store, Filter(), 50)[::-1]
        for oldest_first in (True, False):
            page = store.list("t", Filter(), at=NOW, limit=2, oldest_first=oldest_first)
            with pytest.raises(InputError):
                store.list("t", Filter(), at=NOW, limit=2, after=page.next, oldest_first=not oldest_first)

    @pytest.mark.parametrize("order", [each for each in get_args(Order) if each != "written"])
    def test_every_order_holds_over_pages_and_from_either_end(self, store: Store, order: Order) -> None:
        """The greatest first, of the same place the newest; with cursors that fit no other order."""
        store.remember("t", [record("t", f"m{number:02}", created_at=NOW - number * HOUR) for number in range(3)])
        store.remember("t", [record("t", "a", kind="episodic", tier="core", trust="agent", scope="q", importance=0.75)])
        store.remember("t", [record("t", "é", kind="reflection", scope="z", source=Source(session="s"), importance=0.25)])
        touches = [Touch(id=each, at=at, refresh_floor=HOUR, kept_per_day=1.0) for each, at in (("m01", NOW), ("a", NOW + HOUR))]
        store.settle("t", touches, (), known=True)
        listed = walk(store, Filter(), 50, order_by=order)
        assert listed == _ORDERED[order].split()
        for size in (1, 2, 4):
            assert walk(store, Filter(), size, order_by=order) == listed
            assert walk(store, Filter(), size, order_by=order, oldest_first=True) == listed[::-1]
        assert walk(store, Filter(contains=("tea",)), 2, order_by=order) == listed
        page = store.list("t", Filter(), at=NOW, limit=2, order_by=order)
        for other in ({"oldest_first": True, "order_by": order}, {"order_by": "written"}):
            with pytest.raises(InputError):
                store.list("t", Filter(), at=NOW, limit=2, after=page.next, **other)

    def test_a_page_survives_changes_between_pages(self, store: Store) -> None:
        """The cursor is a place, so what is erased or added elsewhere does not shift it."""
        store.remember("t", [record("t", f"m{number}", created_at=NOW - number * HOUR) for number in range(5)])
        first = store.list("t", Filter(), at=NOW, limit=2)
        store.erase("t", ["m1"])
        store.remember("t", [record("t", "newest", created_at=NOW + HOUR)])
        second = store.list("t", Filter(), at=NOW, limit=2, after=first.next)
        assert [memory.id for memory in second.memories] == ["m2", "m3"]

    def test_bad_cursors_and_limits_are_refused(self, store: Store) -> None:
        """An InputError, never an empty page."""
        store.remember("t", [record("t", "a")])
        for cursor in ("", "x", "ä", "W10=", "e30=", "WzEwMDAwMDAwMDAwMDAwMDAwMDAwMCwgIiJd"):
            for oldest_first in (True, False):
                with pytest.raises(InputError):
                    store.list("t", Filter(), at=NOW, limit=2, after=cursor, oldest_first=oldest_first)
        with pytest.raises(InputError):
            store.list("t", Filter(), at=NOW, limit=0)

    def test_every_filter_filters(self, store: Store) -> None:
        """Each field alone and all together."""
        full = record("t", "a", scope="p", kind="episodic", tier="core", source=Source(session="s"), created_at=NOW - HOUR)
        store.remember("t", [
            replace(full, memory=replace(full.memory, tags=("x", "y", '"'))),
            record("t", "b", "The KETTLE is new", tags=("x",), created_at=NOW - 2 * HOUR),
            record("t", "c", created_at=NOW - 3 * HOUR),
        ])  # fmt: skip
        for wanted, found in (
            (Filter(), "abc"),
            (Filter(scope="p"), "a"),
            (Filter(kinds=("episodic", "procedural")), "a"),
            (Filter(tiers=("fact",)), "bc"),
            (Filter(tags=("x",)), "ab"),
            (Filter(tags=("y", "x")), "a"),
            (Filter(tags=('"',)), "a"),
            (Filter(tags=("%",)), ""),
            (Filter(session="s"), "a"),
            (Filter(since=NOW - 2 * HOUR), "ab"),
            (Filter(until=NOW - 2 * HOUR), "c"),
            (Filter(contains=("kettle",)), "b"),
            (Filter(contains=("tea", "gard")), "ac"),
            (Filter(contains=("%",)), ""),
            (Filter(state="forgotten"), ""),
            (Filter(since=NOW - 2 * HOUR, until=NOW - HOUR), "b"),
            (Filter(scope="p", kinds=("episodic",), tiers=("core",), tags=("x",), session="s", since=NOW - HOUR), "a"),
        ):
            page = store.list("t", wanted, at=NOW, limit=9)
            assert ("".join(memory.id for memory in page.memories), page.total, page.next) == (found, len(found), None)

    def test_hidden_memories_are_listed_only_when_asked_for(self, store: Store) -> None:
        """Forgotten, superseded everywhere, expired; not what one project alone has superseded."""
        store.remember("t", [record("t", memory_id) for memory_id in ("forgotten", "old", "local")])
        store.remember("t", [record("t", "expired", expires_at=NOW), record("t", "new", supersedes=("old",))])
        store.remember("t", [record("t", "p", scope="p", supersedes=("local",))])
        store.forget("t", ["forgotten"], at=NOW)
        assert sorted(walk(store, Filter(), 2)) == ["local", "new", "p"]
        assert len(walk(store, Filter(hidden=True), 2)) == 6
        assert walk(store, Filter(state="forgotten"), 2) == ["forgotten"]
        assert walk(store, Filter(state="superseded"), 2) == ["old"]
        assert walk(store, Filter(state="expired"), 2) == ["expired"]

    def test_memories_are_fetched_with_their_vectors(self, store: Store) -> None:
        """In the order asked, a pending vector as None; an unknown id is refused."""
        records = [record("t", "a"), record("t", "b", vector=None)]
        store.remember("t", records)
        found = store.fetch("t", ["b", "a"])
        assert [each.memory for each in found] == [records[1].memory, records[0].memory]
        assert found[0].vector is None
        assert np.array_equal(np.asarray(found[1].vector), np.asarray(records[0].vector))
        with pytest.raises(NotFoundError):
            store.fetch("t", ["a", "nobody"])

    def test_stats_count_everything(self, store: Store) -> None:
        """The whole of what is stored, by each of its facts."""
        store.remember("t", [
            record("t", "a", tags=("x", "y"), created_at=NOW - 5 * HOUR),
            record("t", "b", kind="episodic", tier="episode", scope="p", tags=("x",), expires_at=NOW, vector=None),
            record("t", "c", supersedes=("a",), fingerprint=OTHER_FINGERPRINT, created_at=NOW),
            record("t", "d"),
        ])  # fmt: skip
        store.forget("t", ["d"], at=NOW)
        told = store.stats("t", at=NOW)
        assert told.bytes > sum(len(memory.text) for memory in store.get("t", list("abcd")))
        assert told == Stats(
            bytes=told.bytes,
            memories=4,
            visible=1,
            forgotten=1,
            superseded=1,
            expired=1,
            pending_vectors=1,
            by_kind={"semantic": 3, "episodic": 1},
            by_tier={"fact": 3, "episode": 1},
            by_trust={"user": 4},
            by_scope={"global": 3, "p": 1},
            by_tag={"x": 2, "y": 1},
            by_fingerprint={FINGERPRINT: 2, OTHER_FINGERPRINT: 1},
            oldest_at=NOW - 24 * HOUR,
            newest_at=NOW,
        )
        assert store.stats("stranger", at=NOW) == Stats()


def walk(store: Store, wanted: Filter, size: int, *, oldest_first: bool = False, order_by: Order = "written") -> list[str]:
    """All ids of a listing, page by page."""
    found: list[str] = []
    after = None
    while True:
        page = store.list("t", wanted, at=NOW, limit=size, after=after, oldest_first=oldest_first, order_by=order_by)
        found += [memory.id for memory in page.memories]
        assert len(page.memories) <= size
        if page.next is None:
            assert page.total == len(found)
            return found
        after = page.next
