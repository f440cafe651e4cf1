"""The one reader of requests: from a mapping to the struct; what it cannot be is refused by the field's name, with what is accepted."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec import inspect as shapes

from cued.errors import InputError, UnknownFieldError
from cued.requests.checks import moment
from cued.requests.fields import accepted, fields_of

Request = TypeVar("Request", bound=Struct)


def read(body: Mapping[str, Any], kind: type[Request]) -> Request:
    """The request that these fields describe; times may be texts, and lists anything that can be gone through."""
    if not isinstance(body, Mapping):
        raise InputError("request", body, f"an object with the fields {', '.join(fields_of(kind))}")
    refuse_unknown(body, fields_of(kind))
    times, inner = _times(kind), _inner(kind)
    plain = {
        name: moment(name, value) if name in times else value if type(value) in _AS_THEY_ARE else _listed(value, inner.get(name))
        for name, value in body.items()
    }
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise _refused(error, body, kind) from error
    except UnicodeEncodeError as error:
        name = next((name for name, value in body.items() if value == error.object), "request")
        raise InputError(name, error.object, "text that UTF-8 can carry: no lone surrogates") from error


def alone(beside: Mapping[str, Any]) -> None:
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
    return frozenset(name for name, field in fields_of(kind).items() if _is_time(field.type))


@cache
def _inner(kind: type[Struct]) -> dict[str, type[Struct]]:
    """The fields that are lists of structs, which are read as requests are."""
    return {
        name: field.type.item_type.cls
        for name, field in fields_of(kind).items()
        if isinstance(field.type, shapes.VarTupleType) and isinstance(field.type.item_type, shapes.StructType)
    }


def _is_time(kind: shapes.Type) -> bool:
    return any(isinstance(part, shapes.DateTimeType) for part in (kind.types if isinstance(kind, shapes.UnionType) else (kind,)))


def _listed(value: Any, inner: type[Struct] | None) -> Any:  # noqa: ANN401 - any value that a caller may give
    if inner is not None and isinstance(value, list | tuple):
        return [read(item, inner) if isinstance(item, Mapping) else item for item in value]
    if isinstance(value, list | tuple | str | bytes | Mapping) or not isinstance(value, Iterable):
        return value
    return value.tolist() if hasattr(value, "tolist") else list(value)


def _refused(error: msgspec.ValidationError, body: Mapping[str, Any], kind: type[Struct]) -> InputError:
    """The refusal in words: msgspec tells the place, and the field's type what would be accepted there."""
    problem, _, place = str(error).partition(" - at `$.")
    name = place.strip("`").replace("[", ".").partition(".")[0] if place else problem.rpartition(" `")[2].strip("`")
    field = fields_of(kind).get(name)
    if field is None:
        return InputError(kind.__name__, dict(body), problem)
    hint = _HINTS.get(name, "")
    return InputError(name, body.get(name), accepted(field.type) + (f"; {hint}" if hint else ""))


_AS_THEY_ARE = frozenset({str, int, float, bool, dict, type(None)})
_HINTS = {"importance": "a rating on a 1–10 scale is divided by 10, so 7 is 0.7"}
