"""Small stores: the right memory or nothing, in stores of 3 to 30 facts, with and without an embedder, as notes and as turns.

The facts in `people/` are of our own writing and about other people than the everyday ones; nothing was fitted on them.
"""

from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from random import Random

import pytest

import cued

FOLDER = Path(__file__).with_name("people")
LINES = [line.split("\t") for line in (FOLDER / "facts.tsv").read_text("utf-8").splitlines()[1:]]
PEOPLE = {who: [tuple(row[1:]) for row in rows] for who, rows in groupby(LINES, lambda row: row[0])}
FAR = (FOLDER / "far.txt").read_text("utf-8").splitlines()
SUNDAY = datetime(2026, 11, 15, 18, tzinfo=UTC)
"""A day of a weekend, so that a question about the weekend is about the time in which everything was stored."""


def asked(size, embedder, *, turns=False):
    """The shares of direct questions, of paraphrases and of far questions to which something was said, the first two rightly."""
    rng, told = Random(size), {"direct": [], "paraphrase": [], "far": []}
    for who, rows in PEOPLE.items():
        with cued.open(None, embedder=embedder, settle="off") as memories:
            tenant, held = memories.tenant(who), rng.sample(rows, size)
            at = [SUNDAY - timedelta(minutes=9, seconds=-place) for place in range(size)]
            said = [{"session": "s", "turn": place, "speaker": "user"} if turns else {} for place in range(size)]
            rows_in = [{"id": str(n), "text": held[n][0], "at": at[n], **said[n]} for n in range(size)]
            tenant.remember_many(rows_in)
            for place, (_, direct, paraphrase) in enumerate(held):
                told["direct"].append(str(place) in [each.id for each in tenant.recall(direct, now=SUNDAY)])
                told["paraphrase"].append(str(place) in [each.id for each in tenant.recall(paraphrase, now=SUNDAY)])
            told["far"] += [bool(len(tenant.recall(cue, now=SUNDAY))) for cue in FAR]
    return {kind: sum(found) / len(found) for kind, found in told.items()}


@pytest.mark.parametrize("turns", [False, True])
@pytest.mark.parametrize("size", [3, 5, 10, 30])
def test_small_stores_answer_or_keep_silent(size, turns):
    pytest.importorskip("cued_minilm")
    shares = asked(size, "cued", turns=turns)
    assert shares["direct"] >= 0.95
    assert shares["paraphrase"] >= (0.3 if turns else 0.5)
    assert shares["far"] <= 0.07


def test_where_one_name_is_in_every_note_what_has_nothing_else_in_common_stays_out():
    pytest.importorskip("cued_minilm")
    rows = [line.split("\t") for line in (FOLDER / "one_name.tsv").read_text("utf-8").splitlines()[1:]]
    with cued.open(None, embedder="cued", settle="off") as memories:
        tenant = memories.tenant("priya")
        tenant.remember_many([{"text": text, "at": SUNDAY} for text in dict.fromkeys(text for text, _ in rows)])
        shown = [(text, [each.text for each in tenant.recall(cue, now=SUNDAY)]) for text, cue in rows if cue]
    assert sum(text in found for text, found in shown) >= 0.9 * len(shown)
    assert sum(len(found) - (text in found) for text, found in shown) <= len(shown)


@pytest.mark.parametrize("size", [3, 10, 30])
def test_words_alone_answer_what_is_asked_in_their_words_and_keep_silent(size):
    shares = asked(size, None)
    assert shares["direct"] >= 0.6
    assert shares["far"] <= 0.03


@pytest.mark.parametrize("embedder", ["hashing", None])
@pytest.mark.parametrize("text", ["a", "x", "I", "?", "7", "ok"])
def test_a_letter_says_nothing_about_anything_else(embedder, text):
    with cued.open(None, embedder=embedder, settle="off") as memories:
        tenant = memories.tenant("ada")
        tenant.remember_many([{"text": text}, {"text": "The boiler is serviced in May."}])
        assert [each.text for each in tenant.recall("Which port does the database listen on?")] == []
