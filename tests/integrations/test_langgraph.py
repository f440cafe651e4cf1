"""LangGraph's store: what `SqliteStore` and `PostgresStore` document, kept in memories."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, PutOp, SearchOp

import cued
from cued.integrations.langgraph import AsyncCuedStore, CuedStore, LentEmbedder
from cued.integrations.langgraph.items import kept

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def letters(texts):
    """Texts embedded by how often each letter is in them."""
    return [[text.lower().count(letter) + 1e-3 for letter in LETTERS] for text in texts]


async def letters_later(texts):
    return letters(texts)


def index(embed=letters, **more):
    return {"dims": len(LETTERS), "embed": embed, **more}


@pytest.fixture
def store():
    with CuedStore.from_conn_string(":memory:") as made:
        made.setup()
        yield made


@pytest.fixture
def lettered():
    with CuedStore.from_conn_string(":memory:", index=index(fields=["text", "notes[*]"], distance_type="cosine")) as made:
        yield made


def keys(items):
    return [item.key for item in items]


def test_an_item_comes_back_as_it_was_put(store):
    value = {"text": "Ünïcode \x00 \ud800", "deep": {"list": [1, 2.5, None, True]}, "big": 2**80, "when": "now"}
    store.put(("users", "1"), "a", value)
    item = store.get(("users", "1"), "a")
    assert item.value == value
    assert (item.namespace, item.key) == (("users", "1"), "a")
    assert item.created_at == item.updated_at
    assert item.created_at.tzinfo is not None


def test_a_long_document_is_kept_whole_and_one_that_is_too_long_is_refused(store):
    store.put(("t",), "long", {"text": "word " * 20_000})
    assert len(store.get(("t",), "long").value["text"]) == 100_000
    with pytest.raises(cued.InputError, match="120000"):
        store.put(("t",), "longer", {"text": "word " * 25_000})
    assert store.get(("t",), "longer") is None


def test_times_and_ids_are_kept_as_texts_and_what_is_no_json_is_refused(store):
    store.put(("t",), "a", {"at": datetime(2026, 1, 2, tzinfo=UTC)})
    assert store.get(("t",), "a").value == {"at": "2026-01-02T00:00:00+00:00"}
    with pytest.raises(cued.InputError, match="JSON"):
        store.put(("t",), "b", {"set": {1, 2}})


def test_a_put_replaces_keeps_the_time_of_creation_and_is_found_by_its_new_text_alone(store):
    store.put(("t",), "a", {"text": "The cat is called Minka"})
    before = store.get(("t",), "a")
    store.put(("t",), "a", {"text": "The car needs new brakes"})
    after = store.get(("t",), "a")
    assert after.value == {"text": "The car needs new brakes"}
    assert after.created_at == before.created_at
    assert after.updated_at > before.updated_at
    found = store.search(("t",), query="brakes")
    assert [(item.key, item.value) for item in found] == [("a", after.value)]


def test_a_deleted_item_is_gone_for_good_and_may_be_put_again(store):
    store.put(("t",), "a", {"text": "one", "more": "two"}, index=["text", "more"])
    store.delete(("t",), "a")
    assert store.get(("t",), "a") is None
    assert store.search(("t",)) == store.search(("t",), query="one two") == []
    assert store.memories.tenant("t").stats().memories == 0
    store.delete(("t",), "a")
    store.put(("t",), "a", {"text": "three"})
    assert store.get(("t",), "a").value == {"text": "three"}


def test_a_batch_reads_before_it_writes_and_the_last_put_of_a_key_counts(store):
    store.put(("t",), "a", {"n": 1})
    results = store.batch(
        [
            PutOp(("t",), "a", {"n": 2}),
            GetOp(("t",), "a"),
            PutOp(("t",), "a", {"n": 3}),
            SearchOp(("t",), filter={"n": 1}),
            ListNamespacesOp(),
            GetOp(("t",), "missing"),
        ]
    )
    assert results[0] is results[2] is results[5] is None
    assert results[1].value == {"n": 1}
    assert keys(results[3]) == ["a"]
    assert results[4] == [("t",)]
    assert store.get(("t",), "a").value == {"n": 3}


@pytest.mark.parametrize(
    "op",
    [
        GetOp(("a.b",), "k"),
        PutOp(("a", ""), "k", {}),
        SearchOp(("a\0",)),
        ListNamespacesOp(match_conditions=(MatchCondition("prefix", ("a.b",)),)),
    ],
)
def test_a_label_that_could_be_read_as_two_is_refused_in_a_batch_too(store, op):
    with pytest.raises(InvalidNamespaceError):
        store.batch([op])


def test_a_plain_search_shows_the_newest_put_first_and_pages_through_all(store):
    for number in range(7):
        store.put(("t", str(number % 2)), f"k{number}", {"n": number})
    store.put(("t", "0"), "k2", {"n": 2})
    assert keys(store.search(("t",))) == ["k2", "k6", "k5", "k4", "k3", "k1", "k0"]
    assert keys(store.search(("t",), limit=3, offset=3)) == ["k4", "k3", "k1"]
    assert keys(store.search(("t", "1"))) == ["k5", "k3", "k1"]
    assert [item.score for item in store.search(("t",), limit=2)] == [None, None]
    assert store.search(("t",), offset=99) == []


def test_a_prefix_is_matched_by_whole_labels_and_in_its_case(store):
    for namespace in (("foo",), ("foobar",), ("FOO",), ("foo", "bar"), ("x", "foo")):
        store.put(namespace, "k", {"n": 1})
    assert {item.namespace for item in store.search(("foo",))} == {("foo",), ("foo", "bar")}
    assert {item.namespace for item in store.search(("foo",), query="n")} == {("foo",), ("foo", "bar")}
    assert len(store.search(())) == 5


ROWS = {
    "a": {"n": 1, "s": "red", "b": True, "deep": {"x": {"y": 5}}, "list": [1, 2], "with-dash": 1, "long": 2**60},
    "b": {"n": 2.5, "s": "green", "b": False, "deep": {"x": {"y": 6}}, "none": None, "long": 2**60 + 1},
    "c": {"n": -3, "s": "blue", "text": "10"},
}


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"s": "red"}, "a"),
        ({"n": 1}, "a"),
        ({"n": 1.0, "s": "red"}, "a"),
        ({"n": 1, "s": "green"}, ""),
        ({"b": True}, "a"),
        ({"b": False}, "b"),
        ({"none": None}, "abc"),
        ({"list": [1, 2]}, "a"),
        ({"list": [2, 1]}, ""),
        ({"deep": {"x": {"y": 5}}}, "a"),
        ({"deep.x.y": 6}, "b"),
        ({"deep.x.y": {"$gte": 5}}, "ab"),
        ({"with-dash": 1}, "a"),
        ({"n": {"$eq": 2.5}}, "b"),
        ({"n": {"$ne": 1}}, "bc"),
        ({"missing": {"$ne": 1}}, ""),
        ({"none": {"$ne": None}}, ""),
        ({"n": {"$gt": 1}}, "b"),
        ({"n": {"$gte": 1}}, "ab"),
        ({"long": {"$gt": 2**60}}, "b"),
        ({"long": {"$lt": 10**400}}, "ab"),
        ({"n": {"$lt": 1}}, "c"),
        ({"n": {"$lte": 1}}, "ac"),
        ({"n": {"$gt": -5, "$lt": 2}}, "ac"),
        ({"s": {"$gt": "blue"}}, "ab"),
        ({"text": {"$gt": 9}}, "c"),
        ({"s": {"$gt": 1}}, ""),
        ({"deep": {"$gt": 1}}, ""),
    ],
)
def test_filters_compare_as_documented_with_and_without_a_query(store, wanted, expected):
    for key, value in ROWS.items():
        store.put(("t",), key, value)
    assert sorted(keys(store.search(("t",), filter=wanted))) == list(expected)
    assert sorted(keys(store.search(("t",), filter=wanted, query="green"))) == list(expected)


@pytest.mark.parametrize(("wanted", "said"), [({"a') OR 1=1 --": 1}, "Invalid filter key"), ({"a": {"$like": 1}}, "Unsupported operator")])
def test_a_filter_that_no_store_knows_is_refused_also_where_nothing_is_stored(store, wanted, said):
    with pytest.raises(ValueError, match=said):
        store.search(("nobody",), filter=wanted)


def test_namespaces_are_listed_by_prefix_suffix_wildcard_and_depth(store):
    for namespace in (("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c"), ("z",)):
        store.put(namespace, "k", {"n": 1})
    assert store.list_namespaces() == [("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c"), ("z",)]
    assert store.list_namespaces(prefix=("a", "b")) == [("a", "b", "c"), ("a", "b", "d")]
    assert store.list_namespaces(suffix=("c",)) == [("a", "b", "c"), ("a", "x", "c")]
    assert store.list_namespaces(prefix=("a", "*", "c")) == [("a", "b", "c"), ("a", "x", "c")]
    assert store.list_namespaces(prefix=("a",), suffix=("d",)) == [("a", "b", "d")]
    assert store.list_namespaces(max_depth=2) == [("a", "b"), ("a", "x"), ("z",)]
    assert store.list_namespaces(max_depth=2, limit=1, offset=1) == [("a", "x")]
    assert store.list_namespaces(prefix=("nobody",)) == []


def test_a_search_ranks_by_meaning_and_scores_by_relevance_without_a_floor(store):
    store.put(("alice", "facts"), "food", {"text": "Her favourite dish is mushroom risotto"})
    store.put(("alice", "facts"), "work", {"text": "She repairs violins in a small workshop"})
    store.put(("bob", "facts"), "food", {"text": "His favourite dish is goulash"})
    found = store.search(("alice",), query="What does she like to eat?")
    assert keys(found) == ["food", "work"]
    assert 1 >= found[0].score > found[1].score >= 0
    assert found[0].score == store.memories.tenant("alice").recall("What does she like to eat?", floor=0.0).memories[0].relevance
    assert {item.namespace for item in store.search((), query="dish")} == {("alice", "facts"), ("bob", "facts")}
    assert len(store.search(("alice",), query="dish", limit=1)) == 1
    assert keys(store.search(("alice",), query="What does she like to eat?", limit=1, offset=1)) == ["work"]


def test_a_floor_that_is_asked_for_holds():
    with cued.open() as memories:
        store = CuedStore(memories, floor=0.7)
        store.put(("alice",), "food", {"text": "Her favourite dish is mushroom risotto"})
        store.put(("alice",), "work", {"text": "She repairs violins in a small workshop"})
        assert keys(store.search(("alice",), query="What is her favourite dish?")) == ["food"]


def test_what_is_not_indexed_is_read_and_listed_and_never_found(store):
    store.put(("t",), "seen", {"text": "The harbour opens at seven"})
    store.put(("t",), "unseen", {"text": "The harbour closes at nine"}, index=False)
    assert keys(store.search(("t",), query="harbour")) == ["seen"]
    assert keys(store.search(("t",))) == ["unseen", "seen"]
    assert store.get(("t",), "unseen").value["text"].endswith("nine")
    assert [each.text for each in store.memories.tenant("t").recall("harbour", floor=0.0)] == ["The harbour opens at seven"]
    store.put(("t",), "unseen", {"text": "The harbour closes at nine"})
    assert sorted(keys(store.search(("t",), query="harbour"))) == ["seen", "unseen"]
    store.put(("t",), "unseen", {"text": "The harbour closes at nine"}, index=False)
    assert keys(store.search(("t",), query="harbour")) == ["seen"]


def test_each_indexed_text_is_found_by_itself_and_an_item_comes_once_with_its_best_score(lettered):
    lettered.put(("t",), "one", {"text": "aaa", "notes": ["bbb", "ccc"]})
    lettered.put(("t",), "two", {"text": "ddd", "notes": ["bbb"]})
    lettered.put(("t",), "other", {"title": "bbb"})
    scores = {item.key: item.score for item in lettered.search(("t",), query="bbb")}
    assert scores == {"one": pytest.approx(1.0), "two": pytest.approx(1.0)}
    best = lettered.search(("t",), query="ccc")
    assert (best[0].key, best[0].score) == ("one", pytest.approx(1.0))
    assert best[1].score < 0.1
    lettered.put(("t",), "one", {"text": "zzz", "notes": []})
    assert lettered.search(("t",), query="ccc")[0].score < 0.1


def test_fields_of_one_put_take_the_place_of_the_configured_ones(lettered):
    lettered.put(("t",), "one", {"text": "aaa", "title": "zzz"}, index=["title"])
    assert lettered.search(("t",), query="zzz")[0].score == pytest.approx(1.0)
    assert lettered.search(("t",), query="aaa")[0].score < 0.1


@pytest.mark.parametrize(("distance", "same"), [("cosine", 1.0), ("inner_product", 1.0), ("l2", 0.0)])
def test_a_named_distance_is_the_score(distance, same):
    with CuedStore.from_conn_string(":memory:", index=index(distance_type=distance, fields=["text"])) as store:
        store.put(("t",), "a", {"text": "abc"})
        store.put(("t",), "b", {"text": "xyz"})
        found = store.search(("t",), query="cab")
        assert (found[0].key, found[0].score) == ("a", pytest.approx(same, abs=1e-3))
        assert found[1].score < found[0].score


def test_a_distance_that_nobody_knows_is_refused():
    with (
        pytest.raises(cued.InputError, match="cosine, l2, inner_product"),
        CuedStore.from_conn_string(":memory:", index=index(distance_type="x")),
    ):
        pass


def test_whole_items_are_given_to_the_callers_embedder_as_json():
    heard = []

    def embed(texts):
        heard.extend(texts)
        return letters(texts)

    with CuedStore.from_conn_string(":memory:", index=index(embed)) as store:
        store.put(("t",), "a", {"b": 1, "a": "x"})
    assert '{"a": "x", "b": 1}' in heard


def test_a_search_goes_on_until_the_filter_lets_enough_pass(store):
    store.batch([PutOp(("t",), f"k{n}", {"text": f"Berth number {n} is free", "n": n}) for n in range(120)])
    assert len(store.search(("t",), query="which berth is free?", filter={"n": {"$gte": 110}})) == 10
    assert len(store.search(("t",), query="which berth is free?", limit=100)) == 100


def test_items_that_upkeep_merges_stay_apart_and_each_can_be_put_again(store):
    said = {"text": "The staging deploy runs every Friday at 16:00."}
    for key in ("a", "b", "c"):
        store.put(("t", "x"), key, said)
    assert len(store.memories.tenant("t").consolidate().merged) == 2
    assert keys(store.search(("t",))) == ["c", "b", "a"]
    assert [store.get(("t", "x"), key).value for key in "abc"] == [said] * 3
    store.put(("t", "x"), "a", {"text": "Alice likes green tea."})
    store.put(("t", "x"), "c", {"text": "The cello is in the attic."})
    for query, key in (("what tea does Alice like?", "a"), ("when is the staging deploy?", "b"), ("where is the cello?", "c")):
        assert keys(store.search(("t",), query=query))[0] == key


def test_of_a_batch_with_what_cannot_be_kept_nothing_is_written(store):
    store.put(("t",), "a", {"n": 1})
    store.put(("t",), "b", {"n": 1})
    with pytest.raises(ValueError, match="what JSON can say"):
        store.batch([PutOp(("t",), "a", {"n": 2}), PutOp(("t",), "b", None), PutOp(("t",), "c", {"n": object()})])
    assert [store.get(("t",), key).value for key in "ab"] == [{"n": 1}] * 2


def test_an_item_that_somebody_forgot_is_gone_until_it_is_put_again(store):
    store.put(("t", "x"), "a", {"text": "Likes tea"})
    tenant = store.memories.tenant("t")
    tenant.forget(tenant.list().memories[0].id)
    assert store.get(("t", "x"), "a") is None
    store.put(("t", "x"), "a", {"text": "Likes coffee"})
    assert keys(store.search(("t",), query="coffee")) == ["a"]


def test_the_dimensions_of_a_configuration_are_held_against_its_vectors():
    with CuedStore.from_conn_string(":memory:", index=index() | {"dims": 3}) as store:
        store.put(("t",), "a", {"text": "abc"})
        assert store.memories.tenant("t").stats().pending_vectors == 1


def test_memories_that_are_open_with_another_embedder_do_not_fit_a_configuration_with_one():
    with cued.open() as memories, pytest.raises(cued.InputError, match="LentEmbedder"):
        CuedStore(memories, index=index())
    with cued.open(embedder=LentEmbedder(index())) as memories:
        CuedStore(memories, index=index()).put(("t",), "a", {"text": "abc"})


def test_an_item_expires_is_swept_and_a_read_gives_it_time_anew(store):
    tenant = store.memories.tenant("t")
    store.put(("t",), "short", {"text": "gone soon", "more": "x"}, ttl=1, index=["text", "more"])
    store.put(("t",), "ever", {"text": "stays"})
    ends = lambda: max(m.expires_at for m in tenant.list(hidden=True) if m.expires_at)  # noqa: E731
    first = ends()
    store.get(("t",), "short", refresh_ttl=False)
    assert ends() == first
    updated = store.get(("t",), "short").updated_at
    assert ends() > first
    assert store.get(("t",), "short").updated_at == updated
    second = ends()
    store.search(("t",))
    assert ends() > second
    assert ends() - datetime.now(UTC) < timedelta(minutes=1)


def test_expired_items_are_read_until_they_are_swept_unless_they_are_to_be_omitted():
    with cued.open() as memories:
        store, strict = CuedStore(memories, ttl={"default_ttl": 0.00001}), CuedStore(memories, ttl={"omit_expired": True})
        store.put(("t",), "short", {"text": "gone soon", "more": "x"}, index=["text", "more"])
        store.put(("t",), "ever", {"text": "stays"}, ttl=None)
        while not memories.tenant("t").expired():
            pass
        assert keys(strict.search(("t",), refresh_ttl=False)) == ["ever"]
        assert strict.get(("t",), "short", refresh_ttl=False) is None
        assert keys(store.search(("t",), refresh_ttl=False)) == ["ever", "short"]
        assert keys(store.search(("t",), query="gone soon", refresh_ttl=False)) == ["ever"]
        assert store.sweep_ttl() == 1
        assert store.sweep_ttl() == 0
        assert keys(store.search(("t",))) == ["ever"]


def test_no_time_to_live_at_all_is_over_at_once(store):
    store.put(("t",), "a", {"n": 1}, ttl=0)
    while not store.memories.tenant("t").expired():
        pass
    assert store.sweep_ttl() == 1


def test_with_a_configuration_a_read_lengthens_a_life_only_where_that_is_asked_for():
    with CuedStore.from_conn_string(":memory:", ttl={"default_ttl": 10}) as store:
        refreshed_where_asked(store)


def refreshed_where_asked(store):
    store.put(("t",), "a", {"n": 1})
    ends = store.memories.tenant("t").list().memories[0].expires_at
    store.get(("t",), "a")
    assert store.memories.tenant("t").list().memories[0].expires_at == ends
    store.get(("t",), "a", refresh_ttl=True)
    assert store.memories.tenant("t").list().memories[0].expires_at > ends


def test_a_sweeper_sweeps_until_it_is_stopped(store):
    assert store.start_ttl_sweeper().result(timeout=1) is None
    store.ttl_config = {"sweep_interval_minutes": 5}
    running = store.start_ttl_sweeper(0.0001)
    store.put(("t",), "a", {"n": 1}, ttl=0.00001)
    while store.get(("t",), "a", refresh_ttl=False) is not None:
        pass
    assert store.stop_ttl_sweeper(timeout=5)
    assert running.result(timeout=1) is None


def test_the_first_label_is_the_tenant_and_others_memories_of_it_are_items(store):
    alice = store.memories.tenant("alice")
    note = alice.remember("Alice rides a blue bicycle", meta={"from": "chat"}).id
    alice.remember("A secret of another project", scope="elsewhere")
    store.put(("alice", "facts"), "k", {"text": "Alice has two brothers"})
    assert store.get(("alice",), note).value == {"text": "Alice rides a blue bicycle", "from": "chat"}
    assert keys(store.search(("alice",), query="bicycle"))[0] == note
    assert set(keys(store.search(("alice",)))) == {note, "k"}
    assert keys(store.search(("alice", "facts"), query="bicycle")) == ["k"]
    assert store.search(("bob",), query="bicycle") == []
    assert store.get(("bob",), note) is None
    assert next(iter(alice.recall("does she have brothers?", floor=0.0))).text == "Alice has two brothers"


def test_one_tenant_for_all_keeps_namespaces_apart_and_shows_no_others():
    with cued.open() as memories:
        store = CuedStore(memories, tenant="acme")
        memories.tenant("acme").remember("Not an item")
        store.put(("alice",), "k", {"text": "Likes tea"})
        store.put(("bob",), "k", {"text": "Likes coffee"})
        assert memories.tenants() == ("acme",)
        assert [item.value["text"] for item in store.search(("alice",), query="what to drink?")] == ["Likes tea"]
        assert len(store.search(())) == len(store.search((), query="drink")) == 2
        assert store.list_namespaces() == [("alice",), ("bob",)]


def test_what_somebody_forgot_is_no_item_until_it_is_put_again(store):
    store.put(("t",), "a", {"text": "one"})
    tenant = store.memories.tenant("t")
    tenant.forget(tenant.list().memories[0].id)
    assert store.get(("t",), "a") is None
    assert store.search(("t",)) == []
    store.put(("t",), "a", {"text": "two"})
    assert store.get(("t",), "a").value == {"text": "two"}
    assert keys(store.search(("t",), query="two")) == ["a"]


def test_a_file_is_read_again_and_two_stores_on_it_see_each_other(tmp_path):
    place = str(tmp_path / "items.db")
    with CuedStore.from_conn_string(place) as one, CuedStore.from_conn_string(place) as two:
        one.put(("t",), "a", {"text": "The ferry leaves at noon"})
        assert keys(two.search(("t",), query="ferry")) == ["a"]
        two.put(("t",), "a", {"text": "The ferry leaves at one"})
        assert one.get(("t",), "a").value == {"text": "The ferry leaves at one"}
    with CuedStore.from_conn_string(place) as again:
        assert again.list_namespaces() == [("t",)]


def test_a_place_that_is_no_place_is_refused():
    with pytest.raises(cued.InputError, match="path of a file"), CuedStore.from_conn_string(None):
        pass


def test_what_was_put_again_is_the_newest_on_whichever_page_it_lies(store):
    for number in range(120):
        store.put(("t", "odd" if number % 2 else "even"), str(number), {"n": number})
    for number in (3, 100, 7, 3):
        store.put(("t", "odd" if number % 2 else "even"), str(number), {"n": -number})
    order = ["3", "7", "100", *(str(number) for number in range(119, -1, -1) if number not in (3, 7, 100))]
    assert [key for start in range(0, 130, 7) for key in keys(store.search(("t",), limit=7, offset=start))] == order
    assert keys(store.search(("t", "odd"), limit=4)) == ["3", "7", "119", "117"]
    assert keys(store.search(("t",), filter={"n": {"$lt": 3}}, limit=10)) == ["3", "7", "100", "2", "1", "0"]


def test_a_page_reads_no_more_of_the_tenant_than_it_shows(store):
    for number in range(300):
        store.put(("t",), str(number), {"n": number})
    read = []
    listed = store.memories.parts.store.list
    store.memories.parts.store.list = lambda *asked, **how: read.append(len(page := listed(*asked, **how))) or page
    assert keys(store.search(("t",), limit=2)) == ["299", "298"]
    assert sum(read) == 50


def test_very_deep_and_very_long_namespaces_have_a_bound_and_still_match(store):
    long = ("t", "x" * 190, "y" * 190)
    store.put(long, "k", {"text": "deep down"})
    assert keys(store.search(long[:2], query="deep")) == keys(store.search(long)) == ["k"]
    with pytest.raises(cued.InputError, match="63 labels"):
        store.put(tuple("abc" * 30), "k", {"n": 1})


def test_the_async_store_awaits_everything_and_takes_an_async_embedder():
    async def use():
        config = index(letters_later, fields=["text"], distance_type="cosine")
        async with AsyncCuedStore.from_conn_string(":memory:", index=config, ttl={"default_ttl": 5}) as store:
            await store.setup()
            await asyncio.gather(*(store.aput(("t", str(n)), "k", {"text": LETTERS[n] * 3}) for n in range(8)))
            found = await store.asearch(("t",), query="ccc", limit=1)
            assert found[0].namespace == ("t", "2")
            assert await store.alist_namespaces(max_depth=1) == [("t",)]
            await store.adelete(("t", "2"), "k")
            assert await store.aget(("t", "2"), "k") is None
            task = await store.start_ttl_sweeper(0.0001)
            assert await store.start_ttl_sweeper() is task
            await store.aput(("t", "0"), "short", {"text": "x"}, ttl=0.00001)
            while await store.aget(("t", "0"), "short", refresh_ttl=False) is not None:
                pass
            assert await store.stop_ttl_sweeper(5)
            assert await store.sweep_ttl() == 0
            assert (await asyncio.to_thread(store.get, ("t", "1"), "k")).value == {"text": "bbb"}
            assert store.index_config is config
            with pytest.raises(asyncio.InvalidStateError):
                store.get(("t", "1"), "k")

    asyncio.run(use())


@pytest.mark.parametrize("forged", ["not JSON", "[1]", '{"namespace": "a"}', "[" * 2000], ids=["text", "list", "part", "deep"])
def test_a_memory_with_a_mark_that_we_did_not_write_carries_no_item(mara, forged):
    mara.remember("Ada likes cake", id="forged", meta={"langgraph": forged})
    assert kept(mara.get("forged")) is None
