"""From a verb and its request to an HTTP request: method, path, query and body, by the table of routes."""

import secrets
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NoReturn
from urllib.parse import quote, urlencode

import msgspec
from msgspec import Struct

from cued.errors import InputError, NotFoundError
from cued.model.plain import JSON
from cued.requests.checks import metadata, own
from cued.requests.fields import fields_of
from cued.surfaces.http.routes import LEFT_OUT, ROUTES, Route

_ROUTES: Mapping[str, Route] = MappingProxyType({route.verb: route for route in ROUTES if not route.operation})


class Call(Struct, frozen=True, kw_only=True):
    """One request over HTTP.

    `again` is the body to send if the first answer was lost; None if it must not be sent again, because it may have been done.
    """

    method: str
    target: str
    headers: dict[str, str]
    body: bytes = b""
    again: bytes | None = None
    long: bool = False


def call_of(verb: str, body: JSON, *, tenant: str | None = None) -> Call:
    """The HTTP request for a verb; a write has an idempotency key, so that it happens once however often it is sent."""
    for stated in (body, *body.get("memories", ())):
        metadata(stated.get("meta") or {})  # JSON says null for a number that is none
    route = _ROUTES[verb]
    headers = {} if tenant is None else {"Cued-Tenant": quote(tenant, safe="")}
    fields = {name: value for name, value in body.items() if name != route.place}
    path = route.path.replace("{id}", _in_path(body[route.place])) if route.place else route.path
    if route.in_query:
        query = urlencode([pair for name, value in fields.items() for pair in _queried(name, value)])
        return Call(method=route.method, target=f"{path}?{query}" if query else path, headers=headers, again=b"", long=route.of.long)
    headers |= {"Content-Type": "application/json"} | ({"Idempotency-Key": secrets.token_hex(16)} if route.once else {})
    said = _encoded(fields)
    return Call(method=route.method, target=path, headers=headers, body=said, again=_again(route, fields, said), long=route.of.long)


def stated_fields(request: Struct) -> JSON:
    """The fields of a request that are not at their defaults; the server fills in the others."""
    known = fields_of(type(request))
    stated: JSON = msgspec.to_builtins(request, enc_hook=own)
    return {name: value for name, value in stated.items() if getattr(request, name) != known[name].default}


def left_out(verb: str, value: object) -> InputError:
    """The error for a verb that no server has, with the reason."""
    return InputError(verb, str(value), f"nothing through a server: {LEFT_OUT[verb]}")


def _again(route: Route, fields: JSON, said: bytes) -> bytes | None:
    if route.verb == "recall":
        # the first may already be in the log
        return msgspec.json.encode({**fields, "settle": False}, enc_hook=own)
    return said if route.once or not route.of.writes else None


def _encoded(fields: JSON) -> bytes:
    try:
        return msgspec.json.encode(fields, enc_hook=own)
    except UnicodeEncodeError as error:
        name = next((name for name, value in fields.items() if value == error.object), "request")
        raise InputError(name, error.object, "a text without lone surrogates") from error
    except TypeError as error:
        raise InputError("request", sorted(fields), f"values that JSON can say ({error})") from error


def _in_path(memory_id: str) -> str:
    """An id quoted for a path; one that cannot be is a NotFoundError, for no memory has it."""
    try:
        return quote(memory_id, safe="") or _unknown(memory_id)
    except UnicodeEncodeError:
        return _unknown(memory_id)


def _unknown(memory_id: str) -> NoReturn:
    raise NotFoundError(memory_id)


def _queried(name: str, value: Any) -> list[tuple[str, str]]:  # noqa: ANN401 - any JSON value
    """A field as pairs of a query: a list repeats it, an object is JSON, and None is left out."""
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return [pair for each in value for pair in _queried(name, each)]
    return [(name, value if isinstance(value, str) else msgspec.json.encode(value).decode())]
