"""The choice of languages that a text is read by, and the reading."""

import re
from datetime import datetime
from functools import cache

from cued.text import scripts
from cued.text.times.found import Anchor
from cued.text.times.grammar import reduced
from cued.text.times.languages.atoms import LATIN, folded
from cued.text.times.languages.rules import STAGES
from cued.text.times.languages.spoken import SPOKEN
from cued.text.times.languages.time_words import lexicon
from cued.text.times.languages.tokenising import AHEAD, tokens
from cued.text.times.languages.triggers import LATIN_TRIGGERS
from cued.text.times.vocabulary import Token

# Han is read by the tables of both languages that write it; of those that share other scripts, by the likelier one.
_SCRIPTS = (
    (re.compile("[\u3040-\u30ff]"), ("ja",)),
    (re.compile("[\u3400-\u9fff]"), ("zh", "ja")),
    (re.compile("[\uac00-\ud7af]"), ("ko",)),
    (re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), ("el",)),
    (re.compile("[\u0590-\u05ff]"), ("he",)),
    (re.compile("[\u0e00-\u0e7f]"), ("th",)),
    (re.compile(scripts.MAYBE_VIETNAMESE), ("vi",)),
    (re.compile("[\u0600-\u06ff]"), ("ar",)),
    (re.compile("[\u0900-\u097f]"), ("hi",)),
)
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_LETTERS = re.compile(r"[^\W\d_]+")
# Everyday words or names elsewhere: they say a language only beside other words of it.
_DOUBTFUL = frozenset(
    "mars mart mai hier morgen ocak ekim pazar avril august april september november juli juni lente mei estate ete yaz "
    "aaj ar gar haal hafta hari helga jutro kal lata lato listopad listopada luty marca marts niedziela parso raat rabu saal sedan "
    "senin siden sist sobota".split()
)
_JOINS = frozenset(["the", "of", "in", "on", "and", "to", "from", "inpost"])


def languages_of(text: str) -> tuple[str, ...]:
    """The languages whose tables a text is read by: those of its scripts, and for Latin letters the likeliest but English."""
    found = dict.fromkeys(language for script, some in _SCRIPTS if script.search(text) for language in some)
    words = frozenset(_LETTERS.findall(folded(text)))
    cyrillic = _likeliest(_counts(words, ("ru", "uk"))) if _CYRILLIC.search(text) else ()
    return (*found, *cyrillic, *_latin(words))


def _latin(words: frozenset[str]) -> tuple[str, ...]:
    """The languages with the most of these words, if they have more than English has of its most common ones."""
    triggers = words & LATIN_TRIGGERS
    known = _counts(words, LATIN)
    most, english = max(known.values()), len(words & _common("en"))
    # without a word that only such a language has, more must speak for it: a date in digits is all there is to read
    if most < english or (triggers <= _DOUBTFUL and most - len(triggers) <= english):
        return ()
    return _likeliest(known)


def _counts(words: frozenset[str], languages: tuple[str, ...]) -> dict[str, int]:
    return {language: len(words & _known(language)) for language in languages}


def _likeliest(known: dict[str, int]) -> tuple[str, ...]:
    most = max(known.values())
    return tuple(language for language, count in known.items() if count == most)


@cache
def _common(language: str) -> frozenset[str]:
    return frozenset(folded(SPOKEN[language]["function"]).split())


@cache
def _known(language: str) -> frozenset[str]:
    return _common(language).union(folded(part) for phrase, _ in lexicon(language).phrases() for part in phrase)


@cache
def _joining(language: str) -> frozenset[str]:
    """The commonest words of a language with its articles and prepositions."""
    phrases = lexicon(language).phrases()
    return _common(language).union(folded(phrase[0]) for phrase, word in phrases if word.kind in _JOINS and len(phrase) == 1)


def function_words(text: str) -> frozenset[str]:
    """The function words of the languages that a text may be in."""
    return frozenset().union(*map(_joining, languages_of(text)))


def read(text: str, language: str, *, now: datetime, ahead: bool) -> list[Token]:
    """The tokens of a text in this language, each time expression as one of the kind `time`; its own words may also make it look ahead."""
    found = tokens(text, language)
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    ahead = ahead or any(token.kind in AHEAD or (token.kind in {"relday", "relunit"} and token.number > 0) for token in found)
    return reduced(found, Anchor(now, today, ahead), STAGES)
