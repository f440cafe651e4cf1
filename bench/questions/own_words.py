"""Questions about what the assistant itself had said, by language: how many are in the first ten, first, and shown at the floor.

    PYTHONPATH=src python -m bench.questions.own_words [--quiet]

The conversations and questions are own_words.toml, of our own writing; no model was fitted on them. Then notes: the same facts with and
without `speaker="assistant"`, from stateful.toml.
"""

import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import cued
from bench.questions.stateful import DATA as NOTES

DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def said(tenant: cued.Tenant, conversations: list[list[str]]) -> dict[tuple[int, int], str]:
    """The ids of the turns, by conversation and turn."""
    turns = [(place, turn, text) for place, texts in enumerate(conversations, 1) for turn, text in enumerate(texts, 1)]
    drafts = [
        {"text": text, "session": f"s{place}", "turn": turn, "speaker": "user" if turn % 2 else "assistant"} for place, turn, text in turns
    ]
    return dict(zip([(place, turn) for place, turn, _ in turns], tenant.remember_many(drafts).ids, strict=True))


def of(language: str, data: dict[str, Any], *, quiet: bool) -> Counter[str]:
    """How many questions of a language there are, and how many of their answers are found, first, shown."""
    tenant, counts = cued.open().tenant(language), Counter[str]()
    ids = said(tenant, data["conversations"])
    for question, (place, turn) in data["questions"]:
        wanted = ids[place, turn]
        ten = [each.memory.id for each in tenant.recall(question, floor=0.0, limit=10, settle=False).memories]
        recall = tenant.recall(question, settle=False)
        shown = wanted in [each.memory.id for each in recall.memories]
        counts.update(asked=1, found=wanted in ten, first=ten[:1] == [wanted], shown=shown)
        if not shown and not quiet:
            print(f"{language}, not shown: {question} {[round(each.relevance, 2) for each in recall.near_misses[:3]]}")
    return counts


def notes(speaker: str | None) -> int:
    """How many direct questions are answered by notes of this speaker."""
    tenant = cued.open().tenant("notes")
    tenant.remember_many([{"text": text, "speaker": speaker} for text in NOTES["notes"]])
    answers = [(NOTES["notes"][number - 1], tenant.recall(question, settle=False)) for question, number in NOTES["direct"]]
    return sum(text in [each.memory.text for each in recall.memories] for text, recall in answers)


def main() -> None:
    """Ask everything and print the counts by language, and over all of them."""
    found = {language: of(language, data, quiet="--quiet" in sys.argv) for language, data in DATA.items()}
    for language, counts in {**found, "all": sum(found.values(), Counter())}.items():
        print(f"{language}: " + ", ".join(f"{name} {count}" for name, count in counts.items()))
    print(f"notes answered, of {len(NOTES['direct'])}: {notes(None)} of nobody in particular, {notes('assistant')} of the assistant")


if __name__ == "__main__":
    main()
