"""Writes that are made again where a database let another go first: nothing of them was kept, so nothing is done twice."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Final, ParamSpec, Protocol, TypeVar

from cued.errors import ContestedError

_TRIES: Final = 5

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class Contesting(Protocol):
    """Whatever counts how often it had to try again."""

    contested: int


Contested = TypeVar("Contested", bound=Contesting)


def repeated(write: Callable[Concatenate[Contested, Given], Answer]) -> Callable[Concatenate[Contested, Given], Answer]:
    """A write of a store that is made again, some times, where it was refused because others changed the same at the same time."""

    @wraps(write)
    def again(store: Contested, /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        for _ in range(_TRIES - 1):
            try:
                return write(store, *args, **kwargs)
            except ContestedError:
                store.contested += 1
        return write(store, *args, **kwargs)

    return again
