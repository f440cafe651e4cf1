"""`cued db`: the tables in a PostgreSQL database, and the role that the service connects as."""

from contextlib import closing
from pathlib import Path
from secrets import token_urlsafe
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import click

from cued.errors import InputError
from cued.folders import Address, place
from cued.handles.memories import keeper_at
from cued.model import VECTOR_SHAPES, VectorShape
from cued.surfaces.cli.commands import Command, CommandGroup
from cued.surfaces.cli.output import note, say, show


@click.group(name="db", cls=CommandGroup, globals_shown=("json",))
def db_command() -> None:
    """Prepare a PostgreSQL database for Cued."""


@db_command.command(name="init", cls=Command, globals_shown=("json",))
@click.argument("url", metavar="ADMIN_URL")
@click.option("--role", default="cued_app", show_default=True, help="The role that the service connects as; made if it is not there.")
@click.option("--parts", type=click.IntRange(1, 1024), default=16, show_default=True, help="The parts of each table, by tenant.")
@click.option("--node", "nodes", multiple=True, metavar="URL", help="Keep parts on this server, named as an administrator; repeatable.")
@click.option("--vectors", type=click.Choice(VECTOR_SHAPES), default="float32", show_default=True, help="How vectors are kept.")
@click.option("--print", "only_print", is_flag=True, help="Print the statements for a person to run, and do nothing.")
def db_init(url: str, role: str, parts: int, *, nodes: tuple[str, ...], vectors: VectorShape, only_print: bool) -> None:  # noqa: PLR0913 - an option each
    """Make the tables in the database at ADMIN_URL, and a role that can see one tenant at a time and owns nothing.

    ADMIN_URL is that of whoever is to own the tables; the address for the service, with the new role's password, is printed once. Tables
    that an earlier Cued made are brought up to date. The path of a file makes an empty file, for the sake of --vectors.
    """
    found = place(url)
    if isinstance(found, Path):
        with closing(keeper_at(found, readonly=False, vectors=vectors)):
            show({"path": url, "vectors": vectors}, lambda: f"Made: {url}, which keeps vectors as {vectors}.")
        return
    try:
        from cued.stores.keepers.postgres.preparing import Laid, brought_up_to_date, prepare, script  # noqa: PLC0415 - psycopg is an extra
    except ImportError as error:
        raise InputError("db", str(error), "PostgreSQL's packages: pip install 'cued[postgres]'") from error
    laid = Laid(parts, [Address(node) for node in nodes], vectors)
    if only_print:
        say(script(role, laid))
        return
    if (earlier := brought_up_to_date(found, laid.nodes)) is not None:
        show({"earlier": earlier}, lambda: f"Brought up to date: the tables of schema {earlier}.")
        return
    password = token_urlsafe(24)
    made = prepare(found, role, password=password, laid=laid)
    answer: dict[str, Any] = {
        "role": role,
        "parts": parts,
        "nodes": len(nodes),
        "vectors": vectors,
        "made_role": made,
        "url": _address(url, role, password if made else None),
    }
    show(answer, lambda: f"Made: the tables, and what the role {role} may do.\n\n  CUED_DB={answer['url']}")
    if not made:
        note(f"the role {role} was there already, so its password stays as it is")


def _address(url: str, role: str, password: str | None) -> str:
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    secret = "" if password is None else f":{quote(password, safe='')}"
    return urlunsplit(parts._replace(netloc=f"{quote(role, safe='')}{secret}@{host}"))
