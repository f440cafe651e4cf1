"""mem0's filters over payloads: equality, operators, any value, and AND, OR and NOT."""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cued.errors import InputError

_DEEPEST = 32
"""How deep conditions may be nested; each level is a recursive call."""


def passes(payload: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether a payload passes a filter."""
    return all(_passes(payload, key, condition) for key, condition in wanted.items())


def checked(wanted: Mapping[str, Any], *, deepest: int = _DEEPEST) -> Mapping[str, Any]:
    """The filter; an operator that is not known is an InputError, also where nothing is stored yet, and so is one below too many others."""
    for key, condition in wanted.items():
        if key in _LOGICAL:
            if not deepest:
                raise InputError(key, condition, f"at most {_DEEPEST} of {', '.join(_LOGICAL)} within each other")
            for each in _conditions(key, condition):
                checked(each, deepest=deepest - 1)
        elif isinstance(condition, Mapping):
            for name in condition:
                if name not in _OPERATORS:
                    raise InputError(f"Unsupported metadata filter operator: {name}", condition, f"one of {', '.join(_OPERATORS)}")
    return wanted


def _passes(payload: Mapping[str, Any], key: str, condition: Any) -> bool:  # noqa: ANN401 - any JSON
    if key in _LOGICAL:
        return _LOGICAL[key](passes(payload, each) for each in _conditions(key, condition))
    value = payload.get(key)
    if condition == "*":
        return key in payload
    if not isinstance(condition, Mapping):
        return bool(value == condition)
    return all(_holds(name, value, other) for name, other in condition.items())


def _holds(name: str, value: Any, other: Any) -> bool:  # noqa: ANN401 - any JSON
    """An operator's result; comparing values that cannot be compared is false."""
    try:
        return bool(_OPERATORS[name](value, other))
    except TypeError:
        return False


def _conditions(key: str, condition: object) -> Sequence[Mapping[str, Any]]:
    if not isinstance(condition, list | tuple) or not condition or not all(isinstance(each, Mapping) for each in condition):
        raise InputError(
            key, condition, f"one or more: the {key} operator requires a {'' if key == 'AND' else 'non-empty '}list of conditions"
        )
    return condition


def _within(value: Any, text: Any) -> bool:  # noqa: ANN401 - any JSON
    return value is not None and text in value


_LOGICAL: Mapping[str, Callable[[Any], bool]] = {"AND": all, "OR": any, "NOT": lambda each: not any(each)}
_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
    "in": lambda value, several: value in several,
    "nin": lambda value, several: value not in several,
    "contains": _within,
    "icontains": lambda value, text: _within(str(value).lower(), str(text).lower()),
}
