"""The interface as OpenAPI 3.1, made from the table of verbs and the table of routes."""

from functools import cache
from typing import Any

import msgspec

from cued import __version__
from cued.model.plain import JSON
from cued.surfaces.http.answer_shapes import SHAPES
from cued.surfaces.http.asking import ETAG
from cued.surfaces.http.guard import TENANT
from cued.surfaces.http.problems import CONTENT_TYPE
from cued.surfaces.http.retries import KEY
from cued.surfaces.http.routes import ROUTES, Route

_INSIGHT = ("counted", "series", "groups", "relevance", "floors", "ms", "stages_ms", "channels", "advice")
_TUNED = ("source", "pairs", "held_out", "before", "after", "gain", "interval", "helps", "told", "changes", "toml", "version")
_HISTORY = ("current", "versions")
_FIELDS: dict[str, tuple[str, ...]] = {
    "why": ("memory",),
    "map": ("points", "told", "left_out", "total", "cue"),
    "erase_everything": ("erased", "everything", "memories", "gone", "pending"),
    "consolidate": ("applied", "at_least", "scanned", "compared", "merges", "spared", "skipped"),
    "merges": ("merges",),
    "unmerge": ("restored",),
    "sweep": ("applied", "expired", "erased"),
    "cool": ("memories", "cli"),
    "reembed": ("done", "left", "failed", "fingerprint"),
    "erasures": ("erasures", "pending"),
    "check": ("path", "ok", "memories", "page_sums", "damaged", "problems", "more", "journals"),
    "insight": _INSIGHT,
    "insight_of_all": _INSIGHT,
    "compare": ("recalls", "arms", "beside", "missing"),
    "doctor": ("verdict", "recalls", "missing", "policy", "checklist", "beside"),
    "replay": ("policy", "recalls", "injection_before", "injection_after", "overlap", "came", "went", "changed", "notes"),
    "unlabelled": ("recalls",),
    "label": ("recall_id", "verdict", "chosen", "at"),
    "tune": _TUNED,
    "tune_for_all": _TUNED,
    "policy_save": _HISTORY,
    "policy_history": _HISTORY,
    "policy_rollback": _HISTORY,
}
"""The fields that answers without a shape always have, by verb; docs/reference/json.md shows whole answers."""
_ID = {"name": "id", "in": "path", "required": True, "description": "The memory.", "schema": {"type": "string", "minLength": 1}}
_TENANT = {
    "name": "Cued-Tenant",
    "in": "header",
    "description": "Whose memories, percent-encoded; only a token of scope admin may name another tenant than its own.",
    "schema": {"type": "string", "pattern": f"^{TENANT}$"},
}
_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "A key of your own for this one write: sent again within a day, it does not happen again.",
    "schema": {"type": "string", "pattern": f"^{KEY}$"},
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "description": "The ETag of the memory as it was read; changed since, it is not changed again.",
    "schema": {"type": "string", "pattern": f"^{ETAG}$"},
}
_PROBLEM: JSON = {
    "type": "object",
    "description": "What went wrong (`detail`), and what would help (`remedy`).",
    "required": ["type", "title", "status", "detail", "remedy", "request_id"],
    "properties": {
        **{name: {"type": "string"} for name in ("type", "title", "detail", "remedy", "request_id", "field", "accepted", "memory_id")},
        "status": {"type": "integer"},
        "problems": {"type": "array", "items": {"type": "string"}},
        "conflicts": {"type": "array", "items": {"type": "object"}},
    },
}


@cache
def document() -> bytes:
    """The whole document as JSON."""
    return msgspec.json.encode(described())


def described() -> JSON:
    """The whole document."""
    requests = tuple({route.of.request: None for route in ROUTES})
    _, made = msgspec.json.schema_components((*requests, *dict.fromkeys(SHAPES.values())), ref_template="#/components/schemas/{name}")
    schemas: dict[str, JSON] = _readable(made)
    paths: dict[str, JSON] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    paths["/healthz"] = {"get": {**_plain("healthz", "Whether the process answers; it needs no token."), "security": []}}
    paths["/readyz"] = {"get": _plain("readyz", "Whether the store can be read, and how the embedder does.")}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Cued",
            "version": __version__,
            "summary": "Cued recall for AI agents: the right memory at the right moment, or nothing at all, and it can show why.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": {**_used(schemas, paths), "Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "A token, as `cued token create` makes it."}},
        },
    }


def _readable(schema: Any) -> Any:  # noqa: ANN401 - any part of a schema
    """The schema with fixed-length lists written as plain lists: generators of clients cannot read `"items": false`."""
    if isinstance(schema, list | tuple):
        return [_readable(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    told = {name: _readable(each) for name, each in schema.items()}
    if told.get("items") is False and all(each == told["prefixItems"][0] for each in told["prefixItems"]):
        told["items"] = told.pop("prefixItems")[0]
    return told


def _operation(route: Route, schemas: dict[str, JSON]) -> JSON:
    verb, schema = route.of, schemas[route.of.request.__name__]
    told: JSON = {
        "operationId": route.name,
        "summary": verb.about,
        "description": f"Needs a token of scope {verb.authority}.",
        "parameters": _parameters(route, schema),
        "responses": {
            str(route.status): {"description": "Done.", "content": _answer(route)},
            "default": {"description": "Refused, or failed.", "content": {CONTENT_TYPE: {"schema": {"$ref": _ref("Problem")}}}},
        },
    }
    if not route.in_query:
        told["requestBody"] = {"required": bool(_needed(route)), "content": {"application/json": _body(route, schema)}}
    return told


def _body(route: Route, schema: JSON) -> JSON:
    examples = [dict(example) for example in route.of.examples]
    named = {f"example_{n}": {"value": {k: v for k, v in example.items() if k != route.place}} for n, example in enumerate(examples, 1)}
    if not route.place:
        return {"schema": {"$ref": _ref(route.of.request.__name__)}, "examples": named}
    properties = {name: each for name, each in schema["properties"].items() if name in route.fields}
    inner = {**schema, "properties": properties, "required": _needed(route), "title": f"{schema['title']} without {route.place}"}
    return {"schema": inner, "examples": named}


def _parameters(route: Route, schema: JSON) -> list[JSON]:
    found: list[JSON] = []
    if route.place:
        found.append(_ID)
    if route.in_query:
        found += [_parameter(name, schema["properties"][name], needed=name in _needed(route)) for name in route.fields]
    if route.once:
        found.append(_KEY)
    if route.method == "PATCH":
        found.append(_IF_MATCH)
    return [*found, _TENANT]


def _parameter(name: str, schema: JSON, *, needed: bool) -> JSON:
    """A field as a query parameter; a value that is not plain is written as JSON, and null is left out."""
    told = {"name": name, "in": "query", "required": needed, "description": schema.get("description", "")}
    inner = {key: value for key, value in schema.items() if key not in {"description", "default"}}
    if "anyOf" in inner:
        (inner,) = [each for each in inner["anyOf"] if each != {"type": "null"}]
    if inner.get("type") == "object":
        return {**told, "content": {"application/json": {"schema": inner}}}
    return {**told, "schema": inner}


def _answer(route: Route) -> JSON:
    if route.of.streams:
        return {"application/x-ndjson": {"schema": {"type": "string", "description": "One JSON object a line."}}}
    if route.verb in SHAPES:
        return {"application/json": {"schema": {"$ref": _ref(SHAPES[route.verb].__name__)}}}
    names = _FIELDS[route.verb]
    return {"application/json": {"schema": {"type": "object", "properties": {name: {} for name in names}, "required": list(names)}}}


def _needed(route: Route) -> list[str]:
    return [name for name, field in route.fields.items() if field.required]


def _plain(name: str, about: str) -> JSON:
    told: dict[str, Any] = {"operationId": name, "summary": about}
    default = {"description": "Refused, or failed.", "content": {CONTENT_TYPE: {"schema": {"$ref": _ref("Problem")}}}}
    answer = {"description": "Yes.", "content": {"application/json": {"schema": {"type": "object"}}}}
    return {**told, "responses": {"200": answer, "default": default}}


def _used(schemas: dict[str, JSON], paths: JSON) -> dict[str, JSON]:
    """The schemas that something refers to, by name."""
    wanted = msgspec.json.encode(paths).decode() + msgspec.json.encode(schemas).decode()
    return {name: schema for name, schema in sorted(schemas.items()) if f'"{_ref(name)}"' in wanted}


def _ref(name: str) -> str:
    return f"#/components/schemas/{name}"
