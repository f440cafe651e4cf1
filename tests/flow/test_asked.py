"""asked: which candidates lie in the time that a cue asks for, and how much of the cue asks for it."""

import pytest
from msgspec.structs import replace

import cued
from cued.engine import Parts, Question, decide, gather
from cued.engine.envelope import Envelope
from cued.flow.cue import spoken_times
from cued.model import Cue
from cued.policy.presets import preset
from cued.text.intent import beside
from tests.building import NOW, ago, evidence, memory

EVENT = "What happened before the launch?"
NOTES = [
    memory("a", created=ago(days=30), text="The logo is green now."),
    memory("b", created=ago(days=20), text="We launched the beta."),
    memory("c", created=ago(days=10), text="Sales went up."),
]


def trace(utterance, **changed):
    """The columns of the default policy over the three notes; the second has the cue's word."""
    found = evidence(NOTES, cue=Cue(utterance=utterance, now=NOW), cosine=[0.1] * 3, coverage=[0, 1, 0], bm25=[0, 2, 0])
    return decide(replace(found, **changed), preset("cued")).trace.columns


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("yesterday", 1.0),
        ("What did I do last week?", 1.0),
        ("What happened in March?", 1.0),
        ("What did I eat yesterday?", 1 / 2),
        ("Which restaurant did Caroline recommend for our anniversary dinner last year?", 2 / 7),
        ("我昨天做了什么？", 1.0),
        ("¿Qué hice ayer?", 1.0),
        ("昨日何を食べましたか", 1 / (1 + 1 / 2)),
        ("What is my sister's name?", 0.0),
    ],
)
def test_the_share_of_a_cue_that_is_time_leaves_function_words_out(text, share):
    assert spoken_times(Cue(utterance=text, now=NOW), "utterance").share == pytest.approx(share)


@pytest.mark.parametrize(
    ("text", "relation", "event"),
    [
        (EVENT, "before", "launch"),
        ("What did we decide after the demo for Helvetia?", "after", "demo for Helvetia"),
        ("Who called since my operation and why?", "since", "operation"),
        ("Until the trip to Rome what did we eat?", "until", "trip to Rome"),
    ],
)
def test_a_time_beside_an_event_is_its_relation_and_the_events_words(text, relation, event):
    found = beside(text)
    assert found is not None
    assert (found.relation, found.event) == (relation, event)
    assert text[slice(*found.span)].endswith(event)


@pytest.mark.parametrize("text", ["before I go", "after that", "what came after", "the day before", ""])
def test_a_clause_or_a_bare_preposition_names_no_event(text):
    assert beside(text) is None


@pytest.mark.parametrize(("relation", "window"), [("before", [1, 0, 0]), ("until", [1, 0, 0]), ("after", [0, 1, 1]), ("since", [0, 1, 1])])
def test_the_candidate_that_names_the_event_dates_it(relation, window):
    columns = trace(f"What happened {relation} the launch?")
    usual = sum(window) / 3  # the share of the store that lies so
    assert columns["window"].tolist() == pytest.approx([each * (1 - usual) for each in window])
    assert columns["timed"].tolist() == window  # nothing else is asked


def test_an_event_that_no_candidate_names_changes_nothing():
    columns = trace("What happened before the wedding?", time_share=0.0)
    assert not columns["window"].any()
    assert not columns["timed"].any()


def test_a_date_goes_before_an_event():
    dated = evidence(NOTES, cue=Cue(utterance=EVENT, now=NOW), cosine=[0.1] * 3, coverage=[0, 1, 0], window=[0, 0, 1])
    asked = replace(dated, intervals=(cued.model.Interval(ago(days=12), NOW),), time_share=0.5)
    columns = decide(asked, preset("cued")).trace.columns
    assert columns["timed"].tolist() == pytest.approx([0, 0, 0.5**2 * (1 - 1 / 3 * 0.5)])


def test_gathering_tells_the_share_and_a_saved_recall_keeps_it():
    memories = cued.open(embedder=None, clock=lambda: NOW)
    memories.tenant("t").remember("Lunch with Elif.", at=ago(days=1))
    question = Question(tenant="t", cue=Cue(utterance="What did I do yesterday?", now=NOW), recall_id="r")
    gathered = gather(question, preset("cued"), Parts(store=memories.parts.store))
    assert gathered.time_share == 1.0
    assert Envelope.decode(Envelope.of(gathered, preset("cued")).encode()).evidence.time_share == 1.0


def test_a_recall_saved_before_there_was_a_share_reads_as_none():
    saved = Envelope.of(replace(evidence(NOTES), time_share=0.25), preset("cued")).encode()
    assert Envelope.decode(saved.replace(b'"time_share":0.25,', b"")).evidence.time_share == 0.0
