"""That a new memory is at odds with a stored one, and what can be done."""

from typing import Literal

from msgspec import Struct

from cued.model.words import ConflictType


class Choice(Struct, frozen=True, kw_only=True):
    """One way to resolve a conflict, with the exact calls that do it; none where nothing is to be done."""

    action: Literal["keep both", "update old", "supersede", "delete old"]
    python: tuple[str, ...] = ()
    cli: tuple[str, ...] = ()


class Conflict(Struct, frozen=True, kw_only=True):
    """That a new memory may be at odds with a stored one: how so, how similar they are, and what can be done."""

    id: str
    type: ConflictType
    similarity: float
    text: str
    reason: str
    choices: tuple[Choice, ...]
