"""Runs a data set: each tenant is loaded as in real use, each question is asked, and every policy decides on the same evidence.

Evidence is gathered once for each distinct set of channels; nothing is settled, so no question changes the next one's answer.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cued.engine import Parts, Question, gather
from cued.errors import EmbedderError, InputError
from cued.evaluation.cache import digest, reading_digest
from cued.evaluation.cached_embedder import CachedEmbedder
from cued.evaluation.dataset import FAR, Dataset, Item, Query, has_answer
from cued.evaluation.evidence_cache import EvidenceCache, without_vectors
from cued.evaluation.metrics import by_best
from cued.evaluation.ranking import Floor, Ranking, Variant, rank
from cued.flow import cue as cues
from cued.handles.memories import open_memories
from cued.model import EPOCH, Cue, Evidence
from cued.policy.spec import Policy
from cued.ports import Progress, silent
from cued.requests.draft import Draft
from cued.requests.many import misfit

TIMED = 200
_READ = ("cue", "search")


class Ask(Struct, frozen=True, kw_only=True):
    """A question put to a tenant at a time; the tenant may be another than the one that can answer it."""

    query: Query
    tenant: str
    at: datetime

    @property
    def here(self) -> bool:
        """Whether the tenant is the question's own and has an answer to it."""
        return self.query.tenant == self.tenant and has_answer(self.query)

    @property
    def near(self) -> bool:
        """Whether the tenant is the question's own, has no answer to it, and much that sounds like one."""
        return self.query.tenant == self.tenant and not has_answer(self.query) and self.query.category != FAR

    @property
    def cue(self) -> Cue:
        """The question as a recall is asked it."""
        query = self.query
        return Cue(utterance=query.text, now=self.at, goal=query.goal, step=query.step, open_questions=query.open_questions)


class Answer(Struct, frozen=True, kw_only=True):
    """What one policy made of a question, in the data set's own ids: the best turns and sessions, and what each floor let through.

    `ms` is the time to read and decide, without embedding the question, where it was taken.
    """

    ids: tuple[str, ...]
    sessions: tuple[str, ...]
    relevances: tuple[float, ...]
    spoken: dict[Floor, tuple[str, ...]]
    best: float
    ms: float | None = None


class Bench(Struct, frozen=True, kw_only=True):
    """The parts that a run works with."""

    embedder: CachedEmbedder | None
    evidence: EvidenceCache
    progress: Progress = silent


class Run(Struct, frozen=True, kw_only=True):
    """The questions in the order asked, and each variant's answers to them."""

    asks: tuple[Ask, ...]
    answers: dict[str, tuple[Answer, ...]]


def run(dataset: Dataset, asks: Sequence[Ask], variants: Sequence[Variant], bench: Bench) -> Run:
    """Every variant's answer to every question; a variant's limit says how many of each ranking are kept."""
    ordered = sorted(asks, key=lambda ask: (ask.tenant, not ask.here))
    readings = _readings(variants)
    answers: dict[str, list[Answer]] = {variant.name: [] for variant in variants}
    tenants = {ask.tenant for ask in ordered}
    stride = max(1, len(ordered) // TIMED)
    steps = _Steps(sum(len(dataset.memories[t]) for t in tenants) + len(ordered) * (len(readings) + len(variants)), bench.progress)
    for tenant, own in groupby(ordered, lambda ask: ask.tenant):
        corpus = _Corpus(dataset, tenant, bench)
        put = list(own)
        for reading in readings:
            gathered = corpus.gathered(put, reading)
            steps.take(len(put))
            for variant in reading:
                for each in gathered:
                    timed = len(answers[variant.name]) % stride == 0
                    answers[variant.name].append(_answer(rank(each, variant, timed=timed), each, corpus, variant))
                steps.take(len(put))
        steps.take(len(corpus.items))
    return Run(asks=tuple(ordered), answers={name: tuple(found) for name, found in answers.items()})


def evidence_of(dataset: Dataset, asks: Sequence[Ask], policy: Policy, bench: Bench) -> Iterator[tuple[Ask, Evidence, set[str]]]:
    """Each question with its evidence under the policy's channels, and the stored ids of its gold where it is asked at home."""
    variant = Variant(name=policy.name, policy=policy)
    ordered = sorted(asks, key=lambda ask: (ask.tenant, not ask.here))
    steps = _Steps(len(ordered), bench.progress)
    for tenant, own in groupby(ordered, lambda ask: ask.tenant):
        corpus, put = _Corpus(dataset, tenant, bench), list(own)
        for ask, found in zip(put, corpus.gathered(put, [variant]), strict=True):
            gold = {store_id(place) for place, item in enumerate(corpus.items) if ask.here and item.id in ask.query.gold_ids}
            yield ask, found, gold
        steps.take(len(put))


def store_id(place: int) -> str:
    """The id under which a tenant's memory is stored: its place in time, and nothing of the data set's own id."""
    return f"{place:08d}"


class _Steps:
    """Counts what is done, and reports progress."""

    def __init__(self, total: int, progress: Progress) -> None:
        self._done, self._total, self._progress = 0, total, progress

    def take(self, steps: int) -> None:
        self._done += steps
        self._progress(self._done, self._total)


class _Corpus:
    """One tenant of the data set, loaded when evidence is needed that is not cached yet."""

    def __init__(self, dataset: Dataset, tenant: str, bench: Bench) -> None:
        self.items = dataset.memories[tenant]
        self._dataset, self._tenant, self._bench = dataset.name, tenant, bench
        self._parts: Parts | None = None
        self._content = digest(self.items)

    def gathered(self, asks: Sequence[Ask], reading: Sequence[Variant]) -> list[Evidence]:
        """The evidence of every question; own questions and those of others are cached separately."""
        return [evidence for _, part in groupby(asks, lambda ask: ask.here) for evidence in self._part(list(part), reading)]

    def _part(self, asks: Sequence[Ask], reading: Sequence[Variant]) -> list[Evidence]:
        policy, vectors = reading[0].policy, any(_diversifies(variant.policy) for variant in reading)
        embedder = self._bench.embedder
        model = None if embedder is None else str(embedder.fingerprint)
        said = [ask.cue for ask in asks]
        key = digest(self._content, said, msgspec.to_builtins(policy.channels), model, reading_digest())
        kept = self._bench.evidence.get(key, self.items, vectors=vectors)
        if kept is None:
            if embedder is not None and policy.channels.dense is not None:
                embedder.embed([cues.words(ask.cue, policy.channels.dense.over, labelled=True) for ask in asks], role="query")
            kept = [self._gather(ask, policy, vectors=vectors) for ask in asks]
            self._bench.evidence.put(key, kept, vectors=vectors)
        return kept

    def _gather(self, ask: Ask, policy: Policy, *, vectors: bool) -> Evidence:
        spent: dict[str, float] = {}
        question = Question(tenant=self._tenant, cue=ask.cue, recall_id=ask.query.id)
        evidence = gather(question, policy, self._loaded(), spent=spent)
        if evidence.degraded and self._bench.embedder is not None:
            raise EmbedderError(f"asking {self._tenant!r}: {evidence.degraded[0]}")
        evidence = replace(evidence, timings_ms={step: seconds * 1000 for step, seconds in spent.items()})
        return evidence if vectors else without_vectors(evidence)

    def _loaded(self) -> Parts:
        if self._parts is None:
            memories = open_memories(None, embedder=self._bench.embedder, settle="off", clock=lambda: EPOCH)
            try:
                stored = memories.tenant(self._tenant).remember_many(_drafts(self.items))
            except InputError as error:
                raise self._refused() or error from error
            if stored.degraded:
                raise EmbedderError(f"loading {self._tenant!r}: {stored.degraded[0]}")
            self._parts = memories.parts
        return self._parts

    def _refused(self) -> InputError | None:
        """The error of the first memory that cannot be stored, with its place."""
        found = misfit(_drafts(self.items), now=EPOCH)
        if found is None:
            return None
        item, error = self.items[found[0]], found[1]
        where = f"data set {self._dataset}, tenant {self._tenant!r}, memory {item.id!r}, {error.field}"
        return InputError(where, getattr(item, error.field, None), error.accepted)


def _drafts(items: Sequence[Item]) -> Iterator[Draft]:
    for place, item in enumerate(items):
        yield Draft(id=store_id(place), text=item.text, session=item.session, turn=item.turn, speaker=item.speaker, at=item.at)


def _readings(variants: Sequence[Variant]) -> list[list[Variant]]:
    """The variants in groups with the same channels, which share evidence."""
    groups: dict[bytes, list[Variant]] = {}
    for variant in variants:
        groups.setdefault(msgspec.json.encode(variant.policy.channels), []).append(variant)
    return list(groups.values())


def _diversifies(policy: Policy) -> bool:
    return policy.diversify.trade < 1.0 or policy.diversify.collapse <= 1.0


def _answer(ranking: Ranking, evidence: Evidence, corpus: _Corpus, variant: Variant) -> Answer:
    limit = variant.policy.budget.limit
    found = [corpus.items[int(each)] for each in ranking.ids]
    return Answer(
        ids=tuple(item.id for item in found[:limit]),
        sessions=by_best(item.session for item in found)[:limit],
        relevances=ranking.relevances[:limit],
        spoken={floor: tuple(corpus.items[int(each)].id for each in ids) for floor, ids in ranking.spoken.items()},
        best=ranking.best,
        ms=None if ranking.decide_ms is None else ranking.decide_ms + sum(evidence.timings_ms.get(name, 0.0) for name in _READ),
    )
