"""The parts of a long text that may have a time in them: only words next to a word of time matter, and most are not."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

TIME, ORDINARY, JOINING = "t", "o", "j"
"""The classes of pieces: one that a time must have, one that is never part of a time, and one that may join others in it."""
_BESIDE = 3
"""How many ordinary words are read on each side of a word of time; no rule needs more than two of them."""
_FEW = 32
"""So few pieces are read faster than they are classified."""
_PASSED_OVER = re.compile(
    rf"(?:^|(?<={TIME}))(?:{JOINING}*{ORDINARY}){{{_BESIDE}}}([^{TIME}]*)(?=(?:{ORDINARY}{JOINING}*){{{_BESIDE}}}(?:{TIME}|$))"
)


def stretches(pieces: Sequence[str], told: Mapping[str, str]) -> list[tuple[int, int]]:
    """The beginnings and ends of the stretches in the text that these pieces make up, by the class of each piece."""
    ends = [0, *accumulate(map(len, pieces))]
    if len(pieces) <= _FEW:
        return [(0, ends[-1])]
    bounds = [0]
    for gap in _PASSED_OVER.finditer("".join(map(told.__getitem__, pieces))):
        bounds += ends[gap.start(1)], ends[gap.end(1)]
    return list(zip(bounds[::2], [*bounds[1::2], ends[-1]], strict=True))


def telling(phrases: Iterable[Sequence[str]]) -> frozenset[str]:
    """Words of which each phrase has at least one: the phrases of one word, and the longest word of every phrase without one of these."""
    found = set[str]()
    for phrase in sorted(phrases, key=len):
        if found.isdisjoint(phrase):
            found.add(max(phrase, key=len))
    return frozenset(found)
