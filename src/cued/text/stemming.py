"""Words: the stem that stands for a word's forms, and the sub-words by which a compound is found."""

import re
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import Stemmer  # type: ignore[import-not-found]  # compiled, and it ships no stubs

MAX_WORD = 64
COMPOUND_MIN = 10
_SUBWORD_MIN = 4
_VOWEL_INITIAL_MIN = 6
BEGINNING, _MOSTLY = 4, 0.7
_VOWELS: Final = frozenset("aeiouyаеиоуыэюяієїαεηιουω")
_HEAD_MIN, _BEFORE_HEAD_MIN = 4, 3
_VERBAL: Final = frozenset(
    "aan auf aus bei bij durch ein emp ent fort fram fur gegen hinter miss nach onder ont over uber unter upp ver vor zer".split()
)
_ONSETS: Final = frozenset(
    "bl br ch cl cr dr fl fr gl gn gr kl kn kr pf ph pl pr qu sc sh sk sl sm sn sp st sv sw th tr ts tw vl vr wh wr zw".split()
)
_HEBREW = re.compile("[\u05d0-\u05ea]")
_JOINED_BEFORE: Final = frozenset("ושהכלבמ")
_PREFIXES, _BARE_MIN = 2, 3
_HINDI = re.compile("[\u0900-\u097f]")
_LEFT_OUT: Final = {0x901: "\u0902", 0x93C: None}
_TOLD = re.compile("[\u0370-\u03ff\u0600-\u06ff]")
_ALPHABETIC = re.compile(r"[a-z\u00df-\u024f\u0370-\u03ff\u0400-\u04ff]+")
# The script tells the language well enough to pick a stemmer; Latin script is taken for English.
_STEMMER_OF_SCRIPT: Final = (
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u04ff", "russian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
)


class _Stemmers(threading.local):
    """The stemmers of a thread: a Snowball stemmer has a buffer, and cannot be shared."""

    def __init__(self) -> None:
        """Start with that of English; another stemmer is made at its first word."""
        self.english: Callable[[str], str] = Stemmer.Stemmer("english", 0).stemWord
        self.made: dict[str, Callable[[str], str]] = {"english": self.english}

    def of(self, language: str) -> Callable[[str], str]:
        """This thread's stemmer of a language."""
        if language not in self.made:
            self.made[language] = Stemmer.Stemmer(language, 0).stemWord
        return self.made[language]


_STEMMERS = _Stemmers()


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The Snowball stem of a folded lower-case word, by its script; at most 64 characters are looked at."""
    first = word[:1]
    if first.isascii():
        return _STEMMERS.english(word[:MAX_WORD]) or word
    language = next((name for low, high, name in _STEMMER_OF_SCRIPT if low <= first <= high), "english")
    return _STEMMERS.of(language)(word[:MAX_WORD]) or word


def kindred(first: str, second: str) -> bool:
    """Whether two words may be forms of one: they share at least their first four letters, and seven tenths of the shorter word.

    Hebrew words may differ in a prefix, and Hindi words in marks that are often left out. Greek and Arabic have stemmers of their own,
    which have decided already.
    """
    if not first.isascii():
        if _HEBREW.match(first):
            return not _bare(first).isdisjoint(_bare(second))
        if _HINDI.match(first):
            return loosely(first) == loosely(second)
        if _TOLD.match(first):
            return False
    if first[:BEGINNING] != second[:BEGINNING] or len(first) < BEGINNING:
        return False
    shorter = min(len(first), len(second))
    same = next((place for place in range(shorter) if first[place] != second[place]), shorter)
    return same >= max(BEGINNING, _MOSTLY * shorter)


def heads(word: str) -> tuple[str, ...]:
    """The words that a compound may end in, which say what it is: "schlussel" of "hausschlussel", but not "stehen" of "verstehen"."""
    cuts = range(_BEFORE_HEAD_MIN, min(len(word), MAX_WORD) - _HEAD_MIN + 1)
    return tuple(word[cut:] for cut in cuts if word[:cut] not in _VERBAL)


def shared_beginning(word: str) -> str:
    """The letters with which all words kindred to this one begin; "" where they may begin otherwise."""
    varies = not word.isascii() and (_HEBREW.match(word) or _HINDI.match(word))
    return "" if varies else word[:BEGINNING]


def beginnings(word: str) -> tuple[str, ...]:
    """Beginnings of words, one of which is in every text (as `loosely` gives it) that has a word kindred to this one."""
    if not word.isascii() and _HEBREW.match(word):
        return tuple(form[:_BARE_MIN] for form in sorted(_bare(word)))
    return () if _TOLD.match(word) else (loosely(word)[:BEGINNING],)


def loosely(text: str) -> str:
    """The text with Hindi's two signs for a nasal vowel made one, and without the dots below letters."""
    return text if text.isascii() else text.translate(_LEFT_OUT)


def _bare(word: str) -> frozenset[str]:
    """A Hebrew word as it is, and without one or two prefixed letters, as long as three letters are left."""
    most = max(0, min(_PREFIXES, len(word) - _BARE_MIN))
    carried = next((place for place in range(most) if word[place] not in _JOINED_BEFORE), most)
    return frozenset(word[cut:] for cut in range(carried + 1))


@lru_cache(maxsize=1 << 14)
def subwords(word: str) -> tuple[str, ...]:
    """The stems of the words that a long word could be a compound of; none when its own stem has under 10 letters.

    Many languages write "Krankenversicherung" as one word and ask for "Versicherung". A cut leaves at least 4 letters on both
    sides, and what follows it can begin a syllable; before a vowel only after a consonant, and with 6 letters to come.
    """
    if not COMPOUND_MIN <= len(word) <= MAX_WORD or len(stem(word)) < COMPOUND_MIN or not _ALPHABETIC.fullmatch(word):
        return ()
    parts: dict[str, None] = {}
    for cut in range(_SUBWORD_MIN, len(word) - _SUBWORD_MIN + 1):
        if _can_begin(word, cut):
            left, right = word[:cut], word[cut:]
            parts[stem(left.removesuffix("s") if cut > _SUBWORD_MIN else left)] = parts[stem(right)] = None
    return tuple(parts)


def _can_begin(term: str, cut: int) -> bool:
    """Whether a word of a compound may begin at a cut."""
    if term[cut] in _VOWELS:
        return term[cut - 1] not in _VOWELS and len(term) - cut >= _VOWEL_INITIAL_MIN
    return term[cut + 1] in _VOWELS or term[cut : cut + 2] in _ONSETS or not term[cut].isascii()
