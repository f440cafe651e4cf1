"""Reads policies from TOML and writes them back; a faulty one is refused with every problem at once, each at its path."""

import math
import tomllib
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from cued.errors import InputError, PolicyError
from cued.policy.spec import FLOORS, SIGNALS, Budget, Floor, Policy, Term
from cued.text.durations import format_duration, parse_duration

_RECENCY_RATES = ("half_life", "tau", "rate_per_day", "per_hour")
_SHAPING = frozenset({"signal", "sum", "product", "name", "weight", "lean", "normalise", "clip"})
_MOST_DOTS = 500
"""How many dots a line may have: reading takes the square of a key's parts, and hardly a line of numbers or words has as many."""
_DEEPEST = 40
"""How many tables and lists may lie in each other: a sum of sums of terms has a few, and what shows a value goes down as many."""


def parse(text: str, *, name: str = "policy") -> Policy:
    """The policy written in this TOML; a PolicyError lists all the problems of one that is not sound."""
    document = {"name": name, **_read(text, name)}
    problems: list[str] = []
    cleaned = _clean_struct(document, Policy, "", problems)
    problems.extend(_problems_of_terms((cleaned.get("score") or {}).get("terms", ()), "score.terms", top=True))
    problems.extend(_problems_between(cleaned))
    if problems:
        raise PolicyError(str(document["name"]), problems)
    return msgspec.convert(cleaned, Policy)


def dump(policy: Policy, *, whole: bool = False) -> str:
    """The TOML of a policy, defaults left out unless it is wanted whole; `parse` gives the same policy back."""
    document = {"name": policy.name, **_sparse(policy, None if whole else Policy(name=policy.name))}
    lines = [f"{key} = {_toml(document.pop(key))}" for key in ("name", "source", "about") if key in document]
    for stage, values in document.items():
        lines += ["", f"[{stage}]", *(f"{key} = {_listed(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


def diff(left: Policy, right: Policy) -> list[tuple[str, str, str]]:
    """The paths at which two policies differ, with both values as TOML ("–" where one has none)."""
    a, b = (dict(_leaves(msgspec.to_builtins(p, builtin_types=(timedelta,)), "")) for p in (left, right))
    shown = {path: (_shown(a.get(path)), _shown(b.get(path))) for path in [*a, *(p for p in b if p not in a)]}
    return [(path, x, y) for path, (x, y) in shown.items() if x != y and path not in {"name", "source", "about"}]


def _read(text: str, name: str) -> dict[str, Any]:
    """What the TOML says, of any shape; a PolicyError where it is none, or is one that no policy has and that takes long to go through."""
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise PolicyError(name, [f"a line has too many dots; accepted: at most {_MOST_DOTS} in one line"])
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is no TOMLDecodeError
        raise PolicyError(name, [f"not TOML: {error}"]) from error
    if not _within(document, _DEEPEST):
        raise PolicyError(name, [f"tables and lists lie too deep in each other; accepted: at most {_DEEPEST} levels"])
    return document


def _within(value: object, levels: int) -> bool:
    """Whether tables and lists lie in each other at most so many times."""
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return levels >= 0 and all(_within(each, levels - 1) for each in inner)


def _clean_struct(value: object, kind: type, path: str, problems: list[str]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        problems.append(f"{path or 'document'}: expected a table, got {_toml(value)}")
        return {}
    hints = get_type_hints(kind, include_extras=True)
    cleaned: dict[str, Any] = {}
    for key, item in value.items():
        where = f"{path}.{key}" if path else key
        if key not in hints:
            problems.append(f"{where}: unknown key{_meant(key, hints)}; known here: {', '.join(hints)}")
        else:
            cleaned[key] = _clean(item, hints[key], where, problems)
    missing = [field.name for field in msgspec.structs.fields(kind) if field.required and field.name not in value]
    problems.extend(f"{path}.{name}: missing" for name in missing)
    return cleaned


def _clean(value: Any, hint: Any, path: str, problems: list[str]) -> Any:  # noqa: ANN401 - TOML values and type hints are of any type
    struct = next((part for part in (hint, *get_args(hint)) if isinstance(part, type) and issubclass(part, msgspec.Struct)), None)
    if get_origin(hint) is tuple and struct is Term:
        if not isinstance(value, list):
            problems.append(f"{path}: expected a list of terms, got {_toml(value)}")
            return ()
        return tuple(_clean_struct(item, Term, f"{path}[{i}]", problems) for i, item in enumerate(value))
    if struct is not None:
        return _clean_struct(value, struct, path, problems)
    try:
        if timedelta in (hint, *get_args(hint)) and value is not None:
            return parse_duration(value, field=path)
        return msgspec.convert(value, hint)
    except InputError as error:
        problems.append(str(error))
    except msgspec.ValidationError as error:
        problems.append(f"{path}: got {_toml(value)}; accepted: {_accepted(hint) or error}")
    return None


def _accepted(hint: Any) -> str:  # noqa: ANN401 - type hints are of any type
    """What a key of this type may be, where that is a choice or a range."""
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    if get_origin(hint) in (dict, tuple):
        return ""
    for part in (hint, *get_args(hint)):
        for bound in getattr(part, "__metadata__", ()):
            low = f"from {bound.ge:g}" if bound.ge is not None else f"above {bound.gt:g}"
            high = f"to {bound.le:g}" if bound.le is not None else f"below {bound.lt:g}"
            return f"a {'whole ' if get_args(part)[0] is int else ''}number {low} {high}"
    return ""


def _problems_of_terms(terms: Any, path: str, *, top: bool = False) -> Iterator[str]:  # noqa: ANN401 - cleaned TOML
    names: set[str] = set()
    for i, term in enumerate(terms):
        where = f"{path}[{i}]"
        yield from _problems_of_term(term, where)
        label = term.get("name") or term.get("signal")
        if top and label is None and (term.get("sum") or term.get("product")):
            yield f"{where}: a sum or product needs a name of its own, to appear in explanations"
        elif top and label is not None and label in names:
            yield f"{where}: the name {label!r} is taken by another term; give this one `name = …`"
        names.add(str(label))


def _problems_between(document: dict[str, Any]) -> Iterator[str]:
    """What is wrong with two keys together though each alone is accepted; a key that is refused itself is None here."""
    floor, budget = (document.get(stage) or {} for stage in ("floor", "budget"))
    on, at = floor.get("on", Floor().on), floor.get("at")
    least, most = FLOORS.get(on, (-math.inf, math.inf))
    if at is not None and not least <= at <= most:
        yield f"floor.at: got {_toml(at)}; accepted: a number from {least:g} to {most:g}, as {on} has them"
    limit, limit_max = (budget.get(key, getattr(Budget(), key)) for key in ("limit", "limit_max"))
    if None not in (limit, limit_max) and limit > limit_max:
        yield f"budget.limit: got {limit}; accepted: at most budget.limit_max, which is {limit_max}"
    score = document.get("score") or {}
    if score.get("renewal") and score.get("combine") == "product":
        yield 'score.renewal: got true; accepted: false where combine is "product", for what is renewed is raised by a sum'


def _problems_of_term(term: dict[str, Any], where: str) -> Iterator[str]:
    given = [key for key in ("signal", "sum", "product") if term.get(key)]
    if len(given) != 1:
        yield f"{where}: exactly one of signal, sum and product is needed, got {', '.join(given) or 'none'}"
        return
    low, high = term.get("clip") or (0.0, 0.0)
    if low > high:
        yield f"{where}.clip: got {_toml([low, high])}; accepted: the least value, then the greatest"
    for nested in ("sum", "product"):
        yield from _problems_of_terms(term.get(nested, ()), f"{where}.{nested}")
    if given != ["signal"]:
        return
    signal = term["signal"]
    if signal not in SIGNALS:
        yield f"{where}.signal: unknown signal {signal!r}{_meant(signal, SIGNALS)}; known: {', '.join(SIGNALS)}"
        return
    for key in term.keys() - _SHAPING - SIGNALS[signal]:
        yield f"{where}.{key}: {signal} does not take this; it takes {', '.join(sorted(SIGNALS[signal])) or 'nothing'}"
    if signal == "recency" and sum(key in term for key in _RECENCY_RATES) != 1:
        yield f"{where}: recency needs exactly one of {', '.join(_RECENCY_RATES)}"
    if signal in {"scope", "tier", "kind"} and not term.get("values"):
        yield f"{where}.values: {signal} needs a table of values"


def _meant(word: str, known: Mapping[str, object]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only a faulty policy needs it

    close = get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _sparse(value: msgspec.Struct, default: msgspec.Struct | None) -> dict[str, Any]:
    """The fields that differ from the default, nested structs likewise; all that are not None where there is no default."""
    result: dict[str, Any] = {}
    for key in value.__struct_fields__:
        mine = getattr(value, key)
        usual = None if default is None else getattr(default, key)
        if mine is None or (default is not None and mine == usual):
            continue
        if isinstance(mine, msgspec.Struct):
            result[key] = _sparse(mine, usual or _defaults(mine) if default is not None else None)
        elif isinstance(mine, tuple) and mine and isinstance(mine[0], Term):
            result[key] = [_term(term, whole=default is None) for term in mine]
        else:
            result[key] = mine
    return result


def _defaults(value: msgspec.Struct) -> msgspec.Struct | None:
    """A struct of this kind as it is when nothing is said, None where something must be."""
    needed = any(field.required for field in msgspec.structs.fields(value))
    return None if needed else type(value)()


def _term(term: Term, *, whole: bool) -> dict[str, Any]:
    plain = _sparse(term, None if whole else Term())
    return {key: plain[key] for key in ("name", "signal", *plain) if key in plain}


def _listed(value: object) -> str:
    """A list of tables with one of them a line, and anything else as `_toml` writes it."""
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return "[\n" + "".join(f"    {_toml(item)},\n" for item in value) + "]"
    return _toml(value)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, timedelta):
        return _toml(format_duration(value))
    if isinstance(value, str):
        return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(str(k))} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return repr(value)


def _key(key: str) -> str:
    return key if key.isascii() and key.isidentifier() else _toml(key)


def _leaves(value: Any, path: str) -> Iterator[tuple[str, object]]:  # noqa: ANN401 - any plain data
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple) and value and isinstance(value[0], Mapping):
        for i, item in enumerate(value):
            label = item.get("name") or item.get("signal") or i
            yield from _leaves({k: v for k, v in item.items() if k not in {"name", "signal"}} or {"weight": 1.0}, f"{path}[{label}]")
    else:
        yield path, value


def _shown(value: object) -> str:
    return "–" if value is None else _toml(value)
