"""Time expressions of fourteen languages become the intervals a reader would mean, and ordinary words become nothing."""

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cued.text.times import times

NOW = datetime(2024, 5, 15, 15, 30, tzinfo=UTC)  # a Wednesday
PHRASES = tomllib.loads((Path(__file__).parent / "time_phrases.toml").read_text("utf-8"))
ROWS = [(language, *row) for language, halves in PHRASES.items() for half in halves.values() for row in half]


def moment(written: str) -> datetime:
    return datetime.fromisoformat(written).replace(tzinfo=UTC)


@pytest.mark.requirement("P11")
@pytest.mark.parametrize(("language", "text", "start", "end"), ROWS, ids=[f"{row[0]} {row[1]}" for row in ROWS])
def test_a_phrase_of_any_language_means_its_interval(language: str, text: str, start: str, end: str) -> None:
    assert [(mention.interval.start, mention.interval.end) for mention in times(text, now=NOW)] == [(moment(start), moment(end))]
