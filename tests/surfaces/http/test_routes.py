"""Verbs, routes, OpenAPI and the reference are one: nothing is served that is not in the table, and nothing in the table is forgotten."""

import json

import pytest
from jsonschema import Draft202012Validator

from cued.requests.fields import fields_of
from cued.surfaces.http.openapi import described
from cued.surfaces.http.routes import LEFT_OUT, ROUTES
from cued.surfaces.verbs import VERBS
from tests.docs.pages import ROOT

TOO_FEW = {"tune": "200 recalls under one policy", "tune_for_all": "12 labelled pairs or more"}
"""Verbs that refuse to conclude anything from what little is there, and what they say."""
DOCUMENT = described()
routes = pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)


def filled(route):
    return route.path.replace("{id}", "cake")


def operation(route):
    return DOCUMENT["paths"][route.path][route.method.lower()]


def ask(client, route, body=None):
    fields = {name: value for name, value in (body or {}).items() if name != route.place}
    if route.in_query:
        return client.request(route.method, filled(route), params=fields)
    return client.request(route.method, filled(route), json=fields)


def answer_schema(route):
    """What the document says of a route's answer, where a shape is named with no field beside its own."""
    told = operation(route)["responses"][str(route.status)]["content"]["application/json"]["schema"]
    shapes = {name: {**shape, "additionalProperties": False} for name, shape in DOCUMENT["components"]["schemas"].items()}
    return {**told, "components": {"schemas": shapes}}


def wrong(route, answer):
    return [error.message for error in Draft202012Validator(answer_schema(route)).iter_errors(answer)]


@routes
def test_openapi_names_the_fields_of_every_answer(route):
    if not route.of.streams:
        schema = answer_schema(route)
        shape = schema["components"]["schemas"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
        assert shape["required"]


def test_openapi_has_the_shape_of_what_a_recall_answers():
    shape = DOCUMENT["components"]["schemas"]["Recall"]
    assert shape["properties"]["memories"]["items"] == {"$ref": "#/components/schemas/Recalled"}
    assert DOCUMENT["components"]["schemas"]["Recalled"]["properties"]["created_at"] == {"type": "string", "format": "date-time"}


def test_openapi_has_no_schema_that_generators_of_clients_do_not_read():
    written = json.dumps(DOCUMENT)
    assert '"items": false' not in written
    edges = DOCUMENT["components"]["schemas"]["RememberRequest"]["properties"]["edges"]["items"]
    assert edges == {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "string"}}


def test_every_verb_has_a_route_or_a_reason_to_have_none():
    assert {route.verb for route in ROUTES} | set(LEFT_OUT) == set(VERBS)
    assert not {route.verb for route in ROUTES} & set(LEFT_OUT)
    assert len({route.name for route in ROUTES}) == len(ROUTES)


@routes
def test_openapi_has_every_field_of_a_verb_with_its_line_and_its_default(route):
    told = operation(route)
    assert told["operationId"] == route.name
    if route.in_query:
        shown = {each["name"]: each["description"] for each in told["parameters"] if each["in"] == "query"}
    else:
        schema = told["requestBody"]["content"]["application/json"]["schema"]
        if "$ref" in schema:
            schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        shown = {name: each.get("description", "") for name, each in schema["properties"].items()}
        assert schema["additionalProperties"] is False
    assert shown == {name: field.about for name, field in fields_of(route.of.request).items() if name != route.place}


def test_openapi_has_no_path_that_is_not_in_the_table_but_health():
    assert set(DOCUMENT["paths"]) == {route.path for route in ROUTES} | {"/healthz", "/readyz"}


@routes
def test_the_reference_names_every_route(route):
    page = (ROOT / "docs" / "reference" / "http.md").read_text("utf-8")
    assert f"| `{route.method} {route.path}` |" in page


def test_every_route_but_health_wants_a_token(server):
    stranger = server.bare()
    for route in ROUTES:
        assert ask(stranger, route).status_code == 401, route.name
    for path in ("/", "/readyz", "/metrics", "/v1/openapi.json", "/v1/no-such-thing", "/mcp"):
        assert stranger.get(path).status_code == 401, path
    assert (stranger.get("/healthz").status_code, stranger.get("/healthz").json()) == (200, {"status": "ok"})


def test_a_token_may_do_what_its_scope_says_and_no_more(server):
    allowed = {"read": {"read"}, "write": {"read", "write"}, "admin": {"read", "write", "admin"}}
    for scope, may in allowed.items():
        client = server.client(scope)
        for route in ROUTES:
            refused = ask(client, route).status_code == 403
            assert refused is (route.of.authority not in may), (scope, route.name)


def test_every_verb_answers_what_openapi_says(server):
    client = server.client("admin")
    client.post("/v1/memories", json={"id": "cake", "text": "Bob bakes a lemon cake."})
    client.post("/v1/memories", json={"id": "moved", "text": "Bob moved to Lisbon.", "derived_from": ["cake"]})
    client.post("/v1/memories", json={"id": "deploy", "text": "The staging deploy runs every Friday at 16:00.", "at": "2025-05-01"})
    recalled = client.post("/v1/recall", json={"text": "When is the staging deploy?", "floor": 0}).json()["recall_id"]
    last = {"erase_everything": 1, "forget": 2, "forget_one": 3}
    for route in sorted(ROUTES, key=lambda route: -last.get(route.name, 9)):
        body = dict(route.of.examples[0])
        if "recall_id" in body:
            body |= {"recall_id": recalled}
        answered = ask(client, route, {name: json.dumps(v) if isinstance(v, dict) else v for name, v in body.items()})
        if route.of.streams:
            assert [json.loads(line) for line in answered.text.splitlines()][-1]["memories"] == 4
        elif route.name in TOO_FEW:
            assert (answered.status_code, TOO_FEW[route.name] in answered.text) == (422, True), answered.text
        else:
            assert answered.status_code == route.status, (route.name, answered.text)
            assert wrong(route, answered.json()) == [], route.name
