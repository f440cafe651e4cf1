"""Quotas: what goes beyond is refused whole and in words, and what makes a tenant smaller is always let through."""

from datetime import timedelta

import pytest

import cued
from cued.surfaces.failures import QUOTA, exit_code
from tests.fakes import FixedClock


@pytest.fixture(params=["memory", "sqlite"])
def opened(request, tmp_path):
    """What opens a store with quotas."""
    places = iter(range(9))

    def open_with(clock=None, **quotas):
        where = None if request.param == "memory" else tmp_path / f"{next(places)}.db"
        more = {} if clock is None else {"clock": clock}
        return cued.open(where, embedder=None, quotas=cued.Quotas(**quotas), settle="off", **more)

    return open_with


def test_one_memory_too_many_is_refused_and_nothing_of_its_batch_is_stored(opened):
    with opened(memories=2) as memories:
        ada, bob = memories.tenant("ada"), memories.tenant("bob")
        kept = ada.remember("One.").id
        with pytest.raises(cued.QuotaError, match="2 memories are all that this tenant may have") as refused:
            ada.remember_many(["Two.", "Three."])
        assert (ada.stats().memories, exit_code(refused.value)) == (1, QUOTA)
        ada.remember("Two.")
        with pytest.raises(cued.QuotaError):
            ada.remember("Three.")
        assert bob.remember_many(["One.", "Two."]).ids
        ada.update(kept, text="One, and a half.")
        ada.forget(kept, erase=True)
        assert ada.remember("Three.").id


def test_bytes_are_bounded_when_memories_come_and_when_they_grow(opened):
    with opened(bytes=2000) as memories:
        ada = memories.tenant("ada")
        kept = ada.remember("Short.").id
        with pytest.raises(cued.QuotaError, match="2,000 bytes"):
            ada.remember("x" * 3000)
        with pytest.raises(cued.QuotaError, match="2,000 bytes"):
            ada.update(kept, text="x" * 3000)
        assert ada.get(kept).text == "Short."
        assert 0 < ada.stats().bytes < 2000
        ada.forget(kept)
        ada.restore(kept)


def test_a_full_quota_keeps_nobody_from_quarantine_or_another_model(tmp_path):
    place = tmp_path / "memories.db"
    with cued.open(place, embedder="hashing:64") as memories:
        kept = memories.tenant("ada").remember("One.").id
        full = memories.tenant("ada").stats().bytes
    with cued.open(place, embedder="hashing:1024", quotas=cued.Quotas(bytes=full)) as memories:
        ada = memories.tenant("ada")
        assert ada.reembed().left == 0
        ada.quarantine(kept)
        assert ada.stats().quarantined == 1
        with pytest.raises(cued.QuotaError):
            ada.update(kept, text="One and two.")


def test_a_full_quota_keeps_nobody_from_merging_what_says_the_same_and_from_undoing_it(tmp_path):
    place = tmp_path / "memories.db"
    with cued.open(place, embedder="hashing") as memories:
        older, newer = (memories.tenant("ada").remember("Ada prefers tea to coffee.", conflicts=False).id for _ in range(2))
        full = memories.tenant("ada").stats().bytes
    with cued.open(place, embedder="hashing", quotas=cued.Quotas(memories=2, bytes=full)) as memories:
        ada = memories.tenant("ada")
        (merge,) = ada.consolidate().merged
        assert (merge.older, merge.newer) == (older, newer)
        assert ada.unmerge(newer) == (older,)
        with pytest.raises(cued.QuotaError, match="bytes"):
            ada.update(newer, supersedes=[older])


def test_recalls_are_counted_by_the_minute_and_the_tenant(opened):
    clock = FixedClock()
    with opened(clock, recalls_a_minute=3) as memories:
        ada, bob = memories.tenant("ada"), memories.tenant("bob")
        ada.remember("One.")
        for ask in (lambda: ada.recall("one?"), lambda: ada.explain("one?"), ada.bootstrap):
            ask()
        with pytest.raises(cued.RateError, match="3 recalls a minute") as refused:
            ada.recall("one?")
        assert refused.value.retry_after_s == pytest.approx(20)
        bob.recall("one?")
        clock.now += timedelta(seconds=20)
        ada.recall("one?")
        clock.now -= timedelta(hours=1)
        with pytest.raises(cued.RateError):
            ada.recall("one?")


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "many"])
def test_what_is_no_quota_is_refused(wrong):
    with pytest.raises(cued.InputError, match=r"quotas\.memories"):
        cued.Quotas(memories=wrong)
    with pytest.raises(cued.InputError, match="quotas"):
        cued.open(None, embedder=None, quotas=wrong)
