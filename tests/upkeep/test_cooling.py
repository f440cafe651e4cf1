"""Cooling: what could go is listed, coolest first, and nothing is removed."""

import math
from datetime import timedelta

import pytest

from cued.errors import InputError
from cued.model import DERIVED_FROM, Edge, Use
from cued.upkeep.cooling import cool, coolness
from tests.building import NOW, ago, memory
from tests.stocking import everything, stock


def names(found):
    return [each.memory.id for each in found]


@pytest.mark.requirement("F10")
def test_old_unimportant_and_unrecalled_memories_are_listed_coolest_first_and_kept(store):
    stock(
        store,
        memory("older", created=ago(days=400), importance=0.1),
        memory("old", created=ago(days=100), importance=0.1),
        memory("dull", created=ago(days=100), importance=0.3),
        memory("young", created=ago(days=20), importance=0.1),
        memory("dear", created=ago(days=400), importance=0.9),
        memory("used", created=ago(days=400), importance=0.1, used=ago(days=3), count=1),
        memory("unused", created=ago(days=400), importance=0.1, used=ago(days=200), count=1),
    )
    before = everything(store)
    found = cool("t", store, at=NOW)
    assert names(found) == ["older", "unused", "old", "dull"]
    assert found[0].reason == "never recalled, 400 days old, importance 0.10"
    assert found[1].reason == "last recalled 200 days ago, 400 days old, importance 0.10"
    assert everything(store) == before


@pytest.mark.requirement("F10")
def test_the_numbers_are_the_callers(store):
    stock(store, memory("a", created=ago(days=20), importance=0.5), memory("b", created=ago(days=40), importance=0.2))
    assert names(cool("t", store, at=NOW, older_than=timedelta(days=10))) == ["b"]
    assert names(cool("t", store, at=NOW, older_than=timedelta(days=10), importance_below=0.6)) == ["b", "a"]


@pytest.mark.requirement("F10")
def test_core_hidden_memories_and_sources_of_a_visible_reflection_are_never_listed(store):
    old = {"created": ago(days=400), "importance": 0.1}
    stock(
        store, memory("core", tier="core", **old), memory("source", **old), memory("gone", **old), memory("expired", expires_at=NOW, **old)
    )
    stock(store, memory("thought", kind="reflection", edges=(Edge(DERIVED_FROM, "source"),)))
    store.forget("t", ["gone"], at=NOW)
    assert names(cool("t", store, at=NOW)) == []
    store.forget("t", ["thought"], at=NOW)
    assert names(cool("t", store, at=NOW)) == ["source"]


@pytest.mark.requirement("F10")
def test_coolness_is_unimportance_times_idleness():
    assert coolness(memory(created=ago(days=90), importance=0.2), at=NOW) == pytest.approx((1 - 0.2) * (1 - 0.5))
    assert coolness(memory(created=ago(days=900), used=ago(days=45), importance=0.2), at=NOW) == pytest.approx(0.8 * (1 - math.sqrt(0.5)))
    boosted = memory(created=ago(days=90), importance=0.2, use=Use(boost=1.5))
    assert coolness(boosted, at=NOW) == pytest.approx((1 - 0.2 * 1.5) * (1 - 0.5))
    assert coolness(memory(created=ago(days=-5), importance=0.2), at=NOW) == 0.0


def test_numbers_that_make_no_sense_are_refused(store):
    with pytest.raises(InputError, match="older_than"):
        cool("t", store, at=NOW, older_than=timedelta(0))
    with pytest.raises(InputError, match="importance_below"):
        cool("t", store, at=NOW, importance_below=4)
