"""From a text to its sentences of words, each with its role; contractions and phrases are already one word each."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from cued.conflicts.claims.lexicon import Lexicon, WordRole
from cued.text.remembered import Remembered
from cued.text.scripts import fold

MAX_TEXT = 2000
_PAST_MIN = 5
_CODE = r"[Hh][Tt][Tt][Pp][Ss]?://\S+|[\w.+-]++@[\w-]++\.\w+"
_KINDS = {
    "code": re.compile(_CODE),
    "word": re.compile(r"[^\W\d_][\w'&]*(?:[-.](?=\w)[\w'&]+)*(?:\+\+|\#)?"),
    "number": re.compile(r"[$€£¥₹]?\d+(?:[.,:/-]\d+)*(?:[A-Za-z%°]{1,4}\b|%)?"),
    "mark": re.compile(r"\n+|[.;!?:,=\u2013\u2014|]|--|->|→"),
}
_PIECE = re.compile("|".join(_KINDS[kind].pattern for kind in ("word", "number", "mark")))
_PIECE_OR_CODE = re.compile(f"{_CODE}|{_PIECE.pattern}")
_ENDS = frozenset(".;!?|\n")
_STARTS = frozenset({"", ".", ";", "!", "?", ":", "\n", "|"})
# Written with a capital inside a sentence these are parts of names: the New Yorker, The Next Day.
_NAMEABLE = frozenset({"new", "filler", "now", "also", "preposition", "time"})
_QUOTES = re.compile("[\u2018\u2019\u02bc]")


class ClauseWord(NamedTuple):
    """A word of a sentence: as written in lower case, what stands for it and its synonyms, its role, and how it was written.

    Whatever its role, `verbal` tells whether it can be a verb by its spelling, and `telling` whether it stands on a scale or names an
    attribute.
    """

    text: str
    key: str
    role: WordRole | str
    capital: bool = False
    owner: bool = False
    verbal: bool = False
    telling: bool = False

    def acting(self, role: str) -> "ClauseWord":
        """The same word in another role."""
        return ClauseWord(self.text, self.key, role, self.capital, self.owner, self.verbal, self.telling)


class _Spelling(NamedTuple):
    """The words of a piece of text, inside a sentence and at the start of one, where a capital says nothing."""

    inside: tuple[ClauseWord, ...]
    opening: tuple[ClauseWord, ...]


def sentences(text: str, lexicon: Lexicon) -> Iterator[list[ClauseWord]]:
    """The sentences of a text's first 2000 characters as words, one at a time; a question claims nothing and is left out."""
    read: list[ClauseWord] = []
    before, spellings = "", _spellings(lexicon)
    for piece in _pieces(_QUOTES.sub("'", fold(text[:MAX_TEXT]))):
        if piece == "." and before.lower() in lexicon.abbreviations:
            continue
        inside, opening = spellings[piece]
        words, before = opening if before in _STARTS else inside, piece
        if words[0].role != "end":
            read += words
            continue
        if read and piece[0] != "?":
            yield _joined(read, lexicon)
        read = []
    if read:
        yield _joined(read, lexicon)


def _pieces(text: str) -> list[str]:
    """The words, numbers and marks of a text, and the codes where it has any."""
    return (_PIECE_OR_CODE if "@" in text or "://" in text else _PIECE).findall(text)


@cache
def _spellings(lexicon: Lexicon) -> Remembered[_Spelling]:
    return Remembered(lambda piece: _spelling(piece, lexicon), most=1 << 16)


def _spelling(piece: str, lexicon: Lexicon) -> _Spelling:
    """The words of a piece, which is a word, a mark, a number or a code."""
    kind = "word" if piece.isalpha() else next(kind for kind, pattern in _KINDS.items() if pattern.fullmatch(piece))
    if kind == "word":
        inside = _spelt(piece, lexicon, opening=False)
        return _Spelling(inside, _spelt(piece, lexicon, opening=True) if inside[0].capital else inside)
    lower = piece.lower()
    word = ClauseWord(piece, piece, _mark_role(piece)) if kind == "mark" else _made(lower, lower, kind, lexicon)
    return _Spelling((word,), (word,))


def _mark_role(mark: str) -> str:
    if mark[0] in _ENDS:
        return "end"
    return "colon" if mark in {":", "->", "→", "="} else "comma"


def _spelt(written: str, lexicon: Lexicon, *, opening: bool) -> tuple[ClauseWord, ...]:
    lower = written.lower().strip(".")
    parts = lexicon.contractions.get(lower)
    if parts is not None:
        return tuple(word_of(part, lexicon) for part in parts)
    owner = False
    if "'" in lower:
        bare = lower.removesuffix("'s") if lower.endswith("'s") else lower.removesuffix("'")
        owner, lower = bare != lower, bare.replace("'", "")
    word = word_of(lower, lexicon)
    capital = written[:1].isupper() and lower != "i"
    role = "word" if capital and not opening and word.role in _NAMEABLE else word.role
    return (word._replace(capital=capital, owner=owner, role=role) if capital or owner else word,)


@lru_cache(maxsize=1 << 14)
def word_of(lower: str, lexicon: Lexicon) -> ClauseWord:
    """The word of a lower-case spelling."""
    key = lexicon.key(lower)
    role: str = lexicon.roles.get(lower, "word")
    if role == "word" and key in lexicon.endings:
        role = "not"
    if lower in lexicon.weekdays or lower in lexicon.months:
        role = "date"
    elif lower in lexicon.numbers:
        role = "number"
    return _made(lower, key, role, lexicon)


def _made(lower: str, key: str, role: str, lexicon: Lexicon) -> ClauseWord:
    past = lower.endswith(lexicon.inflected[-1]) and len(lower) >= _PAST_MIN
    return ClauseWord(
        lower,
        key,
        role,
        verbal=past or key in lexicon.verbs or key in lexicon.endings,
        telling=lower in lexicon.axes or key in lexicon.axes or key in lexicon.attributes,
    )


def _joined(words: list[ClauseWord], lexicon: Lexicon) -> list[ClauseWord]:
    texts = [word.text for word in words]
    if lexicon.phrases.keys().isdisjoint(texts):
        return words
    joined: list[ClauseWord] = []
    done = 0
    for at, text in enumerate(texts):
        if at < done or text not in lexicon.phrases:
            continue
        for phrase in lexicon.phrases[text]:
            end = at + len(phrase.words)
            if tuple(texts[at:end]) == phrase.words:
                joined += words[done:at]
                joined += [word_of(part, lexicon) for part in phrase.as_word.split()]
                done = end
                break
    return joined + words[done:]
