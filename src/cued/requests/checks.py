"""Small checks that what a caller says must pass, and what each would accept."""

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from unicodedata import normalize

from cued.errors import InputError
from cued.model import Scalar

MAX_TEXT = 100_000
MAX_CUE = 50_000
"""Of a cue in all: its text, goal, step and open questions."""
GROWTH = 2
"""How much longer a text may be in its normal form, in which it is searched: some characters stand for eighteen others."""
MAX_LABEL = 200
MAX_TAGS = 64
MOST_GROWTH = 18
MAX_META = 64


def checked_text(name: str, value: object) -> str:
    """A text that can be stored: not empty, not longer than MAX_TEXT, without NUL and lone surrogates."""
    accepted = f"a text of 1 to {MAX_TEXT} characters, not only white space, without NUL and lone surrogates"
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_TEXT or not storable(value):
        raise InputError(name, value, accepted)
    refuse_growth(name, value, most=MAX_TEXT)
    return value


def refuse_growth(name: str, text: str, *, most: int) -> None:
    """Nothing, if a text stays within bounds when it is brought to its normal form, which is what is searched."""
    if not text.isascii() and len(text) * MOST_GROWTH > GROWTH * most and (grown := len(normalize("NFKC", text))) > GROWTH * most:
        raise InputError(name, f"{grown} characters in normal form", f"at most {GROWTH * most}: write what its ligatures stand for")


def known_as(name: str, value: object) -> str:
    """An id of a memory as it is asked for, known or not."""
    if not isinstance(value, str):
        raise InputError(name, value, "an id, as `list` and `recall` show them")
    return value


def listed(name: str, values: Iterable[str]) -> tuple[str, ...]:
    """Ids of memories as they are asked for, known or not."""
    if not isinstance(values, Iterable):
        raise InputError(name, values, "a list of ids")
    return tuple(known_as(name, value) for value in values)


def label(name: str, value: object, *, most: int = MAX_LABEL) -> str:
    """A short name (a scope, a tag, an id, a session)."""
    if not isinstance(value, str) or not value.strip() or len(value) > most or not storable(value):
        raise InputError(name, value, f"1 to {most} characters, not only white space, without NUL and lone surrogates")
    return value


def labels(name: str, values: Iterable[str]) -> tuple[str, ...]:
    """Distinct short names, in the order given."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(name, values, "a list of names, not one string")
    found = tuple(dict.fromkeys(label(name, value) for value in values))
    if len(found) > MAX_TAGS:
        raise InputError(name, f"{len(found)} of them", f"at most {MAX_TAGS}")
    return found


def ids(name: str, values: str | Iterable[str]) -> tuple[str, ...]:
    """Distinct ids of memories; a single one may stand for a list."""
    return labels(name, (values,) if isinstance(values, str) else values)


def share(name: str, value: object) -> float:
    """A number from 0 to 1."""
    accepted = "a number from 0 to 1; a rating on a 1–10 scale is divided by 10, so 7 is 0.7"
    return _number(name, value, 0.0, 1.0, accepted=accepted)


def confidence(value: object) -> float:
    """A memory's weight."""
    return _number("weight", value, 0.1, 1.0, accepted="a confidence from 0.1 to 1")


def one_of(name: str, value: object, known: tuple[Any, ...]) -> Any:  # noqa: ANN401 - gives back a member of `known`
    """The value, if it is among the known ones."""
    if value not in known:
        raise InputError(name, value, f"one of {', '.join(known)}")
    return value


def moment(name: str, value: object) -> datetime | None:
    """An aware UTC time from a datetime or an ISO 8601 string; one without a zone is read as UTC."""
    if value is None:
        return None
    accepted = 'a time such as "2025-03-01" or "2025-03-01T14:30:00+02:00"; without a zone it is UTC'
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError as error:
            raise InputError(name, value, accepted) from error
    if not isinstance(value, datetime):
        raise InputError(name, value, accepted)
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError as error:
        raise InputError(name, value, accepted) from error


def metadata(value: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Free metadata: short keys, plain finite values."""
    accepted = f"at most {MAX_META} keys; values are texts of at most {MAX_LABEL * 10} characters, finite numbers, true, false or null"
    fine = len(value) <= MAX_META and all(_plain(item) for item in value.values())
    if not fine:
        raise InputError("meta", dict(value), accepted)
    return {label("meta", key): item for key, item in value.items()}


def storable(text: str) -> bool:
    """Whether every store can keep this text: it has no NUL and no lone surrogate."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _plain(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= MAX_LABEL * 10 and storable(value)
    if isinstance(value, bool) or value is None:
        return True
    return isinstance(value, int | float) and math.isfinite(value) and abs(value) < 2**53


def _number(name: str, value: object, low: float, high: float, *, accepted: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InputError(name, value, accepted)
    return float(value)
