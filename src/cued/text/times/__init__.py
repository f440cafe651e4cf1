"""Time expressions of a text as intervals: `times("what did I do last week", now=…)`, in English and twenty-three other languages.

Pure: nothing here reads a clock. A date without a year or a week means the latest one that has begun, unless the text
looks ahead ("next", "will", "tomorrow"). Above: the cue's temporal channel. Below: `tokens` (words to kinds), `grammar`
(kinds to rules), `dated`, `counted` and `combine` (rules to spans), `almanac` and `holidays` (the calendar), and `languages` for all but
English.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from cued.model import EPOCH, Interval
from cued.text.patterns import pattern
from cued.text.scripts import MAYBE_VIETNAMESE, fold
from cued.text.times.languages.triggers import LATIN_TRIGGERS
from cued.text.times.vocabulary import TRIGGERS, Token

__all__ = ["Mention", "coming", "loose", "times", "told_ahead"]

_WORD = pattern(r"[a-z]+|\d")
_TRIGGERS = TRIGGERS | frozenset("0123456789")
_OTHER_SCRIPT = pattern(
    "[\u0370-\u03ff\u0400-\u04ff\u0590-\u06ff\u0900-\u097f\u0e00-\u0e7f\u1f00-\u1fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
_MAYBE_VIETNAMESE = pattern(MAYBE_VIETNAMESE)
_DIGITS_DATE = pattern(r"\d[./-]\d\d?[./-]\d\d")  # of which languages differ in what comes first
_YEAR = pattern(r"(?<!\d)[12]\d{3}(?!\d)")
# "Will" at the start may be somebody, unless who or what will be comes after it.
_FUTURE = pattern(
    r"\W(?:(?:next(?! to\b)|upcoming|coming|tomorrow|will|shall|gonna|must(?! have\b)|should (?:I|we)(?! have\b))\b|(?<=['’])ll\b"
    r"|(?:am|is|are|(?<=['’])(?:m|s|re)) (?:going to|planned|scheduled|due|happening)\b"
    r"|(?:am|are|is) (?:I|we|you|he|she|they|[A-Z]\w+) \w+ing\b"
    r"|[Dd]o(?:es)? \w+ have (?:to|(?:anything |something )?(?:on|planned|scheduled))\b"
    r"|(?<=^ )(?:Will|Shall) (?:I|we|you|he|she|it|they|there|the|my|our)\b)"
)
"""Words that look ahead, with the space before them."""
_COMING = pattern(r"(?i)\W(coming up(?! (?:to|with|from|against)\b)|upcoming)\b")
_DAY, _SOON, _LATEST = timedelta(days=1), timedelta(weeks=4), datetime.max.replace(tzinfo=UTC)


class Mention(Struct, frozen=True, kw_only=True):
    """A date or period in a text: its place, the time that it means, and by how many days it may be off.

    It is `named` if it is given by the calendar ("6 October", "in June", "2025"), and not by its distance from now.
    """

    start: int
    end: int
    text: str
    interval: Interval
    slack_days: int = 0
    named: bool = False


def times(text: str, *, now: datetime, ahead: bool = False) -> tuple[Mention, ...]:
    """Every date and period in the text, in order, as meant at `now`; with `ahead` the text is read as one that looks ahead."""
    words = _WORD.findall(text.lower())
    here = now.astimezone(UTC)
    if text.isascii() and LATIN_TRIGGERS.isdisjoint(words) and _DIGITS_DATE.search(text) is None:
        return () if _TRIGGERS.isdisjoint(words) else _mentions(text, _english(text, here, ahead=ahead))
    found = _elsewhere(text, here, ahead=ahead)
    return found or (() if _TRIGGERS.isdisjoint(words) else _mentions(text, _english(text, here, ahead=ahead)))


def coming(text: str, *, now: datetime) -> tuple[Mention, ...]:
    """The coming weeks, for a text that asks what is "coming up" and names no date."""
    here = now.astimezone(UTC)
    soon = Interval(here, here + min(_SOON, _LATEST - here))
    found = ((match.start(1) - 1, match.end(1) - 1) for match in _COMING.finditer(f" {text}"))
    return tuple(Mention(start=start, end=end, text=text[start:end], interval=soon) for start, end in found)


def _english(text: str, now: datetime, *, ahead: bool) -> list[Token]:
    from cued.text.times.found import Anchor  # noqa: PLC0415 - a recall that speaks of no time does not pay for the grammar
    from cued.text.times.grammar import reduced  # noqa: PLC0415
    from cued.text.times.tokens import tokens  # noqa: PLC0415

    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return reduced(tokens(text), Anchor(now, today, ahead or _FUTURE.search(f" {text}") is not None))


def _elsewhere(text: str, now: datetime, *, ahead: bool) -> tuple[Mention, ...]:
    """The times in a text of another language; the tables are only loaded for a text that may be in one."""
    signs = (_OTHER_SCRIPT, _MAYBE_VIETNAMESE, _DIGITS_DATE)
    if not any(sign.search(text) for sign in signs) and LATIN_TRIGGERS.isdisjoint(_WORD.findall(fold(text).lower())):
        return ()
    from cued.text.times.languages.choice import languages_of, read  # noqa: PLC0415 - a recall in English does not pay for it

    readings = (_mentions(text, read(text, language, now=now, ahead=ahead)) for language in languages_of(text))
    return max(readings, key=lambda found: sum(mention.end - mention.start for mention in found), default=())


def _mentions(text: str, found: Iterable[Token]) -> tuple[Mention, ...]:
    return tuple(
        Mention(
            start=token.start,
            end=token.end,
            text=text[token.start : token.end],
            interval=Interval(token.span.start, token.span.end),
            slack_days=token.span.slack_days,
            named=token.span.yearly is not None or _YEAR.search(text, token.start, token.end) is not None,
        )
        for token in found
        if token.span is not None
    )


def told_ahead(text: str, *, at: datetime) -> tuple[Interval, ...]:
    """The dates and periods that a text written at that time puts in the future; "by 18 May" is that day."""
    found = (mention.interval for mention in times(text, now=at, ahead=True))
    return tuple(Interval(each.end - _DAY, each.end) if each.start == EPOCH else each for each in found)


def loose(mention: Mention) -> Interval:
    """The mention's interval with its slack on both sides: "three months ago" is seldom meant to the day."""
    slack = timedelta(days=mention.slack_days)
    return Interval(mention.interval.start - slack, mention.interval.end + slack)
