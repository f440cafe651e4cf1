"""An error as a model should hear it: what is wrong, what would be accepted, and what to do next."""

from cued.errors import (
    BusyError,
    ConflictError,
    CuedError,
    EmbedderError,
    InputError,
    NotFoundError,
    QuotaError,
    RateError,
    StoreError,
    TrustError,
)
from cued.text.harmless import harmless

NOT_ALLOWED = "This connection may only read. Do not try again; tell the user if it matters."
_NEXT: tuple[tuple[type[CuedError], str], ...] = (
    (InputError, "Correct this argument and call again."),
    (NotFoundError, "Use an id that `recall` or `timeline` has shown; do not make one up."),
    (TrustError, "Do not try again. Remember what you know beside it, and tell the user what there is to decide."),
    (RateError, "Wait, or go on without memory."),
    (QuotaError, "Do not try again. Go on without storing, and tell the user that memory is full."),
    (ConflictError, "Nothing was stored. Ask the user which one holds, or call again with `on_conflict` supersede."),
    (BusyError, "Try again once. If it fails again, go on without memory and tell the user."),
    (StoreError, "Do not try again. Go on without memory, and tell the user what is wrong."),
    (EmbedderError, "Do not try again. Go on without memory, and tell the user what is wrong."),
)


def refusal(error: CuedError | OSError) -> str:
    """The error in one text, with the next step after it."""
    step = next((step for kind, step in _NEXT if isinstance(error, kind)), _NEXT[-1][1])
    return f"{harmless(str(error))}\n{step}"
