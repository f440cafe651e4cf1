"""From text to tokens: words of time with their kinds and offsets, number words joined, ambiguous words decided."""

import re

from cued.text.remembered import Remembered
from cued.text.times.grammar import ENGLISH, needs
from cued.text.times.numbers import joined
from cued.text.times.stretches import JOINING, ORDINARY, TIME, stretches, telling
from cued.text.times.vocabulary import DOUBTFUL, FUNCTION_WORDS, HOLIDAY_NAMES, LABELS, MEASURES, VOCABULARY, Token

_TOKEN = re.compile(
    r"""
    (?=[\d$€£\#'’v])(?:  # most of a text begins with none of these, and is not tried for what does
        (?P<isoweek>(?<!\w)\d{4}-?w\d{1,2}\b)
      | (?P<iso>(?<![\w.-])\d{4}(?:-\d{1,2}-|/\d{1,2}/|\.\d{1,2}\.)\d{1,2}(?![\d-]|\.\d))
      | (?P<numeric>(?<![\w.-])(?:\d{1,2}(?:-\d{1,2}-|/\d{1,2}/)(?:\d{4}|\d{2})|\d{1,2}\.\d{1,2}\.\d{4})(?![\w/-]|\.\d))
      | (?P<yearmonth>(?<![\w./-])(?:[12]\d{3}\ ?[-/]\ ?[01]?\d|[01]?\d\ ?[-/]\ ?[12]\d{3})(?![\w/-]|\.\d))
      | (?P<monthday>(?<![\w./-])\d{1,2}/\d{1,2}(?![\w/-]|\.\d))
      | (?P<junk>[$€£\#]\s?\d[\d,.]*|\d{1,2}:\d{2}(?::\d{2})?|\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|v?\d+(?:\.\d+)+
          |\d+(?:-\d+){2,}|\d{5,}|\d+k\b)
      | (?P<decade>(?<!\w)(?:\d{3}0|['’]?\d0)['’]?s\b)
      | (?P<ordinal>(?<!\w)\d{1,2}(?:(?:st|nd|rd|th)\b|\.(?=\ (?:april|august|september|november)\b)))
      | (?P<number>\d{1,4}(?!\d)))
    | (?P<word>st\.|[qh][1-4]\b|[^\W\d_]+(?:['’][^\W\d_]*)?)
    | (?P<comma>,) | (?P<dash>[-–—]) | (?P<slash>/) | (?P<punct>[^\w\s]) | (?P<junk_character>\w)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PIECE = re.compile(r"\S+\s*|\s+")
_DIGITS = re.compile(r"\d+")
_APOSTROPHE = re.compile(r"['’.]")
_YEARS = range(1000, 3000)
_LEADS_IN = frozenset(["in", "of", "by", "since", "before", "after", "between", "from", "early", "around"])
_LEADS_IN_WEEKDAY = frozenset(["on", "last", "next", "this", "by", "since", "before", "after", "from", "until"])
_JOINS = frozenset(["to", "and", "dash"])
_POSSESSIVES = frozenset(["my", "your", "his", "her", "its", "our", "their", "that"])
_CLASSES = dict.fromkeys(FUNCTION_WORDS, "function") | dict.fromkeys(MEASURES, "measure") | dict.fromkeys(LABELS, "label")
_NUMERIC = frozenset(["number", "ordinal", "year"])
# Who does something is somebody: "Does June have children?"
_DONE = frozenset(["word", "function"])
_NEEDED = needs(ENGLISH)
_PASSIVE = frozenset(["word", "function", "measure", "label"])
_NAMES = [name for names in HOLIDAY_NAMES.values() for name in names]
_IN_NAMES = frozenset(["same", "time"]).union(*_NAMES)
"""Words that make a time only together with others."""
_TELLING = telling([*_NAMES, *([word] for word, known in VOCABULARY.items() if known.kind in _NEEDED)])
"""Words of which a time needs at least one, if it has no digit."""
_MARKS = ' \t\n.,;:!?()"*'


def tokens(text: str) -> list[Token]:
    """The tokens of the text in order, without ordinary words that are not next to a time."""
    read = stretches(_PIECE.findall(text), _TOLD)
    found = joined(_with_holidays(_with_same_time([_token(match) for start, end in read for match in _TOKEN.finditer(text, start, end)])))
    return [_decided(found, index, text) if token.word in DOUBTFUL or token.kind == "month" else token for index, token in enumerate(found)]


def _token(match: re.Match[str]) -> Token:
    kind, start, end = match.lastgroup or "junk_character", match.start(), match.end()
    if kind == "word":
        return _word(match.group(), start, end)
    if kind == "junk_character":
        return Token("junk", start, end)
    if kind in {"comma", "dash", "slash", "punct", "junk"}:
        return Token(kind, start, end)
    parts = tuple(int(digits) for digits in _DIGITS.findall(match.group()))
    if kind == "number" and parts[0] in _YEARS:
        kind = "year"
    mark = "." if kind == "numeric" and "." in match.group() else "0" if "0" in {match.group()[0], match.group()[-2:-1]} else ""
    return Token(kind, start, end, parts[0], mark, parts=parts)


def _word(raw: str, start: int, end: int) -> Token:
    plain = raw.lower()
    if not plain.isalpha():  # "week's" is a week, "mother's" is "mothers"
        owner = plain.removesuffix("'s").removesuffix("’s")
        plain = owner if owner in VOCABULARY and owner != "new" else _APOSTROPHE.sub("", plain)
    known = VOCABULARY.get(plain)
    if known is None:
        return Token(_CLASSES.get(plain, "word"), start, end, word=plain)
    return Token(known.kind, start, end, known.number, known.name, plain)


def _told(piece: str) -> str:
    """The class of a piece between two spaces, as `stretches` has them."""
    plain = piece.strip(_MARKS)
    if plain.isascii() and plain.isalpha():
        return _told_of([_word(plain, 0, 0)])
    return _told_of([_token(match) for match in _TOKEN.finditer(piece)])


def _told_of(found: list[Token]) -> str:
    if any(token.kind in _NEEDED or token.word in _TELLING for token in found):
        return TIME
    return ORDINARY if any(token.kind in _PASSIVE and token.word not in _IN_NAMES for token in found) else JOINING


_TOLD = Remembered(_told, most=1 << 14)


def _with_same_time(pieces: list[Token]) -> list[Token]:
    """The tokens with "this time" and "the same time" as one."""
    result: list[Token] = []
    for piece in pieces:
        if piece.word == "time" and result and (result[-1].kind == "this" or result[-1].word == "same"):
            result[-1] = Token("sametime", result[-1].start, piece.end)
        else:
            result.append(piece)
    return result


def _with_holidays(pieces: list[Token]) -> list[Token]:
    if HOLIDAY_NAMES.keys().isdisjoint(piece.word for piece in pieces):
        return pieces
    result: list[Token] = []
    index = 0
    while index < len(pieces):
        index = _take(pieces, index, result)
    return result


def _take(pieces: list[Token], index: int, result: list[Token]) -> int:
    for name in HOLIDAY_NAMES.get(pieces[index].word, ()):
        window = pieces[index : index + 2 * len(name)]
        words = [piece for piece in window if piece.kind != "dash"][: len(name)]
        if tuple(piece.word for piece in words) == name:
            result.append(Token("holiday", pieces[index].start, words[-1].end, name=" ".join(name)))
            return pieces.index(words[-1], index) + 1
    result.append(pieces[index])
    return index + 1


def _decided(found: list[Token], index: int, text: str) -> Token:
    token = found[index]
    before = found[index - 1] if index else None
    after = found[index + 1] if index + 1 < len(found) else None
    if token.word not in DOUBTFUL:
        is_time = not (before and after and before.word == "does" and after.kind in _DONE)
    else:
        is_time = _is_month(found, index, text) if token.kind == "month" else _is_weekday(token, before, after, text=text)
    return token if is_time else token._replace(kind="word")


def _is_month(found: list[Token], index: int, text: str) -> bool:
    token = found[index]
    after, beyond = [*found[index + 1 : index + 3], None, None][:2]
    if _is_day_number(after, token.word) and not _is_measure(beyond):
        return True
    if _is_hyphen(after) and _is_day_number(beyond, token.word):
        return True
    return index > 0 and (_is_led_in(found, index) or _is_capital(token, found[index - 1], text))


def _is_led_in(found: list[Token], index: int) -> bool:
    before, after = found[index - 1], found[index + 1] if index + 1 < len(found) else None
    if before.kind in _LEADS_IN or (before.kind in _NUMERIC and not before.word):
        return True
    if before.kind in _JOINS:
        return any(piece.kind in {"month", "year"} for piece in found[max(0, index - 6) : index])
    return before.kind in {"last", "next"} and (after is None or after.kind not in {"word", "in"})


def _is_capital(token: Token, before: Token, text: str) -> bool:
    is_written_so = token.word in {"may", "march"} and text[token.start] == "M" and text[token.start + 1].islower()
    is_surname = before.kind == "word" and text[before.start].isupper()
    is_subject = before.kind == "function" and before.word not in _POSSESSIVES
    return is_written_so and not is_surname and not is_subject and before.kind != "punct"


def _is_hyphen(token: Token | None) -> bool:
    return token is not None and token.kind in {"dash", "slash", "punct"}


def _is_measure(token: Token | None) -> bool:
    return token is not None and token.kind in {"measure", "unit"}


def _is_day_number(token: Token | None, month: str) -> bool:
    return token is not None and token.kind in _NUMERIC and (not token.word or " " in token.word or month not in {"may", "march"})


def _is_weekday(token: Token, before: Token | None, after: Token | None, *, text: str) -> bool:
    ends = after is None or after.kind in {"punct", "comma"}
    capital = text[token.start].isupper()
    if before is not None and before.kind in _LEADS_IN_WEEKDAY and (capital or ends):
        return True
    return capital and after is not None and (after.kind in {"comma", "month"} or (after.kind in _NUMERIC and not after.word))
