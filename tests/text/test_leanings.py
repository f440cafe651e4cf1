"""Requests, and what bears on them."""

import pytest

from cued.text.leanings import leans, seeks


@pytest.mark.parametrize(
    "cue",
    [
        "Recommend a novel",
        "What should I cook tonight?",
        "Can you find a hotel?",
        "help me pack",
        "any tips for Rome?",
        "What shall we cook?",
    ],
)
def test_a_request_seeks(cue):
    assert seeks(cue)


@pytest.mark.parametrize(
    "cue", ["Where do I keep the key?", "Which paint did we choose?", "Can you shorten this?", "How do I tie a tie?", "ok", ""]
)
def test_a_question_about_what_is_known_does_not(cue):
    assert not seeks(cue)


@pytest.mark.parametrize(
    "text", ["I prefer trains.", "I can't stand coriander.", "She is vegan.", "I don't like long books.", "My favourite film is M."]
)
def test_a_preference_leans(text):
    assert leans(text)


@pytest.mark.parametrize("text", ["The bus is blue.", "Mia was born in May.", ""])
def test_a_plain_fact_does_not(text):
    assert not leans(text)
