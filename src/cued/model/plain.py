"""Values as plain data: dicts, lists, texts, finite numbers, booleans and None, as every surface speaks them."""

import math
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

JSON = dict[str, Any]


class Plain(Struct, frozen=True, kw_only=True):
    """What can be told field by field."""

    def to_dict(self) -> JSON:
        """All of it as plain data."""
        return plain(self)


def plain(value: Mapping[str, Any] | Struct) -> JSON:
    """The value in plain data alone; a number that is not finite is None, a time is RFC 3339 in UTC."""
    cleaned: JSON = _finite(msgspec.to_builtins(value, str_keys=True))
    return cleaned


def _finite(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
