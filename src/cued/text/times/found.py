"""What a rule of the grammar sees: the tokens it matched, and the moment the text was written."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from cued.text.times.almanac import DAY, Span
from cued.text.times.vocabulary import Token

_YEARS_TO_TRY = 9  # 29 February may be eight years away


class Anchor(NamedTuple):
    """The moment of writing, its midnight, and whether the text looks ahead."""

    now: datetime
    today: datetime
    future: bool


class Found(NamedTuple):
    """The tokens of one match and the anchor, with the accessors that builders need."""

    tokens: list[Token]
    anchor: Anchor

    def all(self, *kinds: str) -> list[Token]:
        """The matched tokens of these kinds in order."""
        return [token for token in self.tokens if token.kind in kinds]

    def has(self, *kinds: str) -> bool:
        """Whether a token of these kinds was matched."""
        return any(token.kind in kinds for token in self.tokens)

    def number(self, *kinds: str) -> int:
        """The number of the first token of these kinds."""
        return self.all(*kinds)[0].number

    def name(self, kind: str) -> str:
        """The name of the first token of this kind."""
        return self.all(kind)[0].name

    def spans(self) -> list[Span]:
        """The spans that earlier rules made of the matched tokens."""
        return [token.span for token in self.tokens if token.span is not None]

    def step(self) -> int:
        """-1, 0 or 1 for last, this or next."""
        return -1 if self.has("last", "past") else 1 if self.has("next") else 0


def in_some_year(yearly: Callable[[int], Span], anchor: Anchor) -> Span:
    """The latest such span that has begun, or for a text that looks ahead the first that has not ended."""
    this_year = anchor.now.year
    ahead, back = range(this_year - 1, this_year + _YEARS_TO_TRY), range(this_year, this_year - _YEARS_TO_TRY, -1)
    for year in ahead if anchor.future else back:
        try:
            span = yearly(year)
        except ValueError:
            continue
        if (span.end > anchor.now) if anchor.future else (span.start <= anchor.now):
            return span._replace(yearly=yearly)
    raise ValueError(anchor.now.year)


def weekday_near(anchor: Anchor, weekday: int, *, future: bool) -> datetime:
    """The last such weekday before today, or the first after it."""
    if future:
        return anchor.today + ((weekday - anchor.today.weekday() - 1) % 7 + 1) * DAY
    return anchor.today - ((anchor.today.weekday() - weekday - 1) % 7 + 1) * DAY
