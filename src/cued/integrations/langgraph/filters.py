"""Which items a filter keeps, and which namespaces a condition matches, as LangGraph's stores document it."""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from langgraph.store.base import MatchCondition

from cued.errors import InputError

_KEY = re.compile(r"[a-zA-Z0-9_.-]+")
_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}


def checked(wanted: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The filter; a key or an operator that no store knows is an InputError, also where nothing is stored yet."""
    for key, value in (wanted or {}).items():
        if not _KEY.fullmatch(key):
            raise InputError("Invalid filter key", key, "letters, digits, underscores, hyphens, and dots for what lies deeper")
        for name in _operators(value):
            if name not in {"$eq", "$ne", *_ORDER}:
                raise InputError("Unsupported operator", name, f"$eq, $ne, {', '.join(_ORDER)}")
    return wanted or {}


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether an item's value passes a filter in every key."""
    return all(_fits(_at(value, key), expected) for key, expected in wanted.items())


def matching(namespaces: Iterable[tuple[str, ...]], conditions: Iterable[MatchCondition] | None) -> list[tuple[str, ...]]:
    """The namespaces that meet every condition."""
    wanted = tuple(conditions or ())
    return [each for each in namespaces if all(_meets(each, condition) for condition in wanted)]


def _operators(value: object) -> list[str]:
    """The operators in a filter's value; a dict without any is a value."""
    names = list(value) if isinstance(value, Mapping) else []
    return names if any(str(name).startswith("$") for name in names) else []


def _at(value: Mapping[str, Any], key: str) -> Any:  # noqa: ANN401 - any JSON
    """The value under a key, nested if the key has dots; None where there is none."""
    if key in value:
        return value[key]
    here: Any = value
    for part in key.split("."):
        if not isinstance(here, Mapping) or part not in here:
            return None
        here = here[part]
    return here


def _fits(value: Any, expected: Any) -> bool:  # noqa: ANN401 - any JSON
    if _operators(expected):
        return all(_judged(value, name, other) for name, other in expected.items())
    if isinstance(expected, Mapping):
        return isinstance(value, Mapping) and all(_fits(value.get(key), each) for key, each in expected.items())
    if isinstance(expected, list | tuple):
        return isinstance(value, list) and value == list(expected)
    return bool(value == expected)


def _judged(value: Any, name: str, other: Any) -> bool:  # noqa: ANN401 - any JSON
    """An operator's result; as in SQL, every comparison with a missing value is false."""
    if name == "$eq":
        return _fits(value, other)
    if name == "$ne":
        return value is not None and not _fits(value, other)
    if isinstance(other, str) or value is None:
        return isinstance(value, str) and isinstance(other, str) and _ORDER[name](value, other)
    try:
        return _ORDER[name](_number(value), _number(other))
    except (TypeError, ValueError):
        return False


def _number(value: Any) -> float:  # noqa: ANN401 - any JSON
    """A number unchanged, because a long integer would differ as a float; or the number that a text stands for."""
    return value if isinstance(value, int | float) else float(value)


def _meets(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = condition.path
    if condition.match_type not in {"prefix", "suffix"}:
        raise InputError("match_type", condition.match_type, "prefix or suffix")
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))
