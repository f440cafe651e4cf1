"""How much of a text is about a time: the share of its words that belong to time expressions."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from cued.text import scripts
from cued.text.languages import OTHERS
from cued.text.patterns import pattern
from cued.text.scripts import fold
from cued.text.stopwords import STOP_WORDS
from cued.text.times.languages.triggers import LATIN_TRIGGERS

# A character of Han or katakana counts as half a word; hiragana is mostly particles and endings and counts as none. What is left of a run
# of Thai without its function words counts as one.
_HALF, _NONE, _RUN = (pattern(f"[{some}]") for some in (scripts.HAN + scripts.KATAKANA, scripts.HIRAGANA, scripts.THAI))
_NO_WORDS = scripts.HAN + scripts.KATAKANA + scripts.HIRAGANA
_PIECE = pattern(rf"[{_NO_WORDS}]|[{scripts.THAI}]+|(?:[^\W_{_NO_WORDS}]+|[{scripts.MARKS}]+)+")
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
    r"|teşekkür\w*|günaydın|iyi|hoşça|görüşürüz|dziękuj\w+|dzięki|do jutra|do zobaczenia|do widzenia|dobranoc|cześć"
    r"|tack|hej då|vi ses|vi sees|mange tak|tak for|takk|ha det|god[ae]? (?:morg[eo]n|dag|kväll|kveld|aften|natt?)"
    r"|terima kasih|selamat|sampai (?:jumpa|besok|nanti)|cảm ơn|tạm biệt|hẹn gặp|chúc|shukriya|dhanyavaad|alvida"
    r"|дякую|на добраніч|до побачення|ευχαριστ\w+|καλη\w+|αντίο|τα λέμε|תודה|להתראות|נתראה|(?:בוקר|ערב|לילה) טוב)\b"
    r"|谢谢|謝謝|早上好|晚安|再见|明天见|ありがとう|おはよう|おやすみ|さようなら|また明日|お疲れ|감사|고마|안녕|ขอบคุณ|สวัสดี|แล้วเจอกัน|ลาก่อน)"
    r"[^?？؟]*$",
    re.IGNORECASE,
)
_ASKING = pattern(r"\b(?:what|who|when|where|which|tell|show|list|remind|did)\b", re.IGNORECASE)
_FOREIGN = LATIN_TRIGGERS | OTHERS
_APOSTROPHE = pattern(r"['’‘ʼ]\w*")


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
    """The function words of other languages than English that a text may be of."""
    # "Was habe ich im September gemacht?" has no word of time that is not English too
    if text.isascii() and _FOREIGN.isdisjoint(_LETTERS.findall(text.lower())):
        return frozenset()
    from cued.text.times.languages.choice import function_words  # noqa: PLC0415 - a recall in English does not pay for it

    return function_words(text)


def _weight(text: str, function: frozenset[str]) -> float:
    written = text if text.isascii() else unicodedata.normalize("NFC", text)
    pieces = Counter(_PIECE.findall(_APOSTROPHE.sub("", written.lower())))
    # English is written without marks: "åt" is no "at"
    return sum(count * _weight_of(piece, function) for piece, count in pieces.items() if piece not in _ENGLISH)


def _weight_of(piece: str, function: frozenset[str]) -> float:
    bare = fold(piece)
    if not bare or bare in function:
        return 0.0
    if piece.isascii():
        return 1.0
    if _RUN.match(piece):
        for word in sorted(function, key=len, reverse=True):
            bare = bare.replace(word, "")
        return float(bool(bare))
    return 0.5 if _HALF.match(piece) else 0.0 if _NONE.match(piece) else 1.0
