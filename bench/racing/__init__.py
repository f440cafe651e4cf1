"""Cued beside others in one run: the same memories with their vectors given, and the same questions.

`bare` is what the arithmetic alone costs: a matrix product and bm25s over lists in memory, fused by rank. It has no tenants, no gates, no
floor, nothing that is durable, and says nothing of why. What others are raced with `--peers`, `peers` says.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from gc import collect
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from bench import corpus
from bench.figures import Figure, Result, Spent, series
from bench.loading import AT_ONCE, known, opened
from bench.measure import spent_on
from bench.vectors import GivenVectors

CASE: Final = "race"
SHOWN: Final = 10
CUED: Final = "Cued"
_TENANT: Final = "the only one"
_POOL: Final = 50
_RRF: Final = 60

Ask = Callable[[corpus.Question], Sequence[int]]
"""Gives the numbers of the memories that a question finds, best first."""
Racer = Callable[[corpus.Block, Path, ExitStack], Ask]
"""Loads the memories, into the folder where it keeps any, and gives what is then asked; what it holds it closes with the stack."""


def race(racers: Mapping[str, Racer], memories: int, folder: Path, recalls: int) -> Result:
    """Ask the racers one after the other, each with nothing of another's in memory, and name those that cannot run here."""
    block = corpus.block(0, 0, memories, among=memories, words=corpus.vocabulary())
    asked = corpus.questions(block, recalls, words=corpus.vocabulary())
    runs, notes = dict[str, list[Run]](), list[str]()
    for name, racer in {CUED: with_cued, **racers}.items():
        try:
            with ExitStack() as stack:
                runs[name] = _runs(racer(block, folder, stack), asked)
        except (ImportError, AttributeError, RuntimeError, OSError) as error:
            notes.append(f"{CASE}: {name} is left out ({error})")
        collect()
    return Result(figures=tuple(_figures(runs)), notes=tuple(notes))


class Run(NamedTuple):
    """What one question took, and whether it found the memory that it is about."""

    spent: Spent
    found: bool


def _runs(ask: Ask, asked: Sequence[corpus.Question]) -> list[Run]:
    ask(asked[0])
    return [_run(ask, question) for question in asked]


def _run(ask: Ask, question: corpus.Question) -> Run:
    answers = list[Sequence[int]]()
    spent = spent_on(lambda: answers.append(ask(question)))
    return Run(spent, question.about in answers[0])


def _figures(runs: Mapping[str, Sequence[Run]]) -> Iterator[Figure]:
    """What a question takes each racer, how many times as long as another's Cued's takes, and how many find what they are about."""
    taken = {name: series(CASE, name, [each.spent for each in own]) for name, own in runs.items()}
    yield from taken.values()
    for name, figure in taken.items():
        if name != CUED:
            yield Figure(case=CASE, measure=f"{CUED} ÷ {name}", unit="×", value=taken[CUED].value / figure.value)
    for name, own in runs.items():
        yield Figure(case=CASE, measure=f"found by {name}", unit="%", value=100 * sum(each.found for each in own) / len(own))


def with_cued(block: corpus.Block, folder: Path, stack: ExitStack) -> Ask:
    """Cued as it is, with a file, but without a floor: what the others show is asked of it too, ten memories."""
    embedder = GivenVectors(known(block))
    memories = stack.enter_context(opened(folder / f"{CASE}.db", embedder))
    handle = memories.tenant(_TENANT)
    drafts = [draft | {"id": f"{number:08}"} for number, draft in enumerate(block.drafts)]
    for first in range(0, len(drafts), AT_ONCE):
        handle.remember_many(drafts[first : first + AT_ONCE])

    def ask(question: corpus.Question) -> list[int]:
        recall = handle.recall(question.text, vector=question.vector.tolist(), fingerprint=str(embedder.fingerprint), floor=0, limit=SHOWN)
        return [int(each.id) for each in recall]

    return ask


def bare(block: corpus.Block, _folder: Path, _stack: ExitStack) -> Ask:
    """A float32 matrix and an index of bm25s, the best of both fused by reciprocal ranks."""
    import bm25s  # noqa: PLC0415 - raced with, and nothing else

    texts = [draft["text"] for draft in block.drafts]
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
    pool = min(_POOL, len(texts))

    def ask(question: corpus.Question) -> list[int]:
        # Not by BLAS, whose threads wait for each other where the cores have other work.
        cosines = np.vecdot(block.vectors, question.vector)
        near = np.argpartition(-cosines, pool - 1)[:pool]
        words = bm25s.tokenize([question.text], stopwords="en", show_progress=False)
        worded = index.retrieve(words, k=pool, show_progress=False).documents[0]
        fused: dict[int, float] = {}
        for ranking in (near[np.argsort(-cosines[near])], worded):
            for rank, number in enumerate(ranking.tolist(), 1):
                fused[number] = fused.get(number, 0.0) + 1 / (_RRF + rank)
        return sorted(fused, key=fused.__getitem__, reverse=True)[:SHOWN]

    return ask


BARE: Final[Mapping[str, Racer]] = {"numpy + bm25s": bare}
