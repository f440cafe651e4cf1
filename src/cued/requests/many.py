"""Many drafts at once, stored in chunks: which of them an error is about, and how many are stored by then."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from datetime import datetime
from itertools import islice
from typing import Any, Final

from cued.errors import InputError
from cued.ports import Progress
from cued.requests.draft import Draft, compose, read_draft

CHUNK: Final = 256
"""How many are stored together, each chunk whole or not at all."""


def stored(
    drafts: Iterable[str | Mapping[str, Any] | Draft],
    store: Callable[[Sequence[Draft]], Iterable[str]],
    *,
    clock: Callable[[], datetime],
    progress: Progress,
) -> tuple[str, ...]:
    """The ids that `store` gives, chunk by chunk; the error that a chunk is refused with says which draft it is about."""
    if isinstance(drafts, str | Mapping | Draft) or not isinstance(drafts, Iterable):
        raise InputError("drafts", drafts, "a list of memories; `remember` stores one")
    total, rest = len(drafts) if isinstance(drafts, Sized) else 0, _numbered(drafts)
    ids: list[str] = []
    while chunk := list(islice(rest, CHUNK)):
        try:
            ids += store(chunk)
        except InputError as error:
            found = misfit(chunk, now=clock())
            raise error if found is None else _noted(found[1], len(ids) + found[0], stored=len(ids)) from None
        progress(len(ids), total)
    return tuple(ids)


def _numbered(drafts: Iterable[str | Mapping[str, Any] | Draft]) -> Iterator[Draft]:
    """The drafts; an error in reading one says which it is."""
    for number, draft in enumerate(drafts):
        try:
            yield read_draft(draft)
        except InputError as error:
            raise _noted(error, number, stored=number // CHUNK * CHUNK) from None


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
