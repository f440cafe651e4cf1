"""Whose words a cue asks for, whether it speaks of its user, and which turns ask."""

import pytest

from cued.text.voice import addresses_agent, asks, speaks_of_itself


@pytest.mark.parametrize(
    "cue",
    [
        "What was the third item on the list you gave me?",
        "which book did the list that you've made start with",
        "your advice on sleep",
        "Which painters were recommended to me?",
        "What was I told about the visa?",
        "Welches Buch hast du mir empfohlen?",
        "你给我推荐了什么？",
    ],
)
def test_a_cue_may_ask_for_the_agents_own_words(cue):
    assert addresses_agent(cue)


@pytest.mark.parametrize(
    "cue",
    ["Can you suggest a dinner?", "Where do I keep my sneakers?", "could you remind me of my plans", "thank you", "我的血型是什么？", ""],
)
def test_asking_for_help_is_not_asking_for_its_words(cue):
    assert not addresses_agent(cue)


@pytest.mark.parametrize("turn", ["Where to?", "Where to? 😊", "「どこ？」", "إلى أين؟", "I see. And you?)", "x" * 500 + "?"])
def test_a_turn_that_ends_in_a_question_asks(turn):
    assert asks(turn)


@pytest.mark.parametrize("turn", ["To Rome.", "Where? To Rome.", "", "What a day!", "?!?! so I left"])
def test_a_turn_that_ends_in_anything_else_tells(turn):
    assert not asks(turn)


@pytest.mark.parametrize("cue", ["Where is my passport?", "Are we insured?", "Wo ist mein Pass?", "我的血型是什么？", "Где мой паспорт?"])
def test_a_cue_may_speak_of_whoever_asks(cue):
    assert speaks_of_itself(cue)


@pytest.mark.parametrize(
    "cue", ["How do I tie a bow tie?", "Tell me a joke.", "Let's go on.", "Who wrote Emma?", "Where does Ada live?", ""]
)
def test_asking_for_help_is_not_speaking_of_oneself(cue):
    assert not speaks_of_itself(cue)
