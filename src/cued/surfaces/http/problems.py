"""Errors as problem+json (RFC 9457): the status, what went wrong, and what would help."""

from collections.abc import Mapping
from math import ceil
from types import MappingProxyType
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import Response

from cued.errors import (
    BusyError,
    ConflictError,
    CuedError,
    EmbedderError,
    FullError,
    InputError,
    LostConnectionError,
    NotFoundError,
    QuotaError,
    RateError,
    ReadOnlyError,
    StoreError,
    TrustError,
)
from cued.surfaces.failures import error_json

CONTENT_TYPE = "application/problem+json"
RETRY_AFTER_S = 1
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class RefusedError(Exception):
    """A request that is refused before any verb sees it."""

    def __init__(self, status: int, detail: str, remedy: str, *, headers: Mapping[str, str] = _NO_HEADERS) -> None:
        """Take the status, what was wrong and what would help."""
        super().__init__(detail)
        self.status, self.remedy, self.headers = status, remedy, dict(headers)


def problem(error: Exception, *, request_id: str) -> Response:
    """The answer to a request that failed; of the server's own errors it tells the type and no more."""
    status, headers, told = _described(error)
    title = _TITLES.get(status, "error")
    body = {"type": f"urn:cued:error:{told.pop('kind')}", "title": title, "status": status, **told, "request_id": request_id}
    return Response(msgspec.json.encode(body), status, headers=headers, media_type=CONTENT_TYPE)


def _described(error: Exception) -> tuple[int, dict[str, str], dict[str, Any]]:
    if isinstance(error, RefusedError):
        return error.status, error.headers, {"kind": _KINDS[error.status], "detail": str(error), "remedy": error.remedy}
    if isinstance(error, HTTPException):
        remedy = "the paths and methods are in /v1/openapi.json"
        return error.status_code, dict(error.headers or {}), {"kind": _KINDS[error.status_code], "detail": error.detail, "remedy": remedy}
    if isinstance(error, CuedError):
        return _ours_described(error)
    return 500, {}, {"kind": "InternalError", "detail": "something failed in the server", "remedy": "tell its operator the request_id"}


def _ours_described(error: CuedError) -> tuple[int, dict[str, str], dict[str, Any]]:
    status, remedy = next((status, remedy) for kind, status, remedy in STATUSES if isinstance(error, kind))
    told = error_json(error)["error"]
    if isinstance(error, InputError):
        remedy = f"accepted: {error.accepted}"
        told["message"] = "; ".join((told["message"], *told["notes"]))
        if error.field == "if_version":
            status = 412
    if isinstance(error, StoreError):
        # its message may name files of this machine
        told = {"type": told["type"], "message": (type(error).__doc__ or "").strip()}
    kept = {name: told[name] for name in ("field", "accepted", "problems", "memory_id", "conflicts") if name in told}
    wait = max(RETRY_AFTER_S, ceil(error.retry_after_s)) if isinstance(error, RateError) else RETRY_AFTER_S
    headers = {"Retry-After": str(wait)} if status in {429, 503} else {}
    return status, headers, {"kind": told["type"], "detail": told["message"], "remedy": remedy, **kept}


STATUSES: tuple[tuple[type[CuedError], int, str], ...] = (
    (NotFoundError, 404, "ids are as GET /v1/memories and POST /v1/recall show them"),
    (ConflictError, 409, "say on_conflict report or supersede, or another text"),
    (TrustError, 403, "a token of higher trust, or store it beside what is there: then a person can decide"),
    (RateError, 429, "wait as long as Retry-After says"),
    (QuotaError, 507, "erase some memories, or ask the server's operator for a larger quota"),
    (InputError, 422, "what the field accepts is in `accepted`"),
    (BusyError, 503, "try again after the seconds in Retry-After"),
    (FullError, 507, "make room on the server's disk; nothing of the write was kept, and reads go on"),
    (ReadOnlyError, 403, "let the server write its file and folder, or its database"),
    (LostConnectionError, 503, "try again after the seconds in Retry-After; a write that carries its Idempotency-Key again happens once"),
    (StoreError, 503, "the server's log says more; a damaged file is restored with `cued restore`"),
    (EmbedderError, 503, "try again after the seconds in Retry-After, or without what needs the embedder"),
    (CuedError, 500, "tell the server's operator the request_id"),
)
"""Each error with its status and what helps; the first that fits counts. An outdated `if_version` is 412."""
_KINDS = {
    400: "MalformedError",
    401: "UnauthorisedError",
    403: "ForbiddenError",
    404: "NoSuchRouteError",
    405: "MethodError",
    408: "SlowRequestError",
    413: "TooLargeError",
    415: "MediaTypeError",
    421: "HostError",
    422: "InputError",
    429: "TooManyRequestsError",
    503: "BusyError",
}
_TITLES = {
    400: "the request cannot be read",
    401: "a token is needed",
    403: "not allowed",
    404: "not there",
    405: "no such method here",
    408: "the request came too slowly",
    409: "at odds with what is stored",
    412: "changed in the meantime",
    413: "too large",
    415: "not JSON",
    421: "not this host",
    422: "refused input",
    429: "too many requests",
    500: "the server failed",
    503: "not now",
    507: "no room is left",
}
