"""From a text to its sentences of words, each with its role; contractions and phrases are already one word each."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from itertools import chain, compress, count, product
from operator import attrgetter
from typing import Final, NamedTuple, get_args

from msgspec import Struct
from msgspec.structs import replace

from cued.text.claims.lexicon import Lexicon, WordRole
from cued.text.remembered import Remembered
from cued.text.scripts import fold

READ_CHARACTERS = 2000
_AT_ONCE = 600
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
_CHUNK = re.compile(r"\n+|\S+")
_ENDS = frozenset(".;!?|\n")
_STARTS = frozenset({"", ".", ";", "!", "?", ":", "\n", "|"})
# Written with a capital inside a sentence these are parts of names: the New Yorker, The Next Day.
_NAMEABLE = frozenset({"new", "filler", "now", "also", "preposition", "time"})


class ClauseWord(Struct, frozen=True, gc=False):
    """A word of a sentence: in lower case, the key that it shares with its synonyms, its role, and its spelling in the text.

    Whatever its role, `verbal` says whether it can be a verb by its spelling, `telling` whether it is on a scale of opposites or names an
    attribute, and `prefixed` whether it begins with a prefix of denial. `code` is a byte for its role and for other things that rules
    look for, so that patterns can search whole sentences of codes.
    """

    text: str
    key: str
    role: WordRole | str
    capital: bool = False
    owner: bool = False
    verbal: bool = False
    telling: bool = False
    prefixed: bool = False
    code: bytes = b""


ROLES: Final = (*get_args(WordRole), "value", "number", "date", "code", "comma", "colon", "end")
_FIRST_CODE, _VERBAL, _OWNER, _BEGINS = 0x20, 1, 2, 4


@lru_cache(maxsize=1 << 10)
def code_of(role: str, *, verbal: bool = False, owner: bool = False, begins: bool = False) -> bytes:
    """The byte for a word of this role that can be a verb, is an owner, or may begin a phrase."""
    return bytes([_FIRST_CODE + 8 * ROLES.index(role) + _VERBAL * verbal + _OWNER * owner + _BEGINS * begins])


def codes_of(roles: Iterable[str], *, verbal: bool | None = None, owner: bool | None = None, begins: bool | None = None) -> bytes:
    """The bytes for all words of these roles; where `verbal` or `owner` is given, only for those that are so, or are not."""
    wanted = [(False, True) if each is None else (each,) for each in (verbal, owner, begins)]
    marked = [dict(zip(("verbal", "owner", "begins"), each, strict=True)) for each in product(*wanted)]
    return b"".join(code_of(role, **each) for role in roles for each in marked)


def any_of(codes: bytes) -> bytes:
    """The pattern that matches any of these codes."""
    return b"[" + re.escape(codes) + b"]"


_CONTENT = code_of("word"), code_of("word", verbal=True)


@lru_cache(maxsize=1 << 12)
def acting(word: ClauseWord, role: str) -> ClauseWord:
    """The same word in another role."""
    return replace(word, role=role, code=code_of(role, verbal=word.verbal, owner=word.owner))


_MAY_BEGIN_PHRASE = re.compile(any_of(codes_of(ROLES, begins=True)) + rb"(?!\Z)", re.DOTALL)


class Sentence(Struct, frozen=True, gc=False):
    """Words, and their codes end to end."""

    words: list[ClauseWord]
    codes: bytes

    @classmethod
    def of(cls, words: list[ClauseWord]) -> "Sentence":
        """These words with their codes."""
        return cls(words, b"".join(map(_CODED, words)))


KEY: Callable[[ClauseWord], str] = attrgetter("key")
TEXT: Callable[[ClauseWord], str] = attrgetter("text")
_CODED: Callable[[ClauseWord], bytes] = attrgetter("code")


class _Chunk(Struct, frozen=True, gc=False):
    """What stands between two spaces: its words inside a sentence, and at the start of one, where a capital means nothing.

    It is `apart` if a sentence may end in it: at its `end`, the piece behind its words, or elsewhere. Then, and if it has no words, it is
    read piece by piece.
    """

    inside: tuple[ClauseWord, ...]
    opening: tuple[ClauseWord, ...]
    last: str
    apart: bool
    end: str = ""
    pieces: tuple[str, ...] = ()


_INSIDE: Callable[[_Chunk], tuple[ClauseWord, ...]] = attrgetter("inside")
_APART: Callable[[_Chunk], bool] = attrgetter("apart")


class _Spellings(NamedTuple):
    """Caches: words by lower-case spelling, the words of a piece inside and at the start of a sentence, and those of a chunk."""

    words: Remembered[ClauseWord]
    inside: Remembered[tuple[ClauseWord, ...]]
    opening: Remembered[tuple[ClauseWord, ...]]
    chunks: Remembered[_Chunk]


def sentences(text: str, lexicon: Lexicon) -> Iterator[Sentence]:
    """The sentences of a text's first 2000 characters, one at a time, without questions, which claim nothing."""
    spellings = _spellings(lexicon)
    read: list[ClauseWord] = []
    before = ""
    for run, piece in _runs(text, spellings):
        if run:
            read += _words(run, opens=before in _STARTS)
            before = run[-1].last
        if piece not in _STARTS and piece[0] != "\n":
            read += (spellings.opening if before in _STARTS else spellings.inside)[piece]
            before = piece
        elif piece != "." or before.lower() not in lexicon.abbreviations:
            before = piece or before
            if piece == ":":
                read += spellings.inside[piece]
            elif piece:
                if read and piece != "?":
                    yield _joined(read, lexicon)
                read = []
    if read:
        yield _joined(read, lexicon)


def _runs(text: str, spellings: _Spellings) -> Iterator[tuple[list[_Chunk], str]]:
    """The runs of chunks in which no sentence ends, each with the piece behind it, which may end one; "" behind the last."""
    for part in _parts(fold(text[:READ_CHARACTERS])):
        chunks = list(map(spellings.chunks.__getitem__, _CHUNK.findall(part) if "\n" in part else part.split()))
        start = 0
        for at in compress(count(), map(_APART, chunks)):
            if chunks[at].end:
                yield chunks[start : at + 1], chunks[at].end
            else:
                run = chunks[start:at]
                for piece in chunks[at].pieces or ("",):
                    yield run, piece
                    run = []
            start = at + 1
        yield chunks[start:], ""


def _words(run: list[_Chunk], *, opens: bool) -> Iterator[ClauseWord]:
    """The words of a run in which no sentence ends."""
    inside = chain.from_iterable(map(_INSIDE, run[1:] if opens else run))
    return chain(run[0].opening, inside) if opens else inside


def _parts(text: str) -> Iterator[str]:
    """A text in parts of some hundred characters, cut at spaces: of a long text the first sentences are enough."""
    start = 0
    while start < len(text):
        end = text.find(" ", start + _AT_ONCE)
        yield text[start : end if end >= 0 else None]
        start = end if end >= 0 else len(text)


@cache
def _spellings(lexicon: Lexicon) -> _Spellings:
    def opened(piece: str) -> tuple[ClauseWord, ...]:
        # Few pieces are other words at the start of a sentence; the rest is shared.
        spelt = inside[piece]
        nameable = spelt[0].capital and _nameable(words_of[spelt[0].text])
        return _spelling(piece, lexicon, opening=True) if nameable else spelt

    def chunk_of(chunk: str) -> _Chunk:
        alone, mark = (chunk, "") if chunk.isalpha() else (chunk[:-1], chunk[-1])
        if mark in _STARTS and alone.isalpha() and alone.islower() and alone not in lexicon.contractions:
            # Most chunks are a word, or one that ends a sentence, as the long way round would find too.
            words: tuple[ClauseWord, ...] = (words_of[alone],)
            return _Chunk(words, words, alone, bool(mark), mark)
        pieces = [chunk] if chunk.isalpha() else _pieces(chunk)
        end = pieces[-1] if pieces and pieces[-1] in _STARTS else ""
        said = pieces[:-1] if end else pieces
        if not said or said[0][0] == "\n" or not _STARTS.isdisjoint(said):
            return _Chunk((), (), "", apart=True, pieces=tuple(pieces))
        words = tuple(chain.from_iterable(map(inside.__getitem__, said)))
        first = said[0]
        begun = words if first.islower() else (*opening[first], *words[len(inside[first]) :])
        return _Chunk(words, begun, said[-1], bool(end), end)

    words_of = Remembered(lambda lower: _word(lower, lexicon), most=1 << 16)
    inside = Remembered(lambda piece: _spelling(piece, lexicon, opening=False), most=1 << 16)
    opening = Remembered(opened, most=1 << 16)
    return _Spellings(words_of, inside, opening, Remembered(chunk_of, most=1 << 16))


def _pieces(text: str) -> list[str]:
    """The words, numbers, punctuation marks and codes of a text."""
    return (_PIECE_OR_CODE if "@" in text or "://" in text else _PIECE).findall(text)


def _spelling(piece: str, lexicon: Lexicon, *, opening: bool) -> tuple[ClauseWord, ...]:
    """The words of a piece, which is a word, a mark, a number or a code."""
    if piece.isalpha():
        return _spelt(piece, lexicon, opening=opening)
    # Where a number ends can be told by what follows it, as in "7a%20": alone it may be none.
    kind = next((kind for kind, pattern in _KINDS.items() if pattern.fullmatch(piece)), "number")
    if kind == "word":
        return _spelt(piece, lexicon, opening=opening)
    lower = piece.lower()
    return (_mark(piece) if kind == "mark" else _made(lower, lower, kind, lexicon),)


def _mark(mark: str) -> ClauseWord:
    role = _mark_role(mark)
    return ClauseWord(mark, mark, role, code=code_of(role))


def _mark_role(mark: str) -> str:
    if mark[0] in _ENDS:
        return "end"
    return "colon" if mark in {":", "->", "→", "="} else "comma"


def _spelt(written: str, lexicon: Lexicon, *, opening: bool) -> tuple[ClauseWord, ...]:
    lower, words = written.lower().strip("."), _spellings(lexicon).words
    parts = lexicon.contractions.get(lower)
    if parts is not None:
        return tuple(map(words.__getitem__, parts))
    owner = False
    if "'" in lower:
        bare = lower.removesuffix("'s") if lower.endswith("'s") else lower.removesuffix("'")
        owner, lower = bare != lower, bare.replace("'", "")
    word = words[lower]
    capital = written[:1].isupper() and lower != "i"
    role = "word" if capital and not opening and _nameable(word) else word.role
    if not capital and not owner:
        return (word,)
    code = code_of(role, verbal=word.verbal, owner=owner, begins=lower in lexicon.phrases)
    return (ClauseWord(lower, word.key, role, capital, owner, word.verbal, word.telling, word.prefixed, code),)


def _nameable(word: ClauseWord) -> bool:
    """Whether a function word is part of a name where it has a capital: "Next", and the "A" of "gate A"."""
    return word.role in _NAMEABLE or (word.role == "determiner" and len(word.text) == 1)


def _word(lower: str, lexicon: Lexicon) -> ClauseWord:
    """The word of a lower-case spelling."""
    key = lexicon.key(lower)
    texts, keys = _told_of(lexicon)
    if lower not in texts and key not in keys:
        # Most words are nothing but content, which is told by looking twice and not ten times.
        past = lower.endswith(lexicon.inflected[-1]) and len(lower) >= _PAST_MIN
        return ClauseWord(lower, key, "word", False, False, past, False, lower.startswith(lexicon.prefixes), _CONTENT[past])  # noqa: FBT003
    role: str = lexicon.roles.get(lower, "word")
    if role == "word" and key in lexicon.endings:
        role = "not"
    if lower in lexicon.weekdays or lower in lexicon.months:
        role = "date"
    elif lower in lexicon.numbers:
        role = "number"
    return _made(lower, key, role, lexicon)


@cache
def _told_of(lexicon: Lexicon) -> tuple[frozenset[str], frozenset[str]]:
    """The spellings and keys of words that a lexicon says anything about."""
    texts = (lexicon.roles, lexicon.weekdays, lexicon.months, lexicon.numbers, lexicon.axes, lexicon.phrases)
    return frozenset().union(*texts), frozenset().union(lexicon.endings, lexicon.verbs, lexicon.axes, lexicon.attributes)


def _made(lower: str, key: str, role: str, lexicon: Lexicon) -> ClauseWord:
    past = lower.endswith(lexicon.inflected[-1]) and len(lower) >= _PAST_MIN
    verbal = past or key in lexicon.verbs or key in lexicon.endings
    telling = lower in lexicon.axes or key in lexicon.axes or key in lexicon.attributes
    code = code_of(role, verbal=verbal, begins=lower in lexicon.phrases)
    # By place, which takes half the time.
    return ClauseWord(lower, key, role, False, False, verbal, telling, lower.startswith(lexicon.prefixes), code)  # noqa: FBT003


def _joined(words: list[ClauseWord], lexicon: Lexicon) -> Sentence:
    """The words, with each phrase replaced by the words that stand for it."""
    read, second = Sentence.of(words), _second_words(lexicon)
    joined: list[ClauseWord] = []
    done = 0
    for at in [match.start() for match in _MAY_BEGIN_PHRASE.finditer(read.codes)]:
        first = words[at].text
        for phrase in lexicon.phrases[first] if at >= done and words[at + 1].text in second[first] else ():
            end = at + len(phrase.words)
            if tuple(map(TEXT, words[at:end])) == phrase.words:
                joined += words[done:at]
                joined += map(_spellings(lexicon).words.__getitem__, phrase.as_word.split())
                done = end
                break
    return Sentence.of(joined + words[done:]) if done else read


@cache
def _second_words(lexicon: Lexicon) -> dict[str, frozenset[str]]:
    """The second words of phrases by their first word, to see soon whether one may begin."""
    return {first: frozenset(phrase.words[1] for phrase in phrases) for first, phrases in lexicon.phrases.items()}
