"""A text in one language as tokens of the grammar: phrases, the longest first, and numbers written in Han numerals."""

import re
from functools import cache

from cued.text import scripts
from cued.text.remembered import Remembered
from cued.text.times.grammar import needs
from cued.text.times.languages.atoms import Atom, atoms
from cued.text.times.languages.rules import STAGES
from cued.text.times.languages.time_words import Lexicon, lexicon
from cued.text.times.stretches import JOINING, ORDINARY, TIME, stretches, telling
from cued.text.times.vocabulary import Token

AHEAD = frozenset(["next", "hence", "will"])
"""The kinds that say that a text looks ahead."""
_PIECE = re.compile(rf"(?:[{scripts.UNSPACED}]|[^{scripts.UNSPACED}\s]+)\s*|\s+")
_DIGITS = re.compile(r"\d+")
_FIRST, _LAST = "\uac00", "\ud7af"
"""The syllables of Korean."""
_YEARS = range(1000, 3000)
_LIKELY_YEARS = range(1900, 2100)
_CENTURY = 100
_LATEST_TWO_DIGIT_YEAR = 49
_NUMERALS = {character: number for number, character in enumerate("〇一二三四五六七八九十")} | {"两": 2, "兩": 2, "零": 0}
_MONTH_MARKS = frozenset("月월")
_DAY_MARKS = frozenset("日号號일")
_MONTHS = range(1, 13)
# What the unit of a phrase such as "minggu lalu" is followed by, where a number stands before it.
_COUNTED = {"unitback": "ago", "unitbefore": "ago", "unitpast": "last"}
_NEEDED = needs(STAGES) | AHEAD | _COUNTED.keys()
_POINTERS = frozenset(["last", "this", "next"])
_POINTED = frozenset(["unit", "month", "monthnear", "weekday", "weekdaynear", "season"])
_ENDS = frozenset(["punct", "comma", "subject"])
_WORDS = frozenset(["word", "character"])


def tokens(text: str, language: str) -> list[Token]:
    """The tokens of the text in order, without ordinary words that are not next to a time."""
    words = lexicon(language)
    pieces = atoms(text, words.compared, stretches(_PIECE.findall(text), _told(language)))
    result: list[Token] = []
    index = 0
    while index < len(pieces):
        token, index = _next(pieces, index, words, inside=_is_inside(text, pieces[index], result))
        result.append(token)
    return _marked(_counted(_pointed(result) if words.behind else result))


@cache
def _told(language: str) -> Remembered[str]:
    """A function that says whether a piece of text can belong to a time in this language."""
    words = lexicon(language)
    in_phrases = {part for phrase, _ in words.phrases() for part in phrase}
    says_time = telling(phrase for phrase, word in words.phrases() if word.kind in _NEEDED) | _NUMERALS.keys()

    def told(piece: str) -> str:
        found = atoms(piece, words.compared)
        said = [(atom.folded, words.head(atom.folded)) for atom in found if atom.kind in _WORDS]
        if _DIGITS.search(piece) or any(word in says_time or head in says_time for word, head in said):
            return TIME
        return ORDINARY if any(not head and word not in in_phrases for word, head in said) else JOINING

    return Remembered(told, most=1 << 13)


def _is_inside(text: str, atom: Atom, before: list[Token]) -> bool:
    """Whether an atom stands in the middle of a Korean word, whose particles come last, and not behind a word of time."""
    if atom.start == 0 or not (_FIRST <= text[atom.start] <= _LAST and _FIRST <= text[atom.start - 1] <= _LAST):
        return False
    return before[-1].kind == "word"


def _next(pieces: list[Atom], index: int, words: Lexicon, *, inside: bool) -> tuple[Token, int]:
    atom = pieces[index]
    if atom.kind in _WORDS:
        return _phrase(pieces, index, words) if not inside else (Token("word", atom.start, atom.end), index + 1)
    if atom.kind == "number":
        number = _in_common_era(int(_DIGITS.findall(atom.folded)[0]), words)
        return Token("year" if number in _YEARS else "number", atom.start, atom.end, number), index + 1
    if atom.kind in {"iso", "numeric", "daymonth"}:
        return _digits(atom, words), index + 1
    return Token(atom.kind, atom.start, atom.end), index + 1


def _phrase(pieces: list[Atom], index: int, words: Lexicon) -> tuple[Token, int]:
    atom = pieces[index]
    head = words.head(atom.folded)
    for phrase, word in words.by_first.get(head, ()):
        after = _end(pieces, index, phrase)
        if after:
            return Token(word.kind, atom.start, pieces[after - 1].end, word.number, word.name, atom.folded), after
    if atom.folded in _NUMERALS:
        return _numeral(pieces, index)
    return Token("word", atom.start, atom.end, word=atom.folded), index + 1


def _end(pieces: list[Atom], index: int, phrase: tuple[str, ...]) -> int:
    """The place after a phrase that begins here, 0 where it does not; a hyphen may stand between its words."""
    place = index + 1
    for part in phrase[1:]:
        if place < len(pieces) and pieces[place].kind == "dash":
            place += 1
        if place >= len(pieces) or pieces[place].folded != part:
            return 0
        place += 1
    return place


def _numeral(pieces: list[Atom], index: int) -> tuple[Token, int]:
    """The number that a run of Han numerals writes: 十二 is 12, 二十 is 20, 二〇二三 is 2023."""
    place, digits, total, ten = index, 0, 0, False
    while place < len(pieces) and pieces[place].folded in _NUMERALS and pieces[place].start == pieces[index].start + place - index:
        value = _NUMERALS[pieces[place].folded]
        if value == 10:  # noqa: PLR2004 - the numeral for ten
            total, digits, ten = 10 * (digits or 1), 0, True
        else:
            digits = value if ten else 10 * digits + value
        place += 1
    number = total + digits
    return Token("year" if number in _YEARS else "number", pieces[index].start, pieces[place - 1].end, number, word="han"), place


def _in_common_era(number: int, words: Lexicon) -> int:
    """The number, as a year of the common era if it is one of the language's own calendar."""
    return number - words.era if number - words.era in _LIKELY_YEARS and number not in _LIKELY_YEARS else number


def _digits(atom: Atom, words: Lexicon) -> Token:
    """A date in digits as year, month and day, in the order in which the language writes them."""
    parts = [_in_common_era(int(digits), words) for digits in _DIGITS.findall(atom.folded)]
    if atom.kind == "iso":
        return Token("iso", atom.start, atom.end, parts=tuple(parts))
    day, month = parts[:2] if words.order == "dmy" else parts[1::-1]
    if month not in _MONTHS:
        day, month = month, day
    if atom.kind == "daymonth":
        return Token("daymonth", atom.start, atom.end, parts=(month, day))
    year = parts[2]
    if year < _CENTURY:
        year += 2000 if year <= _LATEST_TWO_DIGIT_YEAR else 1900
    return Token("iso", atom.start, atom.end, parts=(year, month, day))


def _pointed(pieces: list[Token]) -> list[Token]:
    """The tokens, with "last", "this" and "next" as ordinary words where they follow nothing that they can point at."""
    result: list[Token] = []
    for token in pieces:
        points = token.kind in _POINTERS and (not result or result[-1].kind not in _POINTED)
        result.append(token._replace(kind="word") if points else token)
    return result


def _counted(pieces: list[Token]) -> list[Token]:
    """The tokens with "minggu lalu" as last week, and behind a number as a unit and what counts it; a day has no such last one."""
    result: list[Token] = []
    for index, token in enumerate(pieces):
        if token.kind not in _COUNTED:
            result.append(token)
        elif not result or result[-1].kind not in {"number", "few"}:
            result.append(token._replace(kind="word") if token.name == "day" else token._replace(kind="relunit", number=-1))
        elif token.kind == "unitbefore" and index + 1 < len(pieces) and pieces[index + 1].kind not in _ENDS:
            result.append(token._replace(kind="word"))
        else:
            result += [token._replace(kind="unit"), Token(_COUNTED[token.kind], token.end, token.end)]
    return result


def _marked(pieces: list[Token]) -> list[Token]:
    """The tokens with 2023年, 12月 and, behind a month, 3日 as one token each; so for 년, 월 and 일."""
    result: list[Token] = []
    for token in pieces:
        last = result[-1] if result else None
        if last is None or token.kind != "unit" or (kind := _mark(last, token, result[-2] if len(result) > 1 else None)) is None:
            result.append(token)
        else:
            result[-1] = last._replace(kind=kind, end=token.end, name="marked")
    return result


def _mark(number: Token, mark: Token, before: Token | None) -> str | None:
    if number.kind == "year" and mark.name == "year":
        return "year"
    if number.kind != "number" or number.end + 1 < mark.start:
        return None
    if mark.word in _MONTH_MARKS and number.number in _MONTHS:
        return "month"
    return "number" if mark.word in _DAY_MARKS and before is not None and before.kind == "month" else None
