"""Open conflicts, keeping both, and the map of meaning: what a person settles and looks at afterwards."""

import numpy as np
import pytest

import cued
from cued.engine.envelope import Envelope
from cued.errors import InputError
from cued.explain import mapped
from cued.model import Stored
from tests.building import NOW, memory


@pytest.fixture
def tenant():
    with cued.open(None, embedder="hashing", settle="now", clock=lambda: NOW) as memories:
        tenant = memories.tenant("mira")
        tenant.remember("The deploy runs on Friday.", id="old", at="2025-03-01")
        tenant.remember("The deploy does not run on Friday.", id="new", at="2025-04-01")
        tenant.remember("Bob bakes a lemon cake.", id="cake", at="2025-04-02")
        yield tenant


def test_a_conflict_is_open_once_at_the_newer_memory(tenant):
    opened = tenant.conflicts()
    assert [(each.memory.id, [conflict.id for conflict in each.conflicts]) for each in opened.found] == [("new", ["old"])]
    assert (opened.compared, opened.next, opened.total) == (3, None, 3)
    assert [choice.action for choice in opened.found[0].conflicts[0].choices] == ["keep both", "update old", "supersede", "delete old"]


def test_keeping_both_settles_it_and_says_so_in_the_memory(tenant):
    assert ("distinct", "old") in [(edge.relation, edge.target) for edge in tenant.keep_both("new", "old").edges]
    assert tenant.conflicts().found == ()
    assert tenant.keep_both("new", "old").id == "new"
    with pytest.raises(InputError):
        tenant.keep_both("new", "new")


def test_superseding_settles_it(tenant):
    tenant.update("new", supersedes=["old"])
    assert tenant.conflicts().found == ()


def test_conflicts_are_found_page_by_page(tenant):
    first = tenant.conflicts(limit=1)
    assert first.found == ()
    assert [each.memory.id for each in tenant.conflicts(limit=2, after=first.next).found] == ["new"]


def test_a_map_puts_equal_vectors_in_one_place_and_opposite_ones_apart():
    rows = [
        Stored(memory=memory(f"m{at}", fingerprint="model"), vector=np.array(vector, np.float32))
        for at, vector in enumerate([[1, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 0.5, 0]])
    ]
    pending = Stored(memory=memory("pending"))
    laid_out = mapped([*rows, pending], total=9, cue=np.array([1, 0, 0], np.float32))
    places = [(round(point.x, 6), round(point.y, 6)) for point in laid_out.points]
    assert places[0] == places[1] == tuple(round(each, 6) for each in laid_out.cue)
    assert abs(places[0][0] - places[2][0]) == pytest.approx(2 / 1.25, abs=0.01)
    assert (laid_out.left_out, laid_out.total) == (1, 9)
    assert sum(laid_out.told) == pytest.approx(1.0)
    assert mapped([pending], total=1).points == ()


def test_the_map_of_a_tenant_is_the_same_every_time_and_has_what_is_also_asked_for(tenant):
    laid_out = tenant.map(limit=1, also=["old"], text="deploy")
    assert [point.memory.id for point in laid_out.points] == ["cake", "old"]
    assert laid_out.cue is not None
    assert tenant.map(limit=1, also=["old"], text="deploy") == laid_out


def test_a_kept_recall_is_in_the_log_whatever_its_rules_until_one_of_its_memories_is_erased(tenant):
    told = tenant.explain("When does the deploy run?")
    tenant.keep(told.recall, Envelope.of(told.evidence, told.policy))
    (line,) = tenant.log(recall_id=told.recall.recall_id, content=True)
    assert Envelope.decode(line.evidence).decide().block == told.recall.block
    tenant.forget("old", erase=True)
    (line,) = tenant.log(recall_id=told.recall.recall_id, content=True)
    assert (line.evidence, line.cue) == (None, None)
