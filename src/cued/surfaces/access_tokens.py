"""Access tokens: each says whose memories it is for, and what it allows. Only a digest of it is kept, in the store itself.

A token is `cued_ID_SECRET`, with 256 random bits in its secret. The list is read again at each request, so a token that one process
revokes is refused by every other from its next request on.
"""

import hashlib
import hmac
import re
import secrets
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cued.errors import InputError
from cued.model import OWN_TENANT, TRUSTS, Trust
from cued.model.plain import JSON, plain
from cued.ports import Clock, Store
from cued.requests.checks import label, one_of
from cued.stores.rewriting import TRIES, rewritten
from cued.surfaces.verb import AUTHORITIES, Authority
from cued.text.durations import parse_duration

_DOCUMENT = "tokens"
_LISTED = timedelta(days=90)
_WRITTEN = re.compile(r"cued_(?P<id>[0-9a-f]{12})_[A-Za-z0-9_-]{43}")


class AccessToken(Struct, frozen=True, kw_only=True):
    """A token as it is kept."""

    id: str
    digest: str
    tenant: str
    scope: Authority
    trust: Trust = "user"
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def allows(self, authority: Authority) -> bool:
        """Whether the token's holder may do what needs this authority."""
        return AUTHORITIES.index(self.scope) >= AUTHORITIES.index(authority)

    def live(self, now: datetime) -> bool:
        """Whether it is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def long_gone(self, now: datetime) -> bool:
        """Whether it was revoked or expired so long ago that it need not be listed any more."""
        ended = min((end for end in (self.revoked_at, self.expires_at) if end is not None), default=now)
        return now - ended > _LISTED

    def shown(self, now: datetime) -> JSON:
        """What may be told of it."""
        kept = ("id", "tenant", "scope", "trust", "created_at", "expires_at", "revoked_at")
        return {**plain({name: getattr(self, name) for name in kept}), "live": self.live(now)}


class Tokens:
    """The tokens of one store."""

    def __init__(self, store: Store, *, clock: Clock = lambda: datetime.now(UTC)) -> None:
        """Read and write them in this store."""
        self._store, self._clock = store, clock
        self._lock = threading.Lock()
        self._read: tuple[bytes | None, dict[str, AccessToken]] = (None, {})
        self._lent: dict[str, AccessToken] = {}

    def create(self, tenant: str, *, scope: str, trust: str = "user", expires: str | float | None = None) -> tuple[str, AccessToken]:
        """A new token in full, which is shown this once, and what is kept of it; whatever it stores is trusted no further than `trust`."""
        written, kept = self._new_token(tenant, scope=scope, trust=trust, expires=expires)
        now = kept.created_at
        self._change(lambda tokens: {**{each: token for each, token in tokens.items() if not token.long_gone(now)}, kept.id: kept})
        return written, kept

    def lend(self, tenant: str) -> str:
        """A token of scope admin that is stored nowhere: it is valid in this process only, for as long as that lives."""
        written, token = self._new_token(tenant, scope="admin", trust="user", expires=None)
        self._lent[token.id] = token
        return written

    def all(self) -> tuple[AccessToken, ...]:
        """Every token, oldest first, including those that are no longer valid."""
        return tuple(self._tokens().values())

    def any_live(self) -> bool:
        """Whether any token is valid now."""
        now = self._clock()
        return any(token.live(now) for token in self.all())

    def revoke(self, token_id: str) -> AccessToken:
        """The token of this id, which is not valid from now on."""
        now = self._clock()

        def revoked(tokens: dict[str, AccessToken]) -> dict[str, AccessToken]:
            if token_id not in tokens:
                raise InputError("id", token_id, "the id of a token, as `cued token list` shows them")
            token = tokens[token_id]
            return {**tokens, token_id: replace(token, revoked_at=token.revoked_at or now)}

        return self._change(revoked)[token_id]

    def find(self, written: str) -> AccessToken | None:
        """The token with this text, if it is one of ours and valid now; else None."""
        match = _WRITTEN.fullmatch(written)
        found = None if match is None else self._lent.get(match["id"]) or self._tokens().get(match["id"])
        if found is None or not hmac.compare_digest(found.digest, _digest(written)) or not found.live(self._clock()):
            return None
        return found

    def _new_token(self, tenant: str, *, scope: str, trust: str, expires: str | float | None) -> tuple[str, AccessToken]:
        now = self._clock()
        made = AccessToken(
            id=secrets.token_hex(6),
            digest="",
            tenant=label("tenant", tenant),
            scope=one_of("scope", scope, AUTHORITIES),
            trust=one_of("trust", trust, TRUSTS),
            created_at=now,
            expires_at=None if expires is None else now + parse_duration(expires, field="expires"),
        )
        written = f"cued_{made.id}_{secrets.token_urlsafe(32)}"
        return written, replace(made, digest=_digest(written))

    def _tokens(self) -> dict[str, AccessToken]:
        """The tokens as they are in the store now; they are decoded again only when they have changed."""
        body = self._store.document(OWN_TENANT, _DOCUMENT)
        with self._lock:
            if body != self._read[0]:
                self._read = body, _decoded(body)
            return self._read[1]

    def _change(self, change: Callable[[dict[str, AccessToken]], dict[str, AccessToken]]) -> dict[str, AccessToken]:
        busy = f"the tokens were changed by others {TRIES} times over; try again"
        return _decoded(rewritten(self._store, OWN_TENANT, _DOCUMENT, lambda old: _encoded(change(_decoded(old))), busy=busy))


def _digest(written: str) -> str:
    return hashlib.sha256(written.encode()).hexdigest()


def _encoded(tokens: dict[str, AccessToken]) -> bytes:
    return msgspec.json.encode(list(tokens.values()))


def _decoded(body: bytes | None) -> dict[str, AccessToken]:
    return {} if body is None else {token.id: token for token in msgspec.json.decode(body, type=list[AccessToken])}
