"""The analyser: the terms by which a text is found, for any script and any string.

Below: `scripts` folds characters, `stemming` stems, `identifiers` takes identifiers apart. Above: stores count what `analyse` gives
and look up what `query_terms` gives. No string raises, and no character of a string is ever an operator.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from cued.text import scripts
from cued.text.hollow_words import POLITE, characters, hollow
from cued.text.identifiers import identifier_terms, is_plain
from cued.text.patterns import pattern
from cued.text.remembered import Remembered
from cued.text.scripts import fold
from cued.text.stemming import COMPOUND_MIN, MAX_WORD, stem, subwords
from cued.text.stopwords import NAMES_IN_CAPITALS, STOP_WORDS
from cued.text.tongues.particles import without_particles

if TYPE_CHECKING:
    from cued.model import Memory

MAX_QUERY_TERMS = 512
_QUOTATION_MIN = 5
_FEW_TERMS = 100
"""Up to so many terms may all be distinct, which is checked before they are counted; among more some repeat."""
_MARKS_AROUND = ".,;:!?()[]{}<>\"'`*~|-"
_SENTENCE_ENDS = '.:!?"“«»–-'
_WORD = rf"(?:[^\W_{scripts.UNSPACED}]|[{scripts.MARKS}])+"
_JOINT = r"(?:_+|::|:[/\\]{1,2}|[.\-/\\:@&])"
_PIECE = pattern(
    rf"(?P<word>{_WORD}(?:{_JOINT}{_WORD})*(?:\+\+|\#(?!\w))?)"
    rf"|(?P<han>[{scripts.HAN}]+)|(?P<hiragana>[{scripts.HIRAGANA}]+)|(?P<katakana>[{scripts.KATAKANA}]+)"
    rf"|(?P<hangul>[{scripts.HANGUL}]+)"
    rf"|(?P<thai>[{scripts.THAI}]+)|(?P<lao>[{scripts.LAO}]+)|(?P<khmer>[{scripts.KHMER}]+)|(?P<myanmar>[{scripts.MYANMAR}]+)"
    rf"|(?P<emoji>{scripts.FLAG}|[{scripts.EMOJI}])"
)
_WHOLE_RUN_TOO = frozenset({"katakana", "hangul"})
_CONTRACTED = pattern(r"(?<=\w)'(?:s|re|ve|ll|d|m)\b", re.IGNORECASE)
_NEGATED = pattern(r"(?<=n)'(?=t\b)", re.IGNORECASE)
_IRISH = pattern(r"\b[oO]'\w")
# French asks by a pronoun behind the verb: "est-elle", "a-t-on".
_INVERTED = pattern(
    r"(?<=\w)-(?:t-)?(?:je|tu|ils?|elles?|nous|vous|ce|(?:(?<=t-)|(?<=peut-)|(?<=doit-)|(?<=sait-)|(?<=fait-))on)\b(?!-)", re.IGNORECASE
)
_THOUSANDS = pattern(r"(?<=\d),(?=\d{3}(?!\d))")


class _Chunk(NamedTuple):
    """What stands between two spaces: its terms in a cue, its finer terms in a memory, and how many of these are function words."""

    terms: tuple[str, ...]
    stored: tuple[str, ...]
    function: int = 0


def analyse(text: str) -> dict[str, int]:
    """The terms a text is found by, each with its count.

    Function words are left out: they would make up two fifths of the index, and no cue with a content word asks for them. A run
    of five or more is kept, so that a quotation such as "to be or not to be" is still found.
    """
    found: list[str] = []
    row: list[str] = []
    for terms in map(_STORED.__getitem__, text.split()):
        if type(terms) is list:
            row += terms
            continue
        if row:
            if len(row) >= _QUOTATION_MIN:
                found += row
            row = []
        found += terms
    if len(row) >= _QUOTATION_MIN:
        found += row
    counts = dict.fromkeys(found, 1) if len(found) <= _FEW_TERMS else {}
    return counts if len(counts) == len(found) else dict(Counter(found))


def query_terms(text: str) -> tuple[str, ...]:
    """The distinct terms of a cue as first seen, at most 512, without function words of its language unless there is nothing else.

    A cue emits no sub-words: each of its words is one term, so that the share of terms found is the share of words found.
    """
    content: dict[str, None] = {}
    function: dict[str, None] = {}
    chunks = (text if text.isascii() else without_particles(text)).split()
    for terms, _, functional in map(_KNOWN.__getitem__, chunks):
        for term in terms:
            (function if functional else content)[term] = None
        if len(content) >= MAX_QUERY_TERMS:
            break
    doubtful = content.keys() - _in_capitals(chunks) if not text.islower() else content
    empty = hollow(doubtful, english=function.keys())
    said = tuple(term for term in content if term not in empty) if empty else tuple(content)
    return (said or characters(content) or tuple(content) or tuple(function))[:MAX_QUERY_TERMS]


def _in_capitals(chunks: Sequence[str]) -> frozenset[str]:
    """The terms with a capital inside a sentence, which are not function words unless they are polite forms ("Wo arbeitet Ben?")."""
    within = (
        chunk for before, chunk in pairwise(chunks) if chunk[:1].isupper() and before[-1] not in _SENTENCE_ENDS and not before.isupper()
    )
    return frozenset(term for chunk in within for term in _KNOWN[chunk].terms) - POLITE


def searchable(text: str, speaker: str | None) -> str:
    """The form in which a text is embedded and analysed: "speaker: text", or the text alone where it has no speaker."""
    return f"{speaker}: {text}" if speaker else text


def searched_text(memory: "Memory") -> str:
    """The form in which a memory is embedded and analysed."""
    return searchable(memory.text, memory.source.speaker)


def _analyse_chunk(chunk: str) -> _Chunk:
    """The terms of what stands between two spaces."""
    word = chunk.strip(_MARKS_AROUND)
    if word.isascii() and word.isalpha() and (word.islower() or word[1:].islower() or len(word) == 1):
        # Most chunks are a word of English, which the long way round would find too.
        lower = word.lower()
        term = (stem(lower),)
        if lower in STOP_WORDS and _is_function_word(word):
            return _Chunk(term, term, 1)
        return _Chunk(term, term + subwords(lower) if len(lower) >= COMPOUND_MIN else term)
    folded = fold(chunk)
    if "'" in folded:
        folded = _IRISH.sub(_without_apostrophe, _NEGATED.sub("", _CONTRACTED.sub("", folded)))
    if "-" in folded:
        folded = _INVERTED.sub(" ", folded)
    if "," in folded:
        folded = _THOUSANDS.sub("", folded)
    pieces = [(match[0], match.lastgroup or "word") for match in _PIECE.finditer(folded)]
    content = [(piece, script) for piece, script in pieces if not _is_function_word(piece)]
    if pieces and not content:
        words = tuple(stem(piece.casefold()) for piece, _ in pieces)
        return _Chunk(words, words, function=len(words))
    terms: list[str] = []
    finer: list[str] = []
    for piece, script in content:
        if script == "word" and is_plain(piece):
            word = piece.casefold()
            terms.append(stem(word))
            finer += subwords(word)
        elif script == "word":
            terms += identifier_terms(piece)
        else:
            terms += _unspaced_terms(piece, script)
            finer += piece if script == "han" and len(piece) > 1 else ""
    return _Chunk(tuple(terms), (*terms, *finer))


def _stored(chunk: str) -> tuple[str, ...] | list[str]:
    """The terms of a chunk in a memory; a list (and not a tuple) marks a chunk of function words alone."""
    found = _analyse_chunk(chunk)
    return list(found.stored) if found.function else found.stored


_KNOWN = Remembered(_analyse_chunk, most=1 << 14)
_STORED = Remembered(_stored, most=1 << 16)


def _is_function_word(piece: str) -> bool:
    """Whether a piece carries no meaning of its own."""
    return piece.casefold() in STOP_WORDS and piece not in NAMES_IN_CAPITALS


def _without_apostrophe(match: re.Match[str]) -> str:
    """The match in lower case without its apostrophe: "ob" for the "O'B" of O'Brien, so that it is one word."""
    return match[0].replace("'", "").lower()


def _unspaced_terms(run: str, script: str) -> list[str]:
    """The character pairs of a run, and the whole run where it is a word; an emoji or a single character is its own term."""
    if script == "emoji" or len(run) == 1:
        return [run]
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    return [run, *pairs] if script in _WHOLE_RUN_TOO and len(pairs) > 1 and len(run) <= MAX_WORD else pairs
