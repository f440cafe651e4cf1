"""Time expressions of an English text as intervals: `times("what did I do last week", now=…)`.

Pure: nothing here reads a clock. A date without a year or a week means the latest one that has begun, unless the text
looks ahead ("next", "will", "tomorrow"). Above: the cue's temporal channel. Below: `tokens` (words to kinds), `grammar`
(kinds to rules), `dated`, `counted` and `combine` (rules to spans), `almanac` and `holidays` (the calendar).
"""

import re
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from cued.model import Interval
from cued.text.times.found import Anchor
from cued.text.times.grammar import reduced
from cued.text.times.tokens import tokens
from cued.text.times.vocabulary import TRIGGERS

__all__ = ["Mention", "loose", "times"]

_WORD = re.compile(r"[a-z]+|\d")
_FUTURE = re.compile(
    r"\b(?:next(?! to\b)|upcoming|coming|tomorrow|will|shall|gonna|(?:am|is|are) going to)\b|['’](?:ll|m going to|re going to)\b"
)


class Mention(Struct, frozen=True, kw_only=True):
    """A date or period that a text speaks of: where it stands, the time it means, and how many days it may be off."""

    start: int
    end: int
    text: str
    interval: Interval
    slack_days: int = 0


def times(text: str, *, now: datetime) -> tuple[Mention, ...]:
    """Return every date and period the text speaks of, in order, as read at `now`."""
    if all(word.isalpha() and word not in TRIGGERS for word in _WORD.findall(text.lower())):
        return ()
    here = now.astimezone(UTC)
    today = here.replace(hour=0, minute=0, second=0, microsecond=0)
    anchor = Anchor(here, today, _FUTURE.search(text) is not None)
    return tuple(
        Mention(
            start=token.start,
            end=token.end,
            text=text[token.start : token.end],
            interval=Interval(token.span.start, token.span.end),
            slack_days=token.span.slack_days,
        )
        for token in reduced(tokens(text), anchor)
        if token.span is not None
    )


def loose(mention: Mention) -> Interval:
    """Return the mention's interval with its slack on both sides: "three months ago" is seldom meant to the day."""
    slack = timedelta(days=mention.slack_days)
    return Interval(mention.interval.start - slack, mention.interval.end + slack)
