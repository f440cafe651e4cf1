"""The verbs of upkeep on a server, as `handles.upkeep` has them here."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn

from cued.errors import InputError
from cued.handles.tenant import Tenant
from cued.model.plain import JSON
from cued.ports import Progress, silent
from cued.requests.upkeep import AT_LEAST
from cued.surfaces.remote import nouns
from cued.surfaces.remote.calls import call_of, left_out
from cued.surfaces.remote.nouns import memories_among, public
from cued.surfaces.remote.remote_bound import RemoteBound, remote_verb

if TYPE_CHECKING:
    from cued.upkeep.consolidation import Applied, Plan


def _refused(body: JSON) -> NoReturn:
    """An InputError: a server reads no files for others. `remember_many` stores what you have read, `cued import` works where it is."""
    raise left_out("import", body["path"])


class RemoteUpkeep(RemoteBound):
    """The verbs of upkeep."""

    plan_consolidation = remote_verb(Tenant.plan_consolidation, public("Plan"), name="consolidate")
    merges = remote_verb(Tenant.merges, public("Merged", among="merges"))
    expired = remote_verb(Tenant.expired, memories_among("expired"), name="sweep")
    sweep = remote_verb(Tenant.sweep, lambda told, _: tuple(told["erased"]), said=lambda body: {**body, "apply": True})
    cool = remote_verb(Tenant.cool, nouns.cool)
    reembed = remote_verb(Tenant.reembed, public("Reembedded"))
    import_file = remote_verb(Tenant.import_file, public("Imported"), said=_refused)

    def consolidate(self, plan: "Plan | None" = None, *, at_least: float = AT_LEAST, progress: Progress = silent) -> "Applied":
        """What `Tenant.consolidate` gives; a server always makes its own plan, so none can be handed in."""
        del progress
        if plan is not None:
            raise InputError("plan", "a plan", "nothing through a server, which plans and does it at once; at_least says how near")
        return nouns.applied(self._ask("consolidate", {"at_least": at_least, "apply": True}))

    def unmerge(self, *newer_ids: str, only: Sequence[str] = ()) -> tuple[str, ...]:
        """What `Tenant.unmerge` gives."""
        return tuple(self._ask("unmerge", {"ids": tuple(only) or newer_ids})["restored"])

    def export(self, *, vectors: bool = False, progress: Progress = silent) -> Iterator[bytes]:
        """What `Tenant.export` gives; the lines come as the server sends them."""
        del progress
        return self._connections.lines(call_of("export", {"vectors": vectors}, tenant=self.name))
