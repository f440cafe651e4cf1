"""English opposites by stem: the scales on which two words contradict each other, and the words that only tell two things apart."""

from typing import Final

from cued.text.claims.english.meanings import key
from cued.text.claims.lexicon import Axis
from cued.text.opposites import LINES


def _axes() -> dict[str, Axis]:
    """The scale and side of each word and of its stem; a stem on two scales counts for the one that has it as a whole word."""
    sides = [
        (word, Axis(meanings[0].all[0], side))
        for shows, meanings in LINES
        if shows == "!"
        for side, meaning in zip((1, -1), meanings, strict=True)
        for word in meaning.all
    ]
    found: dict[str, Axis] = {}
    for word, axis in (*sides, *((key(word), axis) for word, axis in sides)):
        found.setdefault(word, axis)
    return found


def _apart() -> dict[str, tuple[Axis, ...]]:
    found: dict[str, tuple[Axis, ...]] = {}
    for meanings in (meanings for shows, meanings in LINES if shows == "/"):
        for side, meaning in enumerate(meanings):
            for word in dict.fromkeys(map(key, meaning.all)):
                found[word] = (*found.get(word, ()), Axis(meanings[0].all[0], side))
    return found


AXES: Final = _axes()
APART: Final = _apart()
