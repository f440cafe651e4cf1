"""Scripts that write words of many letters without spaces: kana, Thai, Lao, Khmer and Burmese; what two texts have in common by chance.

Their texts are found by pairs of letters, as Chinese is. But of Chinese a pair is a word, and of these two letters stand in any text.
"""

from collections.abc import Sequence
from typing import Final

from cued.text import scripts
from cued.text.patterns import pattern
from cued.text.scripts import fold
from cued.text.tongues.particles import without_particles

_SCRIPTS = (scripts.HIRAGANA, scripts.KATAKANA, scripts.THAI, scripts.LAO, scripts.KHMER, scripts.MYANMAR)
_RUN = pattern("|".join(f"[{script}]{{2,}}" for script in _SCRIPTS))
_ENOUGH: Final = 4
"""So many letters in a row are seldom the same by chance."""


def letter_runs(text: str) -> list[str]:
    """The runs of letters of these scripts in a cue, without its particles."""
    return [] if text.isascii() else _RUN.findall(fold(without_particles(text)))


def pairs_by_chance(runs: Sequence[str], text: str) -> frozenset[str]:
    """The pairs of a cue's runs that stand in a folded text, though never in four letters that both have in a row, nor in a whole run."""
    held, meant = set[str](), set[str]()
    for run in runs if not text.isascii() else ():
        pairs = [run[at : at + 2] for at in range(len(run) - 1)]
        size = min(len(run), _ENOUGH)
        held.update(pair for pair in pairs if pair in text)
        for at in range(len(run) - size + 1):
            if pairs[at] in held and run[at : at + size] in text:
                meant.update(pairs[at : at + size - 1])
    return frozenset(held - meant)
