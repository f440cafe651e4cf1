"""A command's options, made from the fields of its request: name, help, choices, and whether one may be repeated."""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import click
import msgspec
from msgspec import UNSET, Struct
from msgspec import inspect as shapes

from cued.requests.fields import Field, fields_of

_Command = TypeVar("_Command", bound=Callable[..., Any])
_NO_TYPES: Mapping[str, click.ParamType[Any]] = MappingProxyType({})

_FLAGS = {
    "budget_tokens": "--budget",
    "decay": "--no-decay",
    "edges": "--edge",
    "kinds": "--kind",
    "open_questions": "--open",
    "source": "--from",
    "tags": "--tag",
    "tiers": "--tier",
    "trusts": "--trust",
    "window_tokens": "--window",
}
"""Fields that have another name on the command line."""
_OFF = {"decay": "Let nothing fade with time.", "settle": "Leave no trace: neither touches nor a line in the recall log.", "conflicts": ""}
"""Fields that are on unless `--no-…` is given, with its help; "" is the field's own line with "Do not" before it."""
_METAVARS = {
    "after": "CURSOR",
    "at_least": "COSINE",
    "bad": "ID",
    "budget_tokens": "TOKENS",
    "cited": "ID",
    "contains": "WORDS",
    "depth": "N",
    "every": "TIME",
    "to": "N",
    "derived_from": "ID",
    "edges": "RELATION=ID",
    "grace": "TIME",
    "if_version": "N",
    "memory": "ID",
    "meta": "KEY=VALUE",
    "older_than": "TIME",
    "open_questions": "QUESTION",
    "present": "ID",
    "supersedes": "ID",
    "window_tokens": "TOKENS",
}


def options_of(
    request: type[Struct], *, without: Collection[str] = (), types: Mapping[str, click.ParamType[Any]] = _NO_TYPES
) -> Callable[[_Command], _Command]:
    """A decorator that adds an option for each field of a request, except for those that the command takes in another way."""

    def added(command: _Command) -> _Command:
        for field in reversed(fields_of(request).values()):
            if field.name not in without:
                command = _option(field, types.get(field.name))(command)
        return command

    return added


def stated(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were used, as a request's fields."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in options.items() if value not in (None, (), {})}


def _option(field: Field, given: click.ParamType[Any] | None) -> Callable[[_Command], _Command]:
    kinds = _parts(field.type)
    flag, about = _flag(field.name), _help(field)
    if any(isinstance(kind, shapes.BoolType) for kind in kinds):
        return click.option(flag, field.name, flag_value=field.name not in _OFF, default=None, type=bool, help=about)
    many = any(isinstance(kind, shapes.VarTupleType | shapes.DictType) for kind in kinds)
    metavar = _METAVARS.get(field.name) or ("TIME" if any(isinstance(kind, shapes.DateTimeType) for kind in kinds) else None)
    return click.option(
        flag, field.name, multiple=many, metavar=metavar, type=given or _type(kinds), callback=_PAIRED.get(field.name), help=about
    )


def _flag(name: str) -> str:
    usual = name.replace("_", "-")
    return _FLAGS.get(name) or (f"--no-{usual}" if name in _OFF else f"--{usual}")


def _help(field: Field) -> str:
    if field.name in _OFF:
        return _OFF[field.name] or f"Do not {field.about[:1].lower()}{field.about[1:]}"
    many = any(isinstance(kind, shapes.VarTupleType | shapes.DictType) for kind in _parts(field.type))
    about = f"{field.about.removesuffix('.')}; may be repeated." if many else field.about
    if field.default in (UNSET, None, (), "") or isinstance(field.default, bool):
        return about
    default = f"{field.default:g}" if isinstance(field.default, float) else field.default
    return f"{about} Default: {default}."


def _parts(kind: shapes.Type) -> tuple[shapes.Type, ...]:
    return kind.types if isinstance(kind, shapes.UnionType) else (kind,)


def _type(kinds: tuple[shapes.Type, ...]) -> click.ParamType[Any] | None:
    items = tuple(kind.item_type if isinstance(kind, shapes.VarTupleType) else kind for kind in kinds)
    number = next((_NUMBERS[type(item)] for item in items if type(item) in _NUMBERS), None)
    for item in items:
        if isinstance(item, shapes.LiteralType):
            names = tuple(map(str, item.values))
            return click.Choice(names) if number is None else _NumberOrName(names, number)
    if any(isinstance(item, shapes.StrType) for item in items):
        return None
    return number


class _NumberOrName(click.ParamType[Any]):
    """A number, or one of a few names for it."""

    def __init__(self, names: tuple[str, ...], number: click.ParamType[Any]) -> None:
        self.names, self.number = names, number
        self.name = "|".join((number.name, *names))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - as click has it
        if value in self.names:
            return value
        try:
            return self.number.convert(value, param, ctx)
        except click.BadParameter as error:
            raise click.BadParameter(f"got {value!r}; accepted: a number, or one of {', '.join(self.names)}", ctx, param) from error


def _edges(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return _pairs(values, "RELATION=ID, such as causes=01J…")


def _meta(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    return {key: _scalar(value) for key, value in _pairs(values, "KEY=VALUE, such as ticket=7")}


def _pairs(values: tuple[str, ...], accepted: str) -> tuple[tuple[str, str], ...]:
    for value in values:
        if not all(part.strip() for part in value.partition("=")):
            raise click.BadParameter(f"got {value!r}; accepted: {accepted}")
    return tuple((left, right) for left, _, right in (value.partition("=") for value in values))


def _scalar(text: str) -> Any:  # noqa: ANN401 - a JSON value
    """A value as JSON reads it; the text itself where that is no JSON, or a list or an object."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text
    return text if isinstance(value, list | dict) else value


_NUMBERS: dict[type[shapes.Type], click.ParamType[Any]] = {shapes.IntType: click.INT, shapes.FloatType: click.FLOAT}
_PAIRED: dict[str, Callable[..., Any]] = {"edges": _edges, "meta": _meta}
