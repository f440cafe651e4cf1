"""How every surface says of a memory that a newer one has taken its place."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

SUPERSEDED: Final = "superseded"


def superseded(marks: Iterable[Mapping[str, Any]]) -> str:
    """The word for what the marks of a memory say; with the projects in which alone it holds, and "" where it holds nowhere."""
    scopes = [mark["scope"] for mark in marks if mark["lifted_at"] is None]
    if None in scopes:
        return SUPERSEDED
    return f"{SUPERSEDED} in {', '.join(sorted({*scopes}))}" if scopes else ""
