"""Times that hang on an event: "before the launch", "since my operation", as the relation and the words of the event. English only."""

import re
from typing import Literal, NamedTuple, cast

Relation = Literal["before", "after", "since", "until"]

_OWNERS = r"(?:the|our|my|your|his|her|their|[A-Z]\w+['’]s)"
_BESIDE = re.compile(rf"\b(before|after|since|until)\s+(?:{_OWNERS}\s+)((?:[\w'’-]+\s*){{1,8}})", re.IGNORECASE)
# The event ends where the question goes on.
_GOES_ON = re.compile(
    r"\b(?:and|or|but|did|do|does|was|were|is|are|had|has|have|what|who|whom|which|when|where|why|how|i|we|you|he|she|they|it|that|than|"
    r"if|because|started|began|ended|came|went)\b.*",
    re.IGNORECASE,
)


class Beside(NamedTuple):
    """How a time lies to an event, the event in the words of the text, and where both stand in it."""

    relation: Relation
    event: str
    span: tuple[int, int]


def beside(text: str) -> Beside | None:
    """Return the first event that the text puts a time beside, None where there is none."""
    match = _BESIDE.search(text)
    if match is None:
        return None
    event = _GOES_ON.sub("", match.group(2)).strip()
    if not event:
        return None
    return Beside(cast("Relation", match.group(1).lower()), event, (match.start(), match.start(2) + len(event)))
