"""Tenants and tokens: all of them for an admin; everybody else sees their own token."""

from cued.errors import InputError
from cued.handles.vouching import refuse_all_but_users
from cued.model import TRUSTS
from cued.model.plain import JSON
from cued.surfaces.access_tokens import Tokens
from cued.surfaces.inspector.visiting import Visit
from cued.surfaces.verb import AUTHORITIES


def page(visit: Visit) -> JSON:
    """Every tenant and token for an admin's token, else the visitor's own."""
    now, own = visit.memories.clock(), visit.caller.token
    admin = own.allows("admin")
    tokens = Tokens(visit.memories.parts.store).all() if admin else (own,)
    return {
        "admin": admin,
        "tenants": visit.ask("tenants")["tenants"] if admin else [],
        "tokens": [{**token.shown(now), "own": token.id == own.id} for token in reversed(tokens)],
        "authorities": AUTHORITIES,
        "trusts": TRUSTS,
    }


def change_tokens(visit: Visit, body: dict[str, str | None]) -> JSON:
    """The new token in full, which is shown this once, or the one that was revoked; only an admin whose word is a user's may ask."""
    visit.caller.require("admin")
    refuse_all_but_users(visit.caller.token.trust, "makes or revokes a token")
    tokens, now = Tokens(visit.memories.parts.store), visit.memories.clock()
    if (gone := body.get("revoke")) is not None:
        return {"told": "Revoked", "token": None, **tokens.revoke(gone).shown(now)}
    if body.get("tenant") is None or body.get("scope") is None:
        raise InputError("token", body, "a tenant and a scope")
    written, kept = tokens.create(
        body["tenant"] or "", scope=body["scope"] or "", trust=body.get("trust") or "user", expires=body.get("expires") or None
    )
    return {"told": "Made", "token": written, **kept.shown(now)}
