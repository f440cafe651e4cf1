"""The policy in tables, from `policy/spec.py`, the presets, and `docs/reference/meanings.toml` for what no type can say."""

import inspect
import tomllib
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import NODEFAULT, Struct
from msgspec import inspect as shapes

from cued.flow.score.signals import SIGNALS as SIGNAL_FUNCTIONS
from cued.policy import presets, spec
from cued.policy.spec import Policy, Term
from cued.text.durations import format_duration

MEANINGS = Path(__file__).resolve().parent.parent / "docs" / "reference" / "meanings.toml"
TABLES: dict[str, type[Struct]] = {
    "channels": spec.Channels,
    "channels.lexical": spec.Lexical,
    "channels.dense": spec.Dense,
    "channels.entity": spec.Entity,
    "channels.temporal": spec.Temporal,
    "fuse": spec.Fuse,
    "relevance": spec.Relevance,
    "score": spec.Score,
    "score.intent": spec.IntentFactors,
    "score.terms": Term,
    "rerank": spec.Rerank,
    "floor": spec.Floor,
    "diversify": spec.Diversify,
    "trust": spec.TrustRules,
    "budget": spec.Budget,
    "budget.shares": spec.Shares,
    "render": spec.Render,
    "settle": spec.Settle,
}


def policy_page() -> str:
    """The whole policy: every table, every key, with type, range, default and meaning."""
    parts = [_HEAD, rows(("key", "accepted", "default", "meaning"), (_row("", field) for field in fields_of(Policy)))]
    for path, struct in TABLES.items():
        parts.append(f"## `[{path}]`\n\n{inspect.cleandoc(struct.__doc__ or '')}\n\n{knobs(path)}")
    parts.append(f"## Signals\n\nWhat a term's `signal` may be.\n\n{signals_table()}")
    return "\n\n".join(parts) + "\n"


def knobs(path: str) -> str:
    """The table of one stage's keys."""
    return rows(("key", "accepted", "default", "meaning"), (_row(path, field) for field in fields_of(TABLES[path])))


def signals_table() -> str:
    """Every signal, the parameters it takes, and what its column holds."""
    return rows(("signal", "takes", "gives"), ((f"`{name}`", _taken(name), _given(name)) for name in spec.SIGNALS))


def preset_text(name: str) -> str:
    """A preset's file, as it is written."""
    return f"```toml\n{presets.text_of(name)}```"


def presets_table(folder: str = "") -> str:
    """Every preset in a line: channels, score, floor and limit."""
    header = ("preset", "channels", "score", "floor", "limit")
    return rows(header, (_preset_row(presets.preset(name), folder) for name in presets.names()))


def rows(header: Sequence[str], lines: Any) -> str:  # noqa: ANN401 - any iterable of sequences of cells
    """A Markdown table."""
    told = [header, ["---"] * len(header), *lines]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in line) + " |" for line in told)


def shape(kind: shapes.Type) -> str:
    """What a field accepts, in words."""
    for known, told in _SHAPES.items():
        if isinstance(kind, known):
            return told(kind)
    return type(kind).__name__.removesuffix("Type").lower()


@cache
def meanings() -> dict[str, str]:
    """What each key means, by its path; a path that is no key is refused."""
    written: dict[str, str] = tomllib.loads(MEANINGS.read_text("utf-8"))
    known = {f"{path}.{field.name}" for path, struct in TABLES.items() for field in fields_of(struct)}
    known |= {field.name for field in fields_of(Policy)} | {f"signal.{name}" for name in spec.SIGNALS}
    unknown = sorted(written.keys() - known)
    if unknown:
        raise SystemExit(f"{MEANINGS.name}: no such key in the policy: {', '.join(unknown)}")
    return written


def fields_of(struct: type[Struct]) -> tuple[shapes.Field, ...]:
    """A struct's fields with their types and defaults."""
    return cast("shapes.StructType", shapes.type_info(struct)).fields


def _row(path: str, field: shapes.Field) -> tuple[str, str, str, str]:
    where = f"{path}.{field.name}" if path else field.name
    if where not in meanings():
        raise SystemExit(f"{MEANINGS.name}: say what {where!r} means")
    return f"`{field.name}`", shape(field.type), _default(field), meanings()[where]


def _default(field: shapes.Field) -> str:
    if field.default is NODEFAULT:
        return "" if field.default_factory is not NODEFAULT else "the file's name"
    value = field.default
    if isinstance(value, Struct) or value == ():
        return ""
    if value is None:
        return "–"
    if isinstance(value, timedelta):
        return f'`"{format_duration(value)}"`'
    return f"`{msgspec.json.encode(value).decode()}`"


def _range(kind: Any, word: str) -> str:  # noqa: ANN401 - an IntType or a FloatType
    low = f"from {kind.ge:g}" if kind.ge is not None else f"above {kind.gt:g}" if kind.gt is not None else ""
    high = f"to {kind.le:g}" if kind.le is not None else f"below {kind.lt:g}" if kind.lt is not None else ""
    return " ".join(part for part in (word, low, high) if part)


def _union(kind: shapes.UnionType) -> str:
    return " or ".join(shape(part) for part in kind.types if not isinstance(part, shapes.NoneType))


_SHAPES: dict[type[shapes.Type], Callable[[Any], str]] = {
    shapes.BoolType: lambda _: "`true`, `false`",
    shapes.IntType: lambda kind: _range(kind, "whole number"),
    shapes.FloatType: lambda kind: _range(kind, "number"),
    shapes.StrType: lambda _: "text",
    shapes.TimeDeltaType: lambda _: "duration",
    shapes.LiteralType: lambda kind: ", ".join(f'`"{value}"`' for value in kind.values),
    shapes.UnionType: _union,
    shapes.StructType: lambda _: "table",
    shapes.DictType: lambda kind: f"table of {shape(kind.value_type)}",
    shapes.VarTupleType: lambda kind: (
        "list of terms" if isinstance(kind.item_type, shapes.StructType) else f"list of {shape(kind.item_type)}"
    ),
    shapes.TupleType: lambda kind: f"[{', '.join(shape(part) for part in kind.item_types)}]",
    shapes.DateTimeType: lambda _: "time",
}


def _taken(signal: str) -> str:
    return ", ".join(f"`{name}`" for name in sorted(spec.SIGNALS[signal])) or "–"


def _given(signal: str) -> str:
    written = meanings().get(f"signal.{signal}")
    return written or " ".join((SIGNAL_FUNCTIONS[signal].__doc__ or "").split())


def _preset_row(policy: Policy, folder: str) -> tuple[str, str, str, str, str]:
    opened = [name for name in ("lexical", "dense", "entity", "temporal") if getattr(policy.channels, name) is not None]
    sign = " + " if policy.score.combine == "sum" else " × "
    terms = sign.join(_term(term, policy) for term in policy.score.terms)
    floor = "none" if policy.floor.at is None else f"{policy.floor.on} {policy.floor.at:g}"
    linked = f"[`{policy.name}`]({folder}{policy.name}.md)"
    return linked, " ".join(opened), terms, floor, str(policy.budget.limit)


def _term(term: Term, policy: Policy) -> str:
    weight = term.weight + term.lean * policy.score.recency_weight
    name = f"fused ({policy.fuse.how})" if term.signal == "fused" else (term.name or term.signal or "")
    return name if weight == 1.0 else f"{weight:.2g} {name}"


_HEAD = """# Policy reference

<!-- This page is written by tools/reference.py from src/cued/policy/spec.py. -->

A policy is a TOML file. Each stage of the flow has one table, named as the stage. A key that is left out has the default below;
an unknown key, a wrong type or a number out of range is refused, with every problem listed at its path. Durations are written
`"30d"`, `"12h"`, `"45m"`, `"90s"`, `"2w"`, or as a number of seconds.

## At the top"""
