"""Scripts that write words of many letters without spaces (kana, Thai, Lao, Khmer, Burmese), and chance matches between their texts.

Their texts are found by pairs of letters, like Chinese. But a pair of Chinese characters is a word, and two letters of these scripts are
in almost any text.
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
"""How many equal letters in a row are seldom a chance match."""


def letter_runs(text: str) -> list[str]:
    """The runs of letters of these scripts in a cue, without its particles."""
    return [] if text.isascii() else _RUN.findall(fold(without_particles(text)))


def pairs_by_chance(runs: Sequence[str], text: str) -> frozenset[str]:
    """The pairs of a cue's runs that are in a folded text only by chance: in no four letters in a row that both have, nor a whole run."""
    held, meant = set[str](), set[str]()
    for run in runs if not text.isascii() else ():
        pairs = [run[at : at + 2] for at in range(len(run) - 1)]
        size = min(len(run), _ENOUGH)
        held.update(pair for pair in pairs if pair in text)
        for at in range(len(run) - size + 1):
            if pairs[at] in held and run[at : at + size] in text:
                meant.update(pairs[at : at + size - 1])
    return frozenset(held - meant)
