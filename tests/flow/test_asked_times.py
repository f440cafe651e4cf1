"""asked_times: which candidates lie in the time that a cue asks for, and how much of the cue asks for it."""

from datetime import UTC, datetime
from math import exp

import numpy as np
import pytest
from msgspec.structs import replace

import cued
from cued.engine import Parts, Question, decide, gather
from cued.engine.envelope import Envelope
from cued.flow.cue import spoken_times
from cued.model import EPOCH, Cue, Interval, TermStatistic
from cued.policy.presets import preset
from cued.text.event_times import beside
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
        ("What did we talk about in March?", 1.0),
        ("Was habe ich dir letzte Woche erzählt?", 1.0),
        ("¿Qué te dije la semana pasada?", 1.0),
        ("Que t'ai-je dit la semaine dernière ?", 1.0),
        ("先週何を話しましたか？", 1.0),
        ("我上周说了什么？", 1.0),
        ("Что я говорил вчера?", 1.0),
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
        ("What has happened since Samira started?", "since", "Samira started"),
        ("What did I do after we moved to Leith?", "after", "moved to Leith"),
        ("What did I tell you before I got the offer?", "before", "offer"),
        ("What happened around the trip to Rome?", "around", "trip to Rome"),
        ("Que s'est-il passé jusqu'au mariage", "until", "mariage"),
        ("Was war nach der Hochzeit", "after", "Hochzeit"),
        ("Wat gebeurde er na de verhuizing", "after", "verhuizing"),
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


@pytest.mark.parametrize(
    "text",
    [
        "Who looks after the dog?",
        "Which restaurants are around the hotel?",
        "Wann fahre ich nach Hamburg?",
        "Quem trabalha na escola?",
        "Che cosa c'è dal meccanico?",
        "¿Cuándo sale el tren desde Madrid?",
        "Een cadeau voor mijn moeder",
    ],
)
def test_a_place_or_a_phrase_names_no_event(text):
    assert beside(text) is None


FADED = 0.5 + 0.5 * exp(-10 / 45)


@pytest.mark.parametrize(
    ("relation", "window"), [("before", [FADED, 0, 0]), ("until", [1, 0, 0]), ("after", [0, 0, FADED]), ("since", [0, 0, 1])]
)
def test_the_candidate_that_names_the_event_dates_it(relation, window):
    columns = trace(f"What happened {relation} the launch?")
    usual = sum(window) / 3  # the share of the store that lies so
    assert columns["window"].tolist() == pytest.approx([each * (1 - usual) for each in window])
    assert columns["timed"].tolist() == pytest.approx([each or -1 for each in window])  # nothing else is asked, so no other time is


@pytest.mark.parametrize(
    ("cue", "days", "window"),
    [
        ("What did I do two days after the move?", 2, 1.0),
        ("What did I do two days after the move?", 3, 0.0),
        ("What did I do three weeks before the move?", -21, 1.0),
        ("What did I do the day after the move?", 1, 1.0),
        ("What did I do the week after the move?", 6, 1.0),
        ("What did I do the week after the move?", -1, 0.0),
        ("What did I do on the day of the move?", 0.1, 1.0),
        ("What did I do around the move?", -12, 1.0),
        ("What did I do right after the move?", 10, exp(-1)),
        ("Was habe ich vor dem Umzug gemacht?", 3, 0.0),
        ("Was war nach dem Umzug?", 3, 0.5 + 0.5 * exp(-3 / 45)),
        ("¿Qué hice después de la mudanza?", 3, 0.5 + 0.5 * exp(-3 / 45)),
        ("Qu'ai-je fait depuis le déménagement ?", 3, 1.0),
        ("Что я делал после переезда?", 3, 0.5 + 0.5 * exp(-3 / 45)),
        ("搬家以后我做了什么？", 3, 0.5 + 0.5 * exp(-3 / 45)),
        ("引越しの前に何をした？", 3, 0.0),
        ("taşınmadan sonra ne yaptım", 3, 0.5 + 0.5 * exp(-3 / 45)),
    ],
)
def test_a_time_is_counted_from_the_event_in_many_languages(cue, days, window):
    moved = memory("a", created=ago(days=40), text="Move, Umzug, mudanza, déménagement, переезд, 搬家, 引越, taşınma: all done.")
    other = memory("b", created=ago(days=40 - days), text="Bought a lamp.")
    notes = [moved, other, *(memory(f"c{place}", created=ago(days=900)) for place in range(30))]
    found = evidence(notes, cue=Cue(utterance=cue, now=NOW), cosine=[0.1] * 32, coverage=[1] + [0] * 31, bm25=[1] + [0] * 31)
    held = decide(found, preset("cued")).trace.columns["window"]
    assert held[1] == pytest.approx(window * (1 - held.sum() / (32 - held.sum()) if not window else 1), rel=0.2)
    assert held[0] == 0.0 or "of the" in cue or "around" in cue


def test_of_two_that_name_an_event_it_is_dated_by_the_one_that_begins_with_it():
    notes = [
        memory("a", created=ago(days=60), text="Looked at a chapel for the wedding, the wedding!"),
        memory("b", created=ago(days=20), text="The wedding: rain until noon."),
        memory("c", created=ago(days=40), text="Hen do."),
    ]
    cue = Cue(utterance="What happened three weeks before the wedding?", now=NOW)
    found = evidence(notes, cue=cue, cosine=[0.1] * 3, coverage=[1, 1, 0], bm25=[3, 2, 0])
    assert np.flatnonzero(decide(found, preset("cued")).trace.columns["window"]).tolist() == [2]


def test_what_lies_beside_an_event_is_found_among_many():
    memories = cued.open(embedder=None, clock=lambda: NOW).tenant("t")
    memories.remember("Moved into the flat.", at=ago(days=200))
    memories.remember("The lamp came back.", at=ago(days=198))
    memories.remember_many([{"text": f"Note number {place}.", "at": ago(days=place % 150)} for place in range(300)])
    assert [each.text for each in memories.recall("What happened two days after the move?").memories] == ["The lamp came back."]


@pytest.mark.parametrize(
    "cue", ["我昨天做了什么？", "Что я делал вчера?", "Qu'est-ce que j'ai fait hier ?", "어제 뭐 했지?", "Dün ne yaptım?"]
)
def test_a_cue_that_is_nothing_but_a_time_is_answered_from_it_whatever_its_language(cue):
    memories = cued.open(clock=lambda: NOW).tenant("t")
    memories.remember_many([{"text": f"Note number {place}.", "at": ago(days=place + 3)} for place in range(40)])
    memories.remember("Lunch with Elif, she recommended a paediatrician.", at=ago(days=1))
    assert [each.text for each in memories.recall(cue).memories] == ["Lunch with Elif, she recommended a paediatrician."]


@pytest.mark.parametrize(
    ("cue", "text"),
    [
        ("What do I have on 3 July?", "Dentist on 3 July at 9:15."),
        ("What happens on 6 October?", "Museum tickets for 6 October."),
        ("Was habe ich am 1. Juli?", "Am 1. Juli um neun Uhr beim Zahnarzt."),
    ],
)
def test_a_note_of_another_time_that_names_the_date_asked_for_is_found(cue, text):
    memories = cued.open(clock=lambda: NOW).tenant("t")
    memories.remember_many([{"text": f"Note number {place}.", "at": ago(days=place + 3)} for place in range(30)])
    memories.remember(text, at=ago(days=20))
    assert [each.text for each in memories.recall(cue).memories] == [text]


@pytest.mark.parametrize(
    ("cue", "text"),
    [
        ("What is going on next week?", "Parents' evening on 11 June at 19:00."),
        ("What do I have on Wednesday?", "Dentist on 11 June at 9:15."),
        ("What is due next week?", "The library book has to be returned by 10 June."),
        ("Where are we on Wednesday?", "Offsite in Leipzig on 11 and 12 June."),
        ("Was ist nächste Woche los?", "Elternabend am 11. Juni um 19 Uhr."),
        ("¿Qué tengo la semana que viene?", "Cita con la dermatóloga el 11 de junio."),
        ("下周有什么事？", "项目的截止日期是6月11日。"),
    ],
)
def test_what_was_noted_before_for_a_time_to_come_is_of_that_time(cue, text):
    memories = cued.open(clock=lambda: datetime(2025, 6, 5, 12, tzinfo=UTC)).tenant("t")
    memories.remember_many([{"text": f"Note number {place}.", "at": f"2025-04-{place:02d}"} for place in range(1, 31)])
    memories.remember("The bike was repaired on 11 March.", at="2025-05-20")
    memories.remember(text, at="2025-05-20")
    assert [each.text for each in memories.recall(cue).memories] == [text]


@pytest.mark.parametrize("cue", ["What do I have on Wednesday?", "Anything planned for next week?"])
def test_what_is_said_in_a_conversation_of_a_time_to_come_is_of_that_time(cue):
    memories = cued.open(clock=lambda: datetime(2025, 6, 5, 12, tzinfo=UTC)).tenant("t")
    said = ["I slept well.", "The bike was repaired on 11 March.", "Piet asked me out, coffee on 11 June!", "How lovely."]
    memories.remember_turns([{"role": "user", "content": text} for text in said], session="s", at="2025-05-20")
    assert [each.text for each in memories.explain(cue).recall.memories][:1] == [said[2]]


@pytest.mark.parametrize("cue", ["What has to be done by 15 June?", "What happens before the end of June?"])
def test_until_when_there_is_time_begins_now(cue):
    memories = cued.open(clock=lambda: datetime(2025, 6, 5, 12, tzinfo=UTC)).tenant("t")
    memories.remember_many([{"text": f"Note number {place}.", "at": f"2025-04-{place:02d}"} for place in range(1, 31)])
    memories.remember("Dentist on 11 June at 9:15.", at="2025-05-20")
    assert [each.text for each in memories.recall(cue).memories] == ["Dentist on 11 June at 9:15."]


@pytest.mark.parametrize(
    "cue",
    ["What did I do before the end of June?", "What has been decided by 15 June?", "What was due until today?"],
)
def test_who_tells_of_the_past_asks_for_all_that_was_before(cue):
    asked = Cue(utterance=cue, now=datetime(2025, 6, 5, 12, tzinfo=UTC))
    assert spoken_times(asked, "utterance").intervals[0].start == EPOCH


def test_what_is_coming_up_are_the_weeks_to_come():
    memories = cued.open(clock=lambda: datetime(2025, 6, 5, 12, tzinfo=UTC)).tenant("t")
    memories.remember("The bike was repaired on 11 March.", at="2025-05-20")
    memories.remember("Dentist on 11 June at 9:15.", at="2025-05-20")
    memories.remember("The lease ends on 30 November.", at="2025-05-20")
    for cue in ("What's coming up?", "Any upcoming appointments?"):
        assert [each.text for each in memories.recall(cue).memories] == ["Dentist on 11 June at 9:15."]


@pytest.mark.parametrize("cue", ["Who is coming up with ideas?", "Did it come up?", "What is coming up in September?"])
def test_who_names_a_date_or_means_something_else_asks_for_no_coming_weeks(cue):
    asked = spoken_times(Cue(utterance=cue, now=NOW), "utterance")
    assert not any(each.start == NOW for each in asked.intervals)


@pytest.mark.parametrize("cue", ["Where was I at the beginning of June?", "What did I do on 3 June?", "Wo war ich am 3. Juni?"])
def test_what_was_told_ahead_of_a_time_is_of_that_time_when_it_is_over(cue):
    memories = cued.open(clock=lambda: datetime(2025, 8, 5, 12, tzinfo=UTC)).tenant("t")
    memories.remember_many([{"text": f"Note number {place}.", "at": f"2025-04-{place:02d}"} for place in range(1, 31)])
    memories.remember("Flights to Valencia, 1 to 8 June, with Hannah.", at="2025-03-20")
    assert memories.explain(cue).recall.memories[0].text == "Flights to Valencia, 1 to 8 June, with Hannah."


@pytest.mark.parametrize("cue", ["What did I do on Wednesday?", "Where was I on 11 June?"])
def test_what_is_over_is_not_asked_for_by_what_is_to_come(cue):
    memories = cued.open(clock=lambda: datetime(2025, 6, 5, 12, tzinfo=UTC)).tenant("t")
    memories.remember_many([{"text": f"Note number {place}.", "at": f"2025-04-{place:02d}"} for place in range(1, 31)])
    memories.remember("Dentist in a week, on 11 June.", at="2025-05-20")
    assert not memories.explain(cue).recall.trace.columns["window"].any()


def test_what_is_noted_of_a_whole_year_is_not_of_each_of_its_days():
    memories = cued.open(clock=lambda: datetime(2025, 6, 5, 12, tzinfo=UTC)).tenant("t")
    memories.remember("The budget for 2025 is 4,200 euros.", at="2025-05-20")
    assert not memories.recall("What is on next week?").memories


def test_a_note_of_another_time_that_speaks_of_last_week_as_well_is_not():
    memories = cued.open(clock=lambda: NOW).tenant("t")
    memories.remember("The kitchen was painted last week.", at=ago(days=90))
    memories.remember("Picked up the visa at the consulate.", at=ago(days=7))
    memories.remember_many([{"text": f"Note number {place}.", "at": ago(days=place + 20)} for place in range(30)])
    assert [each.text for each in memories.recall("What happened last week?").memories] == ["Picked up the visa at the consulate."]


def test_words_of_a_time_are_not_what_a_note_is_found_by():
    memories = cued.open(clock=lambda: NOW).tenant("t")
    memories.remember("Switched the rota to weekly handovers on Mondays.", at=ago(days=90))
    monday = next(ago(days=days) for days in range(1, 8) if ago(days=days).weekday() == 0)
    memories.remember("Picked up the visa at the consulate.", at=monday)
    memories.remember_many([{"text": f"Note number {place}.", "at": ago(days=place + 10)} for place in range(30)])
    assert [each.text for each in memories.recall("What did I do last Monday?").memories] == ["Picked up the visa at the consulate."]


def test_what_lies_near_to_the_day_that_is_meant_counts_more_than_what_lies_at_the_edge():
    cue = Cue(utterance="What did I do a month ago?", now=NOW)
    notes = [memory("a", created=ago(days=31)), memory("b", created=ago(days=31 + 15)), memory("c", created=ago(days=300))]
    found = replace(evidence(notes, cue=cue, cosine=[0.1] * 3, window=[1, 1, 0]), intervals=(Interval(ago(days=47), ago(days=15)),))
    near, edge, outside = decide(replace(found, time_share=1.0), preset("cued")).trace.columns["timed"]
    assert (near, outside) == (1.0, -1.0)
    assert edge == pytest.approx(0.5, abs=0.02)


def test_a_greeting_of_a_day_looks_for_no_day():
    assert spoken_times(Cue(utterance="Happy Friday everyone!", now=NOW), "utterance").intervals == ()


def test_an_event_that_no_candidate_names_changes_nothing():
    columns = trace("What happened before the wedding?", time_share=0.0)
    assert not columns["window"].any()
    assert not columns["timed"].any()


def test_a_date_goes_before_an_event():
    cue = Cue(utterance="What happened in May before the launch?", now=NOW)
    dated = evidence(NOTES, cue=cue, cosine=[0.1] * 3, coverage=[0, 1, 0], window=[0, 0, 1])
    asked = replace(dated, intervals=(Interval(ago(days=12), NOW),), time_share=0.5)
    columns = decide(asked, preset("cued")).trace.columns
    assert columns["timed"].tolist() == pytest.approx([-(0.5**4), -(0.5**4), 0.5**2 * (1 - 1 / 3 * 0.5)])


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


def unnamed(cue, text, *, length=10.0, common=12, seen=100):
    """The column of a store of so many memories, so many of which tell sizes; the cue's words are given as pairs of characters."""
    pairs = [cue[place : place + 2] for place in range(len(cue) - 1)]
    terms = tuple(TermStatistic(pair, common if pair in "的规模" else int(pair in text), 1.0) for pair in pairs)
    found = evidence([memory("a", text=text)], cue=Cue(utterance=cue, now=NOW), coverage=[0.5], length=[length], fingerprint=None)
    stocked = replace(found, findings=replace(found.findings, terms=terms, visible=seen))
    return decide(stocked, preset("cued")).trace.columns["unnamed"][0]


def test_a_memory_that_tells_the_size_of_another_thing_leaves_the_named_one_unnamed():
    # pairs of the name: 长跑 跑节 节的, of which the memory has the last two, or all
    assert unnamed("长跑节的规模", "花灯节的规模是六千人。", common=20) == pytest.approx(2 / 3)
    assert unnamed("长跑节的规模", "长跑节的规模是六千人。", common=20) == 0.0


def test_among_few_memories_or_in_a_long_one_nothing_is_missed_for_its_name():
    assert unnamed("长跑节的规模", "花灯节的规模是六千人。", common=3, seen=30) == 0.0
    assert unnamed("长跑节的规模", "花灯节的规模是六千人。", common=20, length=60.0) == pytest.approx(2 / 3 / 4)


def test_a_cue_with_spaces_names_nothing_by_its_characters():
    assert trace("How large was the race?")["unnamed"].tolist() == [0.0, 0.0, 0.0]
