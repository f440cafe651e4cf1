"""The fold of characters: what is ASCII stays, whatever stands beside it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.text.scripts import fold

_ODD = "\u0301\u0308\u0338\u200d\ufe0f\u00ad\u0327éŁß½²①ﬁ…’„٣５각\u1100\u1161क्षñ"


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("e\u0301te\u0301 a\u030ao", "ete ao"),
        ("a \u2260 b =\u0338 c", "a = b = c"),
        ("Zoë’s ﬁle costs ５ or ٣", "Zoe's file costs 5 or 3"),
        ("o\u200d\u0308ver soft\u00adware", "over software"),
        ("각 \u1100\u1161\u11a8x", "각 각x"),
    ],
)
def test_accents_go_with_and_without_the_letter_before_them(text, folded):
    assert fold(text) == folded


@given(st.text(st.one_of(st.characters(), st.sampled_from(_ODD), st.sampled_from("aeo=<1 ")), max_size=12))
def test_a_folded_text_is_composed_and_folding_keeps_its_ascii(text):
    folded = fold(text)
    assert unicodedata.normalize("NFC", folded) == folded
    kept = iter(folded)
    assert all(letter in kept for letter in text if letter.isascii())
