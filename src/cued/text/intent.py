"""Temporal intent: whether a cue asks about the past, the present, or neither (P11).

Two readings of the same words. `temporal_class` sorts any query into past, recent, future or atemporal, and also uses
hints: the tense of the question, a year against the present one, and topics that change by the day. `intent` is what bends
recency, so it needs a word that says so: markers alone, and the future counts as neutral, because nothing that is stored
has happened yet.
"""

import re
from datetime import UTC, datetime
from typing import Literal

from cued.model import Intent, Interval
from cued.text.times import times

TemporalClass = Literal["past", "recent", "future", "atemporal"]

_NUMBER = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|few|several|many|couple(?: of)?)"
_UNIT = (
    r"(?:minute|hour|day|night|week|weekend|month|quarter|year|decade|centur(?:y|ie)|fortnight|season|"
    r"summer|winter|spring|fall|autumn)s?"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"

# Words that say the time; for the class, the first match wins.
_MARKERS: tuple[tuple[TemporalClass, tuple[str, ...]], ...] = (
    (
        "future",
        (
            r"tomorrow|tonight|upcoming|forthcoming|next (?!to\b)\w+|in the future|will be|going to be|coming soon|someday",
            r"(?:days|weeks|months) from now",
        ),
    ),
    (
        "recent",
        (
            r"now(?!\s+and\s+then)|nowadays|currently|current|at the moment|at present|presently|lately|recently|recent|these days",
            r"today'?s?|still|latest|newest|up[ -]to[ -]date|so far|as of (?:now|today)|anymore|any more",
            r"this (?:week|month|morning|afternoon|evening)",
        ),
    ),
    (
        "past",
        (
            rf"yesterday|ago|last (?:{_UNIT}|{_WEEKDAY}|{_MONTH}|time)|(?:past|last) {_NUMBER} {_UNIT}|the past {_UNIT}|the other day",
            r"previous(?:ly)?|former(?:ly)?|originally|initially|at first|used to|back (?:then|when|in)|at th(?:at|e) time",
            r"in th(?:ose|e old) days|once upon|earlier|in the past|histor(?:y|ical|ically)|when (?:did|was|were|had)|first time",
            r"years? back",
        ),
    ),
)

# Hints, only where no marker is: what lies behind, what people look ahead to, what changes by the day, and tense.
_HINTS: tuple[tuple[TemporalClass, tuple[str, ...]], ...] = (
    (
        "past",
        (
            r"who (?:invented|discovered|founded|wrote|won|killed|built|created|started)|cause of death|born|died|death of",
            r"over the years|biograph(?:y|ies)|origins? of|first (?:ever|man|woman|person)|anniversary of|what happened",
            r"world war|civil war|invention of|ancient|medieval",
        ),
    ),
    (
        "future",
        (
            r"schedules?|forecasts?|predictions?|release dates?|coming out|odds|candidates?|countdown|will|when (?:is|are)",
            r"calendar|tickets|deadline|planned|expected|draft|premiere",
        ),
    ),
    (
        "recent",
        (
            r"weather|news|prices?|stocks?|shares?|rates?|scores?|live|traffic|headlines?|results?|standings|trend(?:s|ing|y)?",
            r"of the day|daily|breaking|status|updates?|hours|front page|near me|cost",
            r"new(?! york| zealand| jersey| orleans| mexico| delhi)",
        ),
    ),
    ("past", (r"did|was|were|had",)),
)
_YEAR = re.compile(r"\b(?:1[0-9]{3}|20[0-9]{2})\b")


def _compiled(table: tuple[tuple[TemporalClass, tuple[str, ...]], ...]) -> tuple[tuple[TemporalClass, re.Pattern[str]], ...]:
    return tuple((name, re.compile(rf"\b(?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE)) for name, patterns in table)


_MARKER_PATTERNS = _compiled(_MARKERS)
_HINT_PATTERNS = _compiled(_HINTS)
_INTENTS: dict[TemporalClass, Intent] = {"past": "past", "recent": "present"}


def intent(text: str) -> Intent:
    """The intent that the text's time words state: past, present, or neutral when they state none, both, or the future."""
    stated = [_INTENTS[name] for name, pattern in _MARKER_PATTERNS if name in _INTENTS and pattern.search(text)]
    return stated[0] if len(stated) == 1 else "neutral"


def temporal_class(text: str, *, now: datetime | None = None) -> TemporalClass:
    """The class of a query, past, recent, future or atemporal: by markers, by dates as read at `now`, and by hints."""
    return _first(_MARKER_PATTERNS, text) or _by_date(text, now) or _first(_HINT_PATTERNS, text) or "atemporal"


def _first(table: tuple[tuple[TemporalClass, re.Pattern[str]], ...], text: str) -> TemporalClass | None:
    return next((name for name, pattern in table if pattern.search(text)), None)


def _by_date(text: str, now: datetime | None) -> TemporalClass | None:
    if now is None:
        return None
    spans = [mention.interval for mention in times(text, now=now)]
    spans += [Interval(datetime(int(year), 1, 1, tzinfo=UTC), datetime(int(year) + 1, 1, 1, tzinfo=UTC)) for year in _YEAR.findall(text)]
    if not spans:
        return None
    if all(span.end <= now for span in spans):
        return "past"
    if all(span.start > now for span in spans):
        return "future"
    return _first(_HINT_PATTERNS, text) or "recent"
