"""Uploads and downloads: files that are dropped on a page, and files that a page offers."""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from cued.errors import CuedError, InputError, NotFoundError
from cued.handles.memories import Memories, open_memories
from cued.model.plain import JSON
from cued.surfaces.bulk import remember_lines
from cued.surfaces.inspector.deciding import as_toml
from cued.surfaces.inspector.pages.recall import choice_of, needed
from cued.surfaces.inspector.visiting import Visit
from cued.surfaces.verbs import VERBS, call

SHOWN = 8
MOST_COMPARED = 500
MOST_TAKEN = 1000
_DRAFTED = (
    *("id", "text", "kind", "tier", "scope", "tags", "importance", "weight", "trust", "session", "turn", "speaker", "url", "meta"),
    *("valid_from", "valid_until"),
)
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class Download(NamedTuple):
    """A file to download."""

    name: str
    type: str
    body: bytes


def handed_out(visit: Visit, name: str) -> Download:
    """The download of this name, made of what the address selects."""
    if name == "memories.jsonl":
        return Download(name, "application/x-ndjson", b"".join(_lines(visit, visit.query.getlist("id"))))
    saved = needed(visit)
    if name == "evidence.json":
        return Download(f"{saved.evidence.recall_id}.json", "application/json", saved.encode())
    if name == "policy.toml":
        choice = choice_of(visit, saved)
        called = _plain_name(visit.said("name"), "mine")
        return Download(f"{called}.toml", "application/toml", as_toml(choice.applied, called).encode())
    raise InputError("file", name, "memories.jsonl, evidence.json or policy.toml")


def taken_in(visit: Visit, body: bytes) -> JSON:
    """What was stored of an uploaded file or, with `preview`, what of it would be new."""
    visit.caller.require(VERBS["import"].authority)
    with tempfile.TemporaryDirectory(prefix="cued-") as folder:
        path = Path(folder) / _plain_name(visit.said("name"), "dropped.txt")
        path.write_bytes(body)
        try:
            return _previewed(visit, path) if visit.said("preview") else _stored(visit.memories, path, visit)
        except CuedError as error:
            # where the file lay on this machine is nobody's business
            error.__notes__ = [note for note in getattr(error, "__notes__", ()) if folder not in note]
            raise


def _stored(memories: Memories, path: Path, visit: Visit) -> JSON:
    """What was stored of a file: our own lines of drafts, or any format that an import knows."""
    # A file says itself as what it is read, so nothing that it says may be trusted further for that.
    tenant, scope = memories.tenant(visit.caller.tenant, trust="import"), visit.said("scope")
    if _has_drafts(path):
        with path.open("rb") as lines:
            answer = remember_lines(tenant, lines)
        return {"format": "lines", "new": len(answer["ids"]), "known": 0, "skipped": {}}
    answer = call("import", tenant, {"path": str(path), **({"scope": scope} if scope else {})})
    return {"format": answer["format"], "new": answer["stored"], "known": answer["known"], "skipped": answer["skipped"]}


def _previewed(visit: Visit, path: Path) -> JSON:
    """What is in a file, read into a store that exists only for this."""
    with open_memories(None, embedder=None, settle="off") as scratch:
        told = _stored(scratch, path, visit)
        page = call("list", scratch.tenant(visit.caller.tenant), {"limit": MOST_COMPARED, "hidden": True})
    known = sum(_is_known(visit, memory["id"]) for memory in page["memories"])
    shown = [{name: memory[name] for name in ("text", "kind", "scope", "created_at")} for memory in page["memories"][:SHOWN]]
    return {**told, "known": known, "new": page["total"] - known, "total": page["total"], "memories": shown}


def _has_drafts(path: Path) -> bool:
    """Whether a file's first line is a draft of a memory, as `cued remember --jsonl` and our own downloads have them."""
    with path.open("rb") as file:
        first = file.readline(4_000_000).strip()
    try:
        read = msgspec.json.decode(first)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(read, dict) and isinstance(read.get("text"), str) and "cued" not in read


def _is_known(visit: Visit, memory_id: str) -> bool:
    try:
        visit.ask("get", {"id": memory_id})
    except NotFoundError:
        return False
    return True


def _lines(visit: Visit, ids: list[str]) -> Iterator[bytes]:
    """Each memory as a line that can be remembered again."""
    if not 1 <= len(ids) <= MOST_TAKEN:
        raise InputError("id", f"{len(ids)} of them", f"1 to {MOST_TAKEN} memories")
    for memory_id in ids:
        memory = visit.ask("get", {"id": memory_id})
        kept = {name: memory[name] for name in _DRAFTED if memory.get(name) not in (None, [], {})}
        yield msgspec.json.encode({**kept, "at": memory["created_at"]}) + b"\n"


def _plain_name(name: str, usual: str) -> str:
    return _NOT_IN_A_NAME.sub("-", name).strip(".-")[:80] or usual
