"""A word is found in small letters wherever it is found when case does not matter."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.text.patterns import spoken, spoken_words

_TEXTS = st.text(st.sampled_from("sSſiIıİkKвВᲀтТᲄᲅxX _-1é\n") | st.characters())


@pytest.mark.parametrize("word", ["s", "is", "ski", "kis", "в", "твт", "é", r"i\s"])
@given(text=_TEXTS)
def test_a_word_is_found_in_any_case_where_it_begins(word: str, text: str) -> None:
    found = [match.start() for match in re.finditer(rf"\b{word}(?!\w)", text, re.IGNORECASE)]
    assert [match.start() for match in re.finditer(rf"\W{word}(?!\w)", spoken(text))] == found


@given(_TEXTS)
def test_each_character_stays_in_its_place(text: str) -> None:
    assert len(spoken(text)) == len(text) + 1


def test_words_are_runs_of_letters() -> None:
    assert spoken_words("It's the 2nd Time_Out") == {"it", "s", "the", "nd", "time", "out"}
