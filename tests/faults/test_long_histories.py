"""Chains and meshes of supersession cost time in proportion to what they touch, and need no stack."""

from datetime import timedelta
from time import process_time

import pytest

from cued.conformance.samples import NOW, record
from cued.model import Memory
from cued.stores.beliefs.changes import Beliefs
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.store import Store

SECOND = timedelta(seconds=1)


def held(*, count: int, claims: int) -> tuple[Store, list[str]]:
    """A store with a history in which each memory supersedes this many before it, and the ids."""
    store, ids = Store(MemoryKeeper()), [f"m{number:05}" for number in range(count)]
    for number, memory_id in enumerate(ids):
        older = tuple(ids[max(0, number - claims) : number])
        store.remember("t", [record("t", memory_id, created_at=NOW + number * SECOND, supersedes=older)])
    return store, ids


def marks(store: Store) -> list[tuple[str, object, object]]:
    return [(each.memory.id, each.memory.superseded, each.memory.supersedes) for each in store.scan("t", limit=9999)]


@pytest.mark.parametrize(("count", "claims"), [(17, 17), (60, 60), (2000, 1), (400, 5)])
def test_erasing_a_history_takes_no_time_and_leaves_the_last_on_the_first(count: int, claims: int) -> None:
    store, ids = held(count=count, claims=claims)
    started = process_time()
    store.erase("t", ids[1:-1])
    assert process_time() - started < 2
    first, last = store.get("t", [ids[0], ids[-1]])
    assert [mark.by for mark in first.superseded] == [last.id]
    assert last.supersedes[0] == first.id


def test_erasing_at_once_leaves_what_erasing_one_by_one_does() -> None:
    at_once, ids = held(count=12, claims=4)
    one_by_one, _ = held(count=12, claims=4)
    at_once.erase("t", ids[3:9])
    for memory_id in ids[3:9]:
        one_by_one.erase("t", [memory_id])
    assert [(each, [mark.by for mark in found]) for each, found, _ in marks(at_once)] == [  # type: ignore[attr-defined]
        (each, [mark.by for mark in found])  # type: ignore[attr-defined]
        for each, found, _ in marks(one_by_one)
    ]


def test_a_new_memory_reads_no_more_of_a_long_history_than_of_a_short_one() -> None:
    read: list[str] = []
    held_here = {f"m{number}": record("t", f"m{number}", supersedes=(f"m{number - 1}",)).memory for number in range(1, 5000)}

    def fetch(ids: object) -> dict[str, Memory]:
        read.extend(ids)  # type: ignore[arg-type]
        return {each: held_here[each] for each in ids if each in held_here}  # type: ignore[attr-defined]

    Beliefs(fetch).remember([record("t", "new", supersedes=("m4999",)).memory])
    assert len(read) < 200
