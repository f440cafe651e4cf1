"""The parts of a sentence: its clauses, and in each the subject, the verb and the rest. It is shallow, so that it never fails."""

import re
from collections.abc import Iterable

from msgspec import Struct

from cued.text.claims.lexicon import Lexicon
from cued.text.claims.sentences import ROLES, ClauseWord, Sentence, any_of, code_of, codes_of
from cued.text.stemming import stem

_HELPING = frozenset({"be", "have", "auxiliary"})
_PASSED_OVER = frozenset({"not", "now", "also", "filler", "new"})
_BEFORE_NOUNS = frozenset({"determiner", "preposition", "from", "instead", "new"})
_PARTING = re.compile(any_of(codes_of(("border", "comma", "colon"))))
_HELPING_CODES = codes_of(_HELPING)
_VERB = re.compile(any_of(_HELPING_CODES + codes_of(("word", "not"), verbal=True, owner=False)))
_OWNED_VERB = re.compile(b"(?<=" + any_of(codes_of(ROLES, owner=True)) + b")" + any_of(codes_of(ROLES, verbal=True)))
_VALUES = frozenset({"value", "number", "date"})
_OWNER_REACH = 3
# "Rent: 950 euros" is "rent is 950 euros".
_COLON = ClauseWord(":", "be", "be", code=code_of("be"))
_END = ClauseWord("", "", "end", code=code_of("end"))


class ClauseParts(Struct, frozen=True, gc=False):
    """The words of a clause around its verb; without a verb, all of them are the rest."""

    subject: tuple[ClauseWord, ...]
    verb: ClauseWord | None
    rest: tuple[ClauseWord, ...]
    order: bool = False

    @property
    def words(self) -> int:
        """How many words these are; words of the clause that only say when or where do not count."""
        return len(self.subject) + len(self.rest) + (self.verb is not None)


def clauses(sentence: Sentence, lexicon: Lexicon) -> list[Sentence]:
    """The clauses of a sentence: a comma or a conjunction separates two if there is a verb on both sides."""
    words, codes = sentence.words, sentence.codes
    cuts = [match.start() for match in _PARTING.finditer(codes)]
    if not cuts:
        return [sentence]
    pieces, start = list[Sentence](), 0
    words, codes = [*words, _END], codes + _END.code
    for at in (*cuts, len(words) - 1):
        if start < at:
            piece = Sentence(words[start:at], codes[start:at])
            if words[at].role == "colon" and verb_at(piece, lexicon) is None:
                # It goes on behind the colon, in place of which it has a verb now.
                words[at], codes = _COLON, codes[:at] + _COLON.code + codes[at + 1 :]
                continue
            pieces.append(piece)
        start = at + 1
    return _complete(pieces, lexicon)


def _complete(pieces: list[Sentence], lexicon: Lexicon) -> list[Sentence]:
    """The pieces, each joined to the one before it unless both have a verb."""
    joined: list[Sentence] = []
    complete = False
    for piece in pieces:
        has_verb = verb_at(piece, lexicon) is not None
        if joined and not (complete and has_verb):
            joined[-1] = Sentence(joined[-1].words + piece.words, joined[-1].codes + piece.codes)
        else:
            joined.append(piece)
        complete = complete or has_verb
    return joined


def parts(words: list[ClauseWord], at: int | None, lexicon: Lexicon) -> ClauseParts:
    """A clause's parts around the verb at this place; "Ann is my boss" is turned round, so that the description is the subject."""
    if at is None:
        return ClauseParts((), None, tuple(words))
    verb, end = _main_verb(words, at, lexicon)
    subject, rest = _subject(words[:at], lexicon), tuple(words[at:end]) + tuple(words[end + 1 :])
    if verb.role == "be" and _names_only(subject) and _describes(rest, lexicon):
        subject, rest = tuple(word for word in rest if word.role != "be"), subject
    return ClauseParts(subject, verb, rest, order=not subject and verb.role == "word")


def verb_at(clause: Sentence, lexicon: Lexicon) -> int | None:
    """The place of the first finite or auxiliary verb; None without one."""
    words, codes = clause.words, clause.codes
    for match in _VERB.finditer(codes):
        at = match.start()
        if codes[at] in _HELPING_CODES or _finite(words, at, lexicon):
            return at
    owned = _OWNED_VERB.search(codes)
    return owned.start() if owned else None


def _finite(words: list[ClauseWord], at: int, lexicon: Lexicon) -> bool:
    """Whether a word that can be a verb, and follows no possessive, is one in this place."""
    word = words[at]
    if word.text.endswith(lexicon.gerund):
        return False
    place = _place_before(words, at)
    if place < 0:
        return _commands(words, at, lexicon)
    before = words[place]
    if before.role in _VALUES:
        earlier = _place_before(words, place)
        if earlier < 0 or words[earlier].role != "word":
            return False
    if word.capital or before.role in _BEFORE_NOUNS or before.owner or before.text in lexicon.possessives:
        return False
    return not (before.role == "word" and not before.text.endswith(lexicon.inflected[0]) and _bare(word, lexicon))


def _place_before(words: list[ClauseWord], at: int) -> int:
    """The place of the last word before this one that counts; negative without one."""
    at -= 1
    while at >= 0 and words[at].role in _PASSED_OVER:
        at -= 1
    return at


def _bare(word: ClauseWord, lexicon: Lexicon) -> bool:
    """Whether a verb has no ending; after a singular noun it is a noun then: "the quarterly report"."""
    return not word.text.endswith(lexicon.inflected) and lexicon.forms.get(word.text, "") in {"", stem(word.text)}


def _commands(words: list[ClauseWord], at: int, lexicon: Lexicon) -> bool:
    """Whether a clause's first word is a verb and not a noun, because no other verb follows it at once."""
    ahead = words[at + 1 : at + 3]
    if not ahead:
        return False
    following = ahead[-1] if ahead[0].role in _VALUES else ahead[0]
    return ahead[0].role not in _HELPING and not (following.verbal and following.text.endswith(lexicon.inflected))


def _main_verb(words: list[ClauseWord], at: int, lexicon: Lexicon) -> tuple[ClauseWord, int]:
    """The main verb behind its auxiliaries: the "moved" of "has just been moved"."""
    while words[at].role in _HELPING:
        ahead = next((i for i in range(at + 1, len(words)) if words[i].role not in _PASSED_OVER), None)
        if ahead is None or not (words[ahead].role in _HELPING or _participle(words[ahead], words[at], lexicon)):
            break
        at = ahead
    return words[at], at


def _participle(word: ClauseWord, helping: ClauseWord, lexicon: Lexicon) -> bool:
    """Whether a word can be the main verb after an auxiliary: "was moved", "is reading", "will move", but not "is head of"."""
    if word.role not in {"word", "not"} or word.capital:
        return False
    return word.text.endswith(lexicon.gerund) or (word.verbal and (helping.role == "auxiliary" or not _bare(word, lexicon)))


def _subject(before: list[ClauseWord], lexicon: Lexicon) -> tuple[ClauseWord, ...]:
    """The words of the subject; words before a pronoun only say when or where."""
    for at in range(len(before) - 1, -1, -1):
        if before[at].text in lexicon.subject_pronouns:
            return tuple(before[at:])
    return tuple(before)


def _names_only(words: Iterable[ClauseWord]) -> bool:
    found = [word for word in words if word.role not in _PASSED_OVER]
    return bool(found) and all(word.role == "word" and not word.owner for word in found) and found[0].capital


def _describes(rest: tuple[ClauseWord, ...], lexicon: Lexicon) -> bool:
    """Whether words are a definite description: "my boss", "the owner of the shop", "Ann's husband"."""
    found = [word for word in rest if word.role not in _PASSED_OVER and word.role != "be"]
    owned = any(word.owner or word.text in lexicon.possessives for word in found[:_OWNER_REACH])
    return bool(found) and (owned or found[0].text == lexicon.definite)
