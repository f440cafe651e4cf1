"""The values in a row of words: amounts with their units, times of day, dates, and codes such as a phone number."""

import re
from itertools import takewhile
from typing import NamedTuple

from msgspec.structs import replace

from cued.text.claims.lexicon import Lexicon
from cued.text.claims.sentences import TEXT, ClauseWord, acting, code_of

_AMOUNT = re.compile(r"([$€£¥₹]?)(\d[\d.,]*?)([a-z%°]*)$")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(am|pm)?$")
_HOUR = re.compile(r"(\d{1,2})(am|pm|h)$")
_DAY = re.compile(r"(\d{1,2})(st|nd|rd|th)$")
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})$")
_PLAIN = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?$")
_MAX_DIGITS = 9
_THOUSAND = len("000")
_YEARS = range(1900, 2100)
_DAYS = range(1, 32)
_HOURS = range(1, 25)
_NOON = 12
_HALVES = {"am": 0, "pm": _NOON}
# Stands in a clause where a value stood, so that the words around it keep their order.
_PLACE = ClauseWord("#", "#", "value", code=code_of("value"))
_VALUED = frozenset({"number", "date", "code", "time"})


class Value(NamedTuple):
    """A value of one kind (weekday, month, day, time, year, code, or an amount's dimension or counted noun)."""

    kind: str
    value: str


def values(words: list[ClauseWord], lexicon: Lexicon, *, subject_end: int = 0) -> tuple[list[Value], list[Value], list[ClauseWord]]:
    """The values of a clause, those after a word such as "from", and the remaining words.

    A number behind a noun of the subject is part of its name, as in "room 4B seats six".
    """
    found: list[Value] = []
    behind: list[Value] = []
    left: list[ClauseWord] = []
    at = 0
    while at < len(words):
        taken = 0
        if at < subject_end and at and words[at].role == "number" and words[at - 1].role == "word":
            left.append(acting(words[at], "word"))
            at += 1
            continue
        if words[at].role in _VALUED:
            value, taken = _value(words, at, lexicon)
            (behind if at and words[at - 1].role in {"from", "instead"} else found).extend(value)
        if taken:
            left.append(_PLACE)
            at += taken
        else:
            left.append(words[at])
            at += 1
    return found, behind, left


def _value(words: list[ClauseWord], at: int, lexicon: Lexicon) -> tuple[list[Value], int]:
    word = words[at]
    if word.role == "code":
        return [Value("code", word.text)], 1
    if word.text in lexicon.weekdays:
        return [Value("weekday", str(lexicon.weekdays[word.text]))], 1
    if word.role == "time":
        return _named_time(words, at, lexicon)
    if word.text in lexicon.months:
        return _month(words, at, lexicon)
    groups = list(takewhile(_is_digits, map(TEXT, words[at:])))
    return _grouped(words, at, groups, lexicon) if len(groups) > 1 else _number(words, at, lexicon)


def _named_time(words: list[ClauseWord], at: int, lexicon: Lexicon) -> tuple[list[Value], int]:
    """The time of "noon", "midnight" or "half past seven", and how many words it takes; None for other words of time."""
    text = words[at].text
    if text in lexicon.noons:
        return [Value("time", lexicon.noons[text])], 1
    if text in lexicon.hour_parts and _text(words, at + 1) in {"past", "to"}:
        hour = _whole(_text(words, at + 2), lexicon)
        if hour is not None:
            minutes = lexicon.hour_parts[text] * (1 if words[at + 1].text == "past" else -1)
            return _times(str(hour), minutes), 3
    return [], 0


def _month(words: list[ClauseWord], at: int, lexicon: Lexicon) -> tuple[list[Value], int]:
    """The value of "March 14th", "March 2027" or "March", and how many words it takes."""
    month = lexicon.months[words[at].text]
    following = _text(words, at + 1)
    day = _DAY.match(following)
    number = int(day[1]) if day else _whole(following, lexicon)
    if number in _DAYS:
        return [Value("day", f"{month}-{number}")], 2
    return [Value("month", str(month))], 1


def _number(words: list[ClauseWord], at: int, lexicon: Lexicon) -> tuple[list[Value], int]:
    text = words[at].text
    clock, hour, day, iso = _CLOCK.match(text), _HOUR.match(text), _DAY.match(text), _ISO.match(text)
    if iso:
        return [Value("day", f"{int(iso[2])}-{int(iso[3])}"), Value("year", iso[1])], 1
    if clock:
        suffix = clock[3] or _text(words, at + 1)
        return _times(clock[1], int(clock[2]), half=suffix), 2 if not clock[3] and suffix in _HALVES else 1
    if hour:
        return _times(hour[1], half=hour[2]), 1
    of = 2 if _text(words, at + 1) == "of" else 1
    number = int(day[1]) if day else _whole(text, lexicon)
    if number in _DAYS and _text(words, at + of) in lexicon.months:
        return [Value("day", f"{lexicon.months[_text(words, at + of)]}-{number}")], of + 1
    if day:
        return [Value("day", f"?-{day[1]}")], 1
    return _amount(words, at, lexicon)


def _grouped(words: list[ClauseWord], at: int, groups: list[str], lexicon: Lexicon) -> tuple[list[Value], int]:
    """The one value of several groups of digits: a code such as a phone number, or an amount written in thousands."""
    whole = "".join(groups)
    if groups[0].startswith("0") or len(groups[0]) > _THOUSAND or any(len(group) != _THOUSAND for group in groups[1:]):
        return [Value("code", whole)], len(groups)
    value, taken = _amount([*words[:at], replace(words[at], text=whole), *words[at + len(groups) :]], at, lexicon)
    return value, taken + len(groups) - 1


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _amount(words: list[ClauseWord], at: int, lexicon: Lexicon) -> tuple[list[Value], int]:
    text, following = words[at].text, _text(words, at + 1)
    number = _whole(text, lexicon)
    if number is not None and number in _HOURS:
        if following in _HALVES:
            return _times(str(number), half=following), 2
        if at and words[at - 1].text == "at" and following not in lexicon.units:
            return _times(str(number)), 1
    if number is not None and number in _YEARS and following not in lexicon.units and text.isdigit():
        return [Value("year", str(number))], 1
    read = _AMOUNT.match(text)
    if number is None and not read:
        return [Value("code", text)], 1
    return _with_unit(words, at, number, read, lexicon)


def _with_unit(
    words: list[ClauseWord], at: int, number: int | None, read: re.Match[str] | None, lexicon: Lexicon
) -> tuple[list[Value], int]:
    sign, digits, suffix = (read[1], read[2], read[3]) if read else ("", str(number), "")
    plain = digits.replace(",", "").rstrip(".")
    if suffix == "k" and _PLAIN.match(plain):
        plain, suffix = str(round(float(plain) * 1000)), ""
    following = _text(words, at + 1)
    if suffix and suffix not in lexicon.units and suffix != "x":
        return [Value("code", words[at].text)], 1
    for name, taken in ((sign, 1), (suffix, 1), (following, 2)):
        unit = lexicon.units.get(name)
        if unit is not None and _text(words, at + taken) == lexicon.aged[1]:
            return [Value("age", plain)], taken + 1
        if unit is not None:
            return [Value(unit[0], f"{plain} {unit[1]}")], taken
    turned = at > 0 and words[at - 1].key == lexicon.aged[0]
    return [Value("age" if turned else "count", plain)], 1


def _whole(text: str, lexicon: Lexicon) -> int | None:
    plain = text.replace(",", "")
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) <= _MAX_DIGITS else lexicon.numbers.get(text)


def _times(hour: str, minutes: int = 0, *, half: str = "") -> list[Value]:
    """The times of day that are meant; for an hour from 1 to 12 both, because 3 and 15:00 may mean the same."""
    early = int(hour) % _NOON
    sure = _HALVES[half] if half in _HALVES else _NOON * (int(hour) // _NOON % 2) if hour.startswith("0") or int(hour) > _NOON else None
    moments = [(hours * 60 + minutes) % (2 * _NOON * 60) for hours in ((early, early + _NOON) if sure is None else (early + sure,))]
    return [Value("time", f"{moment // 60}:{moment % 60:02d}") for moment in moments]


def _text(words: list[ClauseWord], at: int) -> str:
    return words[at].text if at < len(words) else ""
