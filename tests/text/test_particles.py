"""What joins the words of a cue in Korean and Thai is no word of it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.text.analyse import analyse, query_terms
from cued.text.tongues.particles import without_particles


@pytest.mark.parametrize(
    ("cue", "terms"),
    [
        ("월세를 언제 내지?", {"월세", "내지"}),
        ("민수는 지금 어디 살아?", {"민수", "살아"}),
        ("부산에서 뭐 먹었어?", {"부산", "먹었어", "먹었", "었어"}),
        ("누구한테서 전화가 왔지?", {"전화", "왔지"}),
    ],
)
def test_a_korean_noun_is_asked_for_without_its_particle_and_no_question_word_is(cue, terms):
    assert set(query_terms(cue)) == terms


@pytest.mark.parametrize("word", ["나이", "사과", "효과", "누가복음", "지도"])
def test_a_korean_word_that_only_ends_or_begins_like_one_is_whole(word):
    assert without_particles(word) == word


def test_korean_in_single_letters_is_read_as_well():
    assert query_terms(unicodedata.normalize("NFD", "월세를 언제 내지?")) == query_terms("월세를 언제 내지?")


def test_thai_is_asked_for_without_question_words_and_letters_that_they_leave():
    assert query_terms("คลินิกอยู่ที่ไหน") == query_terms("คลินิก")
    assert query_terms("ใครๆ แมว") == query_terms("แมว")


@pytest.mark.parametrize("cue", ["어디에?", "뭐야", "ที่ไหน", "อะไร"])
def test_a_cue_of_nothing_else_is_searched_by_it(cue):
    assert without_particles(cue) == cue
    assert query_terms(cue)


def test_a_memory_is_indexed_with_them():
    assert {"월세는", "월세", "세는"} <= analyse("월세는 10일에 낸다").keys()
    assert {"ที", "ี่", "่ไ", "ไห", "หน"} <= analyse("ที่ไหน").keys()


@given(st.text(st.characters(max_codepoint=0xDFF)))
def test_other_scripts_stay_as_they_are(text):
    assert without_particles(text) == text
