"""How every surface says of a memory that a newer one has taken its place."""

from collections.abc import Mapping
from typing import Any, Final

SUPERSEDED: Final = "superseded"


def superseded(memory: Mapping[str, Any]) -> str:
    """The word for it; with the projects in which alone it holds, and "" where the memory stands everywhere."""
    scopes = [mark["scope"] for mark in memory.get("superseded", ()) if mark["lifted_at"] is None]
    if None in scopes:
        return SUPERSEDED
    return f"{SUPERSEDED} in {', '.join(sorted({*scopes}))}" if scopes else ""
