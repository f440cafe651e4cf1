"""The recall log as a user asks it: by time and outcome, with what is kept by choice, and decided again."""

from datetime import timedelta

import pytest

import cued
from cued import Envelope, LogRules
from cued.errors import InputError
from cued.model import LogQuery
from cued.requests.listing import LogRequest
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from tests.building import NOW
from tests.fakes import FixedClock

DEPLOY = "The staging deploy runs every Friday at 16:00."
CUES = ("When does the staging deploy run?", "How do I boil an egg?", "Is the deploy on Friday?", "staging", "Friday")


@pytest.fixture(params=["memory", "sqlite"])
def opened(request, tmp_path):
    """Give memories that are open with these rules, on both keepers."""
    open_now = []

    def made(**parts):
        place = None if request.param == "memory" else tmp_path / "m.db"
        memories = cued.open(place, **{"embedder": "hashing", "settle": "now", "clock": FixedClock(), **parts})
        open_now.append(memories)
        return memories

    yield made
    for memories in open_now:
        memories.close()


def asked(memories, *cues, clock=None):
    """The tenant after these recalls, an hour apart on the clock, and what they gave."""
    alice = memories.tenant("alice")
    alice.remember(DEPLOY, id="deploy")
    alice.remember("Gym ends in October.", id="gym")
    recalls = []
    for cue in cues:
        recalls.append(alice.recall(cue))
        if clock is not None:
            clock.move(hours=1)
    return alice, recalls


def same(recall, line):
    """Whether the recall that a line keeps is decided to the same block and the same memories."""
    again = Envelope.decode(line.evidence).decide()
    return (again.block, [each.id for each in again], again.outcome) == (recall.block, [each.id for each in recall], recall.outcome)


def test_the_log_is_asked_by_time_outcome_policy_and_recall(opened):
    clock = FixedClock()
    alice, recalls = asked(opened(clock=clock), *CUES[:3], clock=clock)
    ids = [recall.recall_id for recall in recalls]
    assert [line.recall_id for line in alice.log()] == ids[::-1]
    assert [line.recall_id for line in alice.log(oldest_first=True, limit=2)] == ids[:2]
    assert [line.recall_id for line in alice.log(since=NOW + timedelta(hours=1), until="2025-06-01T14:00")] == [ids[1]]
    assert [line.recall_id for line in alice.log(outcome="recalled", policy="cued")] == [ids[2], ids[0]]
    assert alice.log(policy="rrf") == ()
    assert alice.log(LogRequest(recall_id=ids[1])) == alice.log(recall_id=ids[1])
    assert {(line.cue, line.evidence) for line in alice.log(content=True)} == {(None, None)}


def test_the_last_recalls_are_kept_whole_and_decided_to_the_same_block(opened):
    alice, recalls = asked(opened(log=LogRules(content="last", last=3)), *CUES)
    lines = alice.log(content=True, oldest_first=True)
    assert [line.cue for line in lines] == [None, None, *CUES[2:]]
    assert all(same(recall, line) for recall, line in zip(recalls[2:], lines[2:], strict=True))
    assert {line.evidence for line in alice.log()} == {None}


def test_a_share_of_the_recalls_is_kept_whole_and_decided_to_the_same_block(opened):
    rules = LogRules(content="sampled", share=0.4)
    alice, recalls = asked(opened(log=rules), *(CUES * 8))
    lines = alice.log(content=True, oldest_first=True)
    kept = [rules.keeps_content(recall.recall_id) for recall in recalls]
    assert 4 < sum(kept) < 36
    assert [line.evidence is not None for line in lines] == kept
    assert all(same(recall, line) for recall, line in zip(recalls, lines, strict=True) if line.evidence is not None)


def test_vectors_are_kept_where_near_duplicates_were_told_apart_by_them(opened):
    alice, _ = asked(opened(log=LogRules(content="last")))
    vector = [1.0] + [0.0] * 383
    for name in ("one", "other"):
        alice.remember(f"{DEPLOY} ", id=name, vector=vector, conflicts=False)
    recall = alice.recall("staging deploy", vector=vector)
    (line,) = alice.log(limit=1, content=True)
    assert any(each.duplicates for each in recall)
    assert Envelope.decode(line.evidence).vectors
    assert same(recall, line)
    alice.recall("gym")
    assert not Envelope.decode(alice.log(limit=1, content=True)[0].evidence).vectors


def test_what_is_erased_is_in_no_kept_recall(opened, tmp_path):
    memories = opened(log=LogRules(content="last"))
    alice, _ = asked(memories, *CUES[:2])
    alice.remember("The alarm code is xylophonequartz.", id="code")
    recall = alice.recall("what is the alarm code?")
    alice.forget("gym", erase=True)
    assert [line.evidence is not None for line in alice.log(content=True)] == [False, False, False]
    alice.recall("what is the alarm code?")
    alice.forget("code", erase=True)
    assert [line.chosen for line in alice.log(recall_id=recall.recall_id, content=True)] == [("erased",)]
    assert all(line.evidence is None and line.cue is None for line in alice.log(content=True))
    assert not any(b"xylophonequartz" in file.read_bytes() for file in tmp_path.iterdir())


def test_a_recall_that_is_settled_after_an_erasure_does_not_bring_the_text_back():
    store = Store(MemoryKeeper(), log_rules=LogRules(content="last"))
    with cued.open(store, embedder=None, settle="now", clock=FixedClock()) as memories:
        alice, _ = asked(memories, CUES[0])
        (late,) = store.log("alice", LogQuery(content=True))
        alice.forget("deploy", erase=True)
        store.settle("alice", (), [late])
        assert [(line.recall_id, line.cue, line.evidence) for line in alice.log(content=True)] == [(late.recall_id, None, None)]


@pytest.mark.parametrize("how", [{"settle": "off"}, {"readonly": True}])
def test_nothing_is_put_into_an_envelope_where_nothing_is_written(tmp_path, how):
    cued.open(tmp_path / "m.db", embedder=None).close()
    with cued.open(tmp_path / "m.db", embedder=None, log=LogRules(content="last"), **how) as memories:
        assert memories.tenant("alice").recall("tea").outcome == "nothing_stored"
        assert memories.tenant("alice").log(content=True) == ()


def test_feedback_on_a_kept_recall_leaves_what_is_kept(opened):
    alice, (recall,) = asked(opened(log=LogRules(content="last")), CUES[0])
    alice.feedback(recall.recall_id, cited=["deploy"])
    (line,) = alice.log(content=True)
    assert (line.cited, line.cue) == (("deploy",), CUES[0])
    assert same(recall, line)


@pytest.mark.parametrize(
    ("rule", "accepted"),
    [
        ({"rows": 0}, "a whole number, 1 or more"),
        ({"rows": 1.5}, "a whole number, 1 or more"),
        ({"rows": True}, "a whole number, 1 or more"),
        ({"last": -1}, "a whole number, 0 or more"),
        ({"share": 1.1}, "a number from 0 to 1"),
        ({"share": float("nan")}, "a number from 0 to 1"),
        ({"age": timedelta(0)}, "a timedelta of more than nothing"),
        ({"age": 30}, "a timedelta of more than nothing"),
        ({"content": "all"}, 'one of "off", "last", "sampled"'),
    ],
)
def test_a_rule_that_cannot_be_is_refused_in_words(rule, accepted):
    with pytest.raises(InputError, match=accepted) as refused:
        LogRules(**rule)
    assert refused.value.field == f"log.{next(iter(rule))}"


def test_rules_are_of_their_kind_and_a_store_has_its_own():
    with pytest.raises(InputError, match=r"a cued\.LogRules"):
        cued.open(log={"rows": 5})
    with pytest.raises(InputError, match="nothing beside a store"):
        cued.open(Store(MemoryKeeper()), log=LogRules())
    with cued.open(MemoryKeeper(), embedder=None, log=LogRules(rows=1), settle="now") as memories:
        alice = memories.tenant("alice")
        alice.recall("one")
        alice.recall("two")
        assert len(alice.log()) == 1


@pytest.mark.parametrize(
    ("wanted", "field"),
    [({"limit": 0}, "limit"), ({"outcome": "lost"}, "outcome"), ({"since": "soon"}, "since"), ({"sinc": "2025"}, "sinc")],
)
def test_a_question_that_cannot_be_is_refused_by_its_field(opened, wanted, field):
    with pytest.raises(InputError) as refused:
        opened().tenant("alice").log(**wanted)
    assert refused.value.field == field


def test_a_vector_of_the_callers_own_stands_for_the_cue():
    with cued.open(embedder="hashing", settle="off") as memories:
        alice = memories.tenant("alice")
        alice.remember("Something about rain.", id="own", vector=[1.0] + [0.0] * 383)
        alice.remember("Something about snow.", id="other")
        best = alice.recall("no such word", vector=[2.0] + [0.0] * 383, policy="dense", limit=1)
        assert [each.id for each in best] == ["own"]
        assert alice.explain("no such word", vector=[1.0] + [0.0] * 383, without=["dense"]).whole.memories[0].id == "own"
        with pytest.raises(InputError, match="as many as the model makes"):
            alice.recall("rain", vector=[1.0, 0.0])
        with pytest.raises(InputError, match="a vector with the name of the model"):
            alice.recall("rain", fingerprint="theirs")


def test_a_vector_needs_no_embedder_when_its_model_is_named():
    with cued.open(embedder=None, settle="off") as memories:
        alice = memories.tenant("alice")
        alice.remember("Something about rain.", id="own", vector=[1.0, 0.0], fingerprint="theirs")
        found = alice.recall("no such word", vector=[1.0, 0.0], fingerprint="theirs", policy="dense", limit=1)
        assert ([each.id for each in found], found.degraded) == (["own"], ())
        with pytest.raises(InputError, match="a vector with the name of the model"):
            alice.recall("rain", vector=[1.0, 0.0])
