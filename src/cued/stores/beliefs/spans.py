"""Stretches of time: pairs of a first moment and the first moment after, in order and apart from each other."""

from collections.abc import Iterable
from datetime import UTC, datetime

Span = tuple[datetime, datetime]
Spans = tuple[Span, ...]

BEGINNING = datetime.min.replace(tzinfo=UTC)
END = datetime.max.replace(tzinfo=UTC)
ALWAYS = ((BEGINNING, END),)


def united(spans: Iterable[Span]) -> Spans:
    """The moments of all these stretches, those that meet or overlap as one; a stretch that ends before it begins has none."""
    apart: list[Span] = []
    for since, until in sorted(span for span in spans if span[0] < span[1]):
        if apart and since <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(until, apart[-1][1])
        else:
            apart.append((since, until))
    return tuple(apart)


def onward(moment: datetime, spans: Spans) -> Spans:
    """The part of these stretches from a moment on; where that does not begin at the moment, an empty stretch stands there."""
    left = tuple((max(since, moment), until) for since, until in spans if until > moment)
    return left if left and left[0][0] == moment else ((moment, moment), *left)


def cover(outer: Spans, inner: Spans) -> bool:
    """Whether no moment of the inner stretches is outside of the outer ones."""
    return all(any(first <= since and until <= last for first, last in outer) for since, until in inner if since < until)
