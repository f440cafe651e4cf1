"""Questions about a time, asked of three stores of dated notes: how many have a right note first, and one shown at the floor.

    PYTHONPATH=src python -m bench.time_questions [--quiet]

The notes and questions are three TOML files beside this one, of our own writing; no model was fitted on them.
"""

import sys
import tomllib
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any, NamedTuple

import cued

FOLDER = Path(__file__).parent
SETS = ("time_questions", "time_questions_2", "time_questions_3")


class Asked(NamedTuple):
    """What came of one question: whether a right note is first, whether one is shown, how many wrong ones are, the best relevance."""

    question: str
    first: bool
    shown: bool
    wrong: int
    best: float

    def __str__(self) -> str:
        """Its line in the report."""
        return f"{'first' if self.first else '-':6}{'shown' if self.shown else '-':6}{self.wrong:3}{self.best:6.2f}  {self.question}"


def asked(question: str, wanted: set[str], memories: cued.Tenant) -> Asked:
    """What comes of a question whose right notes are these."""
    recall = memories.recall(question, settle=False)
    shown = [each.memory.id for each in recall.memories]
    ranked = [*recall.memories, *recall.near_misses]
    first = bool(ranked) and ranked[0].memory.id in wanted
    return Asked(question, first, bool(wanted & set(shown)), len(set(shown) - wanted), ranked[0].relevance if ranked else 0.0)


def of(name: str) -> dict[str, list[Asked]]:
    """What comes of all questions of a set, by their kind: in English, elsewhere, and those that nothing answers."""
    data: dict[str, Any] = tomllib.loads((FOLDER / name).with_suffix(".toml").read_text("utf-8"))
    now = datetime.fromisoformat(data["now"])
    memories = cued.open(clock=lambda: now).tenant("bench")
    drafts = [{"text": text, "at": datetime.combine(datetime.fromisoformat(day), time(9, tzinfo=UTC))} for day, text in data["notes"]]
    ids = list(memories.remember_many(drafts).ids)
    told = {
        kind: [asked(question, {ids[number - 1] for number in gold}, memories) for question, gold in data[kind]]
        for kind in ("questions", "elsewhere")
    }
    return told | {"unanswered": [asked(question, set(), memories) for question in data.get("unanswered", [])]}


def main(*, quiet: bool) -> None:
    """Print what came of each question, or with `quiet` of each that failed, and the sums."""
    for name in SETS:
        for kind, answers in of(name).items():
            failed = (lambda each: each.wrong) if kind == "unanswered" else (lambda each: not (each.first and each.shown))
            print("\n".join(str(each) for each in answers if not quiet or failed(each)))
            first, shown, wrong = (sum(getattr(each, column) for each in answers) for column in ("first", "shown", "wrong"))
            silent = sum(not each.wrong for each in answers)
            sums = f"{silent} silent" if kind == "unanswered" else f"{first} first, {shown} answered, {wrong} wrong notes shown"
            print(f"{name}, {kind}: {len(answers)}: {sums}\n")


if __name__ == "__main__":
    main(quiet="--quiet" in sys.argv)
