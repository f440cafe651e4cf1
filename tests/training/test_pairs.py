"""The pairs of our own writing beside the questions that recall is measured by: what is learned must not be what is asked."""

import json
import re
import tomllib
from pathlib import Path

from training.augment import STOP_WORDS
from training.scenes import in_other_words

ROOT = Path(__file__).parents[2]
EVALUATION, QUESTIONS = ROOT / "tests" / "evaluation", ROOT / "bench" / "questions"
OPENING = 7
"""So many words in a row may be alike by chance where anybody begins a question: "What's the difference between a"."""


def runs(text, count):
    """Every so many words in a row."""
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[place : place + count]) for place in range(len(words) - count + 1)}


def words(text):
    """The content words of a text, names left out, each by its first five letters."""
    found = re.findall(r"(?<![A-Za-z])[a-z]{4,}", text)
    return {word[:5] for word in found if word not in STOP_WORDS}


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


def test_no_memory_has_six_words_in_a_row_of_a_fact_that_is_measured_by():
    lines = (EVALUATION / "everyday" / "memories.jsonl").read_text("utf-8").splitlines()
    known = {run for line in lines for run in runs(json.loads(line)["text"], 6)}
    assert len(known) > 200
    assert [row.answers[0] for row in in_other_words() if runs(row.answers[0], 6) & known] == []


def test_nothing_has_more_words_in_a_row_of_what_is_measured_by_than_an_opening():
    known = {run for text in measured_by() for run in runs(text, OPENING + 1)}
    assert len(known) > 500
    assert [text for row in in_other_words() for text in (row.cue, *row.answers, *row.others) if runs(text, OPENING + 1) & known] == []


def test_each_memory_has_three_cues_and_one_beside_it_and_none_is_there_twice():
    rows = in_other_words()
    assert len(rows) > 14_000
    assert all(len(row.answers) == len(row.others) == 1 and row.answers != row.others for row in rows)
    assert len({(row.cue, row.answers) for row in rows}) == len(rows)
    assert len({row.answers for row in rows}) * 3 == len(rows)


def test_most_cues_share_no_word_with_what_they_need():
    shared = [bool(words(row.cue) & words(row.answers[0])) for row in in_other_words()]
    assert sum(shared) / len(shared) < 0.15
