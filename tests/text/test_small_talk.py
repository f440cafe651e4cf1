"""Who only greets, thanks, agrees or waves aside, and who asks for something."""

import pytest

from cued.text.tongues.small_talk import greets, is_idle

pytestmark = pytest.mark.requirement("P11")


@pytest.mark.parametrize(
    "utterance", ["ok", "Thanks, that's all for now.", "You're the best.", "Hmm, let me think about it.", "Haha, good one!", "👍", ""]
)
def test_small_talk_asks_for_nothing(utterance):
    assert is_idle(utterance)


@pytest.mark.parametrize(
    "utterance",
    [
        "thanks a lot!",
        "Good morning",
        "hello, how are you?",
        "brilliant, cheers",
        "See you tomorrow, bye",
        "thanks, commit it",
        "great, and now push that please",
        "looks good, continue",
        "perfect, that works now",
        "muchas gracias",
        "Guten Morgen",
        "merci beaucoup",
        "谢谢你",
        "晚安",
        "How are you?",
        "never mind",
        "got it",
        "Hold on a second",
        "ok, go ahead",
        "Fair enough.",
        "not really, no",
    ],
)
def test_whoever_greets_or_thanks_is_told_in_some_languages(utterance):
    assert greets(utterance)


@pytest.mark.parametrize(
    "utterance",
    [
        "work",
        "morning",
        "good coffee",
        "Thanks, where is the key?",
        "How are things with Ana?",
        "guten Italiener finden",
        "commit it",
        "Thanks, I lost it",
        "great, book the table for them",
        "Hi Tom",
        "go to work",
        "What's next",
        "the fair",
        "got married",
        "👍",
        "",
    ],
)
def test_whoever_says_anything_else_does_not_only_greet(utterance):
    assert not greets(utterance)


@pytest.mark.parametrize(
    "utterance", ["Write the letter.", "What size?", "How are you?", "deploy it", "谢谢", "Book the second night", "#48213", "5.8.2"]
)
def test_whatever_else_is_said_may_ask(utterance):
    assert not is_idle(utterance)
