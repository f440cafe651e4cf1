"""arc: the balance of recency and frequency, learnt from ghost hits."""

from datetime import timedelta
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cued.engine import decide
from cued.flow.arc import Arc, access, balance, learn, learnt_balance, mark, start
from tests.building import NOW, ago, evidence, memory, policy, scores

ids = st.integers(0, 12).map(lambda n: f"m{n}")
starts = st.builds(start, st.integers(1, 5), st.sampled_from([0.0, 1.0]) | st.floats(0, 1))

ADAPTING = """
[score]
recency_weight = {weight}
terms = [
    {{ signal = "recency", weight = 0.0, lean = 1.0, tau = "10d", since = "last_used" }},
    {{ signal = "strength", weight = 1.0, lean = -1.0 }},
]
[settle]
adapt = "arc"
ghosts = 4
"""


def after(arc, *accesses):
    for memory_id in accesses:
        arc = access(arc, memory_id)
    return arc


def lists(arc):
    return arc.recent, arc.frequent, arc.recent_ghosts, arc.frequent_ghosts


class Pseudocode:
    """Figure 4 of Megiddo & Modha, line by line over four plain lists, oldest first."""

    def __init__(self, c, p):
        self.c, self.p = c, p
        self.t1, self.t2, self.b1, self.b2 = [], [], [], []

    def replace(self, x):
        if self.t1 and (len(self.t1) > self.p or (x in self.b2 and len(self.t1) == self.p)):
            self.b1.append(self.t1.pop(0))
        else:
            self.b2.append(self.t2.pop(0))

    def request(self, x):
        if x in self.t1 or x in self.t2:
            (self.t1 if x in self.t1 else self.t2).remove(x)
            self.t2.append(x)
        elif x in self.b1:
            step = 1 if len(self.b1) >= len(self.b2) else len(self.b2) / len(self.b1)
            self.p = min(self.p + step, self.c)
            self.replace(x)
            self.b1.remove(x)
            self.t2.append(x)
        elif x in self.b2:
            step = 1 if len(self.b2) >= len(self.b1) else len(self.b1) / len(self.b2)
            self.p = max(self.p - step, 0)
            self.replace(x)
            self.b2.remove(x)
            self.t2.append(x)
        else:
            self.miss(x)

    def miss(self, x):
        if len(self.t1) + len(self.b1) == self.c:
            if len(self.t1) < self.c:
                self.b1.pop(0)
                self.replace(x)
            else:
                self.t1.pop(0)
        elif len(self.t1) + len(self.t2) + len(self.b1) + len(self.b2) >= self.c:
            if len(self.t1) + len(self.t2) + len(self.b1) + len(self.b2) == 2 * self.c:
                self.b2.pop(0)
            self.replace(x)
        self.t1.append(x)


def skewed(seed):
    """Traffic of a few favourites, some regulars and many strangers, long enough for every case to come up."""
    chance = Random(seed)
    return [f"m{chance.randrange(chance.choice([3, 9, 30]))}" for _ in range(300)]


@pytest.mark.requirement("P16")
@given(starts, st.lists(ids, max_size=80) | st.integers(0, 1000).map(skewed))
def test_it_is_the_published_algorithm(arc, accesses):
    paper = Pseudocode(arc.size, arc.target)
    for memory_id in accesses:
        arc = access(arc, memory_id)
        paper.request(memory_id)
        assert [list(reversed(each)) for each in lists(arc)] == [paper.t1, paper.t2, paper.b1, paper.b2]
        assert arc.target == paper.p


@pytest.mark.requirement("P16")
@given(starts, st.lists(ids, max_size=80))
def test_the_lists_stay_bounded_and_an_id_stands_on_one_of_them(arc, accesses):
    for memory_id in accesses:
        arc = access(arc, memory_id)
        recent, frequent, recent_ghosts, frequent_ghosts = map(len, lists(arc))
        assert recent + frequent <= arc.size
        assert recent + recent_ghosts <= arc.size
        assert recent + frequent + recent_ghosts + frequent_ghosts <= 2 * arc.size
        listed = [each for some in lists(arc) for each in some]
        assert len(set(listed)) == len(listed)
        assert memory_id in (*arc.recent, *arc.frequent)
        assert 0 <= balance(arc) <= 1


@pytest.mark.requirement("P16")
@given(starts, st.lists(ids, max_size=80))
def test_only_ghosts_move_the_target_and_each_kind_one_way(arc, accesses):
    for memory_id in accesses:
        before, arc = arc, access(arc, memory_id)
        if memory_id in before.recent_ghosts:
            assert arc.target >= min(before.target + 1, before.size)
        elif memory_id in before.frequent_ghosts:
            assert arc.target <= max(before.target - 1, 0)
        else:
            assert arc.target == before.target


@pytest.mark.requirement("P16")
def test_a_worked_example_by_hand():
    arc = after(start(4, 0.0), "a", "a", "b", "c", "d")
    assert lists(arc) == (("d", "c", "b"), ("a",), (), ())
    arc = access(arc, "e")
    assert lists(arc) == (("e", "d", "c"), ("a",), ("b",), ())
    arc = access(arc, "b")
    assert (lists(arc), arc.target) == ((("e", "d"), ("b", "a"), ("c",), ()), 1.0)


@pytest.mark.requirement("P16")
def test_a_recent_list_at_its_target_gives_way_to_a_ghost_of_the_frequent_and_to_no_other():
    full = Arc(size=2, target=2.0, recent=("a",), frequent=("b",), frequent_ghosts=("x",))
    assert access(full, "x") == Arc(size=2, target=1.0, frequent=("x", "b"), recent_ghosts=("a",))
    at_target = replace(full, target=1.0)
    assert access(at_target, "y") == Arc(size=2, target=1.0, recent=("y", "a"), frequent_ghosts=("b", "x"))


@pytest.mark.requirement("P16")
def test_a_pure_scan_moves_nothing():
    arc = after(start(4, 0.5), *(f"page {i}" for i in range(100)))
    assert balance(arc) == 0.5


@pytest.mark.requirement("P16")
def test_traffic_that_turns_from_fresh_matters_to_old_favourites_moves_the_balance_from_recency_to_frequency():
    arc = after(start(8, 0.5), "x", "x")
    # fresh matters: each comes up, and once more after six others have come up
    for i in range(40):
        arc = after(arc, f"fresh {i}", *([f"fresh {i - 6}"] if i >= 6 else []))
    fresh = balance(arc)
    # old favourites in a loop, while strangers are scanned past them
    for i in range(40):
        arc = after(arc, f"favourite {i % 4}", f"stranger {i}")
    favourites = balance(arc)
    assert fresh > 0.5
    assert favourites < 0.5


@pytest.mark.requirement("P16")
def test_the_balance_starts_where_the_policy_stands_and_at_the_papers_zero_when_it_says_nothing():
    assert balance(start(50, 0.3)) == pytest.approx(0.3)
    assert start(50, policy().score.recency_weight) == Arc(size=50, target=0.0)


def taught(rules, *recalls, document=None, apart=timedelta(hours=1)):
    """The tenant's document after these recalls, each a list of ids, and the balance that the next recall uses."""
    for turn, chosen in enumerate(recalls):
        document = learn(document, chosen=tuple(chosen), policy=rules, now=NOW + turn * apart)
    return document


RECENT_GHOST_HITS = ("a", "a", "b", "c", "d", "e", "b", "c")
FREQUENT_GHOST_HITS = ("a", "a", "b", "b", "c", "c", "d", "d", "e", "a", "f", "b", "g", "c")


@pytest.mark.requirement("P16")
@pytest.mark.parametrize(
    ("weight", "accesses", "before", "afterwards"),
    [(0.3, RECENT_GHOST_HITS, ["often", "fresh"], ["fresh", "often"]), (0.6, FREQUENT_GHOST_HITS, ["fresh", "often"], ["often", "fresh"])],
)
def test_ghost_hits_flip_the_order_of_a_recent_and_a_frequent_memory(weight, accesses, before, afterwards):
    rules = policy(ADAPTING.format(weight=weight))
    found = evidence([memory("fresh", used=NOW, count=1.0), memory("often", created=ago(days=90), used=ago(days=30), count=20.0)])

    def order(document):
        recall = decide(replace(found, balance=learnt_balance(document, rules)), rules)
        return [r.memory.id for r in recall.memories]

    assert order(None) == before
    assert order(taught(rules, "xyz")) == before
    assert order(taught(rules, *accesses)) == afterwards


@pytest.mark.requirement("P16")
def test_a_learnt_balance_stands_in_for_the_recency_weight_and_for_nothing_else():
    rules = policy(ADAPTING.format(weight=0.3))
    found = evidence([memory("a", used=ago(days=10), count=2.0), memory("b", count=9.0)])
    stated = policy(ADAPTING.format(weight=0.8))
    assert scores(decide(replace(found, balance=0.8), rules)) == scores(decide(found, stated))


@pytest.mark.requirement("P16", "P4")
def test_a_loop_of_identical_recalls_drives_nothing():
    rules = policy(ADAPTING.format(weight=0.3))
    once = taught(rules, "abcd")
    assert taught(rules, *["abcd"] * 100, apart=timedelta(milliseconds=10)) == once
    assert msgspec.json.decode(once)["arc"]["frequent"] == []


@pytest.mark.requirement("P16", "P4")
@given(st.lists(st.lists(ids, max_size=5), max_size=50))
def test_no_recalls_within_the_refresh_floor_move_the_balance_however_many_and_however_long(recalls):
    rules = policy(ADAPTING.format(weight=0.3))
    document = taught(rules, "a", *recalls, apart=timedelta(seconds=1))
    assert learnt_balance(document, rules) == pytest.approx(0.3)


@pytest.mark.requirement("P16")
@given(st.lists(st.lists(ids, max_size=5), max_size=30), st.integers(1, 6))
def test_the_document_is_bounded_and_reads_back_as_it_was_written(recalls, size):
    rules = policy(f'[settle]\nadapt = "arc"\nghosts = {size}')
    document, arc = None, start(size, 0.0)
    for turn, chosen in enumerate(recalls):
        document = learn(document, chosen=tuple(chosen), policy=rules, now=NOW + turn * timedelta(hours=1))
        arc = after(arc, *map(mark, dict.fromkeys(chosen)))
        kept = msgspec.json.decode(document)
        assert msgspec.convert(kept["arc"], Arc) == arc
        assert len(kept["counted_at"]) <= 2 * size
        assert learnt_balance(document, rules) == balance(arc)


@pytest.mark.requirement("P16")
def test_a_policy_that_does_not_adapt_leaves_the_learnt_balance_alone():
    document = taught(policy(ADAPTING.format(weight=0.3)), *RECENT_GHOST_HITS)
    assert learnt_balance(document, policy()) is None
    assert learnt_balance(None, policy(ADAPTING.format(weight=0.3))) is None


def test_the_document_names_no_memory_for_it_outlives_them():
    document = taught(policy(ADAPTING.format(weight=0.3)), ["the-diagnosis"], ["another"])
    assert b"diagnosis" not in document
    assert len(msgspec.json.decode(document)["counted_at"]) == 2


def test_other_lengths_keep_the_balance_and_start_the_lists_anew():
    rules = policy(ADAPTING.format(weight=0.3))
    document = taught(rules, *RECENT_GHOST_HITS)
    longer = replace(rules, settle=replace(rules.settle, ghosts=40))
    grown = msgspec.json.decode(learn(document, chosen=("z",), policy=longer, now=NOW))["arc"]
    assert grown["target"] / 40 == pytest.approx(learnt_balance(document, rules))
    assert grown["recent"] == [mark("z")]


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"not json",
        b'{"arc": {"size": 0}, "counted_at": {}}',
        b'{"arc": {"size": 2, "target": 3.0}, "counted_at": {}}',
        b'{"arc": {"size": 2, "recent": ["a"]}, "counted_at": {}}',
        b'{"arc": {"size": 1, "frequent_ghosts": ["a"]}, "counted_at": {"a": "2025-06-01T12:00:00Z"}}',
        b'{"arc": {"size": 1, "recent": ["a"], "frequent": ["a"]}, "counted_at": {"a": "2025-06-01T12:00:00Z"}}',
    ],
)
def test_a_damaged_document_says_nothing_and_is_learnt_anew(damaged):
    rules = policy(ADAPTING.format(weight=0.3))
    assert learnt_balance(damaged, rules) is None
    assert learn(damaged, chosen=("a",), policy=rules, now=NOW) == taught(rules, "a")
