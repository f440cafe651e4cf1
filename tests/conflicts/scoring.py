"""Scores the rules on labelled pairs: what `relate` says of each, and precision and recall per type."""

import json
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cued.conflicts.finding import stretched
from cued.text.claims import relate

PAIRS = Path(__file__).parent / "pairs"
HALVES = ("seen", "unseen")
TYPES = ("duplicate", "update", "negation", "related", "none")
AT_ODDS = frozenset({"update", "negation"})


class Pair(NamedTuple):
    """A stored text, a new one, and what the new one is to it."""

    domain: str
    type: str
    a: str
    b: str


class Rates(NamedTuple):
    """Precision and recall, and how many pairs they rest on."""

    precision: float
    recall: float
    pairs: int


def load(half):
    """Give the pairs of one half."""
    lines = (PAIRS / f"{half}.jsonl").read_text("utf-8").splitlines()
    return [Pair(row["domain"], row["type"], row["a"], row["b"]) for row in map(json.loads, lines)]


def similarities(pairs, embedder):
    """Give the cosine of each pair, as the rules take it."""
    stored, new = (embedder.embed(list(texts), role="memory") for texts in zip(*((pair.a, pair.b) for pair in pairs), strict=True))
    return [stretched(float(cosine), str(embedder.fingerprint)) for cosine in np.sum(stored * new, axis=1)]


def judged(pairs, cosines):
    """Give what the rules say of each pair."""
    found = (relate(pair.b, pair.a, similarity=cosine) for pair, cosine in zip(pairs, cosines, strict=True))
    return ["none" if relation is None else relation.type for relation in found]


def rates(pairs, said, types):
    """Give precision and recall of these types taken together."""
    counts = Counter((pair.type in types, kind in types) for pair, kind in zip(pairs, said, strict=True))
    hits = counts[True, True]
    return Rates(hits / max(1, hits + counts[False, True]), hits / max(1, hits + counts[True, False]), hits + counts[True, False])
