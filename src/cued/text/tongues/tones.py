"""Vietnamese, where the marks on the letters of a syllable tell words apart: "nha" is no "nhà".

Terms have no such marks, so that what is typed without them is found. Where both sides were written with them, they count.
"""

import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from cued.text import scripts
from cued.text.patterns import pattern
from cued.text.scripts import fold
from cued.text.stemming import stem

_VIETNAMESE = pattern(f"[{scripts.VIETNAMESE}]")
_SYLLABLE = pattern(r"[^\W\d_]+")


@lru_cache(maxsize=1 << 12)
def syllables(text: str) -> Mapping[str, frozenset[str]]:
    """The terms of a text's syllables with how each is written there; none where it is not written with the marks of Vietnamese."""
    written = "" if text.isascii() else unicodedata.normalize("NFC", text).lower()
    if not _VIETNAMESE.search(written):
        return {}
    found: dict[str, set[str]] = {}
    for syllable in _SYLLABLE.findall(written):
        found.setdefault(stem(fold(syllable)), set()).add(syllable)
    return {term: frozenset(forms) for term, forms in found.items()}


def in_other_tones(cue: Mapping[str, frozenset[str]], memory: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The terms that a cue and a memory have in common though no syllable of them is written alike."""
    return frozenset(term for term in cue.keys() & memory.keys() if cue[term].isdisjoint(memory[term]))
