"""The pairs of our own writing beside the questions that recall is measured by: what is learned must not be what is asked."""

import json
import re
import tomllib
from pathlib import Path

from training.scenes import in_other_words

ROOT = Path(__file__).parents[2]
EVALUATION, QUESTIONS = ROOT / "tests" / "evaluation", ROOT / "bench" / "questions"
RUN = 8


def runs(text):
    """Every so many words in a row."""
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[place : place + RUN]) for place in range(len(words) - RUN + 1)}


def strings(value):
    """The texts anywhere in a value."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for part in parts for text in strings(part)]


def measured_by():
    """The texts of the everyday facts, of the small stores and of the questions in `bench`."""
    for path in (EVALUATION / "everyday").glob("*.jsonl"):
        yield from (text for line in path.read_text("utf-8").splitlines() for text in strings(json.loads(line)))
    for path in (EVALUATION / "people").iterdir():
        yield from (text for line in path.read_text("utf-8").splitlines() for text in line.split("\t"))
    for path in (*QUESTIONS.rglob("*.toml"), *(ROOT / "bench").glob("time_questions*.toml")):
        yield from strings(tomllib.loads(path.read_text("utf-8")))


def test_no_pair_has_eight_words_in_a_row_of_what_is_measured_by():
    known = {run for text in measured_by() for run in runs(text)}
    rows = in_other_words()
    assert len(known) > 500
    assert len(rows) > 6000
    assert [text for row in rows for text in (row.cue, *row.answers, *row.others) if runs(text) & known] == []


def test_a_cue_needs_one_memory_and_not_the_one_beside_it():
    rows = in_other_words()
    assert all(len(row.answers) == len(row.others) == 1 and row.answers != row.others for row in rows)
    assert len({(row.cue, row.answers) for row in rows}) == len(rows)
