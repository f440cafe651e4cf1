"""Vietnamese, where the marks on the letters of a syllable tell words apart: "nha" is not "nhà".

Terms have no such marks, so that text typed without them is found. If both sides were written with marks, they count.
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
    """The terms of a text's syllables, with their spellings there; none if the text has no Vietnamese marks."""
    written = "" if text.isascii() else unicodedata.normalize("NFC", text).lower()
    if not _VIETNAMESE.search(written):
        return {}
    found: dict[str, set[str]] = {}
    for syllable in _SYLLABLE.findall(written):
        found.setdefault(stem(fold(syllable)), set()).add(syllable)
    return {term: frozenset(forms) for term, forms in found.items()}


def in_other_tones(cue: Mapping[str, frozenset[str]], memory: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The terms that a cue and a memory share although their syllables have different marks."""
    return frozenset(term for term in cue.keys() & memory.keys() if cue[term].isdisjoint(memory[term]))
