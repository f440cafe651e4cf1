"""Whether two stores recall the same: the same cues put to both, and the answers compared to the last bit."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from cued.engine import Parts, Question, recall
from cued.errors import StoreError
from cued.model import Cue, DenseLookup, Recall
from cued.policy.presets import DEFAULT, preset
from cued.ports import Keeper, Progress, Store, silent
from cued.stores.store import Store as KeptStore
from cued.stores.vector_bytes import as_vector
from cued.upkeep.copying import Copy, TriedRow, copy, unchanged

_WORDS: Final = 8
_SHAPE: Final = ("outcome", "block", "core", "degraded", "tokens")


class CopiedStore(Struct, frozen=True, kw_only=True):
    """A finished copy: what it holds, how many memories were mended on the way, the digest of all rows, and how many recalls were tried."""

    tenants: int
    memories: int
    lines: int
    documents: int
    mended: int
    digest: str
    sampled: int


def copy_compared(source: Keeper, target: Keeper, *, name: str, at: datetime, progress: Progress = silent) -> CopiedStore:
    """What was copied from one keeper to another; that a recall differs between the two is a StoreError."""
    job = Copy(source=source, target=target, name=name, progress=progress)
    copy(job)
    # The samples were the same on both sides when they were taken; what was written since is no difference of the copy.
    still = [sample for sample in job.samples if unchanged(job, sample)]
    # Vectors that were made smaller differ by a little, and were compared with the rows: then it is the words that find the same.
    tried = still if job.shape == "float32" else [replace(each, row=each.row._replace(vector=None)) for each in still]
    if wrong := differing(KeptStore(source), KeptStore(target), tried, at=at):
        ids = ", ".join(f"{sample.tenant}/{sample.row.memory.id}" for sample in wrong[:3])
        raise StoreError(f"{len(wrong)} of {len(still)} recalls differ in the copy, first those with the words of {ids}: do not use it")
    counts = {each: getattr(job, each) for each in ("tenants", "memories", "lines", "documents", "mended", "digest")}
    return CopiedStore(**counts, sampled=len(still))


def differing(left: Store, right: Store, samples: Sequence[TriedRow], *, at: datetime) -> list[TriedRow]:
    """Those of the samples whose recall is another in the second store; a cue is how the sample's text begins, and its vector."""
    return [sample for sample in samples if _answer(left, sample, at) != _answer(right, sample, at)]


def _answer(store: Store, sample: TriedRow, at: datetime) -> tuple[object, ...]:
    memory, vector = sample.row.memory, as_vector(sample.row.vector)
    dense = None if vector is None or memory.fingerprint is None else DenseLookup(vector=vector, fingerprint=memory.fingerprint, pool=50)
    cue = Cue(utterance=" ".join(memory.text.split()[:_WORDS]), scope=memory.scope, now=at)
    question = Question(tenant=sample.tenant, cue=cue, recall_id="compared", embedded=dense)
    found, evidence = recall(question, preset(DEFAULT), Parts(store=store))
    columns = {name: column.tobytes() for name, column in evidence.findings.columns.items()}
    return (*_what_counts(found), tuple(each.id for each in evidence.findings.memories), tuple(sorted(columns.items())))


def _what_counts(found: Recall) -> tuple[object, ...]:
    return (tuple((each.memory, each.score, each.relevance) for each in found.memories), *(getattr(found, name) for name in _SHAPE))
