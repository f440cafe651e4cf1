"""Contrasts between two near texts: the words of one that exclude what the other says."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from cued.text.opposites import LINES
from cued.text.stemming import stem


class _Line(NamedTuple):
    """The labels of a line of opposites, a set for each meaning, and those that must be in both texts or in neither."""

    meanings: tuple[frozenset[str], ...]
    kept: frozenset[str]


def contrasts(words: Iterable[str]) -> frozenset[str]:
    """The contrasting words among these lower-case ones, each as the label of its meaning."""
    return frozenset(_LABELS[root] for root in map(stem, words) if root in _LABELS)


@lru_cache(maxsize=1 << 12)
def excluded(said: frozenset[str], *, silent: bool) -> frozenset[str]:
    """The labels that a text with these contrasting words excludes; on a line where it is `silent`, all but the loose words."""
    found: set[str] = set()
    for line in _LINES:
        if silent or said & line.kept:
            found |= line.kept
        others = [meaning for meaning in line.meanings if not said & meaning]
        if len(others) < len(line.meanings):
            found.update(*others)
    return frozenset(found - said)


def _labelled() -> tuple[dict[str, str], tuple[_Line, ...]]:
    """The label of each stem, and the lines as labels; a stem gets the label of its first place, loose words being last."""
    labels: dict[str, str] = {}

    def label(words: Iterable[str]) -> frozenset[str]:
        fresh = [word for word in words if stem(word) not in labels]
        labels.update((stem(word), fresh[0]) for word in fresh)
        return frozenset(fresh[:1])

    kept = [[label(meaning.words) for meaning in line.meanings] for line in LINES]
    loose = [[label(meaning.loose) for meaning in line.meanings] for line in LINES]
    lines = (
        _Line(tuple(one | other for one, other in zip(firm, more, strict=True)), frozenset[str]().union(*firm))
        for firm, more in zip(kept, loose, strict=True)
    )
    return labels, tuple(lines)


_LABELS, _LINES = _labelled()
