"""Texts and phrases as atoms: words, numbers and signs, and single characters in scripts without spaces."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

from cued.text import scripts
from cued.text.scripts import fold

LATIN = ("da", "de", "es", "fr", "hi-Latn", "id", "it", "nl", "no", "pl", "pt", "sv", "tr")
"""The languages in Latin letters that are recognised by their words; Vietnamese is recognised by its marks, like a script."""

Fold = Callable[[str], str]

_NUKTA = re.compile("\u093c")
_ATOM = re.compile(
    rf"""
      (?P<iso>(?<![\w.-])\d{{4}}(?:-\d{{1,2}}-|/\d{{1,2}}/|\.\d{{1,2}}\.)\d{{1,2}}(?![\d-]|\.\d))
    | (?P<numeric>(?<![\w.-])\d{{1,2}}(?:-\d{{1,2}}-|/\d{{1,2}}/|\.\ ?\d{{1,2}}\.\ ?)(?:\d{{4}}|\d{{2}})(?![\w/-]|\.\d))
    | (?P<daymonth>(?<![\w./-])\d{{1,2}}(?:/\d{{1,2}}|\.\d{{1,2}}\.)(?![\w/-]))
    | (?P<junk>\d+(?:[.,:]\d+)+|\d{{5,}}|[$€£¥\#]\s?\d[\d,.]*|\d{{3,4}}[a-z]\w*)
    | (?P<number>\d{{1,4}}(?!\d)(?:er\b|[ºª°])?)
    | (?P<character>[{scripts.UNSPACED}])
    | (?P<word>(?:[^\W\d_{scripts.UNSPACED}]+|[{scripts.MARKS}\u0300-\u036f]+)+)
    | (?P<apostrophe>['’]) | (?P<comma>[,،、，]) | (?P<dash>[-–—~〜～]) | (?P<punct>[^\w\s])
    """,
    re.VERBOSE,
)


class Atom(NamedTuple):
    """A piece of a text: its kind, where it stands, and its letters as they are compared."""

    kind: str
    start: int
    end: int
    folded: str


def folded(text: str) -> str:
    """The text in lower case, without accents and other marks that people often leave out."""
    return _NUKTA.sub("", fold(text).casefold())


def marked(text: str) -> str:
    """The text in lower case with its marks, for a language in which marks tell words apart."""
    return unicodedata.normalize("NFC", text).lower()


def atoms(text: str, compared: Fold, read: Sequence[tuple[int, int]] | None = None) -> list[Atom]:
    """The atoms of a text, or of the parts to read, in order; an apostrophe only separates two of them."""
    found = (match for start, end in read or [(0, len(text))] for match in _ATOM.finditer(text, start, end))
    matches = (match for match in found if match.lastgroup != "apostrophe")
    return [Atom(match.lastgroup or "", *match.span(), compared(match.group())) for match in matches]


def words(phrase: str, compared: Fold) -> tuple[str, ...]:
    """The atoms of a phrase as they are compared, without signs."""
    return tuple(atom.folded for atom in atoms(phrase, compared) if atom.kind in {"word", "character", "number"})
