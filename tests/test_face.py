"""The face: what a user sees of a recall and a memory, and how what cannot be meant is refused in words."""

import asyncio
import copy
import json

import msgspec
import numpy as np
import pytest

import cued
from cued.requests.cue import RecallRequest
from cued.requests.draft import Change
from cued.requests.listing import ListRequest
from tests.building import NOW, ago
from tests.fakes import FixedClock, ListEmbedder

BERLIN = "The office is in Berlin."
LISBON = "The office is in Lisbon."


class Quoted(str):
    """A text of a library's own, as parsers of HTML and frameworks of agents give it."""

    __slots__ = ()

    def __str__(self) -> str:
        """Not what it says."""
        return repr(self)


@pytest.fixture(params=["memory", "sqlite"])
def alice(request, tmp_path):
    where = None if request.param == "memory" else tmp_path / "m.db"
    with cued.open(where, embedder="hashing", clock=FixedClock(), settle="now") as memories:
        yield memories.tenant("alice")


def test_a_recall_is_gone_through_counted_and_written_as_its_block(alice):
    kept = alice.remember("The kitchen tap was repaired by Novak plumbing.", tags=["home"]).id
    recall = alice.recall("who repaired the kitchen tap?")
    assert [each.text for each in recall] == ["The kitchen tap was repaired by Novak plumbing."]
    first = recall.memories[0]
    assert (first.id, first.kind, first.scope, first.tags, first.created_at) == (kept, "semantic", "global", ("home",), NOW)
    assert (len(recall), bool(recall), str(recall), str(first)) == (1, True, recall.block, first.text)
    assert repr(recall) == f"Recall(outcome='recalled', memories=1, core=0, tokens={recall.tokens})"
    assert repr(first).startswith("Recalled(rank=1, relevance=")


def test_what_was_recalled_or_listed_is_taken_by_its_place(alice):
    alice.remember_many([BERLIN, LISBON])
    recall, page = alice.recall("where is the office?", floor=0.0), alice.list()
    assert (recall[0], recall[-1], page[1]) == (recall.memories[0], recall.memories[-1], page.memories[1])
    with pytest.raises(IndexError):
        recall[len(recall)]


def test_handles_and_answers_show_in_a_line_what_they_are(tmp_path):
    with cued.open(tmp_path / "m.db", embedder="hashing", clock=FixedClock()) as memories:
        alice = memories.tenant("alice")
        assert (repr(memories), repr(alice)) == (f"Memories({str(tmp_path / 'm.db')!r})", "Tenant('alice')")
        alice.remember_many([BERLIN, LISBON])
        pinned = alice.remember("Answer in British English.", tier="core").id
        explanation = alice.explain("where is the office?", memory=pinned)
        evidence, recall = explanation.evidence, explanation.recall
        assert repr(evidence) == f"Evidence(recall_id={recall.recall_id!r}, tenant='alice', cue='where is the office?', found=3)"
        assert repr(explanation) == f"Explanation(recall={recall!r}, policy='cued', verdict={explanation.verdict!r})"
        pack = alice.bootstrap()
        assert repr(pack) == f"Pack(core=1, memories=2, tokens={pack.tokens})"
    with cued.open(None, embedder=None) as memories:
        assert repr(memories) == "Memories(None)"
    with cued.connect("http://127.0.0.1:1", token="secret") as memories:
        assert (repr(memories), repr(memories.tenant("bob"))) == ("RemoteMemories('http://127.0.0.1:1')", "RemoteTenant('bob')")


def test_the_handles_for_asyncio_show_the_same(tmp_path):
    async def shown():
        async with cued.aio.open(tmp_path / "m.db", embedder="hashing") as memories:
            return repr(memories), repr(memories.tenant("alice"))

    assert asyncio.run(shown()) == (f"AsyncMemories(Memories({str(tmp_path / 'm.db')!r}))", "AsyncTenant('alice')")


def test_a_recall_without_a_block_is_false_and_one_with_a_pinned_memory_alone_is_true(alice):
    empty = alice.recall("anything")
    assert (bool(empty), len(empty), str(empty)) == (False, 0, "")
    alice.remember("Answer in British English.", tier="core")
    pinned = alice.recall("what does the tax form ask for?")
    assert (bool(pinned), len(pinned), list(pinned)) == (True, 0, [])


def test_a_copy_of_a_recall_is_equal_to_it_and_another_recall_is_not(alice):
    alice.remember_many([BERLIN, LISBON])
    recall, explanation = alice.recall("where is the office?"), alice.explain("where is the office?")
    for one in (recall, explanation, explanation.evidence):
        assert copy.deepcopy(one) == one
    trace = msgspec.structs.replace(recall.trace, columns={name: column + 1 for name, column in recall.trace.columns.items()})
    assert msgspec.structs.replace(recall, trace=trace) != recall
    assert alice.recall("where is the office?") != recall


def test_recalls_and_memories_are_plain_data_when_asked(alice):
    kept = alice.remember(BERLIN, meta={"ticket": 7}).id
    recall = alice.recall("where is the office?").to_dict()
    assert json.loads(json.dumps(recall, allow_nan=False)) == recall
    assert (recall["outcome"], recall["memories"][0]["id"]) == ("recalled", kept)
    memory = alice.get(kept).to_dict()
    assert (memory["text"], memory["meta"], "tenant" in memory) == (BERLIN, {"ticket": 7}, False)


def test_a_cue_without_a_now_is_asked_at_the_clocks_time(alice):
    alice.remember(BERLIN)
    asked = cued.Cue(utterance="where is the office?")
    assert [each.text for each in alice.recall(asked)] == [BERLIN]
    assert alice.gather(asked).cue.now == NOW
    assert alice.gather(cued.Cue(utterance="office?", now=ago(days=3))).cue.now == ago(days=3)
    assert alice.gather(asked, now=ago(days=2)).cue.now == ago(days=2)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda tenant: tenant.remember_many("abc"), "a list of memories; `remember` stores one"),
        (lambda tenant: tenant.remember_many({"text": "abc"}), "a list of memories"),
        (lambda tenant: tenant.remember_many(None), "a list of memories"),
        (lambda tenant: tenant.remember(None), "a text, a mapping with a text in it, or a draft"),
        (lambda tenant: tenant.remember(7), "a text, a mapping"),
        (lambda tenant: tenant.recall(""), "a cue with words in its text, goal, step or open_questions"),
        (lambda tenant: tenant.recall(" \n"), "a cue with words"),
        (lambda tenant: tenant.recall(cued.Cue()), "a cue with words"),
        (lambda tenant: tenant.recall(None), "a text, or a cued.Cue"),
        (lambda tenant: tenant.remember("x", on_conflict="panic"), "one of report, supersede, refuse"),
        (lambda tenant: tenant.remember("x", conflicts=False, on_conflict="refuse"), "one of report"),
        (lambda tenant: tenant.remember("x", fingerprint="theirs"), "a vector with the name of the model"),
        (lambda tenant: tenant.remember("x", vector=[1.0, 0.0]), "as many as the model makes"),
        (lambda tenant: tenant.remember("x", vector=[0.0] * 16, fingerprint="theirs"), "not all zero"),
        (lambda tenant: tenant.recall(RecallRequest(text="x"), limit=3), "nothing beside a whole request"),
        (lambda tenant: tenant.list(ListRequest(), limit=3), "nothing beside a whole request"),
        (lambda tenant: tenant.update("x", Change(text="y"), text="z"), "nothing beside a whole request"),
        (lambda tenant: tenant.update("x", Change()), "at least one of text, kind"),
        (lambda tenant: tenant.remember_turns("hello", session="s"), "a list of turns"),
        (lambda tenant: tenant.remember_turns(None, session="s"), "a list of turns"),
        (lambda tenant: tenant.remember_turns([], session="s", first="1"), "first: got '1'; accepted: a whole number"),
        (lambda tenant: tenant.unmerge(["x"]), "an id, as"),
        (lambda tenant: tenant.remember_turns([{"role": "user"}], session="s"), '{"role": "user", "content": "…"}'),
        (lambda tenant: tenant.remember_turns([], session=""), "1 to 200 characters"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_words_and_leaves_nothing(alice, call, said):
    with pytest.raises(cued.InputError) as refused:
        call(alice)
    assert said in str(refused.value)
    assert alice.stats().memories == 0


@pytest.mark.parametrize("text", [np.str_, Quoted], ids=["numpy", "another"])
def test_a_text_of_any_kind_is_kept_as_pythons_own_wherever_it_is_said(text, tmp_path):
    where = {"id": text("one"), "scope": text("home"), "tags": [text("tap")], "entities": [text("Novak")], "session": text("s")}
    said = {**where, "speaker": text("Ada"), "url": text("https://x.y"), "meta": {text("k"): text("v")}}
    with cued.open(tmp_path / "m.db", embedder="hashing", clock=FixedClock(), settle="now") as memories:
        alice = memories.tenant(text("alice"))
        kept = alice.get(alice.remember(text("Novak repaired the kitchen tap."), **said).id)
        drafts = [text("A second one."), {"text": text("A third one.")}, cued.Draft(text=text("A fourth one."), kind=text("semantic"))]
        assert len(alice.remember_many(drafts).ids) == len(drafts)
        linked = {"supersedes": text("one"), "derived_from": [text("one")], "edges": [(text("mentions"), text("one"))]}
        newer = alice.remember(text("Ada repaired the kitchen tap."), **where | {"id": text("two")}, **linked).id
        asked = {"scope": text("home"), "tags": [text("tap")], "goal": text("the tap"), "conversation": text("c"), "present": [text("x")]}
        recall = alice.recall(text("who repaired the kitchen tap?"), **asked)
        assert ([each.id for each in recall], len(alice.log())) == ([newer], 1)
        assert alice.list(scope=text("home"), meta={"k": text("v")}, hidden=True).memories[0].id == "one"
        assert alice.update(text("one"), text=text("Novak it was."), meta={"k": text("w")}).source.meta == {"k": "w"}
        assert alice.keep_both(text("one"), text("two")).edges[-1].target == "two"
        assert alice.remember_turns([{"role": text("user"), "content": text("The tap drips.")}], session=text("s")).ids
    facts = (kept.text, kept.id, kept.tenant, kept.scope, *kept.tags, *kept.entities, *kept.source.meta, *kept.source.meta.values())
    assert facts == ("Novak repaired the kitchen tap.", "one", "alice", "home", "tap", "Novak", "k", "v")


def test_a_number_of_numpys_is_a_number(alice):
    kept = alice.remember("The tap drips.", importance=np.float64(0.25), turn=np.int64(3), quarantine=np.False_).id
    assert (alice.get(kept).importance, alice.get(kept).source.turn) == (0.25, 3)
    assert len(alice.recall("the tap drips", limit=np.int64(1), floor=np.float32(0.1))) == 1
    for draft in (cued.Draft(text="It drips.", meta={"price": np.float64(2.5)}), {"text": "It drips.", "meta": {"price": np.float64(2.5)}}):
        assert alice.get(alice.remember(draft).id).source.meta == {"price": 2.5}
    with pytest.raises(cued.InputError, match="an object: short keys"):
        alice.remember("It drips.", meta=np.float64(0.25))


def test_turns_are_episodes_of_their_session_and_go_on_where_they_were(alice):
    first = alice.remember_turns(
        [
            {"role": "user", "content": "I moved to Lisbon."},
            {"role": "assistant", "content": [{"type": "text", "text": "How is it?"}, {"type": "image"}]},
            {"role": "tool", "content": None},
        ],
        session="monday",
        at="2025-01-01",
    )
    more = alice.remember_turns([{"role": "user", "content": "Warm."}], session="monday", at="2025-01-02")
    told = [alice.get(each) for each in (*first.ids, *more.ids)]
    assert [(m.source.turn, m.source.speaker, m.trust, m.text) for m in told] == [
        (1, "user", "user", "I moved to Lisbon."),
        (2, "assistant", "agent", "How is it?"),
        (3, "user", "user", "Warm."),
    ]
    assert {(m.kind, m.tier, m.source.session) for m in told} == {("episodic", "episode", "monday")}
    assert alice.get(alice.remember_turns([{"role": "user", "content": "x"}], session="monday", first=9).id).source.turn == 9


def test_memories_are_listed_by_their_own_facts(alice):
    alice.remember("Seven.", id="seven", meta={"ticket": 7, "open": True})
    alice.remember("Eight.", id="eight", meta={"ticket": 8, "open": 1, "owner": None})
    assert [m.id for m in alice.list(meta={"ticket": 7}).memories] == ["seven"]
    assert [m.id for m in alice.list(meta={"ticket": 7.0, "open": True}).memories] == ["seven"]
    assert [m.id for m in alice.list(meta={"open": 1}).memories] == ["eight"]
    assert [m.id for m in alice.list(meta={"owner": None}).memories] == ["eight"]
    assert alice.list(meta={"ticket": "7"}).total == 0
    assert alice.list(limit=1).total == 2


def test_a_vector_of_the_callers_own_is_kept_under_its_fingerprint():
    embedder = ListEmbedder()
    with cued.open(embedder=embedder, clock=FixedClock(), settle="off") as memories:
        bob = memories.tenant("bob")
        own = np.arange(1.0, 17.0)
        ids = bob.remember_many([{"text": "One.", "vector": own}, "Two.", {"text": "Three.", "vector": own, "fingerprint": "theirs"}]).ids
        assert embedder.asked == ["Two."]
        stored = {each.memory.id: each for each in memories.parts.store.scan("bob", limit=9)}
        assert [stored[each].memory.fingerprint for each in ids] == [str(embedder.fingerprint), str(embedder.fingerprint), "theirs"]
        assert np.allclose(stored[ids[0]].vector, own / np.linalg.norm(own))


def test_a_conflict_is_reported_by_default_and_both_stand(alice):
    alice.remember(BERLIN, id="berlin")
    told = alice.remember(LISBON)
    assert ([conflict.id for conflict in told.conflicts], told.superseded) == (["berlin"], ())
    assert alice.stats().superseded == 0


def test_a_conflict_may_be_refused_and_then_nothing_is_stored(alice):
    alice.remember(BERLIN, id="berlin")
    with pytest.raises(cued.ConflictError, match=r"'berlin' \(update\)") as refused:
        alice.remember(LISBON, on_conflict="refuse")
    assert [(conflict.id, conflict.type) for conflict in refused.value.conflicts] == [("berlin", "update")]
    with pytest.raises(cued.ConflictError, match="duplicate"):
        alice.remember(BERLIN, on_conflict="refuse")
    assert alice.stats().memories == 1
    assert alice.remember("Bob bakes a lemon cake.", on_conflict="refuse").id


def test_what_is_updated_gives_way_when_asked_and_the_recall_brings_the_new_alone(alice):
    alice.remember(BERLIN, id="berlin")
    told = alice.remember(LISBON, id="lisbon", on_conflict="supersede")
    assert (told.superseded, told.conflicts) == (("berlin",), ())
    assert alice.get("lisbon").supersedes == ("berlin",)
    assert [each.id for each in alice.recall("where is the office?")] == ["lisbon"]


def test_what_is_repeated_or_newer_does_not_give_way_and_is_reported(alice):
    alice.remember(BERLIN, id="berlin")
    again = alice.remember("The office is in Berlin", on_conflict="supersede")
    assert (again.superseded, [conflict.type for conflict in again.conflicts]) == ((), ["duplicate"])
    late = alice.remember("The office is in Rome.", at=ago(days=400), on_conflict="supersede")
    assert late.superseded == ()
    assert "berlin" in [conflict.id for conflict in late.conflicts]


def test_the_calls_that_a_choice_names_are_there(alice):
    alice.remember(BERLIN, id="berlin")
    (conflict,) = alice.remember(LISBON, id="lisbon").conflicts
    calls = [call.partition("(")[0] for choice in conflict.choices for call in choice.python]
    assert len(calls) >= len(conflict.choices) > 1
    for name in calls:
        assert name.startswith("tenant.")
        assert callable(getattr(cued.Tenant, name.removeprefix("tenant.")))


def test_a_page_is_gone_through_like_a_list():
    with cued.open(embedder=None) as memories:
        alice = memories.tenant("alice")
        alice.remember_many(["one", "two", "three"])
        page = alice.list(limit=2)
    assert [memory.text for memory in page] == [memory.text for memory in page.memories]
    assert (len(page), page.total) == (2, 3)
