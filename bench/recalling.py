"""Recalls from a filled store: cold, warm, in a hurry, after a write of this process and after one of another."""

import os
import subprocess
import sys
import time
from itertools import cycle
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import numpy as np

import cued
from bench import corpus
from bench.figures import (
    BESIDE_SCAN,
    FIFTY,
    FIRST,
    FIRST_KEPT,
    IN_TURN,
    MEMORY,
    MEMORY_EACH,
    NO_FLOOR,
    OPEN,
    REMEMBER_GIVEN,
    SHELL_ALONE,
    TOKENS,
    WARM,
    Figure,
    Result,
    Spent,
    rate,
    series,
    stage_medians,
)
from bench.loading import block_of, database, first_block, known, opened, tenant_name
from bench.measure import KIB, disk_mib, resident_mib, spent_each, spent_on
from bench.sizes import Shape, Size
from bench.vectors import DIMENSIONS, GivenVectors
from bench.writers import FIRST_OF_OTHERS, writer
from cued.stores.keepers.sqlite import SqliteKeeper

ASKED_TENANTS = 100
AFTER_ALL = 1_000_000
SCANS = 20
_SHELLS = 5
THREADS = (1, 4, 16)
SHOWN: dict[str, dict[str, Any]] = {
    NO_FLOOR: {"floor": 0},
    FIFTY: {"floor": 0, "limit": 50},
    TOKENS: {"floor": 0, "budget_tokens": 2000},
}


class Asked(NamedTuple):
    """A question, and the tenant it is put to."""

    tenant: str
    text: str


class Timing(NamedTuple):
    """What a recall took as its caller sees it, and the milliseconds of each stage as it tells them."""

    spent: Spent
    stages_ms: dict[str, float]


def recalled(memories: cued.Memories, asked: Asked) -> Timing:
    """The time of one recall that has the process for itself: its touches are written before the next one comes."""
    handle, answers = memories.tenant(asked.tenant), list[cued.Recall]()
    spent = spent_on(lambda: answers.append(handle.recall(asked.text)))
    memories.flush()
    stages = {stage: spent_ms for stage, spent_ms in answers[0].timings_ms.items() if stage != "total"}
    return Timing(spent, {**stages, "outside": spent.wall_ms - sum(stages.values())})


def questions(shape: Shape, count: int, embedder: GivenVectors) -> list[Asked]:
    """Questions to the first tenants in turn; their vectors are made known."""
    asked, tenants = [], range(min(shape.tenants, ASKED_TENANTS))
    for tenant in tenants:
        some = corpus.questions(first_block(shape, tenant), -(-count // len(tenants)), words=corpus.vocabulary())
        embedder.known |= {question.text: question.vector for question in some}
        asked.append([Asked(tenant_name(tenant), question.text) for question in some])
    return [question for turn in zip(*asked, strict=True) for question in turn][:count]


def read(shape: Shape, folder: Path, size: Size) -> Result:
    """Measure all that is measured of one store in one fresh process."""
    path, embedder = database(folder, shape), GivenVectors({})
    asked = questions(shape, size.recalls, embedder)
    _unkept(path, shape)
    before_mib, found = resident_mib(), list[cued.Memories]()
    opening = spent_on(lambda: found.append(opened(path, embedder)))
    with found[0] as memories:
        cold = _cold(memories, shape, asked)
        timings = [recalled(memories, each) for each in asked]
        warm = series(shape.name, WARM, [timing.spent for timing in timings])
        held_mib = resident_mib() - before_mib
        shown = [series(shape.name, measure, _shown(memories, asked, **wanted)) for measure, wanted in SHOWN.items()]
        beside = _beside_a_bare_scan(memories, shape, asked, warm.value) if shape.tenants == 1 else ()
        sharing = [figure for count in THREADS for figure in in_threads(memories, shape.name, asked, count)]
        figures = [
            Figure(case=shape.name, measure=OPEN, unit="ms", value=opening.wall_ms, cpu=opening.cpu_ms),
            series(shape.name, FIRST, cold),
            warm,
            _in_a_hurry(memories, shape, asked),
            *_after_writes(memories, shape, embedder, size.writes),
            *_after_foreign_writes(memories, shape, path, embedder=embedder, count=size.writes),
            Figure(case=shape.name, measure=MEMORY, unit="MiB", value=held_mib),
            Figure(case=shape.name, measure=MEMORY_EACH, unit="KiB", value=held_mib * KIB / shape.memories),
            *shown,
            *beside,
            *sharing,
            Figure(case=shape.name, measure="disk in use, with log", unit="MiB", value=disk_mib(path)),
        ]
    if shape.tenants == 1:
        # The store was closed, so the tenant's shelf is kept now.
        with opened(path, embedder) as memories:
            figures.append(series(shape.name, FIRST_KEPT, _cold(memories, shape, asked)))
        figures.append(series(shape.name, SHELL_ALONE, [in_a_shell(path, asked[0]) for _ in range(1 + _SHELLS)][1:]))
    return Result(figures=tuple(figures), stages={shape.name: stage_medians([timing.stages_ms for timing in timings])})


def _unkept(path: Path, shape: Shape) -> None:
    """Take away what an earlier run has kept of the shelf, so that the first recall builds it."""
    keeper = SqliteKeeper(path)
    for tenant in range(1 if shape.tenants == 1 else 0):
        with keeper.begin(tenant_name(tenant), write=True) as rows:
            rows.put_shelf(())
    keeper.close()


def _shown(memories: cued.Memories, asked: list[Asked], **wanted: Any) -> list[Spent]:  # noqa: ANN401 - whatever a recall takes
    """What recalls took that show more than the floor lets through, or as much as a budget holds."""
    return [spent_on(lambda each=each: memories.tenant(each.tenant).recall(each.text, settle=False, **wanted)) for each in asked]  # type: ignore[misc]


def in_threads(memories: cued.Memories, case: str, asked: list[Asked], count: int, place: str = "") -> tuple[Figure, ...]:
    """How many recalls a second so many threads get, how long each waits, and how much longer the slowest of twenty than the middle one."""
    spent = list[Spent]()

    def work(first: int) -> None:
        mine = asked[first::count] or asked[:1]
        own = [spent_on(lambda each=each: memories.tenant(each.tenant).recall(each.text, settle=False)) for each in mine]  # type: ignore[misc]
        spent.extend(own)  # when all is done: a list that takes from a generator is locked meanwhile, where Python has no other lock

    threads = [Thread(target=work, args=(first,)) for first in range(count)]

    def all_of_them() -> None:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    whole, named = spent_on(all_of_them), f"{count} thread{'s' * (count > 1)}{place}"
    waits = series(case, f"recall, {named}", spent)
    return (
        rate(case, f"recalls, {named}", len(spent), [whole]),
        waits,
        Figure(case=case, measure=f"slow ÷ usual, {named}", unit="×", value=(waits.p95 or 0) / waits.value),
    )


def _cold(memories: cued.Memories, shape: Shape, asked: list[Asked]) -> list[Spent]:
    tenants = (tenant_name(number) for number in range(shape.tenants))
    firsts = [Asked(tenant, each.text) for tenant, each in zip(tenants, cycle(asked), strict=False)]
    return [recalled(memories, first).spent for first in firsts]


def _in_a_hurry(memories: cued.Memories, shape: Shape, asked: list[Asked]) -> Figure:
    def one_after_the_other() -> None:
        for each in asked:
            memories.tenant(each.tenant).recall(each.text)
        memories.flush()

    return rate(shape.name, "recalls back to back, settled", len(asked), [spent_on(one_after_the_other)])


def _after_writes(memories: cued.Memories, shape: Shape, embedder: GivenVectors, count: int) -> tuple[Figure, Figure]:
    late = block_of(shape, 0, AFTER_ALL, count)
    embedder.known |= known(late) | {draft["text"]: vector for draft, vector in zip(late.drafts, late.vectors, strict=True)}
    handle, writes, recalls = memories.tenant(tenant_name(0)), list[Spent](), list[Spent]()
    for draft in late.drafts:
        writes.append(spent_on(lambda draft=draft: handle.remember(draft)))  # type: ignore[misc]
        recalls.append(recalled(memories, Asked(handle.name, draft["text"])).spent)
    return series(shape.name, REMEMBER_GIVEN, writes), series(shape.name, "recall after a write", recalls)


def _after_foreign_writes(
    memories: cued.Memories, shape: Shape, path: Path, *, embedder: GivenVectors, count: int
) -> tuple[Figure, Figure]:
    late = corpus.block(0, FIRST_OF_OTHERS, count, among=shape.each, words=corpus.vocabulary())
    embedder.known |= {draft["text"]: vector for draft, vector in zip(late.drafts, late.vectors, strict=True)}
    handle, recalls, seen = memories.tenant(tenant_name(0)), list[Spent](), 0
    with writer(path, 0, shape.each, count) as write:
        for draft in late.drafts:
            written = write()
            recalls.append(spent_on(lambda draft=draft: handle.recall(draft["text"], settle=False)))  # type: ignore[misc]
            seen += written in handle.recall(draft["text"], settle=False).trace.ids
    return (
        series(shape.name, "recall after another process's write", recalls),
        Figure(case=shape.name, measure="such writes seen at once", unit="%", value=100 * seen / count),
    )


def in_a_shell(path: Path, asked: Asked) -> Spent:
    """What a command took that loads Python, the model and the tenant's shelf for one recall."""
    command = [sys.executable, "-m", "cued.surfaces.cli", "--db", str(path), "--tenant", asked.tenant, "recall", "--block", asked.text]
    before, began = os.times(), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)  # noqa: S603 - our own command
    after, ended = os.times(), time.perf_counter()
    cpu_s = after.children_user + after.children_system - before.children_user - before.children_system
    return Spent((ended - began) * 1000, cpu_s * 1000)


def _beside_a_bare_scan(memories: cued.Memories, shape: Shape, asked: list[Asked], warm_ms: float) -> tuple[Figure, Figure]:
    """A recall as a multiple of a bare scan, so many dot products, whose time the machine sets.

    Once of scans in a row, which find all that they read in the caches, and once of scans and recalls that take turns, as they would in
    an agent's process.
    """
    matrix = np.random.default_rng(0).standard_normal((shape.memories, DIMENSIONS), dtype=np.float32)

    def scan() -> None:
        np.vecdot(matrix, matrix[0])

    in_a_row = series(shape.name, "", spent_each(scan, SCANS)).value
    turns = [(recalled(memories, each).spent, spent_on(scan)) for each in asked]
    recall_ms, scan_ms = (series(shape.name, "", list(spent)).value for spent in zip(*turns, strict=True))
    return (
        Figure(case=shape.name, measure=BESIDE_SCAN, unit="×", value=warm_ms / in_a_row),
        Figure(case=shape.name, measure=IN_TURN, unit="×", value=recall_ms / scan_ms),
    )
