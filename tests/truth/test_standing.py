"""Standing: what is said of one memory by itself is what a store does with it among all the others, on random histories, as-of included."""

from collections import Counter
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cued.conformance.samples import HOUR, NOW, WORDS, random_lookup, random_records, words
from cued.errors import InputError, TrustError
from cued.explain.origins import with_origins
from cued.model import DERIVED_FROM, GLOBAL, Edge, Filter
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.stores.standing.judging import judge
from cued.stores.standing.shown import counted, shown
from cued.stores.standing.why_not import change_of
from cued.stores.store import Store

TENANT = "t"


def reflecting(memory, sources):
    """Give the memory as a reflection on these, which stands for as long as they do."""
    edges = tuple(Edge(DERIVED_FROM, source) for source in sources)
    return replace(memory, kind="reflection", scope=GLOBAL, edges=edges, expires_at=None, valid_from=None, valid_until=None)


def live(store, random):
    """Let memories come, supersede each other, be forgotten, come back and be erased, and give those that are left."""
    records, there = random_records(TENANT, random), []
    ids = [one.memory.id for one in records]
    for one in records:
        memory = reflecting(one.memory, random.choices(ids, k=random.randint(1, 2))) if random.random() < 0.6 else one.memory
        older = tuple(random.sample(there, min(len(there), random.choice([0, 0, 0, 1]))))
        with suppress(InputError, TrustError):
            store.remember(TENANT, [replace(one, memory=replace(memory, supersedes=older))])
            there.append(memory.id)
    for memory_id in random.choices(there, k=len(there) // 3) if there else ():
        store.forget(TENANT, [memory_id], at=NOW - random.randint(-3, 20) * HOUR)
    for memory_id in random.choices(there, k=len(there) // 6) if there else ():
        store.restore(TENANT, [memory_id])
    for memory_id in random.sample(there, len(there) // 8):
        store.erase(TENANT, [memory_id])
    return [stored.memory for stored in store.scan(TENANT, limit=99)]


@pytest.mark.requirement("S9", "S6", "P12")
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_what_is_said_of_each_memory_is_what_the_store_counts(seed):
    random, store = Random(seed), Store(MemoryKeeper())
    memories = live(store, random)
    for _ in range(8):
        lookup = replace(random_lookup(random), lexical=words(*WORDS, pool=99), context=0, as_of=random.random() < 0.6)
        findings = store.search(TENANT, lookup)
        alone = {each.id: judge(with_origins(store, TENANT, [each]), lookup) for each in memories}
        gates = {memory_id: judged.gate(memory_id) for memory_id, judged in alone.items()}
        assert Counter(filter(None, gates.values())) == findings.struck
        assert {memory_id for memory_id, gate in gates.items() if gate is None} == {memory.id for memory in findings.memories}
        together = judge(memories, lookup)
        assert gates == {memory_id: together.gate(memory_id) for memory_id in gates}
        for memory_id, judged in alone.items():
            assert bool(change_of(judged, memory_id)) == (gates[memory_id] is not None)


@pytest.mark.requirement("M6")
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_what_is_shown_and_counted_here_is_what_a_keeper_selects_in_its_database(tmp_path_factory, seed):
    random, store = Random(seed), Store(SqliteKeeper(tmp_path_factory.mktemp("kept") / "memories.db"))
    memories = live(store, random)
    for _ in range(4):
        at = NOW - random.randint(-3, 20) * HOUR
        page = store.list(TENANT, Filter(), at=at, limit=99)
        assert {memory.id for memory in page.memories} == {memory.id for memory in shown(memories, Filter(), at=at)}
        assert store.stats(TENANT, at=at) == counted(memories, at=at)
    store.close()
