"""A server's memories kept in order, as `handles.upkeep` does it here; how far it is, a server does not tell."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cued.errors import InputError
from cued.handles.upkeep import Span
from cued.model import Memory
from cued.ports import Progress, silent
from cued.requests.upkeep import AT_LEAST, IMPORTANCE_BELOW, OLDER_THAN
from cued.surfaces.remote import nouns
from cued.surfaces.remote.calls import call_of, left_out
from cued.surfaces.remote.remote_bound import RemoteBound, seconds

if TYPE_CHECKING:
    from cued.importers.intake import Imported
    from cued.upkeep.consolidation import Applied, Merged, Plan
    from cued.upkeep.cooling import Cool
    from cued.upkeep.reembedding import Reembedded


class RemoteUpkeep(RemoteBound):
    """The verbs of upkeep."""

    def plan_consolidation(self, *, at_least: float = AT_LEAST, progress: Progress = silent) -> "Plan":
        """What `Tenant.plan_consolidation` gives; how far it is, a server does not tell."""
        from cued.upkeep.consolidation import Plan  # noqa: PLC0415 - as the handle has it

        del progress
        return nouns.noun(self._ask("consolidate", {"at_least": at_least}), Plan)

    def consolidate(self, plan: "Plan | None" = None, *, at_least: float = AT_LEAST, progress: Progress = silent) -> "Applied":
        """What `Tenant.consolidate` gives; a server plans anew, so that no plan can be handed in."""
        del progress
        if plan is not None:
            raise InputError("plan", "a plan", "nothing through a server, which plans and does it at once; at_least says how near")
        return nouns.applied(self._ask("consolidate", {"at_least": at_least, "apply": True}))

    def merges(self) -> "tuple[Merged, ...]":
        """What `Tenant.merges` gives."""
        from cued.upkeep.consolidation import Merged  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("merges")["merges"], tuple[Merged, ...])

    def unmerge(self, *newer_ids: str, only: Sequence[str] = ()) -> tuple[str, ...]:
        """What `Tenant.unmerge` gives."""
        return tuple(self._ask("unmerge", {"ids": tuple(only) or newer_ids})["restored"])

    def expired(self, *, grace: Span = 0) -> tuple[Memory, ...]:
        """What `Tenant.expired` gives, in brief."""
        return nouns.memories(self._ask("sweep", {"grace": seconds(grace)})["expired"], tenant=self.name)

    def sweep(self, *, grace: Span = 0, progress: Progress = silent) -> tuple[str, ...]:
        """What `Tenant.sweep` gives."""
        del progress
        return tuple(self._ask("sweep", {"grace": seconds(grace), "apply": True})["erased"])

    def cool(self, *, older_than: Span = OLDER_THAN, importance_below: float = IMPORTANCE_BELOW) -> "tuple[Cool, ...]":
        """What `Tenant.cool` gives."""
        body = {"older_than": seconds(older_than), "importance_below": importance_below}
        return nouns.cool(self._ask("cool", body), tenant=self.name)

    def reembed(self, *, progress: Progress = silent) -> "Reembedded":
        """What `Tenant.reembed` gives."""
        from cued.upkeep.reembedding import Reembedded  # noqa: PLC0415 - as the handle has it

        del progress
        return nouns.noun(self._ask("reembed"), Reembedded)

    def export(self, *, vectors: bool = False, progress: Progress = silent) -> Iterator[bytes]:
        """What `Tenant.export` gives; the lines come as the server sends them."""
        del progress
        return self._connections.lines(call_of("export", {"vectors": vectors}, tenant=self.name))

    def import_file(  # noqa: PLR0913 - as the handle has it
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002 - the word for it
        scope: str | None = None,
        user: str | None = None,
        as_exported: bool = False,
        progress: Progress = silent,
    ) -> "Imported":
        """An InputError: a server reads no files for others. `remember_many` stores what you have read, `cued import` works where it is."""
        del format, scope, user, as_exported, progress
        raise left_out("import", path)
