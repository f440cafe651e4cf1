"""Entities by rules: names, identifiers, paths, hosts, quotations, tags, addresses, versions and amounts, in one normal form."""

import re
import string
from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

from cued.text.patterns import pattern
from cued.text.remembered import Remembered
from cued.text.scripts import fold
from cued.text.stopwords import CALENDAR, NAMES_IN_CAPITALS, STARTERS, STOP_WORDS, TITLES

MAX_ENTITIES = 64
_NAME_PART_MIN = 3
_MAX_SCANNED = 20_000

_UPPER = r"A-Z\u0391-\u03a9\u0400-\u042f\u0531-\u0556"
_GOES_ON = r"\w*+(?:[-'&]\w++)*+"
_CAPITALISED = rf"[{_UPPER}]{_GOES_ON}"
_TITLE = rf"(?:(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|[{_UPPER}])\.(?=[ \t]*[{_UPPER}]))"
_PARTICLE = r"(?:(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|ten|ter|bin|ibn|al|of|of[ \t]+the)[ \t]+)"
# A capital comes first, so that the engine looks for one and tries nowhere else; it begins a title, or else a name itself.
_FIRST = rf"[{_UPPER}](?<![\w#@/\\.$-].)"
_TITLE_ENDS = rf"(?:(?<=[DMJ])r|(?<=M)rs|(?<=M)s|(?<=P)rof|(?<=S)t)?\.(?=[ \t]*[{_UPPER}])[ \t]*(?:{_TITLE}[ \t]*)*{_CAPITALISED}"
_NAMES = pattern(rf"{_FIRST}(?:{_TITLE_ENDS}|{_GOES_ON})(?:[ \t]+{_PARTICLE}{{0,2}}(?:{_TITLE}[ \t]*)*{_CAPITALISED})*")
_SENTENCE_ENDS: Final = ".!?:;…—•>|\n"
_OPENERS: Final = " \t\"'“„«(*_-"
_BEFORE = 12

_UNITS: Final = {
    "km": "km", "kilometer": "km", "kilometre": "km", "m": "m", "meter": "m", "metre": "m", "cm": "cm", "mm": "mm", "mi": "mi",
    "mile": "mi", "ft": "ft", "feet": "ft", "foot": "ft", "inch": "in", "inches": "in", "yard": "yd", "kg": "kg", "kilo": "kg",
    "kilogram": "kg", "g": "g", "gram": "g", "mg": "mg", "lb": "lb", "pound": "lb", "oz": "oz", "ounce": "oz", "l": "l", "liter": "l",
    "litre": "l", "ml": "ml", "gallon": "gal", "cup": "cup", "tbsp": "tbsp", "tsp": "tsp", "kb": "kb", "mb": "mb", "gb": "gb",
    "tb": "tb", "kib": "kib", "mib": "mib", "gib": "gib", "hz": "hz", "khz": "khz", "mhz": "mhz", "ghz": "ghz", "mph": "mph",
    "km/h": "km/h", "kmh": "km/h", "ms": "ms", "rpm": "rpm", "kw": "kw", "kwh": "kwh", "calorie": "kcal", "kcal": "kcal", "px": "px",
    "fps": "fps", "dpi": "dpi", "percent": "%", "%": "%", "dollar": "$", "usd": "$", "euro": "€", "eur": "€", "gbp": "£", "yen": "¥",
    "°c": "°c", "°f": "°f",
}  # fmt: skip
_UNIT = "|".join(sorted((re.escape(unit) for unit in _UNITS), key=len, reverse=True))
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
# Most of a text is plain words, which are nothing by their spelling and are passed over in one go with what stands between them.
# What ends them here is what an alternative below can begin with or go on through. Words with spaces between them are tried first.
# A word has four hyphens at most here: a long row of them is not to be read to its end from each of them.
_WORD = r"[A-Z]*+[a-z]*+"
_BETWEEN = r"(?:[^\w.+\-@/\\:\#~$€£¥]++|:(?![/\\])|\.(?!\S))++"
_PLAIN = rf"(?-i:(?:[A-Za-z][a-z]*+[ ,]++|{_WORD}(?:-{_WORD}){{0,4}}+{_BETWEEN})++)"
_STRUCTURED = pattern(
    rf"""(?P<plain>{_PLAIN})
    |(?P<host>\bhttps?://(?:www\.)?[^\s/?\#<>"')\]]+)(?:[/?\#][^\s<>"']*)?
    |(?P<email>[\w.+-]{{1,64}}@[\w-]{{1,64}}(?:\.[\w-]{{1,64}})+)
    |(?P<tag>(?<![\w&])[\#@]\w*[^\W\d]\w*(?:[.-]\w+)*)
    |(?P<path>(?<![\w/\\.])(?:~/[\w.-]{{1,64}}|(?:[A-Za-z]:\\|\.{{1,2}}/|/)?[\w.-]{{1,64}}(?=[/\\]))(?:[/\\][\w.@-]{{0,64}}\w)*)
    |(?P<version>\bv\d+(?:\.\d+)*(?:-[a-z][\w.]*)?\b|\b\d+\.\d+(?:\.\d+)+(?:-[a-z][\w.]*)?\b)
    |(?P<money>[$€£¥][ ]?{_NUMBER}(?:[ ]?(?:k|m|bn|thousand|million|billion)\b)?)
    |(?P<amount>(?<![\w.,]){_NUMBER}[ ]?(?:{_UNIT})s?(?![\w/]))
    |(?P<identifier>\b\w+(?:[-.]\w+)*(?:\(\))?)""",
    re.VERBOSE | re.IGNORECASE,
)
_INNER = r"([^{0}\x00-\x1f]{{1,60}})"
_QUOTES: Final = (('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("`", "`"), ("「", "」"), ("『", "』"), ("《", "》"))
_QUOTED = pattern(
    "|".join(f"{opening}{_INNER.format(closing)}[{closing}]" for opening, closing in _QUOTES) + r"|'(?<![\w']')([^'\x00-\x1f]{1,60})'(?!\w)"
)
_SUFFIXES = "py|ts|js|tsx|jsx|json|toml|yaml|yml|md|txt|html|css|rs|go|java|c|h|cpp|sh|sql|csv|pdf|png|jpg|com|org|net|io|ai|dev"
_IDENTIFIER = pattern(rf".*\w_+\w.*|.*[a-z][A-Z].*|(?=.*[A-Za-z])(?=.*\d).*|.*\w\.(?:{_SUFFIXES})")
_UNREMARKABLE = pattern(r"\d+(?:st|nd|rd|th|s|am|pm|x|k|d|h|hr|hrs|min|mins|sec|yr|yrs)|\d+(?:-[a-z]+)+", re.IGNORECASE)
_FILE = pattern(rf".*\.(?:{_SUFFIXES})", re.IGNORECASE)
_POSSESSIVE = pattern(r"'s\b|'(?!\w)", re.IGNORECASE)
_INITIAL = pattern(r"\b([^\W\d_])\.")
_EDGES: Final = " \t.,;:!?\"'()[]{}"
_MAX_IDENTIFIER = 64
_PATH_DEPTH = 2


def entities(text: str) -> tuple[str, ...]:
    """The distinct entities of a text in normal form as first seen, at most 64; the first 20,000 characters are read.

    A name of several words gives its words too: "Melanie Smith" is stored and "Melanie" is asked for.
    """
    scanned = text[:_MAX_SCANNED]
    folded = scanned if scanned.isascii() else fold(scanned)
    found = [*_structured(folded), *_quotations(folded)]
    if not folded.isupper():
        found += _names(folded)
    found.sort(key=itemgetter(0))
    normal = dict.fromkeys(_NORMAL[entity] for _, entity in found)
    normal.pop("", None)
    return tuple(normal)[:MAX_ENTITIES]


def _normal(entity: str) -> str:
    """The form in which entities are equal: lower case, single spaces, no possessive and no punctuation at the ends."""
    return " ".join(_without_possessive(entity).casefold().split()).strip(_EDGES)


_NORMAL = Remembered(_normal, most=1 << 14)


def _structured(text: str) -> Iterator[tuple[int, str]]:
    """The entities that their spelling marks as such, with their positions."""
    for match in _STRUCTURED.finditer(text):
        kind = match.lastgroup or "identifier"
        if kind == "plain":
            continue
        found = match[kind]
        if kind == "identifier":
            if len(found) <= _MAX_IDENTIFIER and _IDENTIFIER.fullmatch(found) and not _UNREMARKABLE.fullmatch(found):
                yield match.start(), found
        else:
            for entity in _SPELT[kind](found):
                yield match.start(), entity


def _host(url: str) -> list[str]:
    """The host of a URL."""
    return [url.partition("://")[2].lower().removeprefix("www.")]


def _path(path: str) -> list[str]:
    """A path and its last name; "and/or" is none."""
    parts = [part for part in re.split(r"[/\\]", path) if part]
    if not (_FILE.fullmatch(path) or len(parts) > _PATH_DEPTH or path[0] in "/~." or path[1:2] == ":"):
        return []
    return [path, parts[-1]] if _FILE.fullmatch(parts[-1]) else [path]


def _amount(found: str) -> list[str]:
    """A number with its unit in one spelling: "5 kilometres" and "5km" are "5 km", "20 dollars" is "$20"."""
    number = found.rstrip(_NOT_DIGITS)
    unit = found[len(number) :].strip().casefold()
    symbol = _UNITS[unit] if unit in _UNITS else _UNITS[unit.removesuffix("s")]
    number = number.replace(",", "")
    if symbol in _CURRENCIES:
        return [symbol + number]
    return [number + symbol] if symbol == "%" else [f"{number} {symbol}"]


_NOT_DIGITS: Final = string.ascii_letters + "%°/ "
_CURRENCIES: Final = "$€£¥"
_SPELT: Final = {
    "host": _host,
    "email": lambda found: [found],
    "tag": lambda found: [found],
    "path": _path,
    "version": lambda found: [found.casefold().removeprefix("v")],
    "money": lambda found: [found.replace(",", "").replace(" ", "")],
    "amount": _amount,
}


def _quotations(text: str) -> Iterator[tuple[int, str]]:
    """The quotations, with their positions."""
    if text.isascii() and not ("'" in text or '"' in text or "`" in text):
        return
    for match in _QUOTED.finditer(text):
        yield match.start(), match[match.lastindex or 0]


def _names(text: str) -> Iterator[tuple[int, str]]:
    """The capitalised runs that are names, and the single words of the longer ones, with their positions."""
    for match in _NAMES.finditer(text):
        words = match[0].split()
        first = _CAPITALS[words[0]]
        if first.ordinary and len(words) == 1:
            continue
        opening = _opens_sentence(text, match.start())
        while words and (first := _CAPITALS[words[0]]).is_ordinary(opening=opening):
            words = words[1:]
        if not words or (len(words) == 1 and opening and _is_common_noun(first.plain, text)):
            continue
        name = " ".join(words)
        yield match.start(), _INITIAL.sub(r"\1", name) if "." in name else name
        if len(words) > 1:
            for word in words:
                part = _CAPITALS[word]
                if word[0].isupper() and len(part.plain) >= _NAME_PART_MIN and not part.is_ordinary(opening=True):
                    yield match.start(), word


_INSIDE: Final = (STOP_WORDS | CALENDAR | TITLES) - {"will"}
_OPENING: Final = _INSIDE | STARTERS | {"will"}
_GERUND_MIN = 7
_LOOKED_AT = 8


class _Capitalised(NamedTuple):
    """A capitalised word as it is in the lists of ordinary words, and whether it is ordinary inside a sentence, or at its start."""

    plain: str
    ordinary: bool
    ordinary_opening: bool

    def is_ordinary(self, *, opening: bool) -> bool:
        """Whether the word is ordinary, and by itself no name."""
        return self.ordinary_opening if opening else self.ordinary


def _capitalised(word: str) -> _Capitalised:
    """The word with whether it is ordinary; "US", "IT" and "WHO" in capitals are names."""
    written = _without_possessive(word)
    plain = written.casefold().replace("'", "").strip(".")
    if len(plain) == 1 or written in NAMES_IN_CAPITALS:
        return _Capitalised(plain, ordinary=len(plain) == 1, ordinary_opening=len(plain) == 1)
    return _Capitalised(plain, ordinary=plain in _INSIDE, ordinary_opening=plain in _OPENING)


_CAPITALS = Remembered(_capitalised, most=1 << 14)


def _is_common_noun(plain: str, text: str) -> bool:
    """Whether the lone first word of a sentence is ordinary: a verb's -ing, or seen in lower case elsewhere."""
    if plain.endswith("ing") and len(plain) >= _GERUND_MIN:
        return True
    # Most are told without the set of all words, which takes longer than the rest.
    at = text.find(plain)
    for _ in range(_LOOKED_AT):
        if at < 0:
            return False
        end = at + len(plain)
        if (not at or text[at - 1].isspace()) and (end == len(text) or text[end].isspace()):
            return True
        at = text.find(plain, end)
    return plain in _words_of(text)


@lru_cache(maxsize=1)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _without_possessive(words: str) -> str:
    return _POSSESSIVE.sub("", words) if "'" in words else words


def _opens_sentence(text: str, at: int) -> bool:
    """Whether a position begins a sentence, a line or a quotation, where every word has a capital."""
    if at > 1 and text[at - 1] == " " and text[at - 2].isalnum():
        return False
    before = text[max(0, at - _BEFORE) : at].rstrip(_OPENERS)
    return not before or before[-1] in _SENTENCE_ENDS
