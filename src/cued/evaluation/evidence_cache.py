"""A cache of evidence by everything that it depends on, so that another policy only needs to decide."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from cued.engine.envelope import pack, unpack
from cued.evaluation.dataset import Item
from cued.folders import replacing
from cued.model import Evidence, Memory

Array = NDArray[Any]
_MEMORIES = msgspec.json.Decoder(tuple[Memory, ...])


class EvidenceCache:
    """Gathered evidence, a file for each tenant and set of channels; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        """Keep the evidence in this folder."""
        self._folder = folder

    def get(self, key: str, items: Sequence[Item], *, vectors: bool) -> list[Evidence] | None:
        """The evidence under this key, with vectors only if asked for; None if there is none that can be used."""
        for path in self._paths(key, vectors=vectors):
            try:
                found = _unpacked(path, items)
            except FileNotFoundError:
                continue
            except (OSError, ValueError, KeyError, IndexError, zipfile.BadZipFile, msgspec.DecodeError):
                # A file cut short or of another layout is gathered again.
                continue
            path.touch()
            return found
        return None

    def put(self, key: str, gathered: Sequence[Evidence], *, vectors: bool) -> None:
        """Store the evidence; readers see all of it or nothing."""
        if self._folder is None:
            return
        with replacing(self._paths(key, vectors=vectors)[-1]) as file:
            np.savez_compressed(file, allow_pickle=False, **_packed(gathered, vectors=vectors))

    def _paths(self, key: str, *, vectors: bool) -> list[Path]:
        if self._folder is None:
            return []
        full, lean = self._folder / f"evidence-{key}-vectors.npz", self._folder / f"evidence-{key}.npz"
        return [full] if vectors else [full, lean]


def without_vectors(evidence: Evidence) -> Evidence:
    """The evidence without vectors, which only a policy that diversifies reads."""
    return replace(evidence, findings=replace(evidence.findings, vectors=None))


def _packed(gathered: Sequence[Evidence], *, vectors: bool) -> dict[str, Array]:
    """The evidence as arrays: each memory once and without its text, the columns end to end, the rest as JSON."""
    findings = [each.findings for each in gathered]
    memories = sorted({memory.id: memory for found in findings for memory in found.memories}.items())
    place = {memory_id: row for row, (memory_id, _) in enumerate(memories)}
    names = next((list(found.columns) for found in findings if found.columns), [])
    heads = [pack(replace(e, lookup=None, findings=replace(e.findings, memories=(), columns={}, vectors=None))) for e in gathered]
    packed = {
        "heads": _bytes(b"\n".join(heads)),
        "memories": _bytes(msgspec.json.encode([replace(memory, text="") for _, memory in memories])),
        "names": np.array(names, dtype=np.str_),
        "counts": np.array([len(found.memories) for found in findings], dtype=np.int64),
        "rows": np.array([place[memory.id] for found in findings for memory in found.memories], dtype=np.int32),
        "columns": np.array([np.concatenate([found.columns[name] for found in findings if found.columns]) for name in names]),
    }
    if vectors:
        near = {m.id: v for found in findings if found.vectors is not None for m, v in zip(found.memories, found.vectors, strict=True)}
        packed["vectors"] = np.array([near[memory_id] for memory_id, _ in memories if memory_id in near], dtype=np.float32)
    return packed


def _unpacked(path: Path, items: Sequence[Item]) -> list[Evidence]:
    # opened here, since numpy leaves a file open that is not one of its own
    with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
        held = {name: file[name] for name in file.files}
    lean = _MEMORIES.decode(held["memories"].tobytes())
    memories = [replace(memory, text=items[int(memory.id)].text) for memory in lean]
    heads = held["heads"].tobytes().split(b"\n")
    ends = np.cumsum(held["counts"])
    gathered = []
    for head, end, count in zip(heads, ends.tolist(), held["counts"].tolist(), strict=True):
        rows = held["rows"][end - count : end]
        columns = dict(zip(held["names"].tolist(), held["columns"][:, end - count : end], strict=True)) if len(held["names"]) else {}
        evidence = unpack(head)
        found = replace(
            evidence.findings,
            memories=tuple(memories[row] for row in rows.tolist()),
            columns=columns,
            vectors=held["vectors"][rows] if len(held.get("vectors", ())) else None,
        )
        gathered.append(replace(evidence, findings=found))
    return gathered


def _bytes(data: bytes) -> Array:
    return np.frombuffer(data, dtype=np.uint8)
