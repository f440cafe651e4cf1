"""Reading a verb's request from path, query and body, within bounds."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import inspect as shapes
from starlette.requests import ClientDisconnect, Request

from cued.errors import InputError, UnknownFieldError
from cued.model.plain import JSON
from cued.requests.fields import Field
from cued.surfaces.http.problems import RefusedError
from cued.surfaces.http.routes import Route

MAX_BODY = 8_000_000
BODY_S = 30.0
_TAKEN_IN = 32_000_000
ETAG = r'"[0-9]{1,15}"'
"""What names a version of a memory."""
_WHOLE = re.compile(r"-?\d{1,15}")
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?")


async def request_fields(request: Request, route: Route, *, most: int) -> JSON:
    """The fields of the verb's request; one that belongs in the path is refused elsewhere."""
    _refuse_elsewhere(request, route)
    fields = _queried(request, route) if route.in_query else _conditional(request, await read_body(request, most))
    if unknown := [name for name in fields if name not in route.fields]:
        raise UnknownFieldError(str(unknown[0]), route.fields)
    if route.place:
        told = request.path_params["id"]
        fields = {**fields, route.place: [told] if route.place == "ids" else told}
    return fields


def _refuse_elsewhere(request: Request, route: Route) -> None:
    """Refuse fields and conditions where this method does not read them, for they would be ignored in silence."""
    said = request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
    if route.in_query and said:
        raise RefusedError(
            422,
            f"{request.method} takes no body here, and this one has one",
            "say the fields in the query, such as ?limit=5 or ?erase=true",
        )
    if "if-match" in request.headers and route.of.writes and "if_version" not in route.fields:
        raise RefusedError(422, f"{request.method} heeds no If-Match here, and would do it anyway", "leave it out, or PATCH the memory")
    if not route.in_query and request.query_params:
        named = next(iter(request.query_params))
        raise RefusedError(422, f"{request.method} takes no query here, and this one has {named[:80]!r}", "say it in the JSON of the body")


async def read_body(request: Request, most: int) -> JSON:
    """The JSON object that a request carries; {} where it carries nothing."""
    raw = await body_of(request, most)
    if not raw:
        return {}
    if (packed := request.headers.get("content-encoding", "identity").lower()) != "identity":
        raise RefusedError(415, f"the body is packed as {packed[:80]!r}", "send it as it is; only answers are packed")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError(415, f"the body is {kind[:80] or 'of no type'!r}", "send JSON, with Content-Type: application/json")
    try:
        body = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RefusedError(400, f"the body is no JSON: {error}", "send one JSON object") from error
    if not isinstance(body, dict):
        raise InputError("request", body, "a JSON object")
    return body


async def body_of(request: Request, most: int = MAX_BODY) -> bytes:
    """The whole body; one that is too large is refused and never held in memory, and one that does not come is not waited for.

    Some of a body that is too large is still read and dropped: a client that is cut off while sending sees no answer.
    """
    length = request.headers.get("content-length", "")
    announced = int(length[:20]) if length.isdecimal() else 0
    if announced > most + _TAKEN_IN:
        raise _too_large(most)
    parts, size = [], 0
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                size += len(part)
                if max(announced, size) <= most:
                    parts.append(part)
                elif size > most + _TAKEN_IN:
                    raise _too_large(most)
    except TimeoutError as error:
        raise RefusedError(408, f"the body did not come within {BODY_S:.0f} s", "send it again") from error
    except ClientDisconnect as error:
        raise RefusedError(400, "the body was cut off", "send it again") from error
    if max(announced, size) > most:
        raise _too_large(most)
    return b"".join(parts)


def _too_large(most: int) -> RefusedError:
    return RefusedError(413, f"the body is over {most:,} bytes", "send less at a time, such as memories in several requests")


def _conditional(request: Request, body: JSON) -> JSON:
    """The fields, with the version that an If-Match header names."""
    header = request.headers.get("if-match")
    if request.method != "PATCH" or header is None:
        return body
    if not re.fullmatch(ETAG, header):
        raise InputError("If-Match", header, 'one ETag as it was given, such as "3"')
    version = int(header.strip('"'))
    if body.get("if_version", version) != version:
        raise InputError("if_version", body["if_version"], f"what If-Match says, {version}, or nothing")
    return {**body, "if_version": version}


def _queried(request: Request, route: Route) -> JSON:
    query = request.query_params
    known = route.fields
    return {name: _value(known[name], query.getlist(name)) if name in known else query[name] for name in query}


def _value(field: Field, values: Sequence[str]) -> Any:  # noqa: ANN401 - any JSON value
    """The value that a field's texts in a query stand for; texts that stand for none are left for the request's reader to refuse."""
    kinds = field.type.types if isinstance(field.type, shapes.UnionType) else (field.type,)
    kind = next(kind for kind in kinds if not isinstance(kind, shapes.NoneType))
    if isinstance(kind, shapes.VarTupleType):
        return list(values)
    if len(values) > 1:
        raise InputError(field.name, list(values), "one value")
    text = values[0]
    if isinstance(kind, shapes.DictType):
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError) as error:
            raise InputError(field.name, text, 'a JSON object, such as {"ticket": 7}') from error
    if isinstance(kind, shapes.BoolType):
        return {"true": True, "false": False}.get(text, text)
    if isinstance(kind, shapes.IntType) and _WHOLE.fullmatch(text):
        return int(text)
    if isinstance(kind, shapes.FloatType) and _NUMBER.fullmatch(text):
        return float(text)
    return text
