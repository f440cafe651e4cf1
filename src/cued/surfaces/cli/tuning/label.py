"""`cued label`: recalls judged by a person, one key each."""

import sys
from typing import Any

import click

from cued.errors import InputError
from cued.handles.tenant import Tenant
from cued.model.plain import JSON
from cued.requests.insights import LabelRequest, UnlabelledRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import tenant_to_read, tenant_to_write
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import counted, show
from cued.surfaces.verbs import call
from cued.text.harmless import plain

_KEYS = {"r": "right", "w": "wrong", "n": "nothing"}
_ASKED = "r right · w wrong · n nothing in the store is right · s skip · q quit"


@click.command(name="label", cls=Command, globals_shown=("db", "tenant", "json"))
@click.argument("recall_id", metavar="[RECALL_ID]", required=False)
@options_of(LabelRequest, without=("recall_id",))
@options_of(UnlabelledRequest)
@click.option("--list", "listing", is_flag=True, help="List what is to be judged, and judge nothing.")
def label_command(recall_id: str | None, *, verdict: str | None, listing: bool, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Judge kept recalls, one key each: r right, w wrong, n nothing was right, s skip, q quit. `cued tune` learns from it.

    With RECALL_ID and --verdict, that recall alone.
    """
    chosen = settings()
    if (recall_id is None) is not (verdict is None):
        raise click.UsageError("RECALL_ID and --verdict go together")
    with (tenant_to_read if listing else tenant_to_write)(chosen) as tenant:
        if recall_id is not None:
            answer = call("label", tenant, {"recall_id": recall_id, "verdict": verdict})
            show(answer, lambda: f"Recall {answer['recall_id']}: {answer['verdict']}")
            return
        found = call("unlabelled", tenant, stated(options))
        if listing or not found["recalls"]:
            show(found, lambda: _listed(found))
            return
        judged = _judged(tenant, found)
    show(judged, lambda: f"Judged {counted(judged['judged'], 'recall', 'recalls')}; `cued tune` learns from them")


def _judged(tenant: Tenant, found: JSON) -> JSON:
    """How many recalls were judged, each by one key."""
    said = list[str]()
    for number, recall in enumerate(found["recalls"], 1):
        click.echo(f"\n{number} of {len(found['recalls'])}  {plain(recall['cue'])}", err=True)
        for text in recall["texts"][:5]:
            click.echo(f"   {'·' if recall['chosen'] else '(not shown)'} {plain(text)}", err=True)
        if not recall["chosen"]:
            click.echo("   nothing came back", err=True)
        key = _key()
        if key == "q":
            break
        if key in _KEYS:
            call("label", tenant, {"recall_id": recall["recall_id"], "verdict": _KEYS[key]})
            said.append(_KEYS[key])
    return {"judged": len(said), "labels": {name: said.count(name) for name in _KEYS.values()}}


def _key() -> str:
    """The next key that means something; from a pipe, the next such character."""
    click.echo(f"   {_ASKED} ", err=True, nl=False)
    while True:
        key = click.getchar() if sys.stdin.isatty() else sys.stdin.read(1)
        if not key:
            raise InputError("key", "", _ASKED)
        if key.lower() in {*_KEYS, "s", "q"}:
            click.echo(key, err=True)
            return key.lower()


def _listed(found: JSON) -> str:
    if not found["recalls"]:
        return "Nothing is to be judged: no kept recall is without a verdict; with --keep last recalls are kept"
    return "\n".join(f"{recall['recall_id']}  {recall['cue']}" for recall in found["recalls"])
