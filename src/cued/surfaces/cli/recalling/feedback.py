"""`cued feedback`: telling what a recall was good for."""

from typing import Any

import click

from cued.errors import InputError
from cued.handles.tenant import Tenant
from cued.model.plain import JSON
from cued.requests.upkeep import FeedbackRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import tenant_to_write
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import show
from cued.surfaces.verbs import call

_LAST = "last"


@click.command(name="feedback", cls=Command, globals_shown=("db", "tenant", "policy", "json"))
@click.argument("recall_id", metavar="RECALL_ID|last")
@options_of(FeedbackRequest, without=("recall_id",))
def feedback_command(recall_id: str, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Say which memories of a recall were of use and which did harm: their importance rises or falls a little, within bounds.

    RECALL_ID is the `recall_id` in the recall's JSON; `last` is the tenant's latest recall. The same verdict counts once.
    """
    chosen = settings()
    with tenant_to_write(chosen) as tenant:
        answer = call("feedback", tenant, {"recall_id": _recall_id(tenant, recall_id), **stated(options)})
    show(answer, lambda: _summary(answer))


def _recall_id(tenant: Tenant, recall_id: str) -> str:
    if recall_id != _LAST:
        return recall_id
    logged = tenant.log(limit=1)
    if not logged:
        raise InputError("recall_id", recall_id, "the id of a settled recall, and this tenant has none yet")
    return logged[0].recall_id


def _summary(answer: JSON) -> str:
    if not answer["changed"]:
        return f"Recall {answer['recall_id']}: nothing changed, for this was said before"
    moved = (f"{each['id']} {each['importance'] * each['boost']:.3f} (×{each['boost']:.3f})" for each in answer["changed"])
    return f"Recall {answer['recall_id']}: importance is now " + ", ".join(moved)
