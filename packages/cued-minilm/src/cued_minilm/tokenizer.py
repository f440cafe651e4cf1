"""BERT's uncased WordPiece: text in, token ids out.

Control characters go, accents go, letters are lower-cased one by one, every CJK character and every punctuation mark is a
word of its own, and a word is cut greedily into the longest pieces of the vocabulary (Wu et al. 2016; Devlin et al. 2019).
The names of special tokens, written in a text, are plain words: a stored text cannot end the sequence it stands in.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path

from cued_minilm import MAX_TOKENS, VOCAB_PATH

UNKNOWN, START, END = "[UNK]", "[CLS]", "[SEP]"
MAX_WORD_CHARACTERS = 100

# Exactly the white space that BERT splits at; Python's \s has control characters in it that BERT drops.
_RUN = re.compile("[^ \t\n\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_ASCII_WORD = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_CJK = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b820-\U0002ceaf\U0002f800-\U0002fa1f]",
)
# Not Cn: the reference keeps characters that Unicode has not assigned.
_DROPPED = frozenset({"Cc", "Cf", "Co", "Cs"})
_CACHED_RUNS = 32768
_CACHED_CHARACTERS = 64


class Tokenizer:
    """Turns texts into token ids; may be used from several threads at once."""

    def __init__(self, vocab: Path = VOCAB_PATH) -> None:
        """Read a vocabulary of one piece a line, its line number being its id."""
        pieces = vocab.read_text(encoding="utf-8").split("\n")
        self._ids = {piece: number for number, piece in enumerate(pieces) if piece}
        self._start, self._end, self._unknown = self._ids[START], self._ids[END], self._ids[UNKNOWN]
        self._cached = lru_cache(_CACHED_RUNS)(self._run)

    def ids(self, text: str) -> list[int]:
        """[CLS], the ids of at most 254 pieces, and [SEP]."""
        runs = (self._of(found.group()) for found in _RUN.finditer(text))
        return [self._start, *islice(chain.from_iterable(runs), MAX_TOKENS - 2), self._end]

    def _of(self, run: str) -> tuple[int, ...]:
        return self._cached(run) if len(run) <= _CACHED_CHARACTERS else self._run(run)

    def _run(self, run: str) -> tuple[int, ...]:
        """The ids of a stretch of text without white space."""
        return tuple(chain.from_iterable(self._pieces(word) for word in words(run)))

    def _pieces(self, word: str) -> list[int]:
        """The ids of the longest pieces from left to right, or one [UNK] when they do not cover the word."""
        if len(word) > MAX_WORD_CHARACTERS:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            piece, end = self._longest(word, start)
            if piece is None:
                return [self._unknown]
            found.append(piece)
            start = end
        return found

    def _longest(self, word: str, start: int) -> tuple[int | None, int]:
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            number = self._ids.get(mark + word[start:end])
            if number is not None:
                return number, end
        return None, start


def words(run: str) -> Iterator[str]:
    """The normalised words and punctuation marks of a stretch of text without white space."""
    if run.isascii():
        printable = run if run.isprintable() else "".join(filter(str.isprintable, run))
        return iter(_ASCII_WORD.findall(printable.lower()))
    kept = "".join(character for character in run if unicodedata.category(character) not in _DROPPED and character != "\ufffd")
    plain = unicodedata.normalize("NFD", _CJK.sub(r" \g<0> ", kept))
    # Letter by letter, as the reference does: a whole word's lower() would make a final sigma of its own.
    lowered = "".join(character.lower() for character in plain if unicodedata.category(character) != "Mn")
    return chain.from_iterable(map(_split, lowered.split()))


def _split(word: str) -> Iterator[str]:
    """A word's stretches between punctuation, and the punctuation marks."""
    start = 0
    for place, character in enumerate(word):
        if _is_punctuation(character):
            if start < place:
                yield word[start:place]
            yield character
            start = place + 1
    if start < len(word):
        yield word[start:]


def _is_punctuation(character: str) -> bool:
    # BERT counts every ASCII mark, also those that Unicode calls symbols ($, +, <, ^, `, |, ~).
    if character.isascii():
        return not character.isalnum() and character.isprintable()
    return unicodedata.category(character)[0] == "P"
