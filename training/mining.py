"""Negatives that the model itself finds: of a pool of texts, those nearest to a cue that do not answer it.

Texts of the same dialogue are not what a memory of ten thousand confuses; what lies nearest to the cue is.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from training.corpora import Row

Matrix = np.ndarray[tuple[int, int], np.dtype[np.float32]]
SAME = 0.75
LONGEST_CHARACTERS = 400
CHUNK = 512


def pool(rows: dict[str, tuple[Row, ...]], *, at_most: int) -> list[str]:
    """Short texts of every corpus, as many of each as the others have, together no more than `at_most`."""
    by_corpus = [[text for text in _texts(found) if len(text) <= LONGEST_CHARACTERS] for _, found in sorted(rows.items())]
    share = at_most // max(1, len(by_corpus))
    return list(dict.fromkeys(text for texts in by_corpus for text in texts[:: max(1, -(-len(texts) // share))]))


def with_mined(rows: Sequence[Row], texts: Sequence[str], embed: Callable[[Sequence[str]], Matrix], *, count: int) -> tuple[Row, ...]:
    """The rows with the `count` nearest texts to each cue among its others, but for those that say what an answer says.

    A text whose cosine with an answer is .75 or more is taken to say the same.
    """
    vectors = _unit(embed(texts))
    cues, answers = (_unit(embed([one.cue for one in rows])), _unit(embed([one.answers[0] for one in rows])))
    found = []
    for start in range(0, len(rows), CHUNK):
        part = slice(start, start + CHUNK)
        scores = cues[part] @ vectors.T
        scores[answers[part] @ vectors.T >= SAME] = -1.0
        nearest = np.argpartition(-scores, count, axis=1)[:, :count]
        found += [
            replace(row, others=(*row.others, *(texts[place] for place in places if texts[place] not in row.answers)))
            for row, places in zip(rows[part], nearest, strict=True)
        ]
    return tuple(found)


def _texts(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(text for row in rows for text in (row.answers[0], *row.others[:1])))


def _unit(vectors: Matrix) -> Matrix:
    scaled: Matrix = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return scaled
