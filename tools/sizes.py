"""The same floor in stores of 5 to 10,000 memories: `python -m tools.sizes` prints the table of docs/quality.md, `--write` puts it there.

The everyday facts of our own are thinned, and among other data sets' notes and messages, which nobody here asks about: a store has the
answers of some questions, and everything else in it is drawn by a fixed seed. Far questions are the everyday ones.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from random import Random

from msgspec.structs import replace

from cued.embed import load as load_embedder
from cued.evaluation.cache import default_folder
from cued.evaluation.cached_embedder import CachedEmbedder
from cued.evaluation.dataset import FAR, Dataset, Item, Query
from cued.evaluation.evidence import EvidenceCache
from cued.evaluation.formats import read
from cued.evaluation.report import Request, evaluate
from cued.evaluation.runner import Bench
from cued.policy.adjust import HEIGHTS
from cued.policy.presets import preset
from tools.quality import DATA, EVERYDAY, PAGE

AMONG = ("locomo_obs", "prefeval", "swefix", "lifebench_en")
STORES = {5: 24, 10: 12, 30: 6, 100: 3, 1000: 1, 10_000: 1}
"""How many stores of each size."""
TIMED = "time"
SEED = 10
MARK, END = "<!-- sizes -->", "<!-- /sizes -->"


def thinned(facts: Dataset, others: Sequence[Item], size: int) -> Dataset:
    """The everyday facts in stores of this size: thinned, or among others where they are too few."""
    rng, own = Random(SEED), next(iter(facts.memories.values()))
    known = {item.id: item for item in own}
    answerable = [query for query in facts.queries if query.gold_ids and query.category != TIMED and set(query.gold_ids) <= set(known)]
    far = [query for query in facts.queries if query.category == FAR]
    memories: dict[str, tuple[Item, ...]] = {}
    queries: list[Query] = []
    for number in range(STORES[size]):
        tenant, asked = f"of{size}-{number}", rng.sample(answerable, len(answerable))
        held: dict[str, Item] = {}
        chosen = []
        for query in asked:
            gold = {each: known[each] for each in query.gold_ids}
            if len(held | gold) <= max(2, size // 2):
                held |= gold
                chosen.append(query)
        rest = [*rng.sample(own, len(own)), *rng.sample(others, len(others))]
        held |= {item.id: item for item in rest if item.id not in held and (size >= len(own) or item.id in known)}
        kept = sorted(list(held.values())[:size], key=lambda item: (item.at, item.id))
        memories[tenant] = tuple(kept)
        queries += [replace(query, id=f"{tenant}/{query.id}", tenant=tenant) for query in (*chosen, *far)]
    return Dataset(name=f"of{size}", memories=memories, queries=tuple(queries))


def others() -> list[Item]:
    """Everything that other data sets hold, under ids of its own."""
    found: dict[str, Item] = {}
    for name in AMONG:
        for tenant, items in read(DATA / name).memories.items():
            for item in items:
                found.setdefault(item.text, Item(id=f"{tenant}/{item.id}", text=item.text, speaker=item.speaker, at=item.at))
    return list(found.values())


def table(cache: Path) -> str:
    """The figures by size, at each of the named floors."""
    bench = Bench(embedder=CachedEmbedder(load_embedder("cued"), cache), evidence=EvidenceCache(cache))
    facts, rest = read(EVERYDAY), others()
    lines = ["", "| memories | floor | answered | extra | far silence |", "| ---: | --- | ---: | ---: | ---: |"]
    for size in STORES:
        answer = evaluate(
            thinned(facts, rest, size), Request(policies=(preset("cued"),), abstain=True, floors=tuple(HEIGHTS.values())), bench
        )
        found = {row["floor"]: row for row in answer["policies"]["cued"]["abstain"]["floors"]}
        for name, at in HEIGHTS.items():
            row = found[at]
            lines.append(f"| {size:,} | {name} | {100 * row['answered']:.1f} | {row['extra']:.2f} | {100 * row['silence']:.1f} |")
    return "\n".join([*lines, ""])


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
