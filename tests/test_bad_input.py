"""Bad input gets a typed error that says what would be accepted, and leaves nothing behind."""

from datetime import UTC, date, datetime

import pytest

import cued
from cued import Cue, Draft
from cued.errors import InputError, NotFoundError
from cued.stores.keepers.memory import MemoryKeeper
from tests.fakes import FixedClock
from tests.stores.kinds import KINDS, place

WRONG = [
    ({"text": ""}, "text"),
    ({"text": "   \n"}, "text"),
    ({"text": "x" * 1_000_000}, "1 to 100000 characters"),
    ({"text": "a\0b"}, "without NUL"),
    ({"text": "\ud800"}, "lone surrogates"),
    ({"text": 7}, "text"),
    ({"text": "x", "importance": 7}, "from 0 to 1; a rating on a 1–10 scale is divided by 10, so 7 is 0.7"),
    ({"text": "x", "importance": -0.1}, "importance"),
    ({"text": "x", "importance": float("nan")}, "importance"),
    ({"text": "x", "importance": True}, "importance"),
    ({"text": "x", "weight": 0.05}, "0.1 to 1"),
    ({"text": "x", "kind": "opinion"}, "semantic, episodic, procedural, reflection"),
    ({"text": "x", "tier": "gold"}, "core, fact"),
    ({"text": "x", "trust": "nobody"}, "user, agent"),
    ({"text": "x", "ttl": "soon"}, '"30d", "12h"'),
    ({"text": "x", "ttl": "-3d"}, "positive duration"),
    ({"text": "x", "ttl": 0}, "positive duration"),
    ({"text": "x", "at": "yesterday"}, "without a zone it is UTC"),
    ({"text": "x", "tags": "one"}, "tags"),
    ({"text": "x", "tags": [""]}, "tags"),
    ({"text": "x", "tags": [f"t{i}" for i in range(100)]}, "at most 64"),
    ({"text": "x", "scope": "s" * 300}, "scope"),
    ({"text": "x", "scope": "a\0"}, "scope"),
    ({"text": "x", "meta": {"k": float("inf")}}, "meta"),
    ({"text": "x", "meta": {"k": float("nan")}}, "meta"),
    ({"text": "x", "meta": {"k": 10**400}}, "a longer one as text"),
    ({"text": "x", "meta": {"k": ["deep"]}}, "meta"),
    ({"text": "x", "valid_from": "2025-02-01", "valid_until": "2025-01-01"}, "after valid_from"),
    ({"text": "x", "colour": "red"}, "unknown field 'colour'; known: text, id, kind"),
    ({"text": "x", "turn": "twelve"}, "turn"),
]


@pytest.fixture(params=KINDS)
def alice(request, tmp_path):
    with (
        place(request.param, tmp_path) as found,
        cued.open(found, embedder="hashing", clock=FixedClock(), settle="off") as opened,
    ):
        yield opened.tenant("alice")


@pytest.mark.parametrize(("draft", "accepted"), WRONG)
def test_a_bad_draft_is_refused_and_nothing_is_stored(alice, draft, accepted):
    with pytest.raises(InputError) as caught:
        alice.remember_many([{"text": "a good one"}, draft])
    assert accepted in str(caught.value)
    assert alice.stats().memories == 0


def test_a_known_id_and_an_unknown_predecessor_leave_nothing_behind(alice):
    alice.remember({"text": "first", "id": "one"})
    with pytest.raises(InputError, match="one"):
        alice.remember_many([{"text": "second", "id": "two"}, {"text": "again", "id": "one"}])
    with pytest.raises(NotFoundError):
        alice.remember_many(["third", {"text": "fourth", "supersedes": "nowhere"}])
    assert [m.text for m in alice.list().memories] == ["first"]


@pytest.mark.parametrize("call", ["get", "update", "forget", "restore", "erase"])
def test_an_unknown_id_is_refused_by_name(alice, call):
    verbs = {
        "get": lambda: alice.get("01NOPE"),
        "update": lambda: alice.update("01NOPE", importance=0.2),
        "forget": lambda: alice.forget("01NOPE"),
        "restore": lambda: alice.restore("01NOPE"),
        "erase": lambda: alice.forget("01NOPE", erase=True),
    }
    with pytest.raises(NotFoundError, match="01NOPE"):
        verbs[call]()


@pytest.mark.parametrize(
    ("options", "accepted"),
    [
        ({"limit": 0}, "1 or more"),
        ({"limit": 1000}, "from 1 to 100"),
        ({"limit": 2.5}, "whole number"),
        ({"floor": 1.5}, "from 0 to 1"),
        ({"floor": "high"}, "floor"),
        ({"budget_tokens": -1}, "budget"),
        ({"recency_weight": 2}, "recency_weight"),
        ({"without": ["smell"]}, "lexical, dense, entity, temporal"),
        ({"kinds": ["opinion"]}, "semantic"),
        ({"as_of": "long ago"}, "UTC"),
        ({"intent": "future"}, "past, present, neutral"),
        ({"policy": "cud"}, "siftcoder"),
        ({"policy": 5}, "siftcoder"),
        ({"colour": "red"}, "unknown field 'colour'; known: goal, step"),
        ({"limt": 3}, "unknown field 'limt'; did you mean 'limit'?"),
        ({"scope": "a\0"}, "scope"),
    ],
)
def test_a_bad_option_is_refused(alice, options, accepted):
    alice.remember("something")
    with pytest.raises(InputError) as caught:
        alice.recall("something", **options)
    assert accepted in str(caught.value)


@pytest.mark.parametrize(
    ("wanted", "accepted"),
    [
        ({"limit": 0}, "1 to 1000"),
        ({"after": "???"}, "after"),
        ({"kinds": ["x"]}, "semantic"),
        ({"since": "x"}, "since"),
        ({"size": 3}, "unknown field 'size'; did you mean 'since'? known: scope, kinds"),
    ],
)
def test_a_bad_listing_is_refused(alice, wanted, accepted):
    with pytest.raises(InputError) as caught:
        alice.list(**wanted)
    assert accepted in str(caught.value)


@pytest.mark.parametrize("value", ["x", b"x", [1], {"a": 1}, 1.5, -1, object()])
@pytest.mark.parametrize(
    ("verb", "field"),
    [
        *(("list", "request"), ("log", "request"), ("map", "request"), ("conflicts", "after"), ("unlabelled", "limit")),
        *(("policy_rollback", "to"), ("cool", "importance_below")),
    ],
)
def test_a_value_of_another_kind_is_refused_by_name(alice, verb, field, value):
    with pytest.raises(InputError, match=f"{field}: got "):
        getattr(alice, verb)(**{field: value})


def test_a_change_that_is_none_is_refused(alice):
    kept = alice.remember("a good one").id
    with pytest.raises(InputError, match=r"accepted: the fields by name, such as text=, or a Change"):
        alice.update(kept, {"text": "another"})


def test_what_is_no_evidence_cannot_be_decided(alice):
    with pytest.raises(InputError, match=r"accepted: what `gather` gives"):
        cued.decide(alice.recall("anything"), cued.load_policy("rrf"))


def test_an_update_that_changes_nothing_or_badly_is_refused_whole(alice):
    kept = alice.remember("good", importance=0.4).id
    for fields in ({}, {"importance": 7}, {"text": ""}, {"importance": 0.9, "kind": "x"}):
        with pytest.raises(InputError):
            alice.update(kept, **fields)
    assert (alice.get(kept).importance, alice.get(kept).version) == (0.4, 1)


class Opinions:
    """A reranker, a summariser and a judge."""

    def rerank(self, _query, texts):
        return [1.0] * len(texts)

    def summarise(self, _query, texts, *, tokens):
        return texts[0][:tokens]

    def judge(self, _new, old):
        return [None] * len(old)


@pytest.mark.parametrize("part", ["reranker", "summariser", "judge"])
@pytest.mark.parametrize("given", [object(), lambda *_: [], Opinions], ids=["no method", "a function", "a class"])
def test_a_part_that_cannot_be_asked_is_refused_when_the_memories_are_opened(part, given):
    with pytest.raises(InputError, match=rf"{part}: got .* accepted: an object with a method"):
        cued.open(None, embedder=None, **{part: given})


@pytest.mark.parametrize("clock", [datetime.now, datetime(2025, 3, 1, tzinfo=UTC)], ids=["times without a zone", "a time"])
def test_a_clock_that_cannot_be_read_is_refused_when_the_memories_are_opened(clock):
    with pytest.raises(InputError, match=r"clock: got .* accepted: what gives times with a zone"):
        cued.open(None, embedder=None, clock=clock)


def test_a_keeper_that_writes_is_not_opened_for_reading_alone():
    with pytest.raises(InputError, match="readonly: got True; accepted: nothing beside a store or a keeper"):
        cued.open(MemoryKeeper(), embedder=None, readonly=True)


@pytest.mark.parametrize("path", [b"memories.db", 7, ["memories.db"]], ids=["bytes", "a number", "a list"])
def test_a_path_that_is_none_is_refused(path):
    with pytest.raises(InputError, match=r"path: got .* accepted: the path of a file"):
        cued.open(path, embedder=None)


def test_a_part_that_the_policy_never_asks_is_told_of(caplog):
    with cued.open(None, embedder=None, reranker=Opinions(), summariser=Opinions()):
        assert ["rerank.depth is 0" in caplog.text, "budget.overflow is 'omit'" in caplog.text] == [True, True]


SURE = "where is the spare key"


@pytest.mark.parametrize(
    ("said", "accepted"),
    [
        ({"utterance": None}, "a text"),
        ({"utterance": 5}, "a text"),
        ({"pasted": 5}, "a text"),
        ({"kinds": ("fact",)}, "semantic, episodic"),
        ({"trusts": ("boss",)}, "user, agent"),
        ({"intent": "soon"}, "past, present"),
        ({"tags": "ops"}, "a list"),
        ({"now": date(2025, 1, 1)}, "a time such as"),
        ({"as_of": "tomorrow"}, "a time such as"),
    ],
)
@pytest.mark.parametrize("verb", ["recall", "explain", "gather"])
def test_a_cue_with_a_bad_field_is_refused_by_name(alice, verb, said, accepted):
    alice.remember("The spare key is under the blue pot.")
    with pytest.raises(InputError, match=accepted) as refused:
        getattr(alice, verb)(Cue(**{"utterance": SURE} | said))
    assert refused.value.field in said


@pytest.mark.parametrize(
    "said",
    [
        {"now": datetime(2030, 1, 1)},  # noqa: DTZ001 - without a zone, on purpose
        {"now": "2030-01-01"},
        {"as_of": "2030-01-01"},
        {"goal": None},
        {"pasted": "[hall] 12:04:51 key_sensor=0"},
        {"open_questions": "is it hidden?"},
        {"open_questions": ["is it hidden?"]},
        {"kinds": "semantic"},
        {"scope": None},
        {"goal": "a lone surrogate \ud800"},
    ],
)
def test_a_cue_is_read_as_generously_as_a_request(alice, said):
    alice.remember("The spare key is under the blue pot.")
    assert alice.recall(Cue(**{"utterance": SURE} | said)).memories


@pytest.mark.parametrize(
    ("said", "accepted"), [({"turn": "5"}, "a whole number"), ({"edges": [1]}, "pairs"), ({"edges": [("a",)]}, "pairs")]
)
def test_a_draft_with_a_bad_turn_or_edge_is_refused_by_name(alice, said, accepted):
    with pytest.raises(InputError, match=accepted):
        alice.remember(Draft(text="x", **said))
