"""A data set's questions as samples to fit a calibration to: every candidate's columns, and which of them are gold."""

from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from cued.evaluation.abstain import asked_at_home, mixes, silent_asks
from cued.evaluation.cache import digest, reading_digest
from cued.evaluation.dataset import Dataset, answerable
from cued.evaluation.fitting import FAR, NEAR, OWN, Sample
from cued.evaluation.formats import read
from cued.evaluation.ranking import unfloored
from cued.evaluation.runner import Ask, Bench, evidence_of
from cued.flow import relevance
from cued.flow.relevance import asked_times, foreign_words
from cued.flow.table import Table
from cued.model import Evidence
from cued.policy.spec import Calibration, Policy

Floats = NDArray[np.float64]

COLUMNS = (
    "z", "cosine", "coverage", "passage", "passage_z", "lift", "replied", "entities", "window", "timed", "neighbour_coverage", "answers",
    "voice", "voice_length", "crowd", "turn", "foreign", "matched", "note_matched", "wording", "cue_length", "note_length", "unknown",
    "strangers", "unnamed", "bears", "foreign_coverage", "technical", "technical_matched", "code", "script", "personal", "mine", "apart",
    "behind", "shared", "astray", "another", "echo", "lacking", "quoted", "ahead", "wordless", "blind",
)  # fmt: skip
KEPT = 60
"""How many candidates of each question are kept by cosine, by words, and by both; gold is always kept."""
_ARRAYS = ("columns", "gold", "missing", "starts", "kind", "size", "group")


def cached_sample(path: Path, policy: Policy, start: Calibration, bench: Bench, cache: Path) -> Sample:
    """The data set's sample, cached in a file by everything that it depends on."""
    dataset = read(path)
    model = None if bench.embedder is None else str(bench.embedder.fingerprint)
    source = [Path(str(module.__file__)).read_text("utf-8") for module in (relevance, asked_times, foreign_words)]
    background = (start.background_mean, start.background_deviation, start.latin_only)
    content, asked = (dataset.name, dataset.memories, dataset.queries), (msgspec.to_builtins(policy.channels), model)
    key = digest(content, asked, source, COLUMNS, background, reading_digest())
    file = cache / f"sample-{key}.npz"
    if not file.is_file():
        made = sample(dataset, policy, start, bench)
        np.savez(file, **{name: getattr(made, name) for name in _ARRAYS})
    with np.load(file, allow_pickle=False) as held:
        return Sample(name=dataset.name, **{name: held[name] for name in _ARRAYS})


def sample(dataset: Dataset, policy: Policy, start: Calibration, bench: Bench) -> Sample:
    """Every question's candidates as columns: own questions, and where there are any near and far ones."""
    wide = unfloored(policy, limit=10)
    asks = asked_at_home([query for query in answerable(dataset) if query.gold_ids]) + (silent_asks(dataset) if mixes(dataset) else ())
    parts = [_part(ask, found, gold, wide, start) for ask, found, gold in evidence_of(dataset, asks, wide, bench)]
    held = [part for part in parts if len(part.gold)]
    return Sample(
        name=dataset.name,
        columns=np.vstack([part.columns for part in held]),
        gold=np.concatenate([part.gold for part in held]),
        missing=np.concatenate([part.missing for part in held]),
        starts=_starts([len(part.gold) for part in held]),
        kind=np.concatenate([part.kind for part in held]),
        size=np.concatenate([part.size for part in held]),
        group=np.concatenate([part.group for part in held]),
    )


def narrowed_to(of: Sample, asks: NDArray[np.bool_]) -> Sample:
    """The sample with these questions alone."""
    rows = asks[of.asked]
    some = {name: getattr(of, name)[asks] for name in ("missing", "kind", "size", "group")}
    return replace(of, columns=of.columns[rows], gold=of.gold[rows], starts=_starts(of.lengths[asks]), **some)


def _starts(lengths: ArrayLike) -> NDArray[np.intp]:
    """The start of each of several runs of these lengths, laid end to end."""
    sizes = np.asarray(lengths, dtype=np.intp)
    return np.cumsum(sizes) - sizes


def _part(ask: Ask, found: Evidence, gold: set[str], policy: Policy, start: Calibration) -> Sample:
    """One question as a sample of its own."""
    table = Table(found, policy)
    columns = table.columns | relevance.features(table, start) if len(table) else {}
    matrix = np.stack([np.nan_to_num(columns[name], nan=0.0) for name in COLUMNS], axis=1) if columns else np.zeros((0, len(COLUMNS)))
    marked = np.array([ask.here and each in gold for each in table.ids], dtype=bool)
    kept = _to_keep(matrix, marked)
    return Sample(
        name="",
        columns=matrix[kept],
        gold=marked[kept],
        missing=np.array([len(gold) - int(marked.sum()) if ask.here else 0]),
        starts=np.zeros(1, dtype=np.intp),
        kind=np.array([OWN if ask.here else NEAR if ask.near else FAR]),
        size=np.array([np.log1p(found.findings.visible)]),
        group=np.array([ask.tenant]),
    )


def _to_keep(matrix: Floats, gold: NDArray[np.bool_]) -> NDArray[np.bool_]:
    if len(matrix) <= 3 * KEPT:
        return np.ones(len(matrix), dtype=bool)
    cosine, words = matrix[:, COLUMNS.index("passage")], matrix[:, COLUMNS.index("matched")]
    keys = (cosine, words, matrix[:, COLUMNS.index("cosine")] + 0.05 * words)
    for key in keys:
        gold = gold | (np.argsort(np.argsort(-key, kind="stable"), kind="stable") < KEPT)
    return gold
