"""The searchable parts of an item: the texts of its indexed fields."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from langgraph.store.base import IndexConfig, get_text_at_path, tokenize_path
from msgspec import Struct

from cued.errors import InputError

Distance = Literal["cosine", "l2", "inner_product"]
_DISTANCES = ("cosine", "l2", "inner_product")


class IndexedFields(Struct, frozen=True, kw_only=True):
    """The fields that are searched, whether the caller brings an embedder, and the distance that it asks to be scored by, if any."""

    fields: tuple[str, ...] = ("$",)
    own_embedder: bool = False
    distance: Distance | None = None

    @classmethod
    def of(cls, config: IndexConfig | None) -> "IndexedFields":
        """The index that a configuration describes; without one, whole items, found by Cued's recall."""
        told = cast("dict[str, Any]", dict(config or {}))
        fields = told.get("fields") or told.get("text_fields") or ["$"]
        if isinstance(fields, str):
            fields = [fields]
        if not isinstance(fields, list | tuple):
            raise InputError("fields", fields, 'a list of paths, such as ["text", "messages[*].content"]')
        distance = told.get("distance_type")
        if distance not in (None, *_DISTANCES):
            raise InputError("distance_type", distance, f"one of {', '.join(_DISTANCES)}, or nothing for Cued's own relevance")
        return cls(fields=tuple(fields), own_embedder=told.get("embed") is not None, distance=distance)

    def texts(self, value: Mapping[str, Any], index: Literal[False] | Sequence[str] | None) -> list[str]:
        """The texts of an item to index, each by itself; none where `index` is False or no field is there."""
        if index is False:
            return []
        found: list[str] = []
        for path in self.fields if index is None else index:
            if path == "$" and not self.own_embedder:
                found.append(as_text(value))
            else:
                found += get_text_at_path(dict(value), "$" if path == "$" else tokenize_path(path))
        return [text for text in found if text.strip()]


def as_text(value: Mapping[str, Any]) -> str:
    """A document as a person would say it: its only text by itself, and otherwise each field with its name."""
    if len(value) == 1 and isinstance(only := next(iter(value.values())), str):
        return only
    return "\n".join(f"{key}: {each if isinstance(each, str) else _written(each)}" for key, each in value.items())


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
