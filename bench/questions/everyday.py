"""Everyday facts in nine languages: how many questions of each are found, first, answered at the floor, and how many met by silence.

    PYTHONPATH=src python -m bench.questions.everyday [--quiet]

The facts and questions are the files of everyday/, of our own writing; no model was fitted on them.
"""

import sys
import tomllib
from collections import Counter
from pathlib import Path

import cued

FOLDER = Path(__file__).with_suffix("")


def of(path: Path, *, quiet: bool) -> Counter[str]:
    """How many questions of a language were asked, found, first and answered, wrong facts shown, and far questions met by silence."""
    data, counts = tomllib.loads(path.read_text("utf-8")), Counter[str]()
    tenant = cued.open().tenant(path.stem)
    ids = list(tenant.remember_many(data["facts"]).ids)
    for question, number in data["questions"]:
        wanted, recall = ids[number - 1], tenant.recall(question, settle=False)
        ten = [each.memory.id for each in tenant.recall(question, floor=0.0, limit=10, settle=False).memories]
        shown = {each.memory.id for each in recall.memories}
        counts.update(asked=1, found=wanted in ten, first=ten[:1] == [wanted], answered=wanted in shown, extra=len(shown - {wanted}))
        if wanted not in shown and not quiet:
            place = ten.index(wanted) + 1 if wanted in ten else 0
            print(f"{path.stem}, not answered, place {place}: {question} {[round(each.relevance, 2) for each in recall.near_misses[:3]]}")
    for question in data["far"]:
        recall = tenant.recall(question, settle=False)
        counts.update(far=1, silent=not recall.memories)
        if recall.memories and not quiet:
            print(f"{path.stem}, not silent: {question} {recall.memories[0].relevance:.2f} {recall.memories[0].memory.text}")
    return counts


def main() -> None:
    """Ask everything and print the counts by language, and over all of them."""
    found = {path.stem: of(path, quiet="--quiet" in sys.argv) for path in sorted(FOLDER.glob("*.toml"))}
    for language, counts in {**found, "all": sum(found.values(), Counter())}.items():
        print(f"{language}: " + ", ".join(f"{name} {counts[name]}" for name in "asked found first answered extra far silent".split()))


if __name__ == "__main__":
    main()
