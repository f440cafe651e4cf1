"""excerpts: a long text in parts of about the same size, in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.text.passages import EXCERPT_SIZE as SIZE
from cued.text.passages import MOST_EXCERPTS as MOST
from cued.text.passages import excerpts

NOTE = (
    "The frame jig moved to bay 4 on Monday. Ana checked the rails, and two of them were bent. "
    "A new set comes from the mill in Braga in three weeks. Until then the old one is shimmed. "
) * 6
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=400) | st.lists(
    st.sampled_from(["One thing. ", "and another, ", "三つ目。", "สี่", "\n\n", "Dr. Six ", "e\u0301", "🍋", "x" * 90, " " * 40]),
    max_size=400,
).map("".join)


def squeezed(text):
    return "".join(text.split())


@pytest.mark.parametrize("text", ["", "A short note.", "a" * 650, "茶" * 216, "\n" * 600])
def test_a_text_that_one_vector_says_has_none(text):
    assert excerpts(text) == []


def test_an_excerpt_ends_where_a_sentence_does():
    found = excerpts(NOTE)
    assert len(found) == -(-len(NOTE) // SIZE)
    assert all(part.endswith((".", "!", "?")) for part in found)
    assert not any(part.endswith("Dr.") for part in excerpts("Ask Dr. Reyes about it, or Dr. Okoye if she is away: " * 30))


@given(texts)
def test_the_parts_are_the_whole_text_in_its_order_and_few(text):
    found = excerpts(text)
    assert len(found) <= MOST
    assert len(found) != 1
    assert not found or squeezed("".join(found)) == squeezed(text)
    assert bool(found) == (len(text.encode()) > 650) or "  " in text
    assert all(part and part == part.strip() for part in found)


@pytest.mark.parametrize("sentence", ["One thing and another. ", "我每天早上喝一杯绿茶。", "wordwithoutanyend"])
def test_parts_are_of_about_the_same_size_whatever_the_script(sentence):
    sizes = [len(part.encode()) for part in excerpts(sentence * 200)]
    assert max(sizes) <= 1.4 * SIZE
    assert max(sizes) <= 2.5 * min(sizes)


def test_a_very_long_text_has_longer_parts_and_no_more_of_them():
    found = excerpts(NOTE * 200)
    assert len(found) == MOST
    assert squeezed("".join(found)) == squeezed(NOTE * 200)
