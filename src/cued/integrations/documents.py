"""A JSON document stored with a memory: split into the pieces that `meta` can hold, and read back unchanged."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import TypeVar
from uuid import UUID

import msgspec

from cued.errors import InputError
from cued.model import Memory, Scalar
from cued.requests.checks import MAX_LABEL, MAX_TEXT, storable

Shape = TypeVar("Shape")
PIECE = MAX_LABEL * 10
"""How long one value of `meta` may be."""
MOST_PIECES = 60
"""How many values of `meta` a document may take; the others are for facts by which `list` can filter."""


def packed(name: str, document: object) -> dict[str, Scalar]:
    """The document as facts of a memory: `name`, `name.1`, …; one that is too long or no JSON is an InputError."""
    text = _written(name, document)
    if len(text) > PIECE * MOST_PIECES:
        raise InputError(name, f"{len(text)} characters of JSON", f"at most {PIECE * MOST_PIECES}")
    pieces = [text[start : start + PIECE] for start in range(0, len(text), PIECE)]
    return {_piece(name, number): piece for number, piece in enumerate(pieces)}


def unpacked(name: str, memory: Memory, shape: type[Shape]) -> Shape | None:
    """The document of this name in a memory; None where there is none, or one of another program with another shape."""
    pieces: list[str] = []
    while (piece := memory.source.meta.get(_piece(name, len(pieces)))) is not None:
        pieces.append(str(piece))
    try:
        return msgspec.convert(json.loads("".join(pieces)), shape) if pieces else None
    except (msgspec.ValidationError, ValueError, RecursionError):
        return None


def plain_facts(name: str, meta: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The facts without the document of this name."""
    return {key: value for key, value in meta.items() if key != name and not key.startswith(f"{name}.")}


def sayable(text: str) -> str:
    """A text as a memory can hold it: what no store can keep is replaced, and what is too long is cut; nobody's run ends over it."""
    text = text[:MAX_TEXT]
    return text if storable(text) else text.encode("utf-8", "replace").decode().replace("\0", " ")


def _piece(name: str, number: int) -> str:
    return f"{name}.{number}" if number else name


def _written(name: str, document: object) -> str:
    try:
        text = json.dumps(document, ensure_ascii=False, default=_as_json)
        return text if storable(text) else json.dumps(document, default=_as_json)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(name, document, f"what JSON can say ({error})") from error


def _as_json(value: object) -> object:
    """What JSON has no word for, as a text: times, dates and UUIDs."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
