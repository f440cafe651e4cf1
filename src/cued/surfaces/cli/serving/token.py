"""`cued token`: who may reach the memories through a server."""

import click

from cued.errors import StoreError
from cued.model import TRUSTS
from cued.surfaces.access_tokens import Tokens
from cued.surfaces.cli.commands import CommandGroup, settings
from cued.surfaces.cli.opening import make_folder, opened
from cued.surfaces.cli.output import note, show
from cued.surfaces.cli.tables import sheet, utc_now
from cued.surfaces.verb import AUTHORITIES

_SHOWN = ("db", "json")


@click.group(name="token", cls=CommandGroup, globals_shown=_SHOWN)
def token_command() -> None:
    """Make, list and revoke the tokens that `cued serve` asks for; each is for one tenant."""


@token_command.command(name="create", globals_shown=("db", "tenant", "json"))
@click.option("--scope", type=click.Choice(AUTHORITIES), required=True, help="What it allows; write includes read, and admin both.")
@click.option("--trust", type=click.Choice(TRUSTS), default="user", help="How far what it stores is trusted at most. Default: user.")
@click.option("--expires", metavar="TIME", help='After how long it no longer counts: "90d", "12h". Default: never.')
def token_create(scope: str, trust: str, expires: str | None) -> None:
    """Make a token for the tenant and print it; it is shown this once, and only its digest is kept."""
    chosen = settings()
    make_folder(chosen)
    with opened(chosen) as memories:
        written, token = Tokens(memories.parts.store).create(chosen.tenant, scope=scope, trust=trust, expires=expires)
    answer = {"token": written, **token.shown(utc_now())}
    show(answer, lambda: written)


@token_command.command(name="list", globals_shown=_SHOWN)
def token_list() -> None:
    """List the tokens: whose, what each allows, until when. The tokens themselves are not kept."""
    chosen = settings()
    now = utc_now()
    if chosen.db.exists():
        with opened(chosen, readonly=True) as memories:
            tokens = [token.shown(now) for token in Tokens(memories.parts.store).all()]
    else:
        note(f"nothing is stored at {chosen.db} yet")
        tokens = []
    rows = [(row["id"], row["tenant"], row["scope"], row["trust"], _until(row)) for row in tokens]
    show({"tokens": tokens}, lambda: sheet(("id", "tenant", "scope", "trust", "until"), rows))


@token_command.command(name="revoke", globals_shown=_SHOWN)
@click.argument("token_id", metavar="ID")
def token_revoke(token_id: str) -> None:
    """Revoke the token ID: every server refuses it from its next request on."""
    chosen = settings()
    if not chosen.db.exists():
        raise StoreError(f"{chosen.db}: no such file")
    with opened(chosen) as memories:
        token = Tokens(memories.parts.store).revoke(token_id)
    show(token.shown(utc_now()), lambda: f"Revoked: {token.id} of {token.tenant}")


def _until(row: dict[str, str | None]) -> str:
    if row["revoked_at"] is not None:
        return f"revoked {row['revoked_at']}"
    return row["expires_at"] or "for ever"
