"""The probe sets: large enough, well-formed, and never trained on."""

import csv
from pathlib import Path

import pytest

from training.corpora import OWN, SHIPPED, find, folder, read_lines
from training.scenes import rows

FOLDER = Path(__file__).parents[2] / "training" / "probes"
PAIRED = ("preferences", "errors", "identifiers", "instructions", "numbers_dates")


def read(name: str) -> list[list[str]]:
    with (FOLDER / f"{name}.tsv").open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def probe_texts() -> set[str]:
    return {text for name in PAIRED for row in read(name)[1:] for text in row} | {
        text for row in read("paraphrase_graded")[1:] for text in row[1:]
    }


@pytest.mark.parametrize("name", PAIRED)
def test_a_probe_set_has_forty_distinct_pairs_and_more(name):
    heading, *pairs = read(name)
    assert heading == ["cue", "memory"]
    assert len(pairs) >= 40
    assert all(len(pair) == 2 and all(pair) for pair in pairs)
    assert len({cue for cue, _ in pairs}) == len({memory for _, memory in pairs}) == len(pairs)


def test_the_graded_pairs_cover_the_scale_without_repetition():
    heading, *pairs = read("paraphrase_graded")
    assert heading == ["grade", "first", "second"]
    assert len(pairs) >= 60
    assert len({(first, second) for _, first, second in pairs}) == len(pairs)
    grades = {float(grade) for grade, _, _ in pairs}
    assert min(grades) == 0
    assert max(grades) == 5


def test_no_probe_is_among_the_pairs_that_we_wrote_for_training():
    written = {text for found in rows(7, count=2000).values() for row in found for text in (row.cue, *row.answers, *row.others)}
    assert not probe_texts() & written


@pytest.mark.skipif(not folder().exists(), reason=f"training pairs are not at {folder()}: set CUED_TRAINING")
def test_no_probe_is_among_the_corpora_that_shape_the_adapter():
    probes = probe_texts()
    for corpus in SHIPPED:
        if corpus.licence != OWN:
            found = {text for pair in read_lines(find(corpus.name, folder())) for text in (pair["q"], *pair["pos"], *pair["neg"])}
            assert not probes & found
