"""Identifiers: the whole of one as a term of its own, marked "=", and its parts as ordinary words."""

import re
from typing import Final

from cued.text.patterns import pattern
from cued.text.stemming import stem
from cued.text.stopwords import STOP_WORDS

MAX_WHOLE = 128
_MARK: Final = "="
_MAX_RUNS = 4
_STRONG = pattern(r"[/\\:@]+")
_WEAK = pattern(r"[._\-&]+")
_CAMEL = pattern(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_ODD = pattern(r"[\d_.\-/\\:@&+#]")
_RUNS = pattern(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_SHORT_PREFIX = pattern(r"[^\W\d_]{1,2}-[^\W\d_]+")
_ORDINAL = pattern(r"(\d+)(?:st|nd|rd|th)")
_VERSION = pattern(r"v?((\d+\.\d+)(?:\.\d+)+(?:[-+.]?[a-z]+[\d.]*)?)")
_NUMBERS = pattern(r"\d+(?:[.:/-]\d+)+")
_INITIALS = pattern(r"[^\W\d_](?:\.[^\W\d_]){1,9}")
_SCHEMES: Final = frozenset({"http", "https", "www"})
_LONG_NUMBER = 4


def is_plain(piece: str) -> bool:
    """Whether a piece is an ordinary word or number, without joints, inner capitals or digits among letters."""
    return piece.isdecimal() or not (_ODD.search(piece) or (piece.isascii() and _CAMEL.search(piece)))


def identifier_terms(piece: str) -> list[str]:
    """The terms of an identifier: itself, its segments and their parts; a version also without its "v" and patch."""
    lower = piece.casefold()
    if version := _VERSION.fullmatch(lower):
        return list(dict.fromkeys((*_whole(lower), *_whole(version[1]), *_whole(version[2]))))
    if _NUMBERS.fullmatch(lower):
        return [*_whole(lower), *(part for part in re.split(r"\D", lower) if len(part) >= _LONG_NUMBER)]
    if _INITIALS.fullmatch(lower):
        return [lower.replace(".", "")]
    segments = [segment for segment in _STRONG.split(piece) if segment]
    terms = _whole(lower) if len(segments) > 1 else []
    for segment in segments:
        terms += _segment_terms(segment)
    return terms


def _whole(lower: str) -> list[str]:
    """The term of a whole identifier; none when it is too long for anyone to type it."""
    return [_MARK + lower] if len(lower) <= MAX_WHOLE else []


def _segment_terms(segment: str) -> list[str]:
    """The terms of a segment between slashes, colons or @: itself and its parts."""
    parts = [part for part in _WEAK.split(segment) if part]
    if len(parts) == 1:
        return _part_terms(parts[0])
    terms = _whole(segment.casefold())
    if _SHORT_PREFIX.fullmatch(segment):
        # "e-mail" and "wi-fi" are written "email" and "wifi" as often.
        return [*terms, stem("".join(parts).casefold()), *_part_terms(parts[1])]
    for part in parts:
        terms += _part_terms(part)
    return terms


def _part_terms(part: str) -> list[str]:
    """The terms of one run of letters and digits; nothing for a function word or a scheme."""
    lower = part.casefold()
    if is_plain(part):
        return [] if lower in STOP_WORDS or lower in _SCHEMES else [stem(lower)]
    if ordinal := _ORDINAL.fullmatch(lower):
        return [ordinal[1]]
    runs = _RUNS.findall(part)
    if lower.isalpha():
        # Many write "youtube" for "YouTube", and that is an ordinary word with an ordinary stem.
        runs = [lower, *(run for run in runs if len(run) > 1)]
    elif len(runs) > _MAX_RUNS or any(len(run) == 1 and run.isalpha() for run in runs):
        # "0x7fff" and "4o" mean nothing in pieces; "30km" and "utf8" do.
        runs = []
    words = (run.casefold() for run in runs)
    return [*_whole(lower), *dict.fromkeys(stem(word) for word in words if word not in STOP_WORDS)]
