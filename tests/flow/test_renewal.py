"""renewal: what was changed stands below the note that changed it, and everything else stays where it was."""

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cued.engine import decide
from cued.errors import PolicyError
from cued.model import Cue, Interval, Source
from cued.policy.parse import parse
from tests.building import NOW, ago, evidence, memory

RULES = parse(
    """
    [channels]
    dense = { pool = 50 }
    [score]
    terms = [{ signal = "similarity", weight = 10.0 }]
    renewal = true
    [relevance]
    word_coefficients = { name = "w", about = "all alike", intercept = 5.0, weights = {} }
    coefficients = { name = "c", about = "all alike", intercept = 5.0, weights = {} }
    """,
    name="renewing",
)
OLD = memory("old", text="Mira lives in Porto.", created=ago(days=90))
NEW = memory("new", text="Mira moved to Lisbon in May.", created=ago(days=9))
TEA = memory("tea", text="Mira prefers green tea.", created=ago(days=5))
WHERE = "Where does Mira live?"


def asked(*memories, cue=WHERE, **changes):
    """The recall of memories that fit the less the later they are given."""
    found = evidence(memories, cue=Cue(utterance=cue, now=NOW), cosine=np.linspace(0.9, 0.5, len(memories)), coverage=[1.0] * len(memories))
    return decide(replace(found, **changes), RULES)


def test_a_note_of_many_words_renews_another_with_which_it_shares_none():
    old = memory("old", text="I live in Leeds, in a flat on Otley Road.", created=ago(days=90))
    new = memory("new", text="Moved to Sheffield last week, new place is 14 Crookes Valley Road.", created=ago(days=9))
    assert [each.memory.id for each in asked(old, new, cue="Where do I live?").memories] == ["new", "old"]


def ids(*memories, **asking):
    return [each.id for each in asked(*memories, **asking)]


def test_an_update_stands_just_above_what_it_changes():
    recall = asked(OLD, TEA, NEW)
    assert [each.id for each in recall] == ["new", "old", "tea"]
    first, second = recall.memories[:2]
    assert first.score == pytest.approx(second.score + 0.01)
    assert first.contributions["renewal"] == pytest.approx(first.score - 10.0 * 0.5)
    assert second.contributions["renewal"] == 0.0


@pytest.mark.parametrize(
    ("cue", "old", "new"),
    [
        ("What is the cloud budget?", "The cloud budget is 12,000 dollars a month.", "The cloud budget is 9,500 dollars a month."),
        ("What does the mower run on?", "The mower runs on petrol.", "We replaced the petrol mower with an electric one."),
        ("How much losartan do I take?", "I take 50 mg of losartan.", "Dr Amin raised the losartan to 100 mg."),
        ("Do I go to the gym?", "I go to the gym on Fridays.", "I no longer go to the gym; I swim instead."),
        ("Where does Mira work?", "Mira works at the library as an archivist.", "Mira started as a curator at the museum."),
        ("Wo wohnt Oma Gerda?", "Oma Gerda wohnt in Bamberg.", "Oma Gerda ist nach Erlangen umgezogen."),
    ],
)
def test_a_change_is_told_by_its_words_or_by_another_value(cue, old, new):
    rows = replace(OLD, text=old), replace(NEW, text=new)
    assert ids(*rows, cue=cue) == ["new", "old"]


@pytest.mark.parametrize(
    "changes",
    [
        {"created_at": ago(days=99), "updated_at": ago(days=99)},
        {"trust": "agent"},
        {"source": Source(session="s", turn=1)},
        {"source": Source(speaker="Tom")},
        {"text": "Mira's cat moved into the kitchen. " * 9},
    ],
)
def test_what_is_older_less_trusted_said_by_another_in_passing_or_at_length_renews_nothing(changes):
    assert ids(OLD, replace(NEW, **changes)) == ["old", "new"]


def test_another_value_of_the_same_person_renews_nothing():
    rows = replace(OLD, text="Mr Lind 84.2 kg."), replace(NEW, text="Dr Sato raised Mr Lind's furosemide from 40 mg to 80 mg.")
    assert ids(*rows, cue="What is Mr Lind's weight?") == ["old", "new"]


def test_what_was_written_anew_since_is_not_renewed():
    assert ids(replace(OLD, updated_at=ago(days=1)), NEW) == ["old", "new"]


@pytest.mark.parametrize("cue", ["Where did Mira live?", "Where did Mira use to live?"])
def test_who_asks_for_what_was_gets_what_was(cue):
    assert ids(OLD, NEW, cue=cue) == ["old", "new"]


@pytest.mark.parametrize("cue", ["What is Mira's previous home?", "Where did Mira live before?", "Where did Mira use to live, formerly?"])
def test_who_asks_for_what_held_before_gets_it_first(cue):
    recall = asked(NEW, TEA, OLD, cue=cue)
    assert [each.id for each in recall] == ["old", "new", "tea"]
    assert recall.memories[0].score == pytest.approx(recall.memories[1].score + 0.01)


def test_of_several_that_were_renewed_the_last_is_what_held_before():
    first = replace(OLD, id="first", text="Mira lives in Faro.", created_at=ago(days=300), updated_at=ago(days=300))
    assert ids(NEW, OLD, first, cue="Where did Mira live before?") == ["old", "new", "first"]


def test_a_time_that_is_over_asks_for_what_was():
    day = timedelta(days=1)
    assert ids(OLD, NEW, intervals=(Interval(start=NOW - 60 * day, end=NOW - 50 * day),)) == ["old", "new"]
    assert ids(OLD, NEW, intervals=(Interval(start=NOW - day, end=NOW + day),)) == ["new", "old"]


def test_what_begins_with_another_name_than_is_asked_for_does_not_stand_above():
    old = memory("old", text="Ivy's shoe size is 38, Oscar's is 33.", entities=("ivy", "oscar"), created=ago(days=90))
    new = memory("new", text="Oscar outgrew his shoes again: size 35 now.", entities=("oscar",), created=ago(days=9))
    assert ids(old, new, cue="What shoe size is Ivy?") == ["old", "new"]
    assert ids(old, new, cue="What shoe size is Oscar?") == ["new", "old"]


def test_where_the_cue_asks_who_what_names_nobody_does_not_stand_above():
    old = memory("old", text="Cello lessons are on Tuesdays with Mrs Feld.", entities=("feld",), created=ago(days=90))
    new = memory("new", text="Moved the cello lessons to Thursdays.", created=ago(days=9))
    assert ids(old, new, cue="Who gives my cello lessons?") == ["old", "new"]
    assert ids(old, new, cue="When are my cello lessons?") == ["new", "old"]


def test_what_only_speaks_of_the_same_thing_renews_nothing():
    shed = memory("shed", text="The shed is painted green.", created=ago(days=90))
    lock = memory("lock", text="The padlock of the shed has a new code: 9035.", created=ago(days=9))
    assert ids(shed, lock, cue="What colour is the shed?") == ["shed", "lock"]


def test_two_leanings_hold_side_by_side():
    large = memory("large", text="I dislike driving large vehicles.", created=ago(days=90))
    manual = memory("manual", text="I prefer manual transmissions and enjoy driving.", created=ago(days=9))
    assert ids(large, manual, cue="Which car is good for driving?") == ["large", "manual"]


def test_each_of_several_updates_stands_above_the_one_before():
    rents = [
        memory(f"r{year}", text=f"The rent is {year - 1000} euros a month.", created=ago(days=3000 - year)) for year in (1900, 1950, 2000)
    ]
    assert ids(*rents, cue="How much is the rent?") == ["r2000", "r1950", "r1900"]


@given(st.permutations([OLD, NEW, TEA]), st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_contributions_add_up_and_nobody_else_moves(memories, cosines):
    cue = Cue(utterance=WHERE, now=NOW)
    found = evidence(memories, cue=cue, cosine=cosines, coverage=[1.0] * 3)
    plain = replace(RULES, score=replace(RULES.score, renewal=False))
    with_it, without = decide(found, RULES), decide(found, plain)
    np.testing.assert_allclose(sum(with_it.trace.contributions.values()), with_it.trace.columns["score"])
    assert [each.id for each in with_it if each.id != "new"] == [each.id for each in without if each.id != "new"]
    order = [each.id for each in with_it]
    assert order.index("new") < order.index("old")


def test_a_product_cannot_renew():
    with pytest.raises(PolicyError, match=r"score\.renewal"):
        parse('[score]\ncombine = "product"\nrenewal = true', name="product")
