"""The same floor in stores of 5 to 10,000 memories: `python -m tools.sizes` prints the table of docs/quality.md, `--write` puts it there.

Every everyday question is asked in stores of every size. The facts are thinned, or stand among texts that do not answer (technical notes
of the training pairs, CUED_TRAINING) or among those of other people, who tell of like things in the first person (CUED_DATA).
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from msgspec.structs import replace

from cued.embed import load_embedder
from cued.evaluation.cache import default_folder
from cued.evaluation.cached_embedder import CachedEmbedder
from cued.evaluation.dataset import FAR, Dataset, Item, Query
from cued.evaluation.evidence_cache import EvidenceCache
from cued.evaluation.formats import read
from cued.evaluation.report import Request, evaluate
from cued.evaluation.runner import Bench
from cued.policy.adjust import HEIGHTS
from cued.policy.presets import preset
from tools.quality import DATA, OWN, PAGE
from training.genres import technical as technical_texts

PEOPLE = ("locomo_obs", "prefeval", "swefix", "lifebench_en")
SMALL, LARGE = (5, 10, 30, 100), (1000, 10_000)
TIMED = "time"
OTHER_WORDS = ("paraphrase", "request")
# Among commits and commands these are not foreign.
ABOUT_CODE = frozenset(
    {
        "How do I reverse a linked list?", "Fix the typo in line three.", "What does the HTTP status 418 mean?", "What is a monad?",
        "Sort these numbers in ascending order.", "Why did the CI pipeline fail?",
    }
)  # fmt: skip
SEED = 10
MARK, END = "<!-- sizes -->", "<!-- /sizes -->"
HEADS = ("memories", "among", "first", "in ten", "answered", "in its words", "in other words", "extra", "far silence")


def stores(facts: Dataset, others: Sequence[Item], size: int) -> Dataset:
    """The everyday facts in as many stores of this size as it takes to ask every question once, each with all the far ones."""
    rng, own = Random(SEED), next(iter(facts.memories.values()))
    known = {item.id: item for item in own}
    asked = [query for query in facts.queries if query.gold_ids and query.category != TIMED and set(query.gold_ids) <= set(known)]
    far = [query for query in facts.queries if query.category == FAR and query.text not in ABOUT_CODE]
    memories: dict[str, tuple[Item, ...]] = {}
    queries: list[Query] = []
    left = rng.sample(asked, len(asked))
    while left:
        tenant = f"of{size}-{len(memories)}"
        held, chosen = _held(left, known, size)
        if not chosen:
            # what is left has more answers than a store of this size has room for
            break
        left = [query for query in left if query not in chosen]
        rest = rng.sample(own, len(own)) if size <= len(own) else [*own, *rng.sample(others, min(size, len(others)))]
        full = list((held | {item.id: item for item in rest if item.id not in held}).values())[:size]
        memories[tenant] = tuple(sorted(full, key=lambda item: (item.at, item.id)))
        queries += [replace(query, id=f"{tenant}/{query.id}", tenant=tenant) for query in (*chosen, *far)]
    return Dataset(name=f"of{size}", memories=memories, queries=tuple(queries))


def _held(asked: Iterable[Query], known: dict[str, Item], size: int) -> tuple[dict[str, Item], list[Query]]:
    """The first questions whose answers fill half of a store, and those answers."""
    held: dict[str, Item] = {}
    chosen = []
    for query in asked:
        gold = {each: known[each] for each in query.gold_ids}
        if len(held | gold) <= max(2, size // 2):
            held |= gold
            chosen.append(query)
    return held, chosen


def people() -> list[Item]:
    """What other data sets hold, most of it told by people, under ids of its own."""
    found: dict[str, Item] = {}
    for name in PEOPLE:
        for tenant, items in read(DATA / name).memories.items():
            for item in items:
                found.setdefault(item.text, Item(id=f"{tenant}/{item.id}", text=item.text, speaker=item.speaker, at=item.at))
    return list(found.values())


def technical(like: Sequence[Item]) -> list[Item]:
    """Commits, commands, errors and their remedies, told at the times of these memories."""
    return [Item(id=f"technical/{place}", text=text, at=like[place % len(like)].at) for place, text in enumerate(technical_texts())]


def rows(cache: Path) -> Iterator[tuple[str, ...]]:
    """The table's rows, as its heads name them; what depends on the floor at each of the named ones."""
    bench = Bench(embedder=CachedEmbedder(load_embedder("cued"), cache), evidence=EvidenceCache(cache))
    facts = read(OWN["everyday"])
    around = {"technical notes": technical(next(iter(facts.memories.values()))), "other people's": people()}
    for size, name in [*((size, "") for size in SMALL), *((size, name) for name in around for size in LARGE)]:
        request = Request(policies=(preset("cued"),), ks=(1, 10), abstain=True, floors=tuple(HEIGHTS.values()))
        found = evaluate(stores(facts, around.get(name, ()), size), request, bench)["policies"]["cued"]
        yield (f"{size:,}", name or "facts", *_cells(found))


def _cells(found: dict[str, Any]) -> Iterator[str]:
    abstain = found["abstain"]
    at = {row["floor"]: row for row in abstain["floors"]}
    yield from (f"{100 * found['overall'][metric]:.1f}" for metric in ("any@1", "any@10"))
    yield _three(at, "answered", 100, 1)
    yield from (f"{100 * _share(abstain['by_category'], others=others):.1f}" for others in (False, True))
    yield _three(at, "extra", 1, 2)
    yield _three(at, "silence", 100, 1)


def _three(at: dict[float, dict[str, float]], metric: str, times: float, digits: int) -> str:
    return " · ".join(f"{times * at[height][metric]:.{digits}f}" for height in HEIGHTS.values())


def _share(by_category: dict[str, Any], *, others: bool) -> float:
    """The share answered of the questions in other words than the memory's, or of all but them."""
    those = [row for category, row in by_category.items() if (category in OTHER_WORDS) == others]
    return float(sum(row["queries"] * row["answered"] for row in those) / sum(row["queries"] for row in those))


def table(cache: Path) -> str:
    """The figures by size and by what else is in the store."""
    lines = ["| " + " | ".join(HEADS) + " |", "| ---: | --- |" + " ---: |" * (len(HEADS) - 2)]
    return "\n".join(["", *lines, *("| " + " | ".join(row) + " |" for row in rows(cache)), ""])


def main() -> None:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table into docs/quality.md")
    parser.add_argument("--cache", type=Path, default=default_folder())
    options = parser.parse_args()
    made = table(options.cache)
    print(made)
    if options.write:
        before, _, rest = PAGE.read_text("utf-8").partition(MARK)
        PAGE.write_text(before + MARK + "\n" + made + END + rest.partition(END)[2], "utf-8")


if __name__ == "__main__":
    main()
