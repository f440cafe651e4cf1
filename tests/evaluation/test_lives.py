"""Everyday stores of notes that change: updates come first, questions that nothing here answers are met by silence, and answers are shown.

In `lives/` are twelve stores of our own writing, each with its questions: `direct` ones and the note that answers, `update` ones with the
note that holds and the one that held, `near` ones about what is stored, which nothing there answers, and `far` ones. Nothing was fitted on
them; on half of them, `SEEN`, the rules for changes and kinds of value were tried while they were made.
"""

import tomllib
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

import cued

FOLDER = Path(__file__).with_name("lives")
SEEN = ("familie", "flat", "garden", "health", "mira", "team")
LIVES = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.toml"))}
NOW = datetime(2026, 6, 15, 9, tzinfo=UTC)


def told(name):
    """How many questions of each sort were asked, and how many of them rightly met."""
    counts, life = Counter(), LIVES[name]
    with cued.open(None, embedder="cued", settle="off") as memories:
        tenant = memories.tenant(name)
        notes = life["notes"].items()
        tenant.remember_many([{"id": key, "text": text, "at": f"{day}T12:00:00Z"} for key, (day, text) in notes])

        def shown(cue):
            return [each.id for each in tenant.recall(cue, now=NOW)]

        for cue, answer in life["direct"].items():
            counts.update(direct=1, answered=answer in shown(cue), first=shown(cue)[:1] == [answer])
        for cue, (new, _) in life["update"].items():
            counts.update(update=1, renewed=shown(cue)[:1] == [new])
        for sort in ("near", "far"):
            counts.update({sort: len(life["silent"][sort]), f"{sort} silent": sum(not shown(cue) for cue in life["silent"][sort])})
    return counts


@pytest.mark.parametrize("names", [SEEN, tuple(name for name in LIVES if name not in SEEN)], ids=["seen", "unseen"])
def test_updates_come_first_and_silence_meets_what_nothing_answers(names):
    pytest.importorskip("cued_minilm")
    counts = sum(map(told, names), Counter())
    assert counts["answered"] == counts["direct"]
    assert counts["first"] >= 0.96 * counts["direct"]
    assert counts["renewed"] >= 0.85 * counts["update"]
    assert counts["near silent"] >= 0.75 * counts["near"]
    assert counts["far silent"] >= 0.95 * counts["far"]
