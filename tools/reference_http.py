"""The HTTP interface, from the table of routes."""

from cued.surfaces.http.problems import STATUSES
from cued.surfaces.http.routes import LEFT_OUT, ROUTES, Route
from tools.reference_policy import rows


def http_page() -> str:
    """Every route with its verb, what it needs and what it can be sent with; then the statuses of errors."""
    routes = rows(("route", "verb", "token", "once", "what it does"), (_row(route) for route in ROUTES))
    left_out = "\n".join(f"- [`{name}`](json.md#{name}): {reason}." for name, reason in LEFT_OUT.items())
    errors = rows(("error", "status", "what helps"), ((f"`{kind.__name__}`", str(status), help_) for kind, status, help_ in STATUSES))
    return f"{_HEAD}\n\n{routes}\n\nWithout a route:\n\n{left_out}\n\n{_ERRORS}\n\n{errors}\n"


def _row(route: Route) -> tuple[str, ...]:
    once = "`Idempotency-Key`" if route.once else ""
    return f"`{route.method} {route.path}`", f"[`{route.verb}`](json.md#{route.verb})", route.of.authority, once, route.of.about


_HEAD = """# HTTP reference

<!-- This page is written by tools/reference.py from the table of routes. -->

Each route asks for a verb; [the JSON contract](json.md) has the fields and the answers. Fields stand in the query of a `GET` or a `DELETE`
(a list by repeating its name, an object as JSON), in the body of the others, and in the path where it says `{id}`. *token* is the scope
that a token needs. *once* says that an `Idempotency-Key` makes a repeated request happen once. The same for programs:
`GET /v1/openapi.json`. `GET /healthz` needs no token; `GET /readyz` and `GET /metrics` need one of any scope.
[Serve over HTTP](../howto/serve.md) shows it at work."""
_ERRORS = """## Errors

An error is `application/problem+json`: `type`, `title`, `status`, `detail` (what went wrong), `remedy` (what would help), `request_id`, and
what the error itself carries, such as `field` and `accepted`, `memory_id` or `conflicts`. A version that is no longer the memory's is 412.
Before any verb is asked: 400 for what is no JSON, 401 without a token that counts, 403 for a token of too small a scope or a page of
another site, 404 for no such route, 405 for no such method, 408 for a body that does not come, 413 for one that is too large, 415 for one
that is not JSON, 421 for another host, 429 for too many requests, 503 for what takes too long."""
