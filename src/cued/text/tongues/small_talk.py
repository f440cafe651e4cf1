"""Small talk: cues that greet, thank, agree or wave aside, and ask for nothing."""

from cued.text.intent import asks
from cued.text.patterns import pattern
from cued.text.stopwords import GREETING, IDLE, STOP_WORDS, WAVING, WITH_GREETING, WITH_WAVING

_WORD = pattern(r"[^\W_]+")
_APOSTROPHE = pattern("['’]")
_BRIEFLY = 60
"""A longer text says something beside a greeting."""
_HOW_ARE = pattern(r"\bhow (?:are|is|were) (?:you|it|things|everything)\b\W*(?:\Z|doing\W*\Z)")
_DO_IT = pattern(r"(?:(?<=[,;.!:-] )|(?<=ok )|(?<=now )|(?<=and )|(?<=please ))[a-z]+ (?:it|this|that|them)(?![\w'’])")
_ASKING = frozenset("what whats which who whos whom whose when whens where wheres why how hows".split())
_TELLING = GREETING | WAVING | {"how"}
_SMALL_TALK = ((GREETING, IDLE | WITH_GREETING), (WAVING, GREETING | WITH_WAVING))


def is_idle(utterance: str) -> bool:
    """Whether an utterance greets, thanks or agrees and asks for nothing itself, in English."""
    words = spoken_in_order(utterance)
    return not asks(utterance) and all(word in STOP_WORDS or word in IDLE for word in words)


def greets(utterance: str) -> bool:
    """Whether an utterance only greets, thanks or agrees ("good morning", "muchas gracias"), by its words in some languages.

    It may also say what to do with the work at hand ("thanks, commit it").
    """
    if len(utterance) > _BRIEFLY or _TELLING.isdisjoint(spoken_in_order(utterance)):
        return False
    said = _DO_IT.sub("", _HOW_ARE.sub(" hello ", utterance.lower()), count=1)
    words = spoken_in_order(said)
    return not asks(said) and _ASKING.isdisjoint(words[:1]) and any(_only(words, *kinds) for kinds in _SMALL_TALK)


def _only(words: list[str], telling: frozenset[str], others: frozenset[str]) -> bool:
    """Whether at least one word is among `telling`, and each word is among these, among `others`, or a function word."""
    return not telling.isdisjoint(words) and all(word in telling or word in others or word in STOP_WORDS for word in words)


def spoken_in_order(text: str) -> list[str]:
    """The words of a text in order, in lower case, without their apostrophes."""
    return _WORD.findall(_APOSTROPHE.sub("", text.lower()))
