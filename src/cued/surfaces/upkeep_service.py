"""The functions of the verbs of upkeep: a tenant or a store and its request in, plain JSON out; `upkeep_verbs` has their table."""

import shlex
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from cued.errors import InputError
from cued.folders import Address
from cued.handles.memories import Memories, keeper_at
from cued.handles.tenant import Tenant
from cued.model.plain import JSON, plain
from cued.ports import Progress, silent
from cued.requests.upkeep import (
    BackupRequest,
    ConsolidateRequest,
    CoolRequest,
    ExportRequest,
    IdsRequest,
    ImportRequest,
    NoFields,
    SweepRequest,
)

Write = Callable[[bytes], object]


def consolidate(tenant: Tenant, request: ConsolidateRequest, *, progress: Progress = silent) -> JSON:
    """Which near-duplicates would give way or, with `apply`, have given way."""
    plan = tenant.plan_consolidation(at_least=request.at_least, progress=progress)
    done = tenant.consolidate(plan, progress=progress) if request.apply else None
    return {
        "applied": request.apply,
        "at_least": plan.at_least,
        "scanned": plan.scanned,
        "compared": plan.compared,
        "merges": [plain(merge) for merge in (plan.merges if done is None else done.merged)],
        "spared": [plain(each) for each in plan.spared],
        "skipped": [] if done is None else [{**plain(each.merge), "reason": each.reason} for each in done.skipped],
    }


def merges(tenant: Tenant, _request: NoFields) -> JSON:
    """Every merge that stands."""
    return {"merges": [plain(merge) for merge in tenant.merges()]}


def unmerge(tenant: Tenant, request: IdsRequest) -> JSON:
    """The ids that are back: the id of a memory that stayed undoes all merges into it, of one that gave way only its own."""
    standing = tenant.merges()
    stayed = {merge.newer for merge in standing}
    taken_by = {merge.older: merge.newer for merge in standing}
    for each in request.ids:
        if each not in stayed and each not in taken_by:
            raise InputError("id", each, "a memory of a merge that stands, as `consolidate --list` shows them")
    whole = [each for each in dict.fromkeys(request.ids) if each in stayed]
    parts = [each for each in dict.fromkeys(request.ids) if each not in stayed and taken_by[each] not in whole]
    back = list(tenant.unmerge(*whole)) if whole else []
    if parts:
        back += tenant.unmerge(*dict.fromkeys(taken_by[each] for each in parts), only=parts)
    return {"restored": back}


def sweep(tenant: Tenant, request: SweepRequest, *, progress: Progress = silent) -> JSON:
    """What has expired or, with `apply`, what of it was erased for good."""
    if request.apply:
        return {"applied": True, "expired": [], "erased": list(tenant.sweep(grace=request.grace, progress=progress))}
    due = [{**memory.brief(), **plain({"expires_at": memory.expires_at})} for memory in tenant.expired(grace=request.grace)]
    return {"applied": False, "expired": due, "erased": []}


def cool(tenant: Tenant, request: CoolRequest) -> JSON:
    """The memories that could be let go, coolest first, and the command that hides them; nothing is changed."""
    found = tenant.cool(older_than=request.older_than, importance_below=request.importance_below)
    told = [{**each.memory.brief(), "reason": each.reason, "coolness": each.coolness} for each in found]
    return {"memories": told, "cli": shlex.join(["cued", "forget", *(row["id"] for row in told)]) if told else ""}


def reembed(tenant: Tenant, _request: NoFields, *, progress: Progress = silent) -> JSON:
    """How many memories got a vector of the embedder in use, and how many are left."""
    return plain(tenant.reembed(progress=progress))


def export(tenant: Tenant, request: ExportRequest, *, write: Write, progress: Progress = silent) -> JSON:
    """How much was exported; each line is handed to `write`."""
    size, line = 0, b"{}"
    for line in tenant.export(vectors=request.vectors, progress=progress):
        write(line)
        size += len(line)
    end = msgspec.json.decode(line)
    return {"memories": end["memories"], "recalls": end["recalls"], "bytes": size}


def import_file(tenant: Tenant, request: ImportRequest, *, progress: Progress = silent) -> JSON:
    """What was new in a file or folder, what was known, and what was left out and why."""
    told = {name: getattr(request, name) for name in ("format", "scope", "user", "as_exported")}
    return plain(tenant.import_file(request.path, **told, progress=progress))


def tenants(memories: Memories, _request: NoFields) -> JSON:
    """Every tenant by name, with how many memories it has."""
    return {"tenants": [{"name": name, "memories": memories.parts.store.size(name)} for name in memories.tenants()]}


def erasures(memories: Memories, _request: NoFields) -> JSON:
    """The list of erasures, oldest first: when, how much, and since when the bytes are gone; then what is pending. No content."""
    listed, pending = memories.erasures()
    return {"erasures": [plain(each) for each in listed], "pending": list(pending)}


def check(memories: Memories, _request: NoFields, *, progress: Progress = silent) -> JSON:
    """What is wrong with the store, down to the memory; nothing is changed."""
    return plain(memories.check(progress=progress))


def check_file(path: Path, *, progress: Progress) -> JSON:
    """What is wrong with a database, even with one that cannot be opened."""
    from cued.upkeep.checking import check_file as check_path  # noqa: PLC0415 - needs SQLite, and only this verb does

    return plain(check_path(path, progress=progress))


def repair_file(path: Path, *, backup: Path | None, progress: Progress) -> JSON:
    """What a repair of a database kept, mended and put aside."""
    from cued.upkeep.repairing import repair  # noqa: PLC0415 - needs SQLite, and only this verb does

    done = plain(repair(path, at=datetime.now(UTC), backup=backup, progress=progress))
    return {"ok": all(each["restored"] for each in done["aside"]), **done}


def backup(memories: Memories, request: BackupRequest, *, progress: Progress = silent) -> JSON:
    """How large a copy of the whole store is, with all its tenants, in one file."""
    return plain(memories.backup(request.path, overwrite=request.overwrite, progress=progress))


def restore_backup(path: Path, target: Path, *, overwrite: bool, progress: Progress) -> JSON:
    """How large the store is that was made from a backup."""
    from cued.upkeep.backup import restore as restore_file  # noqa: PLC0415 - needs SQLite, and only this verb does

    return plain(restore_file(path, target, overwrite=overwrite, progress=progress))


def copy_store(source: Path | Address, target: Path | Address, *, progress: Progress) -> JSON:
    """What was copied of all that a store keeps into another, and how many recalls were tried on both."""
    from cued.upkeep.copy_check import copy_compared  # noqa: PLC0415 - needs a store, and only this verb does

    # A file is called by its whole path: two of one name in two folders are two sources.
    name = str(source.resolve() if isinstance(source, Path) else source)
    with closing(keeper_at(source, readonly=True)) as left, closing(keeper_at(target, readonly=False)) as right:
        return {"source": str(source), "target": str(target)} | plain(
            copy_compared(left, right, name=name, at=datetime.now(UTC), progress=progress)
        )
