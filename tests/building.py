"""Small builders for tests: a memory of a given age, and the evidence of a recall, as plain data."""

from datetime import UTC, datetime, timedelta

import numpy as np
from msgspec.structs import replace

from cued.model import COLUMNS, Background, Cue, Evidence, Findings, Memory, Use
from cued.policy.parse import parse

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)

ADAPTING = """
[score]
recency_weight = 0.3
terms = [
    { signal = "recency", weight = 0.0, lean = 1.0, tau = "10d", since = "last_used" },
    { signal = "strength", weight = 1.0, lean = -1.0 },
]
[settle]
adapt = "arc"
ghosts = 4
"""


def ago(**span):
    """Give the moment this long before NOW."""
    return NOW - timedelta(**span)


def memory(name="m1", *, created=NOW, updated=None, used=None, count=0.0, **facts):
    """Give a memory called `name`, with what matters to the test and nothing else."""
    use = Use(last_at=used, count=count, counted_at=used or (NOW if count else None))
    return Memory(
        id=name,
        tenant="t",
        created_at=created,
        updated_at=updated or created,
        use=facts.pop("use", use),
        **{"text": f"text of {name}", **facts},
    )


def evidence(memories, *, cue=None, vectors=None, background=None, fingerprint="test/e@1/2", **columns):
    """Give evidence over these memories; columns not named are 0, or nan where a vector would be needed."""
    n = len(memories)
    full = {name: np.full(n, nothing) for name, nothing in COLUMNS.items()}
    full |= {name: np.asarray(values, dtype=float) for name, values in columns.items()}
    return Evidence(
        recall_id="r1",
        tenant="t",
        cue=cue or Cue(utterance="the cue", now=NOW),
        fingerprint=fingerprint,
        findings=Findings(
            stored=n,
            visible=n,
            memories=tuple(memories),
            columns=full,
            vectors=None if vectors is None else np.asarray(vectors, dtype=np.float32),
            background=background or Background(count=n, mean=0.1, deviation=0.1),
        ),
    )


def policy(text=""):
    """Give a policy from TOML; without a score of its own it orders by similarity."""
    if "[score]" not in text:
        text += '\n[score]\nterms = [{ signal = "similarity" }]\n'
    return parse(text, name="test")


def scores(recall):
    """Give every candidate's score by id."""
    return dict(zip(recall.trace.ids, recall.trace.columns["score"].tolist(), strict=True))


def comparable(recall):
    """Give a recall as plain data, arrays as bytes."""
    trace = recall.trace
    columns = {name: column.tobytes() for name, column in {**trace.columns, **trace.contributions}.items()}
    return replace(recall, trace=replace(trace, columns={}, contributions={})), columns
