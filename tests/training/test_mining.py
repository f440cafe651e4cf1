"""Negatives that the model itself finds."""

import numpy as np

from training.corpora import Row
from training.mining import pool, with_mined

PLACES = {"cue": 0.0, "answer": 30.0, "the answer in other words": 33.0, "near": 9.0, "nearer": 6.0, "far": 80.0, "farther": 170.0}


def embed(texts):
    """Vectors on a circle, each text at its angle."""
    angles = np.radians([PLACES[text] for text in texts])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32) * 3


def test_the_nearest_texts_join_the_others_but_not_what_says_the_same_as_the_answer(monkeypatch):
    monkeypatch.setattr("training.mining.SAME", 0.99)
    texts = ["farther", "far", "the answer in other words", "nearer", "answer"]
    (row,) = with_mined([Row("cue", ("answer",), ("near",))], texts, embed, count=2)
    assert row.others[0] == "near"
    assert set(row.others[1:]) == {"nearer", "far"}


def test_every_row_gets_its_own():
    rows = [Row("cue", ("farther",), ()), Row("farther", ("cue",), ())]
    first, second = with_mined(rows, ["near", "nearer", "far"], embed, count=1)
    assert first.others == ("nearer",)
    assert second.others == ("far",)


def test_a_pool_takes_as_many_of_each_corpus_and_leaves_out_long_texts():
    many = tuple(Row("q", (f"text {place}",), ()) for place in range(100))
    few = (Row("q", ("one",), ("other",)), Row("q", ("x" * 500,), ()))
    texts = pool({"many": many, "few": few}, at_most=20)
    assert {"one", "other"} <= set(texts)
    assert sum(text.startswith("text") for text in texts) == 10
    assert len(texts) == len(set(texts)) == 12
