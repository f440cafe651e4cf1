"""The Python interface and the errors, from signatures and docstrings."""

import inspect
import re
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, ForwardRef, Union, get_args, get_origin, get_type_hints

import cued
from cued import aio, errors, explain, model
from cued.handles import bootstrap
from cued.requests import cue, draft, keywords, listing
from cued.requests.fields import fields_of
from cued.surfaces.failures import exit_code
from cued.upkeep import consolidation, duplicates

# What the public verbs take and give beside the public names.
BESIDE = (
    keywords.RecallOptions,
    keywords.Facts,
    keywords.Changes,
    keywords.Wanted,
    cue.RecallRequest,
    cue.ExplainRequest,
    draft.Change,
    listing.ListRequest,
    bootstrap.Needed,
    explain.Node,
    duplicates.Merge,
    duplicates.Spared,
    consolidation.SkippedMerge,
    model.Omitted,
    model.Trace,
    model.Findings,
    model.Source,
    model.Use,
    model.Supersession,
    model.Edge,
    model.Filter,
    aio.open,
    aio.AsyncMemories,
    aio.AsyncTenant,
    aio.AsyncConversation,
)
_DOORS = ("open", "connect", "aio", "Memories", "Tenant", "Conversation", "Recall", "Memory", "Cue", "Policy", "load_policy", "decide")
_QUALIFIED = re.compile(r"\b(?:cued|datetime|collections\.abc|pathlib|msgspec|typing)(?:\.[a-z_]+)*\.(?=[A-Z])")

_FORWARD = re.compile(r': "([^"]+)"')
# Python before 3.12, and from it on
_UNPACKED = re.compile(r'\*<class "(\w+)">|Unpack\[(\w+)\]')
_OPTIONAL = re.compile(r"Optional\[(Literal\[[^\]]*\])\]")

_ARRAYS = {
    "numpy.ndarray[tuple[Any, ...], numpy.dtype[numpy.float64]]": "Column",
    "numpy.ndarray[tuple[Any, ...], numpy.dtype[numpy.float32]]": "Matrix",
    # numpy from 2.5 on names the alias
    "NDArray[numpy.float64]": "Column",
    "NDArray[numpy.float32]": "Matrix",
}


def python_page() -> str:
    """Every public name with its signature and docstring, then the values that its verbs take and give."""
    public = [_entry(f"cued.{name}", getattr(cued, name)) for name in sorted(cued.__all__, key=str.lower)]
    beside = [_entry(f"{made.__module__}.{made.__name__}", made) for made in BESIDE]
    return "\n\n".join([_HEAD, _begin(), "## Every name", *public, _BESIDE, *beside]) + "\n"


def _begin() -> str:
    """The few names that everything else is reached by, and a tenant's verbs with what each gives."""
    doors = [(f"cued.{name}", f"cued{name.lower()}", getattr(cued, name)) for name in _DOORS]
    verbs = [(name, f"tenant{name}", method) for name, method in _methods(cued.Tenant)]
    tables = (
        "\n".join([f"| {head} | what it is |", "| --- | --- |", *(f"| [`{name}`](#{at}) | {_brief(made)} |" for name, at, made in rows)])
        for head, rows in (("to begin with", doors), ("a tenant's verb", verbs))
    )
    return "\n\n".join(["## Where to begin", *tables])


def _brief(made: Any) -> str:  # noqa: ANN401 - any documented object
    """The first sentence of a docstring, as it fits into a table."""
    return " ".join(_said(made).partition("\n\n")[0].split()).replace("|", "\\|")


def errors_page() -> str:
    """The tree of errors, then each with its docstring, its parents and the exit code of the command line."""
    found = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.CuedError)]
    ordered = sorted(found, key=lambda kind: (errors_tree().index(kind.__name__), kind.__name__))
    parts = [f"## `{kind.__name__}`\n\n{_said(kind)}\n\n{_lineage(kind)}" for kind in ordered]
    return "\n\n".join([_ERRORS_HEAD, errors_tree(), *parts]) + "\n"


def errors_tree() -> str:
    """The tree as `errors.py` draws it."""
    return "```text\n" + (errors.__doc__ or "").partition("\n\n")[2].rstrip() + "\n```"


def _lineage(kind: type[errors.CuedError]) -> str:
    parents = ", ".join(f"`{parent.__name__}`" for parent in kind.__mro__[1:] if parent not in (object, BaseException, Exception))
    # an exit code depends on the class alone, and making one would need its arguments
    code = exit_code(kind.__new__(kind))
    return f"Is also: {parents or '`Exception`'}. Exit code of the command line: {code}."


def _entry(title: str, made: Any) -> str:  # noqa: ANN401 - any public object
    if inspect.ismodule(made):
        return f"### `{title}`\n\n{_said(made)}"
    if not inspect.isclass(made):
        return f"### `{title}`\n\n```text\n{_signature(title, made)}\n```\n\n{_said(made)}"
    parts = [f"### `{title}`", _said(made)]
    fields = _fields(made)
    if fields:
        parts.append("\n".join(f"- `{field}" for field in fields))
    parts += [_method(made, name, method) for name, method in _methods(made)]
    return "\n\n".join(parts)


def _method(made: type, name: str, method: Any) -> str:  # noqa: ANN401 - any callable
    return f"#### `{made.__name__}.{name}`\n\n```text\n{_signature(name, method)}\n```\n\n{_said(method)}"


def _fields(made: type) -> list[str]:
    names = getattr(made, "__struct_fields__", None) or (made.__annotations__ if hasattr(made, "__total__") else ())
    hints = {name: hint for parent in reversed(made.__mro__) for name, hint in inspect.get_annotations(parent).items()}
    if any(get_origin(hints[name]) is Annotated for name in names):
        bare, told = get_type_hints(made), fields_of(made)
        return [f"{name}: {_hint(bare[name])}`: {told[name].about}" for name in names]
    return [f"{name}: {_hint(hints[name])}`" for name in names]


def _methods(made: type) -> Iterator[tuple[str, Any]]:
    for part in made.__mro__:
        for name, found in vars(part).items() if part.__module__.startswith("cued.") else ():
            method = getattr(made, name) if isinstance(found, classmethod) else found
            is_one = inspect.isfunction(method) or inspect.ismethod(method)
            if is_one and not name.startswith("_") and not issubclass(made, Exception) and not _is_awaited(method):
                yield name, method


def _is_awaited(method: Any) -> bool:  # noqa: ANN401 - any callable
    """Whether this is another verb for asyncio, which is told where that is."""
    return inspect.iscoroutinefunction(method) and hasattr(method, "__wrapped__")


def _signature(title: str, made: Any) -> str:  # noqa: ANN401 - any callable
    signature = inspect.signature(made)
    kept = [
        parameter.replace(default="…") if inspect.isfunction(parameter.default) or parameter.name == "clock" else parameter
        for parameter in signature.parameters.values()
        if parameter.name != "self"
    ]
    spelled = [_hint(str(parameter)).replace('"…"', "…") for parameter in kept]
    stars = any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in kept)
    first = next((i for i, parameter in enumerate(kept) if parameter.kind is inspect.Parameter.KEYWORD_ONLY), None)
    if first is not None and not stars:
        spelled.insert(first, "*")
    answer = _hint(signature.return_annotation)
    return f"{title}({', '.join(spelled)}) -> {answer}"


def _hint(hint: Any) -> str:  # noqa: ANN401 - any annotation
    written = hint if isinstance(hint, str) else _annotation(hint)
    short = _QUALIFIED.sub("", written).replace("'", '"').replace("datetime.datetime", "datetime")
    for array, ours in _ARRAYS.items():
        short = short.replace(array, ours)
    return _OPTIONAL.sub(r"\1 | None", _FORWARD.sub(r": \1", _UNPACKED.sub(lambda match: match[1] or match[2], short)))


def _annotation(hint: Any) -> str:  # noqa: ANN401 - any annotation
    """An annotation as every Python writes a choice of types: with bars."""
    if get_origin(hint) in (Union, UnionType):
        return " | ".join("None" if part is NoneType else _annotation(part) for part in get_args(hint))
    if isinstance(hint, ForwardRef):
        return hint.__forward_arg__
    return inspect.formatannotation(hint)


def _said(made: Any) -> str:  # noqa: ANN401 - any documented object
    return inspect.cleandoc(made.__doc__ or "")


_HEAD = """# Python reference

<!-- This page is written by tools/reference.py from the code. -->

Everything public is in the package `cued` itself. Values are frozen structs: read their fields, and make changed copies with
`msgspec.structs.replace`. Times are aware UTC datetimes; where a time is taken, an ISO 8601 string will do. The
[quickstart](../quickstart.md) shows all of this in use."""
_BESIDE = """## What the verbs take and give

These have no place in the package's own namespace, because nobody needs to import them to use them."""
_ERRORS_HEAD = """# Errors reference

<!-- This page is written by tools/reference.py from src/cued/errors.py. -->

Every error that Cued raises on purpose is a `CuedError`. [Errors](../errors.md) says what to do about each."""
