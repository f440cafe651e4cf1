"""passages: sentences and cuts, in any script."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.text.passages import MAX_SENTENCE, MAX_SENTENCES, sentences, shorten

any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=120) | st.lists(
    st.sampled_from(["One. ", "two, ", "三。", "สี่ ", "ห้า", "\n", "Dr. Six ", "e\u0301", "…", "?! "]), max_size=120
).map("".join)


def parts(text):
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One thing. Another! A third?", ["One thing.", "Another!", "A third?"]),
        ("Ask Dr. Smith, e.g. about v2.3.1 of J. Doe. Then go.", ["Ask Dr. Smith, e.g. about v2.3.1 of J. Doe.", "Then go."]),
        ("会议在星期三。部署前检查！茶？", ["会议在星期三。", "部署前检查！", "茶？"]),
        ('He said "go." Then "stop."', ['He said "go."', 'Then "stop."']),
        ("यह पहला है। यह दूसरा है।", ["यह पहला है।", "यह दूसरा है।"]),
        ("هل تعمل؟ نعم.", ["هل تعمل؟", "نعم."]),
        ("a list\n- one\n- two", ["a list", "- one", "- two"]),
        ("  ", []),
    ],
)
def test_sentences_end_where_a_reader_stops(text, expected):
    assert parts(text) == expected


def test_a_sentence_that_is_too_long_is_cut_at_its_pauses():
    found = parts("check the queue, then the workers, then the cache; " * 30)
    assert len(found) > 5
    assert all(piece.endswith((",", ";")) for piece in found)
    assert all(len(piece) <= MAX_SENTENCE for piece in parts("x" * 1000) + parts("部" * 1000) + parts("word " * 300))


@given(any_text)
def test_sentences_are_in_order_bounded_and_lose_nothing_but_space(text):
    spans = sentences(text)
    assert all(0 < end - start <= MAX_SENTENCE for start, end in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert len(spans) <= MAX_SENTENCES
    assert "".join("".join(text[a:b] for a, b in spans).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("short", 5, "short"),
        ("check the queue, then the workers and the cache", 30, "check the queue…"),
        ("a, check the queue then the workers and the cache", 30, "a, check the queue then the…"),
        ("部署前要检查队列和值班工程师", 6, "部署前要检…"),
        ("Donaudampfschifffahrt", 6, "Donau…"),
        ("กินข้าวแล้ว", 3, "กิ…"),
        ("anything", 1, ""),
    ],
)
def test_a_text_is_cut_after_a_clause_or_a_word_or_a_character(text, most, expected):
    assert shorten(text, lambda piece: len(piece) <= most) == expected


@given(any_text, st.integers(2, 60))
def test_what_was_shortened_fits_and_is_a_beginning(text, most):
    cut = shorten(text, lambda piece: len(piece) <= most)
    assert len(cut) <= most
    assert text.startswith(cut.removesuffix("…"))
