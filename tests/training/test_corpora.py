"""The table of training corpora, the readers and the held-out split."""

import gzip
import json
import lzma
from pathlib import Path

import pytest

from training.corpora import CORPORA, OWN, SHIPPED, Row, find, folder, read_rows, split

CARD = (Path(__file__).parents[2] / "training" / "MODEL_CARD.md").read_text(encoding="utf-8")
PAIR = {"q": "Who called?", "pos": ["Ann: I called."], "neg": ["Ann: I called.", "Bob: No."]}


def test_every_corpus_says_its_licence_and_its_origin_once():
    assert len({corpus.name for corpus in CORPORA}) == len(CORPORA)
    assert all(corpus.licence and corpus.origin for corpus in CORPORA)


def test_no_share_alike_corpus_shapes_the_shipped_adapter():
    assert SHIPPED
    assert not [corpus.name for corpus in SHIPPED if "SA" in corpus.licence]


@pytest.mark.parametrize("corpus", CORPORA, ids=lambda corpus: corpus.name)
def test_the_model_card_names_each_corpus_with_its_licence(corpus):
    line = next(line for line in CARD.splitlines() if line.startswith(f"| `{corpus.name}` |"))
    assert corpus.licence in line


@pytest.mark.skipif(not folder().exists(), reason=f"training pairs are not at {folder()}: set CUED_TRAINING")
def test_the_table_names_every_corpus_of_the_folder_and_each_of_its_own_is_there():
    there = {path.name.removesuffix(".jsonl.gz") for path in folder().glob("*.jsonl.gz")}
    named = {corpus.name for corpus in CORPORA if corpus.licence != OWN}
    assert there <= named
    assert all(find(name, folder()).exists() for name in named)


@pytest.mark.parametrize(("ending", "opener"), [("jsonl", open), ("jsonl.gz", gzip.open), ("jsonl.xz", lzma.open)])
def test_rows_are_read_however_the_file_is_compressed(tmp_path, ending, opener):
    with opener(tmp_path / f"calls.{ending}", "wt", encoding="utf-8") as lines:
        lines.write(json.dumps(PAIR) + "\n")
    assert read_rows(find("calls", tmp_path)) == (Row("Who called?", ("Ann: I called.",), ("Bob: No.",)),)


def test_an_absent_corpus_is_an_error_that_names_the_folder_and_the_variable(tmp_path):
    with pytest.raises(FileNotFoundError, match=f"calls.*{tmp_path.name}.*CUED_TRAINING"):
        find("calls", tmp_path)


def test_no_held_out_answer_is_trained_on():
    rows = tuple(Row(f"cue {index}", (f"answer {index % 97}", f"other {index % 31}"), ()) for index in range(500))
    kept, held = split(rows)
    assert held
    assert kept
    assert {answer for row in held for answer in row.answers}.isdisjoint(answer for row in kept for answer in row.answers)
