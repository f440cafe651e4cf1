"""What a caller says, checked: a request read from a mapping, and the small checks that a single value must pass.

What is refused is refused by the field's name, with what would be accepted.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, TypeVar
from unicodedata import normalize

import msgspec
from msgspec import Struct
from msgspec import inspect as shapes

from cued.errors import InputError, UnknownFieldError
from cued.model import Scalar
from cued.requests.fields import accepted, fields_of
from cued.text.durations import SPAN

MAX_TEXT = 100_000
MAX_CUE = 50_000
"""Of a cue in all: its text, goal, step and open questions."""
GROWTH = 2
"""How many times as long a text may be in its normal form, in which it is searched."""
MOST_GROWTH = 18
"""How many others a character stands for there at most: a text that is short enough by this need not be looked at."""
MAX_LABEL = 200
MAX_URL = 2000
MAX_TAGS = 64
MAX_SUPERSEDED = 1_000
"""How many memories may give way to one by a caller's word; each is written with it, and looked at when it goes."""
MAX_META = 64
_EXACT = 2**53
"""Below it every whole number is one of its own in every store, and beyond it in JSON it may not be."""

Request = TypeVar("Request", bound=Struct)


def read(body: Mapping[str, Any], kind: type[Request]) -> Request:
    """The request that these fields describe; times may be texts, spans timedeltas, and lists anything that can be gone through."""
    if not isinstance(body, Mapping):
        raise InputError("request", body, f"an object with the fields {', '.join(fields_of(kind))}")
    refuse_unknown(body, fields_of(kind))
    times, inner, whole = _times(kind), _inner(kind), _whole(kind)
    plain = {
        name: moment(name, value) if name in times else value if type(value) in _AS_THEY_ARE else _listed(value, inner.get(name))
        for name, value in body.items()
    }
    # JSON knows one kind of number, so that 3.0 is a whole one
    plain |= {name: int(value) for name in whole if type(value := plain.get(name)) is float and value.is_integer()}
    plain |= {name: value.total_seconds() for name in _spans(kind) if isinstance(value := plain.get(name), timedelta)}
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise _refused(error, body, kind) from error
    except UnicodeEncodeError as error:
        # msgspec looks up words and numbers as UTF-8, which a lone surrogate has none of
        name = next((name for name, value in body.items() if value == error.object or _holds(value, error.object)), kind.__name__)
        raise InputError(name, error.object, "a text without lone surrogates") from error


def refuse_beside(beside: Mapping[str, Any]) -> None:
    """Nothing, if no keyword stands beside a whole request; else an InputError on the first that does."""
    for name, value in beside.items():
        raise InputError(name, value, "nothing beside a whole request: it has this field itself")


def refuse_unknown(body: Iterable[str], known: Collection[str]) -> None:
    """Nothing, if every name is known; else an UnknownFieldError on the first that is not."""
    for name in body:
        if name not in known:
            raise UnknownFieldError(str(name), known)


@cache
def _times(kind: type[Struct]) -> frozenset[str]:
    return frozenset(name for name, field in fields_of(kind).items() if _has(field.type, shapes.DateTimeType))


@cache
def _inner(kind: type[Struct]) -> dict[str, type[Struct]]:
    """The fields that are lists of structs, which are read as requests are."""
    return {
        name: field.type.item_type.cls
        for name, field in fields_of(kind).items()
        if isinstance(field.type, shapes.VarTupleType) and isinstance(field.type.item_type, shapes.StructType)
    }


@cache
def _whole(kind: type[Struct]) -> frozenset[str]:
    return frozenset(name for name, field in fields_of(kind).items() if _has(field.type, shapes.IntType))


@cache
def _spans(kind: type[Struct]) -> frozenset[str]:
    """The fields that are spans of time: nothing else may be a text and a number."""
    return frozenset(
        name for name, field in fields_of(kind).items() if _has(field.type, shapes.StrType) and _has(field.type, shapes.FloatType)
    )


def _has(kind: shapes.Type, wanted: type[shapes.Type]) -> bool:
    return any(isinstance(part, wanted) for part in (kind.types if isinstance(kind, shapes.UnionType) else (kind,)))


def _listed(value: Any, inner: type[Struct] | None) -> Any:  # noqa: ANN401 - any value that a caller may give
    if inner is not None and isinstance(value, list | tuple):
        return [read(item, inner) if isinstance(item, Mapping) else item for item in value]
    if hasattr(value, "tolist"):  # numpy's arrays, and its numbers
        return value.tolist()
    if isinstance(value, Mapping):
        return {name: item.tolist() if hasattr(item, "tolist") else item for name, item in value.items()}
    if isinstance(value, list | tuple | str | bytes) or not isinstance(value, Iterable):
        return value
    return list(value)


def _holds(value: Any, text: str) -> bool:  # noqa: ANN401 - any value that a caller may give
    return isinstance(value, list | tuple | Mapping) and text in value


def _refused(error: msgspec.ValidationError, body: Mapping[str, Any], kind: type[Struct]) -> InputError:
    """The refusal in words: msgspec tells the place, and the field's type what would be accepted there."""
    problem, _, place = str(error).partition(" - at `$.")
    name = place.strip("`").replace("[", ".").partition(".")[0] if place else problem.rpartition(" `")[2].strip("`")
    field = fields_of(kind).get(name)
    if field is None:
        return InputError(kind.__name__, dict(body), problem)
    hint = _HINTS.get(name, "")
    said = SPAN if name in _spans(kind) else accepted(field.type)
    return InputError(name, body.get(name), said + (f"; {hint}" if hint else ""))


def checked_text(name: str, value: object) -> str:
    """A text that can be stored: not empty, not longer than MAX_TEXT, without NUL and lone surrogates."""
    accepted = f"a text of 1 to {MAX_TEXT} characters, not only white space, without NUL and lone surrogates"
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_TEXT or not storable(value):
        raise InputError(name, value, accepted)
    refuse_growth(name, value, most=MAX_TEXT)
    return str.__str__(value)


def refuse_growth(name: str, text: str, *, most: int) -> None:
    """Nothing, if a text stays within bounds when it is brought to its normal form, which is what is searched."""
    if not text.isascii() and len(text) * MOST_GROWTH > GROWTH * most and (grown := len(normalize("NFKC", text))) > GROWTH * most:
        raise InputError(name, f"{grown} characters in normal form", f"at most {GROWTH * most}: write what its ligatures stand for")


def asked_id(name: str, value: object) -> str:
    """An id of a memory as it is asked for, known or not."""
    if not isinstance(value, str):
        raise InputError(name, value, "an id, as `list` and `recall` show them")
    return str.__str__(value)


def asked_ids(name: str, values: Iterable[str]) -> tuple[str, ...]:
    """Ids of memories as they are asked for, known or not."""
    if not isinstance(values, Iterable):
        raise InputError(name, values, "a list of ids")
    return tuple(asked_id(name, value) for value in values)


def label(name: str, value: object, *, most: int = MAX_LABEL) -> str:
    """A short name (a scope, a tag, an id, a session)."""
    if not isinstance(value, str) or not value.strip() or len(value) > most or not storable(value):
        raise InputError(name, value, f"1 to {most} characters, not only white space, without NUL and lone surrogates")
    return str.__str__(value)


def labels(name: str, values: Iterable[str]) -> tuple[str, ...]:
    """Distinct short names, in the order given."""
    if isinstance(values, tuple) and not values:
        return ()
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(name, values, "a list of names, not one string")
    found = tuple(dict.fromkeys(label(name, value) for value in values))
    if len(found) > MAX_TAGS:
        raise InputError(name, f"{len(found)} of them", f"at most {MAX_TAGS}")
    return found


def ids(name: str, values: str | Iterable[str]) -> tuple[str, ...]:
    """Distinct ids of memories; a single one may stand for a list."""
    return labels(name, (values,) if isinstance(values, str) else values)


def importance(value: object) -> float:
    """A memory's importance."""
    return _number("importance", value, 0.0, accepted=f"a number from 0 to 1; {_HINTS['importance']}")


def confidence(value: object) -> float:
    """A memory's weight."""
    return _number("weight", value, 0.1, accepted="a confidence from 0.1 to 1")


def whole(name: str, value: object, *, least: int, most: int | None = None) -> int:
    """A whole number, of at least and where it is said at most so much."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        raise InputError(name, value, f"a whole number, {least} or more" if most is None else f"a whole number from {least} to {most}")
    return value


def one_of(name: str, value: object, known: tuple[Any, ...]) -> Any:  # noqa: ANN401 - gives back a member of `known`
    """The value, if it is among the known ones."""
    if value not in known:
        raise InputError(name, value, f"one of {', '.join(known)}")
    return known[known.index(value)]


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
    if not value:
        return {}
    values = f"texts of at most {MAX_LABEL * 10} characters, numbers within ±2^53 (a longer one as text), true, false or null"
    fine = len(value) <= MAX_META and all(_plain(item) for item in value.values())
    if not fine:
        raise InputError("meta", dict(value), f"at most {MAX_META} keys; values are {values}")
    return {label("meta", key): item if type(item) in _AS_THEY_ARE else own(item) for key, item in value.items()}


def own(value: object) -> str | int | float:
    """A text or a number of a subclass, such as numpy's, as Python's own, which alone is written; any other value is a TypeError."""
    if isinstance(value, str):
        return str.__str__(value)  # what it says, whatever `str` makes of an enum's
    if isinstance(value, int | float):
        return int(value) if isinstance(value, int) else float(value)
    raise TypeError(f"{type(value).__name__} is neither a text nor a number")


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
    return isinstance(value, int | float) and abs(value) < _EXACT


def _number(name: str, value: object, least: float, *, accepted: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= 1:
        raise InputError(name, value, accepted)
    return float(value)


_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})
_HINTS = {"importance": "a rating on a 1–10 scale is divided by 10, so 7 is 0.7"}
