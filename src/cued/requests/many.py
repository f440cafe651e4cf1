"""Many drafts at once, stored in chunks: which of them an error is about, and how many are stored by then."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from cued.errors import InputError
from cued.requests.draft import Draft, compose, read_draft

CHUNK: Final = 256
"""How many are stored together, each chunk whole or not at all."""


def numbered(drafts: Iterable[str | Mapping[str, Any] | Draft]) -> Iterator[Draft]:
    """The drafts; an error in reading one says which it is."""
    for number, draft in enumerate(drafts):
        try:
            yield read_draft(draft)
        except InputError as error:
            raise _noted(error, number, stored=number // CHUNK * CHUNK) from None


def placed(error: InputError, chunk: Sequence[Draft], *, stored: int, now: datetime) -> InputError:
    """The error that a chunk was refused with, where it is about one of its drafts, that one's own, which says which it is."""
    found = misfit(chunk, now=now)
    return error if found is None else _noted(found[1], stored + found[0], stored=stored)


def misfit(drafts: Iterable[Draft], *, now: datetime) -> tuple[int, InputError] | None:
    """The first of these drafts that can be no memory, counted from 0, and why; None where each can be one by itself."""
    for number, draft in enumerate(drafts):
        try:
            compose(draft, tenant="none", memory_id="unstored", now=now)
        except InputError as error:
            return number, error
    return None


def _noted(error: InputError, number: int, *, stored: int) -> InputError:
    error.add_note(f"in memory {number + 1} of those given; " + (f"the first {stored} are stored" if stored else "none of them is stored"))
    return error
