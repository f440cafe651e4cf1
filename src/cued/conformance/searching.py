"""What every store promises about search, as tests: the oracle's findings, and the laws."""

from itertools import count
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cued.conformance.oracle import expected, visible
from cued.conformance.samples import (
    HOUR,
    NOW,
    OTHER_FINGERPRINT,
    direction,
    lookup,
    near,
    random_lookup,
    random_records,
    record,
    words,
)
from cued.errors import InputError
from cued.model import GLOBAL, EntityLookup, Findings, Interval, Lookup, Record, Revision, Source, TemporalLookup, outranks
from cued.ports import Store
from cued.stores.standing.past import as_known

TENANTS = (f"random {number}" for number in count())
# Each example has a tenant of its own, so sharing the store is sound; the suite is made to be inherited by several
# classes; and a durable store may be slow.
_TOLERATED = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow, HealthCheck.data_too_large]
RANDOM_SETTINGS = settings(max_examples=50, deadline=None, suppress_health_check=_TOLERATED)


class SearchConformance:
    """Searching one tenant."""

    @RANDOM_SETTINGS
    @given(random=st.randoms(use_true_random=False))
    def test_search_finds_what_the_oracle_finds(self, store: Store, random: Random) -> None:
        """For any contents and any lookup, the findings are those of the definitions."""
        tenant = next(TENANTS)
        records = random_records(tenant, random)
        scatter(store, tenant, records, random)
        held = as_held(store, tenant, records)
        for _ in range(3):
            asked = random_lookup(random)
            assert_as_expected(store.search(tenant, asked), held, asked)

    @RANDOM_SETTINGS
    @given(random=st.randoms(use_true_random=False))
    def test_a_struck_memory_is_as_if_it_did_not_exist(self, store: Store, random: Random) -> None:
        """The findings are those of a tenant that never had the struck memories, statistics included."""
        tenant, bare = next(TENANTS), next(TENANTS)
        records = random_records(tenant, random)
        scatter(store, tenant, records, random)
        held = as_held(store, tenant, records)
        asked = random_lookup(random)
        if asked.kinds or asked.tags:
            # What is pinned is shown whatever kinds and tags choose, so a tenant without what those struck has less of it.
            asked = replace(asked, core=False)
        seen, _ = visible(held, asked)
        store.remember(bare, [without_links(each, bare) for each in seen])
        assert_same_bits(store.search(tenant, asked), store.search(bare, asked))

    @RANDOM_SETTINGS
    @given(random=st.randoms(use_true_random=False))
    def test_findings_do_not_depend_on_the_order_of_writing(self, store: Store, random: Random) -> None:
        """The same memories written in another order and in other batches are found with the same bits."""
        tenant, other = next(TENANTS), next(TENANTS)
        records = random_records(tenant, random)
        store.remember(tenant, records)
        shuffled = [without_links(each, other) for each in records]
        random.shuffle(shuffled)
        for each in shuffled:
            store.remember(other, [each])
        asked = random_lookup(random)
        assert_same_bits(store.search(tenant, asked), store.search(other, asked))

    def test_an_unknown_tenant_has_nothing(self, store: Store) -> None:
        """Its findings are empty, and every term of the cue is unheard of."""
        found = store.search("nobody", lookup(lexical=words("tea"), dense=near(1)))
        assert (found.stored, found.visible, found.memories, found.struck) == (0, 0, (), {})
        assert found.terms[0].documents == 0
        assert all(len(column) == 0 for column in found.columns.values())

    def test_only_what_has_a_word_of_the_cue_matches(self, store: Store) -> None:
        """Of two memories the one with the term scores above 0, the other 0 and is no candidate."""
        store.remember("t", [record("t", "a", "tea"), record("t", "b", "coffee")])
        found = store.search("t", lookup(lexical=words("tea")))
        assert ids(found) == ["a"]
        assert found.columns["bm25"][0] > 0
        both = store.search("t", lookup(lexical=words("tea"), dense=near(1)))
        assert both.columns["bm25"][1] == 0

    def test_an_unheard_word_lowers_coverage(self, store: Store) -> None:
        """A word that no visible memory has counts at the highest idf of all."""
        store.remember("t", [record("t", "a", "tea"), record("t", "b", "coffee")])
        found = store.search("t", lookup(lexical=words("tea", "zymurgy")))
        known, unheard = found.terms
        assert unheard.idf > known.idf
        assert found.columns["coverage"][0] == pytest.approx(known.idf / (known.idf + unheard.idf))

    def test_old_memories_are_reachable(self, store: Store) -> None:
        """However many newer ones there are, the one that matches is found."""
        old = record("t", "old", "the zephyr file", created_at=NOW - 50_000 * HOUR, vector=99)
        store.remember("t", [old, *(record("t", f"n{number}", "tea and coffee", vector=3) for number in range(300))])
        assert "old" in ids(store.search("t", lookup(lexical=words("zephyr", pool=3))))
        assert "old" in ids(store.search("t", lookup(dense=near(99, pool=3))))

    def test_vectors_of_another_embedder_are_never_compared(self, store: Store) -> None:
        """They get no cosine and no row, and are counted as uncomparable."""
        one, other = record("t", "a", vector=1), record("t", "b", vector=1, fingerprint=OTHER_FINGERPRINT)
        store.remember("t", [one, other, record("t", "c", vector=None)])
        found = store.search("t", lookup(dense=near(1), lexical=words("tea")))
        assert found.columns["cosine"] == pytest.approx([1.0, np.nan, np.nan], nan_ok=True)
        assert found.uncomparable == 2
        assert found.background.count == 1
        assert found.vectors is not None
        assert found.vectors == pytest.approx(np.array([direction(1), np.zeros(8), np.zeros(8)]), abs=1e-6)

    def test_without_a_dense_lookup_no_cosine_is_given(self, store: Store) -> None:
        """The cosine is nan for all."""
        store.remember("t", [record("t", "a")])
        assert np.isnan(store.search("t", lookup(lexical=words("tea"))).columns["cosine"]).all()

    def test_a_cue_vector_that_is_no_unit_vector_is_refused(self, store: Store) -> None:
        """NaN, zero and longer vectors are InputErrors."""
        for bad in (np.full(8, np.nan), np.zeros(8), np.full(8, np.inf), direction(1) * 2):
            with pytest.raises(InputError):
                store.search("t", lookup(dense=replace(near(1), vector=bad.astype(np.float32))))

    def test_neighbours_in_a_session_lend_their_scores(self, store: Store) -> None:
        """The columns of before and after are those of the nearest visible turns."""
        turns = [record("t", f"m{turn}", word, source=Source(session="s", turn=turn)) for turn, word in enumerate(["tea", "rain", "code"])]
        store.remember("t", turns)
        found = store.search("t", lookup(lexical=words("tea"), context=1))
        assert ids(found) == ["m0", "m1"]
        assert found.columns["lexical_rank"].tolist() == [1, 0]
        assert found.columns["bm25_before"].tolist() == [0, found.columns["bm25"][0]]
        store.forget("t", ["m1"], at=NOW)
        assert ids(store.search("t", lookup(lexical=words("tea"), context=1))) == ["m0", "m2"]

    def test_the_time_that_counts_is_when_it_became_true(self, store: Store) -> None:
        """`valid_from` if there is one, else `created_at`."""
        early = NOW - 9 * HOUR
        store.remember("t", [record("t", "a", created_at=NOW - HOUR, valid_from=early), record("t", "b", created_at=early)])
        asked = lookup(temporal=TemporalLookup(intervals=(Interval(NOW - 9 * HOUR, NOW - 8 * HOUR),), pool=5))
        assert ids(store.search("t", asked)) == ["a", "b"]

    def test_names_rank_by_how_many_and_how_rare(self, store: Store) -> None:
        """Who has both names comes first, then who has the rarer one."""
        named = {"a": ("Ada",), "b": ("Ada", "Bo"), "c": ("Bo",), "d": ("Ada",)}
        store.remember("t", [record("t", memory_id, entities=names) for memory_id, names in named.items()])
        found = store.search("t", lookup(entity=EntityLookup(names=("Ada", "Bo"), pool=3)))
        assert dict(zip(ids(found), found.columns["entity_rank"].tolist(), strict=True)) == {"a": 3, "b": 1, "c": 2}
        assert found.columns["entities"][1] == 1


def ids(found: Findings) -> list[str]:
    """The candidates' ids."""
    return [memory.id for memory in found.memories]


def scatter(store: Store, tenant: str, records: list[Record], random: Random) -> None:
    """Write the records in several batches, let some supersede others, forget some and revise some."""
    written: list[Record] = []
    while len(written) < len(records):
        batch = records[len(written) : len(written) + random.randint(1, 12)]
        older = [each.memory for each in written]
        for place, each in enumerate(batch):
            allowed = [old for old in older if not outranks(old.trust, each.memory.trust)]
            fitting = [old.id for old in allowed if each.memory.scope in (GLOBAL, old.scope) or old.scope == GLOBAL]
            if fitting and random.random() < 0.3:
                batch[place] = replace(each, memory=replace(each.memory, supersedes=(random.choice(fitting),)))
        store.remember(tenant, batch)
        written += batch
    chosen = [each.memory.id for each in records if random.random() < 0.15]
    store.forget(tenant, chosen, at=NOW - 5 * HOUR)
    store.restore(tenant, [memory_id for memory_id in chosen if random.random() < 0.3])
    for each in records:
        if random.random() < 0.15:
            terms = {**each.terms, "revised": 1}
            records[records.index(each)] = changed = replace(each, terms=terms)
            store.revise(tenant, [Revision(id=each.memory.id, terms=changed.terms)], at=NOW - 4 * HOUR)


def as_held(store: Store, tenant: str, records: list[Record]) -> list[Record]:
    """The records with their memories as the store has them now."""
    memories = store.get(tenant, [each.memory.id for each in records])
    return [replace(each, memory=memory) for each, memory in zip(records, memories, strict=True)]


def without_links(each: Record, tenant: str) -> Record:
    """The record, for another tenant and superseding nothing."""
    return replace(each, memory=replace(each.memory, tenant=tenant, supersedes=()))


def assert_as_expected(found: Findings, records: list[Record], asked: Lookup) -> None:
    """Hold the findings against the oracle's: ranks exactly, scores to within rounding."""
    wanted = expected(records, asked)
    assert (found.stored, found.visible, found.struck) == (wanted.stored, wanted.visible, wanted.struck)
    assert ids(found) == wanted.ids
    assert [memory.id for memory in found.core] == wanted.core
    held = {each.memory.id: each.memory for each in records}
    known = {each: as_known(memory, at=asked.at) if asked.as_of else memory for each, memory in held.items()}
    assert all(memory == known[memory.id] for memory in (*found.memories, *found.core))
    assert found.columns.keys() == wanted.columns.keys()
    for name, column in wanted.columns.items():
        assert found.columns[name].tolist() == pytest.approx(column, abs=0 if name.endswith("_rank") else 1e-6, nan_ok=True), name
    assert [(each.term, each.documents) for each in found.terms] == [(term, documents) for term, documents, _ in wanted.terms]
    assert [each.idf for each in found.terms] == pytest.approx([idf for _, _, idf in wanted.terms])
    assert (found.background.count, found.uncomparable) == (wanted.background[0], wanted.uncomparable)
    assert (found.background.mean, found.background.deviation) == pytest.approx(wanted.background[1:], abs=1e-3)
    assert_vectors(found, records, asked)


def assert_vectors(found: Findings, records: list[Record], asked: Lookup) -> None:
    """Hold the candidates' vectors against what was stored, zeros where they cannot be compared."""
    if asked.dense is None:
        assert found.vectors is None
        return
    stored = {each.memory.id: each.vector for each in records if each.memory.fingerprint == asked.dense.fingerprint}
    assert found.vectors is not None
    assert found.vectors.dtype == np.float32
    assert len(found.vectors) == len(found.memories)
    for memory, row in zip(found.memories, found.vectors, strict=True):
        vector = stored.get(memory.id)
        assert row == pytest.approx(np.zeros(8) if vector is None else vector, abs=1e-6)


def assert_same_bits(one: Findings, other: Findings) -> None:
    """Hold two findings against each other, every bit of every column."""
    assert ids(one) == ids(other)
    assert [memory.id for memory in one.core] == [memory.id for memory in other.core]
    assert (one.visible, one.background, one.terms, one.uncomparable) == (other.visible, other.background, other.terms, other.uncomparable)
    for name, column in one.columns.items():
        assert column.tobytes() == other.columns[name].tobytes(), name
    assert (one.vectors is None) == (other.vectors is None)
    if one.vectors is not None and other.vectors is not None:
        assert one.vectors.tobytes() == other.vectors.tobytes()
