"""The verbs that look after what is stored: nothing here happens by itself, and nothing is lost without being asked for."""

# What looks after a store is loaded when it is asked for, so that `import cued` stays light.
# ruff: noqa: PLC0415

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from cued.errors import InputError
from cued.handles.bound import Bound
from cued.handles.vouching import refuse_all_but_users
from cued.model import Memory
from cued.ports import Progress, silent
from cued.requests.checks import asked_ids
from cued.requests.upkeep import AT_LEAST, IMPORTANCE_BELOW, OLDER_THAN
from cued.text.durations import parse_duration

if TYPE_CHECKING:
    from cued.importers.intake import Imported
    from cued.upkeep.consolidation import Applied, Merged, Plan
    from cued.upkeep.cooling import Cool
    from cued.upkeep.reembedding import Reembedded

Span = str | float | timedelta


class Upkeep(Bound):
    """Consolidate, sweep, list what has cooled, embed anew, move in and out."""

    def plan_consolidation(self, *, at_least: float = AT_LEAST, progress: Progress = silent) -> "Plan":
        """Which near-duplicates would give way to which newer memory, and which look alike and differ; nothing is changed."""
        from cued.upkeep import consolidation

        return consolidation.plan(self.name, self._store, at=self._clock(), at_least=at_least, progress=progress)

    def consolidate(self, plan: "Plan | None" = None, *, at_least: float = AT_LEAST, progress: Progress = silent) -> "Applied":
        """Carry out a plan, or plan and do it at once; each merge can be undone."""
        from cued.upkeep import consolidation

        refuse_all_but_users(self.trust, "merges the memories of a tenant")
        planned = plan or self.plan_consolidation(at_least=at_least, progress=progress)
        return consolidation.apply(self.name, self._store, planned, at=self._clock(), progress=progress)

    def merges(self) -> "tuple[Merged, ...]":
        """Every merge that stands."""
        from cued.upkeep import consolidation

        return consolidation.merges(self.name, self._store)

    def unmerge(self, *newer_ids: str, only: Sequence[str] = ()) -> tuple[str, ...]:
        """Bring back what was merged into these memories; the answer is their ids."""
        from cued.upkeep import consolidation

        refuse_all_but_users(self.trust, "undoes a merge")
        return consolidation.undo(self.name, self._store, asked_ids("ids", newer_ids), at=self._clock(), only=only)

    def expired(self, *, grace: Span = 0) -> tuple[Memory, ...]:
        """What has expired longer ago than the grace; `sweep` would erase it."""
        from cued.upkeep import expiry

        return expiry.expired(self.name, self._store, at=self._clock(), grace=_span("grace", grace))

    def sweep(self, *, grace: Span = 0, progress: Progress = silent) -> tuple[str, ...]:
        """Erase what has expired longer ago than the grace, and give the ids."""
        from cued.upkeep import erasures, expiry

        refuse_all_but_users(self.trust, "sweeps the memories of a tenant")
        self._settler.flush()
        swept = expiry.sweep(self.name, self._store, at=self._clock(), grace=_span("grace", grace), progress=progress)
        if swept:
            erasures.note(self._store, self.name, len(swept), at=self._clock())
        return swept

    def cool(self, *, older_than: Span = OLDER_THAN, importance_below: float = IMPORTANCE_BELOW) -> "tuple[Cool, ...]":
        """The memories that could be let go, coolest first: old, not recalled for as long, unimportant; nothing is changed."""
        from cued.upkeep import cooling

        age = _span("older_than", older_than)
        return cooling.cool(self.name, self._store, at=self._clock(), older_than=age, importance_below=importance_below)

    def reembed(self, *, progress: Progress = silent) -> "Reembedded":
        """Embed anew every memory that has no vector of the embedder in use; interrupted, it goes on where it was."""
        from cued.upkeep.reembedding import reembed

        if self._parts.embedder is None:
            raise InputError("embedder", None, "an embedder: open the memories with one")
        return reembed(self.name, self._store, self._parts.embedder, at=self._clock(), progress=progress)

    def export(self, *, vectors: bool = False, progress: Progress = silent) -> Iterator[bytes]:
        """Everything that is kept for this tenant as JSON lines, one at a time."""
        from cued.upkeep.export import export

        self._settler.flush()
        return export(self.name, self._store, at=self._clock(), vectors=vectors, progress=progress)

    def import_file(  # noqa: PLR0913 - one keyword a choice
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002 - the word for it
        scope: str | None = None,
        user: str | None = None,
        as_exported: bool = False,
        progress: Progress = silent,
    ) -> "Imported":
        """Store what is in a file or folder: an export of Cued, or another's; what is known already stays as it is.

        Nothing of it is trusted further than an import, or pinned. `as_exported` believes an export that this very store has written.
        """
        from cued.importers import import_file

        if as_exported:
            refuse_all_but_users(self.trust, "lets an export be believed")
        return import_file(
            self.name,
            self._store,
            Path(path),
            embedder=self._parts.embedder,
            at=self._clock(),
            format=format,
            scope=scope,
            user=user,
            as_exported=as_exported,
            progress=progress,
        )


def _span(name: str, value: Span) -> timedelta:
    if isinstance(value, timedelta) and value <= timedelta(0):
        return value
    nothing = isinstance(value, str | int | float) and value in {0, "0"}
    return timedelta(0) if nothing else parse_duration(value, field=name)
