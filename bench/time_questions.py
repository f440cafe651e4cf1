"""Ask questions about a time of a store of dated notes, and print how many have a right note first, and shown at the floor.

    PYTHONPATH=src python bench/time_questions.py

The notes and questions are time_questions.toml, of our own writing; no model was fitted on them.
"""

import tomllib
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

import cued

DATA = Path(__file__).with_suffix(".toml")


def asked(questions: list[list[Any]], memories: cued.Tenant, ids: list[str]) -> list[str]:
    """Return a line for each question: whether a right note is first, and whether one is shown."""
    lines, first, answered, extra = [], 0, 0, 0
    for question, gold in questions:
        wanted = {ids[number - 1] for number in gold}
        recall = memories.recall(question, settle=False)
        shown = [each.memory.id for each in recall.memories]
        ranked = shown + [each.memory.id for each in recall.near_misses]
        is_first, is_shown = bool(ranked) and ranked[0] in wanted, bool(wanted & set(shown))
        first, answered, extra = first + is_first, answered + is_shown, extra + len(set(shown) - wanted)
        best = (recall.memories or recall.near_misses or (None,))[0]
        lines.append(f"{'first' if is_first else '-':6}{'shown' if is_shown else '-':6}{best.relevance if best else 0:5.2f}  {question}")
    return [*lines, f"{len(questions)} questions: {first} first, {answered} answered, {extra} wrong notes shown"]


def main() -> None:
    """Store the notes, ask all questions and print what came."""
    data = tomllib.loads(DATA.read_text("utf-8"))
    now = datetime.fromisoformat(data["now"])
    memories = cued.open(clock=lambda: now).tenant("bench")
    drafts = [{"text": text, "at": datetime.combine(datetime.fromisoformat(day), time(9, tzinfo=UTC))} for day, text in data["notes"]]
    ids = list(memories.remember_many(drafts).ids)
    for name in ("questions", "elsewhere"):
        print("\n".join([*asked(data[name], memories, ids), ""]))


if __name__ == "__main__":
    main()
