"""How much of a text is about a time: the share of its words that belong to time expressions."""

import re
from collections.abc import Iterable, Sequence

from cued.text import scripts
from cued.text.patterns import pattern
from cued.text.scripts import fold
from cued.text.stopwords import STOP_WORDS
from cued.text.times.languages.triggers import LATIN_TRIGGERS

# A character of Han or katakana counts as half a word; hiragana is mostly particles and endings and counts as none.
_PIECE = pattern(
    rf"(?P<half>[{scripts.HAN}{scripts.KATAKANA}])|(?P<none>[{scripts.HIRAGANA}])"
    rf"|(?P<word>(?:[^\W_{scripts.HAN}{scripts.KATAKANA}{scripts.HIRAGANA}]|[{scripts.MARKS}])+)"
)
_WEIGHTS = {"half": 0.5, "none": 0.0, "word": 1.0}
_LETTERS = pattern("[a-z]+")
# words that ask for nothing but what was at that time
_ENGLISH = STOP_WORDS | frozenset(
    "happen happens happened happening going tell told say said talk talked discuss discussed mention mentioned remember".split()
)
# a greeting names a time and asks for nothing of it, nor does one who thanks or takes leave without asking anything
_GREETING = pattern(r"(?:\w+[,!] )?(?:how (?:are|is|were) (?:you|it|things|everything)|how's|see you|happy|merry|have a)\b", re.IGNORECASE)
_PARTING = pattern(
    r"(?:(?:thanks?|thank you|bye|goodbye|good (?:morning|day|afternoon|evening|night)|cheers|that's all|talk to you"
    r"|danke|bis (?:morgen|bald|dann|später|nächste)"
    r"|guten|gute nacht|tschüss|gracias|buen[oa]s|adiós|merci|bonjour|bonsoir|bonne|au revoir|grazie|ciao|buon\w*|obrigad[oa]"
    r"|bom dia|boa|bedankt|dank|goede\w*|спасибо|добр\w+|до свидания|до завтра|पुन|धन्यवाद|शुभ|شكرا|صباح|مساء|إلى اللقاء"
    r"|teşekkür\w*|günaydın|iyi|hoşça|görüşürüz)\b"
    r"|谢谢|謝謝|早上好|晚安|再见|明天见|ありがとう|おはよう|おやすみ|さようなら|また明日|お疲れ|감사|고마|안녕)[^?？؟]*$",
    re.IGNORECASE,
)
_ASKING = pattern(r"\b(?:what|who|when|where|which|tell|show|list|remind|did)\b", re.IGNORECASE)
_APOSTROPHE = pattern(r"['’]\w*")


def time_share(text: str, spans: Sequence[tuple[int, int]]) -> float:
    """The share of the text's words that stand in these spans, function words left out: 0 without a span, 1 for nothing else."""
    if not spans or _GREETING.match(text) or (_PARTING.match(text) and not _ASKING.search(text)):
        return 0.0
    function = _function_words(text)
    timed = sum(_weight(text[start:end], function) or 1.0 for start, end in spans)
    return timed / (timed + _weight(_without(text, spans), function))


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    parts, done = [], 0
    for start, end in spans:
        parts.append(text[done:start])
        done = end
    return " ".join([*parts, text[done:]])


def _function_words(text: str) -> frozenset[str]:
    if text.isascii() and LATIN_TRIGGERS.isdisjoint(_LETTERS.findall(text.lower())):
        return _ENGLISH
    from cued.text.times.languages.choice import function_words  # noqa: PLC0415 - a recall in English does not pay for it

    return _ENGLISH | function_words(text)


def _weight(text: str, function: frozenset[str]) -> float:
    pieces = _PIECE.finditer(_APOSTROPHE.sub("", fold(text).lower()))
    return sum(_WEIGHTS[match.lastgroup or "word"] for match in pieces if match.group() not in function)
