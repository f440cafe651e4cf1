"""Listings in pages by (created_at, id), newest or oldest first, continued by an opaque cursor that knows its direction."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Annotated

from msgspec import DecodeError, Meta, ValidationError, json

from cued.errors import InputError
from cued.model import Memory
from cued.stores.standing.instants import ALWAYS, NEVER, micros

Position = tuple[int, str]

_Created = Annotated[int, Meta(ge=ALWAYS, le=NEVER)]


def cursor_after(memory: Memory, *, oldest_first: bool) -> str:
    """The cursor that continues a listing after this memory."""
    place = place_of(memory)
    return urlsafe_b64encode(json.encode((*place, True) if oldest_first else place)).decode()


def position(cursor: str | None, *, oldest_first: bool) -> Position:
    """The place a cursor stands for, before everything for None; any other string is an InputError."""
    if cursor is None:
        return (ALWAYS if oldest_first else NEVER), ""
    try:
        encoded = urlsafe_b64decode(cursor.encode("ascii"))
        if oldest_first:
            created, memory_id, _ = json.decode(encoded, type=tuple[_Created, str, bool])
        else:
            created, memory_id = json.decode(encoded, type=tuple[_Created, str])
    except (DecodeError, ValidationError, ValueError) as error:
        raise InputError("after", cursor, "the `next` of an earlier page of the same listing") from error
    return created, memory_id


def place_of(memory: Memory) -> Position:
    """A memory's place in every listing."""
    return micros(memory.created_at), memory.id
