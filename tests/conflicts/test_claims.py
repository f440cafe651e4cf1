"""What a sentence claims, and how a new one stands to an old one."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.embed import load_embedder
from cued.text.claims import overlap, relate, speaks_of_self
from cued.text.claims.english import ENGLISH
from cued.text.claims.pairing import side_by_side, touching
from cued.text.claims.relating import _negation, _update
from cued.text.claims.sentences import sentences
from cued.text.claims.texts import read
from tests.conflicts.scoring import AT_ODDS, HALVES, TYPES, judged, load, rates, similarities

pytestmark = pytest.mark.requirement("M8")


def kind(new, old, similarity=None):
    found = relate(new, old, similarity=similarity)
    return found.type if found else None


def only_clause(text):
    (clause,) = read(text, ENGLISH).clauses
    return clause


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I love dark mode", "I hate dark mode"),
        ("I'm allergic to nuts", "I can eat nuts again"),
        ("We use tabs", "We don't use tabs any more"),
        ("The gate is locked", "The gate is unlocked"),
        ("Gate A is locked", "Gate A is unlocked"),
        ("The back gate is locked", "The back gate is unlocked"),
        ("The bridge is open", "The bridge is closed"),
        ("Ann smokes", "Ann quit smoking"),
        ("The invoice is paid", "The invoice is unpaid"),
        ("I have a piano", "I donated my piano"),
        ("He accepted the offer", "He refused the offer"),
        ("She is a vegetarian", "She eats meat"),
    ],
)
def test_the_opposite_of_what_was_said_is_a_negation(old, new):
    assert kind(new, old) == "negation"
    assert kind(old, new) == "negation"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Berlin", "I moved to Paris"),
        ("The API limit is 100 requests per minute", "The API limit is 250 requests per minute"),
        ("The meeting is on Tuesday", "The meeting was moved to Thursday"),
        ("My phone number is 07700 900123", "New phone number: 07700 900481"),
        ("My number is 611 204 377", "My number is 611 204 378"),
        ("The budget is 10 000 euros", "The budget is 12 000 euros"),
        ("I take the pill at 8 am", "I take the pill at 8 pm"),
        ("The train leaves at 07:15", "The train leaves at 19:15"),
        ("The backup runs at noon", "The backup runs at midnight"),
        ("The default branch is master", "The default branch was renamed to main"),
        ("The team uses Trello", "The team switched from Trello to Linear"),
        ("Sven is my manager", "My manager is Aisha"),
        ("User prefers tabs over spaces", "User prefers spaces over tabs"),
        ("Our dog is 3 years old", "Our dog turned 4"),
        ("Rent: 950 euros", "Rent = 1,020 EUR"),
        ("Ken runs 20 km a week", "Ken runs 30 km a week"),
        ("The house was sold for 300,000 euros", "The house was sold for 320,000 euros"),
        ("The walls are white", "The walls are green"),
        ("The back door code is 5678", "The code of the back door is 9012"),
        ("The summer rate is 90 euros", "We raised the summer rate to 95 euros"),
        ("We moved from Berlin to Lisbon", "We moved from Berlin to Rome"),
        ("We moved from Berlin to Lisbon", "We moved from Lisbon to Berlin"),
        ("We use Linear instead of Trello", "We use Jira instead of Trello"),
    ],
)
def test_another_value_of_the_same_attribute_is_an_update(old, new):
    assert kind(new, old) == "update"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I have a cat", "I have a dog"),
        ("He likes tea", "He likes coffee"),
        ("I bought a bike", "I bought a helmet"),
        ("Helena speaks French", "Helena speaks Italian"),
        ("Ran 5 km this morning.", "Ran 8 km this morning."),
        ("Slept 7 hours.", "Slept 5 hours."),
        ("Ben scored 2 goals.", "Ben scored 1 goal."),
        ("I lent Jonas 50 euros.", "I lent Jonas 20 euros."),
        ("Paid the rent in March.", "Paid the rent in April."),
        ("School starts at eight", "School ends at one"),
        ("I work on Fridays", "I don't work on Mondays"),
        ("Daniel is lactose intolerant but tolerates hard cheese.", "Daniel no longer drinks coffee because it keeps him awake."),
    ],
)
def test_what_adds_to_what_is_known_is_no_conflict(old, new):
    assert kind(new, old) not in AT_ODDS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Anna lives in Rome", "Ben lives in Oslo"),
        ("Maya eats fish", "Jonas doesn't eat fish"),
        ("The prod database is Postgres", "The test database is SQLite"),
        ("My passport expires in 2031", "My sister's passport expires in 2026"),
        ("I like jazz", "Paul hates jazz"),
        ("Room 4B seats twelve", "Room 2A seats six"),
        ("Release 2.0 ships in March", "Release 2.1 ships in June"),
        ("Rui is 36 and lives in Braga", "Ana is 34 and lives in Porto"),
        ("Bob accepted and starts on 1 May", "Anna accepted and starts on 1 June"),
        ("Project Zeus: deadline 9 July, lead Omar", "Project Apollo: deadline 3 June, lead Nina"),
        ("The white router is in the cellar and uses channel 11", "The blue router is in the attic and uses channel 6"),
        ("The path is open at the start", "The path is closed at the end"),
        ("The shop opens at 9", "The shop closes at 6"),
        ("My morning dose is 20 mg", "My evening dose is 10 mg"),
        ("Morning dose: 20 mg", "Evening dose: 10 mg"),
        ("The summer rate is 90 euros", "The winter rate is 60 euros"),
        ("The front door code is 1234", "The back door code is 5678"),
        ("Anna's evening class has 12 children", "Anna's morning class has 8 children"),
        ("Line A is running", "Line B is not running"),
        ("Warehouse B is full", "Warehouse A is empty now"),
        ("Plan A costs 10 euros", "Plan B costs 20 euros"),
        ("Mr Lind: 84 kg", "Mr Okafor now 90 kg"),
        ("Bed 4, Mr Lind, 72: fluid restriction 1.5 L, daily weights", "Mr Okafor now on 1 L oxygen"),
        ("Mrs Pike, 07700 900318", "Mrs Lowe, new number 07700 900774"),
    ],
)
def test_another_subject_is_no_conflict(old, new):
    assert kind(new, old) not in AT_ODDS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My sister Clara lives in Leeds.", "Clara has just moved to Bristol."),
        ("Ana is 34 and lives in Braga.", "Ana got a job and lives in Porto."),
        ("User drinks coffee.", "i stopped drinking coffee"),
        ("Olga arrives on the 5th.", "Olga's arrival is delayed, she arrives on the 8th."),
    ],
)
def test_one_subject_has_many_names(old, new):
    assert kind(new, old) in AT_ODDS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The meeting is on Tuesday at 10.", "We meet Tuesday, 10 am."),
        ("The call is at 3.", "The call is at 15:00."),
        ("Lunch is at noon.", "Lunch is at 12:00."),
        ("We're flying to Lisbon on 4 August.", "Our flight to Lisbon leaves on August 4th."),
        ("I don't have a credit card.", "I own no credit card."),
        ("Alice moved from Postgres to MySQL.", "Alice moved from Postgres to MySQL."),
        ("We use Linear instead of Trello.", "We switched from Trello to Linear."),
    ],
)
def test_the_same_in_other_words_is_a_duplicate(old, new):
    assert kind(new, old, 0.9) == "duplicate"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Mia is allergic to strawberries.", "Mia is allergic to nuts."),
        ("Tom is afraid of spiders.", "Tom is afraid of heights."),
        ("Eva is a fan of Arsenal.", "Eva is a fan of Björk."),
        ("The plugin is incompatible with Firefox.", "The plugin is incompatible with Safari."),
        ("Sam is friends with Ravi.", "Sam is friends with Chloe."),
        ("Emma hates olives.", "Emma hates capers."),
    ],
)
def test_what_holds_of_many_things_is_neither_changed_nor_repeated_by_another(old, new):
    assert kind(new, old, similarity=0.9) == "related"


def test_a_question_claims_nothing():
    assert kind("Do I hate dark mode?", "I love dark mode") is None


def test_texts_that_mean_different_things_are_not_compared():
    assert kind("I hate dark mode", "I love dark mode", 0.2) is None


def test_without_a_conflict_only_similar_texts_are_related():
    assert kind("The wedding is at a farm", "The wedding is on 6 September", 0.8) == "related"
    assert kind("The wedding is at a farm", "The wedding is on 6 September", 0.6) is None


def test_a_reason_names_the_values():
    relation = relate("The exam is on 12 May", "The exam is on 5 May", similarity=None)
    assert relation.reason == "another day"
    limits = relate("The limit is 250 requests", "The limit is 100 requests", similarity=None)
    assert limits.reason == "another count: 250, was 100"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The bill is $40k", ("money", "40000 dollar")),
        ("It weighs 82 kg", ("mass", "82 kg")),
        ("The call is at half past seven", ("time", "7:30")),
        ("The call is at 3 pm", ("time", "15:00")),
        ("Due 14 March", ("day", "3-14")),
        ("Due on 2026-03-14", ("day", "3-14")),
        ("The team has nine people", ("count", "9")),
    ],
)
def test_numbers_and_dates_are_read_with_their_units(text, expected):
    assert tuple(only_clause(text).values[0]) == expected


def test_a_clause_knows_its_subject_its_verb_and_its_polarity():
    clause = only_clause("Anna's bus does not wait at Elm Street.")
    assert (clause.owner, clause.verb, clause.sign) == ("anna", "wait", -1)
    assert clause.subject == {"anna", "bus"}


def test_first_person_is_told_from_third():
    assert speaks_of_self("My rent is 950 euros")
    assert not speaks_of_self("Paul's rent is 950 euros")


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_two_texts_can_be_compared(new, old):
    assert kind(new, old) in {None, *TYPES}
    assert 0 <= overlap(new, old) <= 1


ODD = (
    "I", "not", "9k", "12:75", "no,", "is:", "3rd", "99999999999k", "may", "1/2 of", "half past one", "one's", "= .", "from", "2.0.1k",
    "7a%20",
)  # fmt: skip


@given(st.lists(st.sampled_from(ODD)).map(" ".join))
def test_odd_grammar_is_no_error(text):
    assert kind(text, text) in {None, *TYPES}


def test_the_pairs_are_enough_balanced_and_disjoint():
    halves = {half: load(half) for half in HALVES}
    every = [pair for pairs in halves.values() for pair in pairs]
    assert len(every) >= 240
    assert len({pair.domain for pair in every}) == 8
    assert len({(pair.a, pair.b) for pair in every}) == len(every)
    for pairs in halves.values():
        kinds = Counter(pair.type for pair in pairs)
        assert set(kinds) == set(TYPES)
        assert min(kinds.values()) >= 20


@pytest.mark.parametrize("half", HALVES)
def test_updates_and_negations_are_found_without_vectors(half):
    pairs = load(half)
    found = rates(pairs, judged(pairs, [None] * len(pairs)), AT_ODDS)
    assert found.precision >= 0.9
    assert found.recall >= 0.85


@pytest.mark.parametrize("half", HALVES)
def test_updates_and_negations_are_found_with_vectors(half):
    pytest.importorskip("cued_minilm", reason="the model wheel is not installed: pip install packages/cued-minilm")
    pairs = load(half)
    found = rates(pairs, judged(pairs, similarities(pairs, load_embedder("cued"))), AT_ODDS)
    assert found.precision >= 0.9
    assert found.recall >= 0.85


def said(text):
    return [[word.text for word in sentence.words] for sentence in sentences(text, ENGLISH)]


def test_every_phrase_has_two_words_or_more_so_that_its_second_tells_whether_it_may_begin():
    assert all(len(phrase.words) > 1 for phrases in ENGLISH.phrases.values() for phrase in phrases)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Ames left. Rain came", [["dr", "ames", "left"], ["rain", "came"]]),
        ("Tea etc.. was cold. Soup", [["tea", "etc", "was", "cold"], ["soup"]]),
        ("Is it late? It is.", [["it", "is"]]),
        ("one\ntwo\n\nthree", [["one"], ["two"], ["three"]]),
        ("Rent: 950 euros;now\u00a0more", [["rent", ":", "950", "euros"], ["now", "more"]]),
        ("We no longer smoke", [["we", "not", "anymore", "smoke"]]),
        ("*** ( ) ...", []),
    ],
)
def test_a_text_is_read_in_sentences_whatever_stands_between_its_words(text, expected):
    assert said(text) == expected


def test_a_capital_says_nothing_at_the_start_of_a_sentence_and_makes_a_name_inside_one():
    def role_of_new(text):
        return [word.role for sentence in sentences(text, ENGLISH) for word in sentence.words if word.text == "new"]

    assert role_of_new("New York is big. New rules hold: New ones. The New York office") == ["new", "new", "new", "word"]


TALK = (
    "I", "my", "we", "Ann's", "not", "never", "used", "to", "moved", "from", "Berlin", "Paris", "paid", "unpaid", "happy", "unhappy",
    "the", "invoice", "is", "was", "are", "budget", "100", "euros", "two", "prefers", "tabs", "over", "spaces", "instead", "of", "now",
    "also", "she", "it", "lives", "works", "at", "in", "open", "closed", "locked", "unlocked", "like", "hate", "tea", "coffee", "and",
    "but", "so", ",", ".", ".", ".", ";", ":", "?",
)  # fmt: skip


@given(*[st.lists(st.sampled_from(TALK), min_size=20, max_size=90).map(" ".join)] * 2, st.sampled_from([None, 0.6, 0.85]))
def test_what_is_passed_over_in_long_texts_is_neither_a_negation_nor_an_update(new, old, similarity):
    texts = read(new, ENGLISH), read(old, ENGLISH)
    laid = side_by_side(*texts, ENGLISH)
    told = {id(pair) for pair in touching(laid, *texts)}
    passed_over = [pair for pair in laid if id(pair) not in told and (pair.shared or pair.new.axes.keys() & pair.old.axes.keys())]
    assert all(_negation(pair, similarity) == "" == _update(pair, similarity) for pair in passed_over)


@given(*[st.lists(st.sampled_from(TALK), min_size=3, max_size=60).map(" ".join)] * 3)
def test_what_a_text_was_compared_with_before_makes_no_difference(new, old, other):
    read.cache_clear()
    alone = relate(new, old, similarity=None)
    read.cache_clear()
    for pair in ((other, new), (old, other), (new, other)):
        relate(*pair, similarity=0.9)
    assert relate(new, old, similarity=None) == alone
