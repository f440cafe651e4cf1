"""The stretches of a text that may say a time: most words of a long text are ordinary ones, and only those beside a word of time matter."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

TIME, ORDINARY, JOINING = "t", "o", "j"
"""What a piece of a text is: it has what no time is told without, or a word that is never part of one, or only what may join such words."""
_BESIDE = 3
"""So many ordinary words are read on each side of a word of time: no rule looks past two, and what looks six words back sees no more."""
_FEW = 32
"""So few pieces are read in less time than it takes to tell what each is."""
_PASSED_OVER = re.compile(
    rf"(?:^|(?<={TIME}))(?:{JOINING}*{ORDINARY}){{{_BESIDE}}}([^{TIME}]*)(?=(?:{ORDINARY}{JOINING}*){{{_BESIDE}}}(?:{TIME}|$))"
)


def stretches(pieces: Sequence[str], told: Mapping[str, str]) -> list[tuple[int, int]]:
    """Where the stretches begin and end in the text that these pieces make up, by what is told of each piece."""
    ends = [0, *accumulate(map(len, pieces))]
    if len(pieces) <= _FEW:
        return [(0, ends[-1])]
    bounds = [0]
    for gap in _PASSED_OVER.finditer("".join(map(told.__getitem__, pieces))):
        bounds += ends[gap.start(1)], ends[gap.end(1)]
    return list(zip(bounds[::2], [*bounds[1::2], ends[-1]], strict=True))


def telling(phrases: Iterable[Sequence[str]]) -> frozenset[str]:
    """Words one of which stands in each of the phrases: those that are one by themselves, and the longest of any that has none of these."""
    found = set[str]()
    for phrase in sorted(phrases, key=len):
        if found.isdisjoint(phrase):
            found.add(max(phrase, key=len))
    return frozenset(found)
