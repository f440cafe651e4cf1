"""A verb as the table declares it: what it takes, what does it, and who may ask for it."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

from msgspec import Struct

from cued.model.plain import JSON

Authority = Literal["read", "write", "admin"]
AUTHORITIES: tuple[Authority, ...] = get_args(Authority)
"""What a caller may be allowed, each with all that stands before it."""


class Verb(Struct, frozen=True, kw_only=True):
    """A verb: what it takes, what does it, and who may ask for it.

    `authority` is what a caller must be allowed: to read or to write a tenant's memories, or to look after the store. What needs the
    authority to write `writes`; of another verb it is said. `works_on` says what the function is handed, `long` that it also takes a
    `progress`, and `streams` that it hands its lines to a `write`.
    """

    name: str
    about: str
    request: type[Struct]
    function: Callable[..., JSON]
    authority: Authority
    writes: bool = False
    long: bool = False
    streams: bool = False
    works_on: Literal["tenant", "store"] = "tenant"
    examples: tuple[Mapping[str, Any], ...] = ({},)
