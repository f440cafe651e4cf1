"""A request's fields as data: name, type, line of documentation and default. Readers, refusals, options and the reference use them."""

from collections.abc import Callable, Iterator
from functools import cache
from inspect import get_annotations
from typing import Any, Literal, NamedTuple, cast, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, UNSET, Struct
from msgspec import inspect as shapes


class Field(NamedTuple):
    """One field of a request; `default` is UNSET where there is none."""

    name: str
    type: shapes.Type
    about: str
    default: Any
    required: bool


@cache
def fields_of(kind: type[Struct]) -> dict[str, Field]:
    """A struct's fields by name: those of its own module first, then those that come from a base elsewhere."""
    hints = get_type_hints(kind, include_extras=True)
    found = [_field(field, hints[field.name]) for field in cast("shapes.StructType", shapes.type_info(kind)).fields]
    own = {name for base in kind.__mro__ if base.__module__ == kind.__module__ for name in get_annotations(base)}
    return {field.name: field for field in sorted(found, key=lambda field: field.name not in own)}


def accepted(kind: shapes.Type) -> str:
    """What a field of this type accepts, in words."""
    told = _WORDS.get(type(kind))
    return type(kind).__name__ if told is None else told(kind)


def _field(field: shapes.Field, hint: object) -> Field:
    told = field.type if isinstance(field.type, shapes.Metadata) else shapes.Metadata(field.type)
    default = UNSET if field.default is NODEFAULT else field.default
    about = (told.extra_json_schema or {}).get("description", "")
    return Field(field.name, _as_written(told.type, dict(_literals(hint))), about, default, field.required)


def _literals(hint: object) -> Iterator[tuple[frozenset[str], tuple[str, ...]]]:
    """The words of each Literal in a hint, in their order, by the words: msgspec sorts them."""
    if get_origin(hint) is Literal:
        yield frozenset(get_args(hint)), get_args(hint)
    else:
        for part in get_args(hint):
            yield from _literals(part)


def _as_written(kind: shapes.Type, orders: dict[frozenset[str], tuple[str, ...]]) -> shapes.Type:
    if isinstance(kind, shapes.LiteralType):
        return shapes.LiteralType(orders[frozenset(map(str, kind.values))])
    if isinstance(kind, shapes.UnionType):
        return shapes.UnionType(tuple(_as_written(part, orders) for part in kind.types))
    if isinstance(kind, shapes.VarTupleType):
        return shapes.VarTupleType(_as_written(kind.item_type, orders), kind.min_length, kind.max_length)
    return kind


def _number(kind: shapes.IntType | shapes.FloatType) -> str:
    word = "a whole number" if isinstance(kind, shapes.IntType) else "a number"
    if kind.ge is not None and kind.le is not None:
        return f"{word} from {kind.ge:.12g} to {kind.le:.12g}"
    if kind.gt is not None and kind.le is not None:
        return f"{word} above {kind.gt:g} and up to {kind.le:g}"
    return word if kind.ge is None else f"{word}, {kind.ge:g} or more"


def _union(kind: shapes.UnionType) -> str:
    parts = sorted(kind.types, key=lambda part: isinstance(part, shapes.VarTupleType))
    return " or ".join(dict.fromkeys(accepted(part) for part in parts if not isinstance(part, shapes.NoneType)))


_WORDS: dict[type[shapes.Type], Callable[[Any], str]] = {
    shapes.BoolType: lambda _: "true or false",
    shapes.StrType: lambda _: "a text",
    shapes.IntType: _number,
    shapes.FloatType: _number,
    shapes.DateTimeType: lambda _: "a time",
    shapes.LiteralType: lambda kind: f"one of {', '.join(map(str, kind.values))}",
    shapes.UnionType: _union,
    shapes.Metadata: lambda kind: accepted(kind.type),
    shapes.VarTupleType: lambda kind: f"a list, each {accepted(kind.item_type)}",
    shapes.TupleType: lambda kind: f"a list of {len(kind.item_types)}, each {accepted(kind.item_types[0])}",
    shapes.DictType: lambda _: "an object: short keys, plain values",
    shapes.StructType: lambda _: "an object",
}
