"""What smaller vectors lose: the same memories in each shape and the same questions to all, on the development data.

`python -m tools.vector_shapes FOLDER…` prints a table: of each data set the recall@10 of the default and of meaning alone, by
shape, how much the relevance of any shown memory differs from that of float32 at most, and how many of the ten are others.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from cued.embed import load_embedder
from cued.evaluation.cache import default_folder
from cued.evaluation.cached_embedder import CachedEmbedder
from cued.evaluation.dataset import Dataset, Item, Query, answerable, narrowed
from cued.evaluation.formats import read
from cued.evaluation.metrics import scores
from cued.handles.memories import Memories, open_memories
from cued.model import VECTOR_SHAPES, Recall
from cued.ports import Embedder
from cued.stores.keepers.memory import MemoryKeeper

POLICIES = ("cued", "dense")
SHOWN = 10
TENANTS = 30
"""Of how many tenants of a data set at most."""


class QuestionResult(NamedTuple):
    """What one question found: the share of its gold among the ten, and their relevances by id."""

    recall: float
    relevances: dict[str, float]


def asked(dataset: Dataset, policy: str, embedder: Embedder) -> Iterator[dict[str, QuestionResult]]:
    """Each question's answer by shape."""
    queries = answerable(dataset)
    for tenant, items in dataset.memories.items():
        own = [query for query in queries if query.tenant == tenant and query.gold_ids]
        with ExitStack() as stack:
            kept = {shape: stack.enter_context(_stored(tenant, items, shape, embedder)) for shape in VECTOR_SHAPES}
            for query in own:
                yield {shape: _answer(memories, query, policy) for shape, memories in kept.items()}


def _stored(tenant: str, items: tuple[Item, ...], shape: str, embedder: Embedder) -> Memories:
    memories = open_memories(MemoryKeeper(vectors=shape), embedder=embedder, settle="off", learnt=False)  # type: ignore[arg-type]  # one of them
    memories.tenant(tenant).remember_many(
        {"id": item.id, "text": item.text, "session": item.session, "turn": item.turn, "speaker": item.speaker, "at": item.at}
        for item in items
    )
    return memories


def _answer(memories: Memories, query: Query, policy: str) -> QuestionResult:
    found: Recall = memories.tenant(query.tenant).recall(
        query.text, policy=policy, now=query.asked_at, floor=0.0, limit=SHOWN, settle=False
    )
    ranking = [each.memory.id for each in found.memories]
    return QuestionResult(
        scores(ranking, query.gold_ids, (SHOWN,))[f"recall@{SHOWN}"], {each.memory.id: each.relevance for each in found.memories}
    )


def row(name: str, policy: str, found: list[dict[str, QuestionResult]]) -> str:
    """A line of the table."""
    recalls = [f"{100 * sum(each[shape].recall for each in found) / len(found):.2f}" for shape in VECTOR_SHAPES]
    told = list[str]()
    for shape in VECTOR_SHAPES[1:]:
        pairs = [(each["float32"].relevances, each[shape].relevances) for each in found]
        most = max((abs(old[each] - new[each]) for old, new in pairs for each in old.keys() & new.keys()), default=0.0)
        others = sum(len(new.keys() - old.keys()) for old, new in pairs) / max(1, sum(len(new) for _, new in pairs))
        told += [f"{most:.5f}", f"{100 * others:.2f} %"]
    return f"| {name} | {policy} | {len(found)} | {' | '.join((*recalls, *told))} |"


HEADS = ("data", "policy", "questions", *VECTOR_SHAPES, "float16: relevance", "others", "int8: relevance", "others")


def table(folders: Iterable[Path], embedder: Embedder) -> Iterator[str]:
    """The lines of the table, in Markdown."""
    yield f"| {' | '.join(HEADS)} |"
    yield f"|---|---|{'---:|' * (len(HEADS) - 2)}"
    for folder in folders:
        dataset = narrowed(read(folder), tenants=TENANTS)
        for policy in POLICIES:
            yield row(folder.name, policy, list(asked(dataset, policy, embedder)))


def main() -> None:
    """Print the table of the folders that are named."""
    for line in table(map(Path, sys.argv[1:]), CachedEmbedder(load_embedder("cued"), default_folder())):
        print(line, flush=True)


if __name__ == "__main__":
    main()
