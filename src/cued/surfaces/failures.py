"""The one place where errors become JSON and exit codes; it is light, because every command loads it."""

from typing import Any

import msgspec

from cued.errors import CuedError, EmbedderError, NotFoundError, QuotaError, StoreError

REFUSED, NOT_FOUND, STORE, EMBEDDER, QUOTA = 2, 3, 4, 5, 6
_CODES: tuple[tuple[type[CuedError], int], ...] = (
    (NotFoundError, NOT_FOUND),
    (StoreError, STORE),
    (EmbedderError, EMBEDDER),
    (QuotaError, QUOTA),
)


def exit_code(error: BaseException) -> int:
    """The exit code of an error: one each for the store, the embedder, a quota and a missing memory; all else is refused input."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), REFUSED)


def error_json(error: BaseException, *, message: str | None = None) -> dict[str, Any]:
    """An error: its type, its message, what would be accepted, what it is at odds with, and where it happened."""
    told: dict[str, Any] = {
        "type": type(error).__name__,
        "message": str(error) if message is None else message,
        "exit_code": exit_code(error),
    }
    for name in ("field", "accepted", "problems", "memory_id"):
        if getattr(error, name, None) is not None:
            told[name] = getattr(error, name)
    if hasattr(error, "conflicts"):
        told["conflicts"] = msgspec.to_builtins(error.conflicts)
    return {"error": {**told, "notes": list(getattr(error, "__notes__", ()))}}
