"""From a server's problem+json to the error that the same call raises on an open store."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec

from cued import errors
from cued.errors import AccessError, BusyError, CuedError, InputError, ServerError
from cued.model import Conflict

_OURS: Final[Mapping[str, type[CuedError]]] = MappingProxyType(
    {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, CuedError)}
)
_GATE: Final[Mapping[str, type[CuedError]]] = MappingProxyType(
    {
        "UnauthorisedError": AccessError,
        "ForbiddenError": AccessError,
        "HostError": AccessError,
        "TooManyRequestsError": BusyError,
        "TooLargeError": InputError,
    }
)
"""Errors for what the server's gate refuses before any verb runs; all others of its refusals are a ServerError."""


def raised(status: int, raw: bytes, *, noted: bool = True) -> CuedError:
    """The error that a refusal stands for; with `noted`, its notes say what would help and the request's id."""
    try:
        problem = msgspec.json.decode(raw)
        kind, detail = str(problem["type"]).removeprefix("urn:cued:error:"), str(problem["detail"])
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError):
        return ServerError(f"the server answered with status {status} and not as Cued does: is the address right?")
    error = _error(_OURS.get(kind) or _GATE.get(kind, ServerError), detail, problem)
    if noted:
        error.add_note(f"{problem.get('remedy', '')} (request {problem.get('request_id', 'unknown')}, status {status})")
    return error


def _error(kind: type[CuedError], detail: str, problem: Mapping[str, Any]) -> CuedError:
    """An error of this type with the server's message, and with the attributes that the server sent."""
    error = kind.__new__(kind)
    Exception.__init__(error, detail)
    if isinstance(error, InputError):
        error.field, error.accepted = str(problem.get("field", "request")), str(problem.get("accepted", problem.get("remedy", "")))
    for name in ("problems", "memory_id", "conflicts"):
        if name in problem:
            setattr(error, name, _READ.get(name, lambda value: value)(problem[name]))
    return error


_READ: Final[Mapping[str, Any]] = MappingProxyType(
    {"problems": tuple, "conflicts": lambda told: msgspec.convert(told, tuple[Conflict, ...])}
)
