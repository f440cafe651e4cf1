"""Listings in pages: newest first by (created_at, id), continued by an opaque cursor."""

from base64 import urlsafe_b64decode, urlsafe_b64encode

from msgspec import DecodeError, ValidationError, json

from cued.errors import InputError
from cued.model import Memory
from cued.stores.instants import NEVER, micros

Position = tuple[int, str]


def cursor_after(memory: Memory) -> str:
    """Give the cursor that continues a listing after this memory."""
    return urlsafe_b64encode(json.encode((micros(memory.created_at), memory.id))).decode()


def position(cursor: str | None) -> Position:
    """Give the place a cursor stands for, before everything for None; any other string is an InputError."""
    if cursor is None:
        return NEVER, ""
    try:
        place: Position = json.decode(urlsafe_b64decode(cursor.encode("ascii")), type=tuple[int, str])
    except (DecodeError, ValidationError, ValueError) as error:
        raise InputError("after", cursor, "the `next` of an earlier page") from error
    return place
