"""Whatever reads a text takes time in proportion to its length: no repeated near-match makes it take the square."""

import time
from datetime import UTC, datetime
from functools import partial
from itertools import product

import pytest

from cued.importers import notes
from cued.text import event_times, intent, languages
from cued.text.analyse import analyse, query_terms
from cued.text.claims.relating import relate
from cued.text.entities import entities
from cued.text.harmless import harmless, name
from cued.text.passages import sentences, shorten
from cued.text.times import times
from cued.text.token_counts import estimate_tokens

SHORT, LONG = 4_000, 16_000
"""Four times the text: in proportion it takes four times as long, by the square sixteen times."""
MOST = 9
UNNOTICED = 0.05
"""Seconds that nobody attacks for."""

READERS = {
    "analyse": analyse,
    "query terms": query_terms,
    "entities": entities,
    "harmless": harmless,
    "name": name,
    "times": partial(times, now=datetime(2025, 3, 8, tzinfo=UTC)),
    "beside": event_times.beside,
    "addresses agent": intent.addresses_agent,
    "speaks of itself": intent.speaks_of_itself,
    "seeks": intent.seeks,
    "sought elsewhere": partial(intent.sought, state="", foreign=True),
    "asked about": intent.asked_about,
    "told about": intent.told_about,
    "numbered": intent.numbered,
    "labelled": intent.labelled,
    "of another label": partial(intent.of_another_label, series="days", number="4"),
    "technical": languages.technical,
    "sentences": sentences,
    "shorten": partial(shorten, fits=lambda text: len(text) < SHORT // 2),
    "tokens": estimate_tokens,
    "relate": partial(relate, "Ada lives in Paris.", similarity=0.8),
    "notes": lambda text: [*notes.blocks(notes.split(text)[1])],
}
UNITS = (
    "éa",
    "1é",
    "aB",
    "A. ",
    "3 days, ",
    "before the ",
    "a-1.",
    "[a](",
    "#1",
    "AB-1",
    "Aa ",
    "<|",
    "vor de ",
    "के ",
    "- [ ",
    "\n\t",
    "I didn't ",
    "三年前",
    " ",
)
ENDS = ("", "1")
"""A row that has an end is read otherwise than one that goes on to the end of the text."""


def seconds(reader, text):
    started = time.process_time()
    reader(text)
    return time.process_time() - started


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_longer_text_takes_no_more_than_its_share_of_time(reader):
    for unit, end in product(UNITS, ENDS):
        short, long = (unit * (size // len(unit)) + end for size in (SHORT, LONG))
        if seconds(reader, long) > UNNOTICED:
            assert min(seconds(reader, long) for _ in range(3)) < MOST * min(seconds(reader, short) for _ in range(3)), (unit, end)


def test_a_note_with_a_long_item_and_many_lines_in_it_takes_no_more_than_its_share_of_time():
    short, long = ("- " + "x\t" * size + "\n  y" * size for size in (5_000, 20_000))
    reader = READERS["notes"]
    assert min(seconds(reader, long) for _ in range(3)) < max(UNNOTICED, MOST * min(seconds(reader, short) for _ in range(3)))
