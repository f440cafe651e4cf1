"""Recall as of another time, in worked examples: what was known then, with the weight it had then, and without a trace of the asking."""

import pytest

import cued
from cued.model import Use
from tests.building import policy
from tests.fakes import FixedClock

QUESTION = "Where is the office?"
EVERYTHING = policy("[channels]\ndense = { pool = 100 }\n[settle]\nrefresh_floor = '60s'")


class Diary:
    """A tenant's memories day by day: what is done is done on the day it is, and any day can be asked about later."""

    def __init__(self, path):
        self.clock = FixedClock()
        self.memories = cued.open(path, embedder="hashing", clock=self.clock, settle="now", policy=EVERYTHING)
        self.tenant = self.memories.tenant("ada")
        self._days = [self.clock.now]

    def next_day(self):
        """Let a day pass, and give the number of the new one; the first is 0."""
        self.clock.move(days=1)
        self._days.append(self.clock.now)
        return len(self._days) - 1

    def recall(self, day=None, scope="global"):
        """Recall as of a day, None for now."""
        return self.tenant.recall(QUESTION, scope=scope, as_of=None if day is None else self._days[day])

    def known(self, day=None, scope="global"):
        """Give the ids of what a recall shows, in order of their ids."""
        return sorted(each.memory.id for each in self.recall(day, scope).memories)


@pytest.fixture(params=["memory", "sqlite"])
def diary(request, tmp_path):
    kept = Diary(None if request.param == "memory" else tmp_path / "memories.db")
    yield kept
    kept.memories.close()


def remembered(diary, memory_id, **facts):
    city = memory_id.capitalize()
    diary.tenant.remember(f"The office is in {city}.", id=memory_id, conflicts=False, **facts)


@pytest.mark.requirement("P13")
def test_what_came_later_was_not_known_then(diary):
    remembered(diary, "berlin")
    diary.next_day()
    remembered(diary, "lisbon")
    assert (diary.known(0), diary.known(1), diary.known()) == (["berlin"], ["berlin", "lisbon"], ["berlin", "lisbon"])


@pytest.mark.requirement("P13", "M6")
def test_a_belief_that_has_given_way_since_is_shown_as_it_stood_then(diary):
    remembered(diary, "berlin", weight=0.8)
    diary.next_day()
    remembered(diary, "lisbon", supersedes="berlin")
    diary.next_day()
    (then,) = diary.recall(0).memories
    assert (then.memory.id, then.memory.weight, then.memory.superseded) == ("berlin", 0.8, ())
    assert (diary.known(1), diary.known()) == (["lisbon"], ["lisbon"])
    now = diary.tenant.get("berlin")
    assert (now.weight, now.superseded[0].by) == (0.1, "lisbon")


@pytest.mark.requirement("P13", "M6")
def test_the_weight_of_then_counts_in_the_score_of_then(diary):
    weighed = policy("[channels]\ndense = { pool = 100 }\n[score]\nterms = [{ signal = 'confidence' }]")
    remembered(diary, "berlin", weight=0.8)
    first = diary.clock.now
    diary.next_day()
    remembered(diary, "lisbon", supersedes="berlin")
    (then,) = diary.tenant.recall(QUESTION, policy=weighed, as_of=first).memories
    assert (then.score, then.contributions) == (0.8, {"confidence": 0.8})


@pytest.mark.requirement("P13", "M6")
def test_forgetting_the_newer_belief_brings_the_older_back_and_both_days_are_kept(diary):
    remembered(diary, "berlin")
    diary.next_day()
    remembered(diary, "lisbon", supersedes="berlin")
    diary.next_day()
    diary.tenant.forget("lisbon")
    diary.next_day()
    assert [diary.known(day) for day in (0, 1, 2, None)] == [["berlin"], ["lisbon"], ["berlin"], ["berlin"]]


@pytest.mark.requirement("P13", "M6")
def test_restoring_undoes_the_forgetting_for_the_past_too(diary):
    remembered(diary, "berlin")
    diary.next_day()
    remembered(diary, "lisbon", supersedes="berlin")
    diary.next_day()
    diary.tenant.forget("lisbon")
    diary.next_day()
    diary.tenant.restore("lisbon")
    assert [diary.known(day) for day in (0, 1, 2, None)] == [["berlin"], ["lisbon"], ["lisbon"], ["lisbon"]]


@pytest.mark.requirement("P13", "M6")
def test_a_belief_superseded_long_after_it_came_was_known_until_then(diary):
    remembered(diary, "berlin")
    remembered(diary, "lisbon")
    diary.next_day()
    diary.tenant.update("lisbon", supersedes="berlin")
    diary.next_day()
    diary.tenant.update("lisbon", supersedes=[])
    assert [diary.known(day) for day in (0, 1, 2)] == [["berlin", "lisbon"], ["lisbon"], ["berlin", "lisbon"]]


@pytest.mark.requirement("P13", "S5")
def test_merges_and_their_undoing_are_kept_by_day(diary):
    diary.tenant.remember("The office is in Berlin.", id="a", conflicts=False)
    diary.next_day()
    diary.tenant.remember("The office is in Berlin", id="b", conflicts=False)
    diary.next_day()
    assert [merge.older for merge in diary.tenant.consolidate().merged] == ["a"]
    diary.next_day()
    assert diary.tenant.unmerge("b") == ("a",)
    assert [diary.known(day) for day in (0, 1, 2, 3)] == [["a"], ["a", "b"], ["b"], ["a", "b"]]


@pytest.mark.requirement("P13", "M4", "M6")
def test_a_project_that_has_superseded_a_global_belief_did_so_from_that_day_on(diary):
    remembered(diary, "berlin")
    diary.next_day()
    remembered(diary, "lisbon", scope="atlas", supersedes="berlin")
    assert (diary.known(0, "atlas"), diary.known(1, "atlas"), diary.known(1, "zephyr")) == (["berlin"], ["lisbon"], ["berlin"])


@pytest.mark.requirement("P13", "M5")
def test_what_has_expired_since_was_known_and_what_had_expired_was_not(diary):
    remembered(diary, "berlin", ttl="36h")
    diary.next_day()
    diary.next_day()
    assert [diary.known(day) for day in (0, 1, 2)] == [["berlin"], ["berlin"], []]


@pytest.mark.requirement("P13")
def test_what_was_known_then_but_not_valid_then_is_not_shown(diary):
    remembered(diary, "berlin", valid_until="2025-06-02T18:00")
    remembered(diary, "lisbon", valid_from="2025-06-02T18:00")
    for _ in range(2):
        diary.next_day()
    assert [diary.known(day) for day in (0, 1, 2)] == [["berlin"], ["berlin"], ["lisbon"]]


@pytest.mark.requirement("P12", "P13")
def test_a_reflection_is_shown_for_the_days_on_which_a_source_of_it_stood(diary):
    remembered(diary, "berlin")
    diary.tenant.remember("The office is far away.", id="far", kind="reflection", derived_from="berlin", conflicts=False)
    diary.next_day()
    remembered(diary, "lisbon", supersedes="berlin")
    assert (diary.known(0), diary.known(1)) == (["berlin", "far"], ["lisbon"])


@pytest.mark.requirement("P13", "X9")
def test_what_is_erased_was_never_there(diary):
    remembered(diary, "berlin")
    diary.next_day()
    remembered(diary, "lisbon", supersedes="berlin")
    diary.next_day()
    diary.tenant.forget("lisbon", erase=True)
    assert [diary.known(day) for day in (0, 1, 2)] == [["berlin"]] * 3


@pytest.mark.requirement("P13", "P4")
def test_asking_about_the_past_leaves_no_touch(diary):
    remembered(diary, "berlin")
    diary.next_day()
    assert diary.known(0) == ["berlin"]
    assert diary.tenant.get("berlin").use == Use()
    diary.recall()
    assert diary.tenant.get("berlin").use.last_at == diary.clock.now


@pytest.mark.requirement("P13")
def test_uses_after_that_day_are_not_known_on_it(diary):
    remembered(diary, "berlin")
    for _ in range(3):
        diary.next_day()
        diary.recall()
    uses = [diary.recall(day).memories[0].memory.use for day in (0, 2, 3)]
    assert uses[0] == Use()
    assert (uses[1].last_at, uses[1].count) == (diary.clock.now.replace(day=3), 1.0)
    assert uses[2] == diary.tenant.get("berlin").use
