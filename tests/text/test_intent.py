"""What a cue asks for by its words: its time, whose words, whether of its user; and which turns and memories answer that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.text.intent import (
    _SELF,
    _SELF_ANYWHERE,
    _YOU,
    _YOU_ANYWHERE,
    addresses_agent,
    asked_about,
    asks,
    asks_of_before,
    in_first_person,
    intent,
    numbered,
    of_speaker,
    speaks_of_itself,
    told_about,
)
from cued.text.patterns import spoken

pytestmark = pytest.mark.requirement("P11")

PAST = [
    "what did I say yesterday", "the plan from last week", "where did we eat three months ago", "what was the budget originally",
    "I used to live somewhere else", "what did I think back then", "when did Caroline move", "history of the project",
    "who was on the team last year", "my previous phone", "the other day you mentioned a book", "what did we do last Friday",
    "in the past, how did we deploy", "the first time we met",
]  # fmt: skip
PRESENT = [
    "what am I currently reading", "where do I live now", "what have I been doing lately", "how do I feel these days",
    "what is he working on at the moment", "the latest version of the plan", "what should I do today", "is the bug still there",
    "my current apartment", "what have I read recently", "what is my job as of now",
]  # fmt: skip
NEUTRAL = [
    "", "what is my sister's name", "what food does she like", "what will I do tomorrow", "plans for next week", "next to the bank",
    "how do I deploy the service", "compare my current job with the one three years ago", "I know the lasting effect",
]  # fmt: skip


@pytest.mark.parametrize("text", PAST)
def test_past_markers_state_the_past(text: str) -> None:
    assert intent(text) == "past"


@pytest.mark.parametrize("text", PRESENT)
def test_present_markers_state_the_present(text: str) -> None:
    assert intent(text) == "present"


@pytest.mark.parametrize("text", NEUTRAL)
def test_without_one_clear_marker_the_intent_is_neutral(text: str) -> None:
    assert intent(text) == "neutral"


@pytest.mark.parametrize("text", ["YESTERDAY", "Yesterday,", "(yesterday)", "so yesterday?"])
def test_case_and_punctuation_do_not_hide_a_marker(text: str) -> None:
    assert intent(text) == "past"


@given(st.text())
def test_any_text_has_an_intent(text: str) -> None:
    assert intent(text) in {"past", "present", "neutral"}


@pytest.mark.parametrize(
    "cue",
    [
        "Which books were recommended after Dune?", "What was the advice about shin pain?", "How was I supposed to feed the starter?",
        "Which index were we advised to add?", "Welche Tomaten hast du mir empfohlen?", "Was sollte ich statt Druckluft nehmen?",
        "¿Qué bar me recomendaste?", "¿Qué se me recomendó para el gato?", "Quel vin m'a-t-on conseillé ?", "Cosa mi hai consigliato?",
        "Wat had je aangeraden?", "O que você sugeriu?", "Какой стул мне советовали?", "上次建议我怎么做？",
        "雪の日はどこがいいと言っていましたか",
        "前に教えてくれた方法は？", "그때 추천해 준 책이 뭐였지?", "Hangi kitabı önermiştin?", "ماذا اقترحت علي؟", "कौन सी किताब बताया था?",
    ],
)  # fmt: skip
def test_it_may_ask_so_in_many_languages_and_without_a_word_for_who_said_it(cue):
    assert addresses_agent(cue)


@pytest.mark.parametrize(
    "cue", ["C'est quoi le mot de passe du wifi ?", "What was John given?", "Qui a gagné la coupe du monde ?", "我怎么去车站？"]
)
def test_a_word_that_means_you_elsewhere_asks_for_nobodys_words(cue):
    assert not addresses_agent(cue)


@pytest.mark.parametrize(
    "cue",
    [
        "What was the third item on the list you gave me?",
        "which book did the list that you've made start with",
        "your advice on sleep",
        "Which painters were recommended to me?",
        "What was I told about the visa?",
        "Welches Buch hast du mir empfohlen?",
        "Qu'est-ce que tu m'as dit sur l'appartement ?",
        "What did you say when I told you about the flat?",
        "你给我推荐了什么？",
    ],
)
def test_a_cue_may_ask_for_the_agents_own_words(cue):
    assert addresses_agent(cue)


@pytest.mark.parametrize(
    "cue",
    [
        "Can you suggest a dinner?",
        "Where do I keep my sneakers?",
        "could you remind me of my plans",
        "thank you",
        "How are you doing?",
        "我的血型是什么？",
    ],
)
def test_asking_for_help_is_not_asking_for_its_words(cue):
    assert not addresses_agent(cue)


@pytest.mark.parametrize(
    "cue",
    [
        "What did I tell you about the flat?", "the budget I gave you", "What did we already mention to you about the visa?",
        "I've told you my plans. Where did I want to go?", "Was habe ich dir über die Wohnung erzählt?", "¿Qué te dije del piso?",
        "Qu'est-ce que je t'ai dit sur l'appartement ?", "What did I ask you to remember about the flat?",
        "Did I ever mention my landlord's name to you?",
    ],
)  # fmt: skip
def test_what_the_agent_was_told_is_not_asked_for_in_its_words(cue):
    assert not addresses_agent(cue)


@pytest.mark.parametrize("turn", ["Where to?", "Where to? 😊", "「どこ？」", "إلى أين؟", "I see. And you?)", "x" * 500 + "?"])
def test_a_turn_that_ends_in_a_question_asks(turn):
    assert asks(turn)


@pytest.mark.parametrize("turn", ["To Rome.", "Where? To Rome.", "", "What a day!", "?!?! so I left"])
def test_a_turn_that_ends_in_anything_else_tells(turn):
    assert not asks(turn)


@pytest.mark.parametrize(
    "cue", ["Where is my passport?", "Are we insured?", "Is it safe for me?", "Wo ist mein Pass?", "我的血型是什么？", "Где мой паспорт?"]
)
def test_a_cue_may_speak_of_whoever_asks(cue):
    assert speaks_of_itself(cue)


@pytest.mark.parametrize("cue", ["What is Mia allergic to?", "Where does Ben live?", "Which EU rules apply?", "Which US states are dry?"])
def test_a_name_is_no_word_for_oneself(cue):
    assert not speaks_of_itself(cue)


@pytest.mark.parametrize(
    "cue", ["How do I tie a bow tie?", "Tell me a joke.", "Sort it for me.", "Let's go on.", "Who wrote Emma?", "Where does Ada live?", ""]
)
def test_asking_for_help_is_not_speaking_of_oneself(cue):
    assert not speaks_of_itself(cue)


@pytest.mark.parametrize(
    "text", ["I'm left-handed.", "It\u2019s what we ordered.", "Ich trinke keinen Wein.", "Моя группа крови A.", "我住在杭州。"]
)
def test_a_text_may_be_in_the_first_person(text):
    assert in_first_person(text)


@pytest.mark.parametrize(
    "text", ["Mia plays chess.", "Ben is vegan.", "The i-node table is full.", "Ma Xiulan called.", "他住在杭州。", ""]
)
def test_a_text_about_others_is_not(text):
    assert not in_first_person(text)


@pytest.mark.parametrize("cue", ["What was Mira's previous job?", "Where did Mira live before?", "Who used to own it?", "my ex-landlord"])
def test_what_held_before_is_asked_for(cue):
    assert asks_of_before(cue)


@pytest.mark.parametrize("cue", ["When did Mira move?", "What do I do before dinner?", "Where does Mira live?", "ex", ""])
def test_what_was_or_comes_first_is_not(cue):
    assert not asks_of_before(cue)


@pytest.mark.parametrize(
    ("turn", "share"),
    [
        ("I signed my deal.", 2 / 3),
        ("Congrats on your deal!", -1 / 2),
        ("You and I.", 0.0),
        ("It rained.", 0.0),
        ("我喜欢茶。", 1 / 2),
        ("你喜欢茶。", -1 / 2),
    ],
)
def test_a_turn_speaks_of_its_speaker_by_its_pronouns(turn, share):
    assert of_speaker(turn) == pytest.approx(share)


_PRONOUNS = [
    "I", "me", "us", "US", "mi", "MI", "Mia", "unsere", "unserxy", "я", "you", "YOU", "you've", "your", "hast", "du", "Du", "t", "tu", "вы",
    "it", "my_deal", "1", "é",
]  # fmt: skip


@given(
    st.lists(st.tuples(st.one_of(st.sampled_from(_PRONOUNS), st.text(max_size=3)), st.sampled_from([" ", "", "'", "’", "-", "_", "\n"])))
)
def test_pronouns_are_the_same_word_by_word_as_in_the_whole_turn(said):
    turn = "".join(word + end for word, end in said)
    own = len(_SELF.findall(turn)) + len(_SELF_ANYWHERE.findall(turn))
    others = len(_YOU.findall(spoken(turn))) + len(_YOU_ANYWHERE.findall(turn))
    assert of_speaker(turn) == (own - others) / (own + others + 1)


def test_you_may_take_two_words():
    assert of_speaker("Was hattest du gesagt?") == of_speaker("Was du gestern gesagt hast!") == -0.5
    assert of_speaker("Was ist du jour?") == 0.0


@pytest.mark.parametrize(
    ("cue", "name"),
    [
        ("Who is Stefan's dentist?", "Stefan"),
        ("What is Stefan Huber's phone number?", "Stefan Huber"),
        ("where does Maya live", "Maya"),
        ("Is Chris’ flat for sale?", "Chris"),
        ("Who handles privacy requests?", ""),
        ("What's the wifi password?", ""),
        ("Which GPU do we have?", ""),
    ],
)
def test_a_cue_asks_about_whoever_owns_or_does_what_it_asks_for(cue, name):
    assert asked_about(cue) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Maya's dentist moved.", "Maya"),
        ("Maya lives in Utrecht.", "Maya"),
        ("Dr. Ana Pavel has a new practice.", "Ana Pavel"),
        ("User's dentist moved.", ""),
        ("The dentist moved.", ""),
        ("My sister Maya moved.", ""),
        ("", ""),
    ],
)
def test_a_memory_tells_of_whom_it_begins_with(text, name):
    assert told_about(text) == name


def test_numbers_are_told_apart_by_what_stands_before_them():
    assert numbered("LH1234 and #482 after #481, not 4821, H100 or a#33333") == {"LH": {"LH1234"}, "#": {"#482", "#481"}}
