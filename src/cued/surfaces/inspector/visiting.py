"""Who looks at the inspector: a browser with a token in a cookie that no script can read, and a key that its own pages send back."""

import hashlib
import hmac
from functools import partial
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from cued.handles.memories import Memories
from cued.handles.tenant import Tenant
from cued.model.plain import JSON
from cued.surfaces.access_tokens import Tokens
from cued.surfaces.http.guard import Caller, cookie_name
from cued.surfaces.http.problems import RefusedError
from cued.surfaces.inspector.counting import Counts
from cued.surfaces.inspector.held_recalls import Held
from cued.surfaces.verbs import VERBS, call

YEAR_S = 31_536_000


class Visit(Struct, frozen=True, kw_only=True):
    """A request for a page: whose memories, with which rights, and the query of the address."""

    memories: Memories
    caller: Caller
    query: QueryParams
    held: Held
    counts: Counts
    part: str = ""

    @property
    def tenant(self) -> Tenant:
        """The tenant's handle, through which nothing is trusted further than the visitor's token says."""
        return self.memories.tenant(self.caller.tenant, trust=self.caller.token.trust)

    def may(self, verb: str) -> bool:
        """Whether there is a verb of this name, and the visitor may use it."""
        return verb in VERBS and self.caller.token.allows(VERBS[verb].authority)

    def ask(self, verb: str, body: JSON | None = None, **more: Any) -> JSON:  # noqa: ANN401 - what a verb is handed beside its request
        """A verb's answer, if the visitor may have it."""
        self.caller.require(VERBS[verb].authority)
        target = self.memories if VERBS[verb].works_on == "store" else self.tenant
        return call(verb, target, body or {}, **more)

    def stats(self) -> JSON:
        """The tenant's counts, which may be some minutes old."""
        self.caller.require(VERBS["stats"].authority)
        return self.counts.of(self.caller.tenant, partial(call, "stats", self.tenant))

    def said(self, name: str) -> str:
        """The value of this name in the address, without white space around it; "" where there is none."""
        return self.query.get(name, "").strip()

    def chosen(self, *names: str) -> JSON:
        """Those of these names that have a value in the address, as fields of a request."""
        return {name: value for name in names if (value := self.said(name))}


def key_of(request: Request) -> str:
    """The key that this visitor's pages send back with each change; another site's page cannot know it."""
    written = request.cookies.get(cookie_name(request.headers, "token"), "")
    return hmac.new(written.encode(), b"cued inspector", hashlib.sha256).hexdigest()[:40]


def require_key(request: Request) -> None:
    """Refuse a change that does not come from a page of this server."""
    if not hmac.compare_digest(request.headers.get("cued-key", "").encode(), key_of(request).encode()):
        raise RefusedError(403, "the page's key is missing or old", "load the page again")


def signed_in(request: Request, written: str) -> Response:
    """A redirect to the front page, with the token in a cookie that only this server gets and no script sees."""
    answer = RedirectResponse("/", 303)
    _set(answer, request, "token", written)
    return answer


def signed_out(request: Request) -> Response:
    """A redirect to the front page, without cookies."""
    answer = RedirectResponse("/", 303)
    for what in ("token", "tenant"):
        answer.delete_cookie(cookie_name(request.headers, what))
    return answer


def moved_to(request: Request, tenant: str) -> Response:
    """A redirect to the front page, which shows another tenant from now on."""
    answer = RedirectResponse("/", 303)
    _set(answer, request, "tenant", quote(tenant, safe=""))
    return answer


def find_token(memories: Memories, written: str) -> str | None:
    """The token as it was typed, if it is valid; else None."""
    return written if Tokens(memories.parts.store).find(written) is not None else None


def _set(answer: Response, request: Request, what: str, value: str) -> None:
    answer.set_cookie(
        cookie_name(request.headers, what),
        value,
        max_age=YEAR_S,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
