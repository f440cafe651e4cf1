"""Work on memories by id, some of which may be erased meanwhile: a call that names one is refused, and repeated with those left."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from cued.errors import NotFoundError

Result = TypeVar("Result")


def with_those_left(memory_ids: Sequence[str], work: Callable[[Sequence[str]], Result]) -> tuple[Result | None, frozenset[str]]:
    """The result of the work on all of the ids that are still there, None when none is left, and the ids that are gone."""
    gone: set[str] = set()
    while left := [memory_id for memory_id in memory_ids if memory_id not in gone]:
        try:
            return work(left), frozenset(gone)
        except NotFoundError as error:
            if error.memory_id not in left:
                raise
            gone.add(error.memory_id)
    return None, frozenset(gone)
