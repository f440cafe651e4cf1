"""Whom and which one: the name that a cue asks about or a memory tells of, and what a number tells apart from others of its series."""

from functools import lru_cache
from itertools import dropwhile

from cued.text.patterns import pattern
from cued.text.stopwords import STOP_WORDS

_NAME = r"[A-Z][^\W\d_A-Z]+(?:\s[A-Z][^\W\d_A-Z]+){0,2}"
_ASKED = pattern(
    rf"\b(?:(?P<whose>{_NAME})['’]s?\s(?=\w)|(?:do|does|did|is|was|has|had|will|would|can|could|should)\s(?P<who>{_NAME})(?!\w))"
)
_TOLD = pattern(
    rf"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?\s)?(?P<name>{_NAME})(?:['’]s?\s(?=\w)|\s(?=(?:is|was|has|had|will|can|does|did|[a-z]+(?:s|ed))\b))"
)
_NOBODY = STOP_WORDS | frozenset("user users client customer assistant agent".split())
_NUMBERED = pattern(r"(?<![\w#])(?P<series>#|[A-Z]{2,8}-?)\d{3,}(?![\w-])")


def asked_about(cue: str) -> str:
    """Whom an English cue asks about by name ("Stefan" of "Who is Stefan's dentist?" and "Where does Stefan live?"), "" where nobody."""
    return next(filter(None, (_name(match["whose"] or match["who"]) for match in _ASKED.finditer(cue))), "")


@lru_cache(maxsize=1 << 14)
def told_about(text: str) -> str:
    """Of whom by name a memory tells from its first word on ("Maya" of "Maya's dentist moved." and "Maya lives here."), "" where not."""
    found = _TOLD.match(text)
    return _name(found["name"]) if found else ""


def _name(words: str) -> str:
    """The words without those before the name that only begin a sentence ("Is Maya")."""
    return " ".join(dropwhile(lambda word: word.lower() in _NOBODY, words.split()))


@lru_cache(maxsize=1 << 14)
def numbered(text: str) -> dict[str, frozenset[str]]:
    """What a text names by its number ("#48214", "LH1234", "OPS-482"), by the series: what stands before the number."""
    found: dict[str, frozenset[str]] = {}
    for match in _NUMBERED.finditer(text):
        found[match["series"]] = found.get(match["series"], frozenset()) | {match[0]}
    return found
