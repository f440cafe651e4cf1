"""What the table says of a verb: its request, its function, and who may call it."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

from msgspec import Struct

from cued.model.plain import JSON

Authority = Literal["read", "write", "admin"]
AUTHORITIES: tuple[Authority, ...] = get_args(Authority)
"""What a caller may be allowed; each includes those before it."""


class Verb(Struct, frozen=True, kw_only=True):
    """A verb: its request, its function, and who may call it.

    `authority` is what a caller must be allowed: to read or to write a tenant's memories, or to look after the store. A verb of authority
    "write" always `writes`; for another it is stated. `works_on` says what the function is handed, `long` that it also takes a
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
