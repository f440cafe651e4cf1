"""A clause as a claim: its subject, its predicate, whether it is affirmed, its values, and whether it tells of a change."""

import re
from collections.abc import Callable, Iterable
from itertools import compress
from operator import attrgetter
from typing import Any, Generic, TypeVar

from msgspec import Struct

from cued.text.claims.lexicon import Lexicon
from cued.text.claims.parsing import ClauseParts, parts, verb_at
from cued.text.claims.sentences import KEY, ClauseWord, Sentence, acting, any_of, codes_of
from cued.text.claims.values import Value, values
from cued.text.stemming import stem

SELF = "self"
_REACH = 5
_PRONOUNS = frozenset({"person", "thing"})
_FEW_WORDS = 2
_ROLES = {role: re.compile(any_of(codes_of([role]))) for role in ("not", "now", "new", "also", "person", "thing", "instead")}
_VALUED = re.compile(any_of(codes_of(("number", "date", "code", "time"))))
_NO_OBJECT = any_of(codes_of(("be", "have", "auxiliary", "preposition", "border")))
_ADRIFT = re.compile(any_of(codes_of(["preposition"])) + b"(?=" + _NO_OBJECT + rb"|\Z)")
_ALONE = re.compile(any_of(codes_of(["number"])) + b"(?!" + any_of(codes_of(("word", "time"))) + b")")
_OWNED = b"(?<=" + any_of(codes_of(("determiner", "self")) + codes_of(["word"], owner=True)) + b")"
_ATTRIBUTE = re.compile(
    b"(?:" + _OWNED + any_of(codes_of(("preposition", "time", "filler"))) + rb"|\A" + any_of(codes_of(["time"])) + b")"
    b"(?=" + any_of(codes_of(["word"])) + b")"
)
_UNCLEAR = re.compile(b"|".join((_ADRIFT.pattern, _ALONE.pattern, _ATTRIBUTE.pattern)))
_IS_CONTENT = bytes(code in codes_of(["word"]) for code in range(256))
# Scales of which one side denies by itself, whatever is spoken of: what is forbidden is not done.
_DENYING = ("allow", "tolerate", "own", "include", "enable", "like", "mandatory")


Told = TypeVar("Told")
_TELLING = attrgetter("telling")
_PREFIXED = attrgetter("prefixed")


class lazily(Generic[Told]):  # noqa: N801 - it is used as a decorator
    """A property that is computed when it is first read, and kept from then on.

    `functools.cached_property` does the same; up to Python 3.11 it takes a lock, which costs more than most of these properties.
    """

    def __init__(self, work: Callable[[Any], Told]) -> None:
        """Compute it by this function."""
        self._work, self.__doc__ = work, work.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        """Note the attribute's name."""
        self._name = name

    def __get__(self, thing: object, owner: type) -> Told:
        """The computed value; it is stored as an attribute, so this is called once."""
        worked = self._work(thing)
        vars(thing)[self._name] = worked
        return worked


class _Said(Struct, frozen=True, gc=False):
    """The words of a clause without its values, their parts, its values, and the values after a word such as "from"."""

    left: Sentence
    split: ClauseParts
    found: tuple[Value, ...] = ()
    behind: tuple[Value, ...] = ()

    @property
    def words(self) -> list[ClauseWord]:
        """The words without the values."""
        return self.left.words

    def has(self, role: str) -> bool:
        """Whether any of the words has this role."""
        return _ROLES[role].search(self.left.codes) is not None


class _Spoken(Struct, frozen=True, gc=False):
    """The subject of a clause: its owner, its words, and all words that name it, those of an earlier clause included."""

    owner: str
    subject: frozenset[str]
    pronoun: bool
    keys: frozenset[str]


class Clause:
    """One claim: its subject, its predicate, affirmed (+1) or denied (-1), with its values.

    The subject and the words are computed at once, the rest when it is first read: most clauses that are compared have nothing to do
    with one another.
    """

    def __init__(self, said: _Said, spoken: _Spoken, leading: "Clause | None", lexicon: Lexicon) -> None:
        """Take the clause's parts; `leading` is the clause before it in the same sentence."""
        self.owner, self.subject, self.pronoun, self._said_keys = spoken.owner, spoken.subject, spoken.pronoun, spoken.keys
        self.keys = spoken.keys if spoken.subject <= spoken.keys else spoken.keys | spoken.subject
        self.verb = said.split.verb.key if said.split.verb else ""
        self._said, self._leading, self._lexicon = said, leading, lexicon

    @property
    def words(self) -> list[ClauseWord]:
        """Its words without its values."""
        return self._said.words

    @lazily
    def person(self) -> bool:
        """Whether its subject is a pronoun for somebody."""
        return self._said.has("person") and any(word.role == "person" for word in self._said.split.subject)

    @lazily
    def first_name(self) -> frozenset[str]:
        """Its first word where that may be a name."""
        return frozenset([word.key for word in self._said.words[:1] if word.capital and word.role == "word"])

    @lazily
    def past(self) -> bool:
        """Whether it speaks of the past."""
        return any(word.text in self._lexicon.pasts for word in self._said.words)

    @lazily
    def logged(self) -> bool:
        """Whether it tells of one of many possible events: "ran 5 km", but not "runs 5 km" or "was sold for 5 euros"."""
        verb = self._said.split.verb
        if verb is None or verb.key not in self._lexicon.repeated or any(word.role == "be" for word in self._said.words):
            return False
        return verb.text.endswith(self._lexicon.inflected[-1]) or stem(verb.text) != verb.key

    @lazily
    def prepositions(self) -> frozenset[str]:
        """The preposition between the verb and its complement, "-" for a direct object."""
        return _prepositions(self._said.split)

    @lazily
    def names(self) -> frozenset[str]:
        """The words with a capital, except the first."""
        return frozenset([word.key for word in self._said.words[1:] if word.capital])

    @lazily
    def written(self) -> frozenset[str]:
        """Its words as they are written."""
        return frozenset([word.text for word in self._said.words if word.role == "word"])

    @lazily
    def sign(self) -> int:
        """-1 if it is denied, else 1."""
        words, lacking = self._said.words, self._lexicon.lacking
        denied = self._said.has("not") or any(word.text == lacking for word in words)
        return _sign(words, self._lexicon) if denied else 1

    @lazily
    def _telling(self) -> bool:
        return any(map(_TELLING, self._said.words))

    @lazily
    def axes(self) -> dict[str, int]:
        """The scales of opposites that it has a word of, and the side of each."""
        return _axes(self._said.words, self._lexicon) if self._telling else {}

    @lazily
    def attributes(self) -> dict[str, bool]:
        """The attributes that it gives a value for, each with whether a verb says so, and not only a noun."""
        return _attributes(self._said.words, self._lexicon) if self._telling else {}

    @lazily
    def families(self) -> dict[str, str]:
        """By family, its word that excludes the family's other words."""
        families = self._lexicon.families
        return {families[key]: key for key in sorted(families.keys() & self._said_keys)}

    @lazily
    def prefixed(self) -> frozenset[str]:
        """Its words that begin as words of denial do."""
        words = self._said.words
        return frozenset([word.text for word in compress(words, map(_PREFIXED, words)) if word.role == "word"])

    @lazily
    def bases(self) -> frozenset[str]:
        """What is left of these words without their prefixes."""
        return bases(self._said.words, self._lexicon) if self.prefixed else frozenset()

    @lazily
    def changed(self) -> bool:
        """Whether a word of it tells of a change."""
        return any(word.key in self._lexicon.changes for word in self._said.words if word.role == "word")

    @lazily
    def _replacing(self) -> bool:
        return self.changed or self._said.has("instead")

    @lazily
    def values(self) -> tuple[Value, ...]:
        """Its values, without those that a change leaves behind."""
        found, behind = self._said.found, self._said.behind
        return (*behind, *found) if behind and not self._replacing else found

    @lazily
    def gone_values(self) -> tuple[Value, ...]:
        """The values that a change leaves behind."""
        return self._said.behind if self._said.behind and self._replacing else ()

    @lazily
    def gone(self) -> frozenset[str]:
        """The words for what a change leaves behind."""
        return _gone(self._said.words) if self._replacing else frozenset()

    @lazily
    def compared(self) -> tuple[frozenset[str], frozenset[str]]:
        """What it ranks above what."""
        return _compared(self._said.split.rest, self._lexicon)

    @lazily
    def now(self) -> bool:
        """Whether it says, or the clause before it does, that it holds from now on."""
        said = self._said
        newly = said.has("new") and any(word.role == "new" for word in (said.split.subject or said.words))
        return self.changed or said.has("now") or newly or (self._leading is not None and self._leading.now and self._leading.sign > 0)

    @lazily
    def also(self) -> bool:
        """Whether it adds to what is known."""
        return self._said.has("also")

    @lazily
    def denying(self) -> bool:
        """Whether its words on scales of opposites make it a denial."""
        return bool(self.axes) and sum(self.axes.get(scale, 1) < 0 for scale in _DENYING) % 2 == 1

    @lazily
    def plain(self) -> frozenset[str]:
        """Its words that are on no scale of opposites."""
        return self.keys.difference(self._lexicon.axes)

    @lazily
    def sparse(self) -> bool:
        """Whether it has hardly any words beside those on scales of opposites."""
        return len(self.keys.difference(self._lexicon.axes)) < _FEW_WORDS

    @lazily
    def may_oppose(self) -> bool:
        """Whether anything in it can make it the opposite of another clause."""
        return bool(self.axes or self.prefixed) or self.sign < 0 or self.verb in self._lexicon.disposals


def clause_of(clause: Sentence, previous: Clause | None, lexicon: Lexicon, *, leading: Clause | None) -> Clause:
    """What a clause claims; without a subject of its own it takes that of the clause before it.

    An order that is a sentence by itself does not: "Use tabs", unlike the second half of "Ana is 34 and lives in Porto".
    """
    said = _said(_resolved(clause, lexicon), lexicon)
    split = said.split
    owner, pronoun = _owner(split.subject, lexicon) if split.subject else ("", False)
    subject = _content(split.subject)
    if split.words == len(said.words):
        keys = frozenset(compress(map(KEY, said.words), said.left.codes.translate(_IS_CONTENT)))
    else:
        keys = subject | _content(split.rest) | _content([split.verb] if split.verb else [])
    if previous is not None:
        if not subject and not owner and (leading is not None or not split.order):
            owner, subject = previous.owner, previous.subject
        if split.verb is None or said.has("thing"):
            keys |= previous.keys
    return Clause(said, _Spoken(owner, subject, pronoun, keys), leading, lexicon)


def _said(clause: Sentence, lexicon: Lexicon) -> _Said:
    at = verb_at(clause, lexicon)
    if not _VALUED.search(clause.codes):
        return _Said(clause, parts(clause.words, at, lexicon))
    found, behind, words = values(clause.words, lexicon, subject_end=at or 0)
    left = Sentence.of(words)
    return _Said(left, parts(words, verb_at(left, lexicon), lexicon), tuple(found), tuple(behind))


def bases(words: list[ClauseWord], lexicon: Lexicon) -> frozenset[str]:
    """What is left of words that begin as words of denial do, without their prefixes."""
    found = [word.text for word in compress(words, map(_PREFIXED, words)) if word.role == "word"]
    return frozenset([text.removeprefix(prefix) for text in found for prefix in lexicon.prefixes if text.startswith(prefix)])


def _resolved(clause: Sentence, lexicon: Lexicon) -> Sentence:
    """The words, with three ambiguities resolved.

    These are a preposition without an object ("the flight back is late"), "one" alone, and a word before a noun that tells two things of
    one sort apart ("the back door", "morning dose").
    """
    found, codes = clause.words, clause.codes
    if not _UNCLEAR.search(codes):
        return clause
    adrift = [(match.start(), "word") for match in _ADRIFT.finditer(codes)]
    alone = [(match.start(), "thing") for match in _ALONE.finditer(codes) if found[match.start()].text == lexicon.doubtful_number]
    attributes = [(match.start(), "word") for match in _ATTRIBUTE.finditer(codes) if found[match.start()].key in lexicon.apart]
    if not adrift and not alone and not attributes:
        return clause
    words = list(found)
    for at, role in (*adrift, *alone, *attributes):
        words[at] = acting(words[at], role)
    return Sentence.of(words)


def _sign(words: list[ClauseWord], lexicon: Lexicon) -> int:
    """-1 where the words deny an odd number of times, else 1."""
    return -1 if sum(_denying(words, at, lexicon) for at in range(len(words))) % 2 else 1


def _denying(words: list[ClauseWord], at: int, lexicon: Lexicon) -> bool:
    """Whether a word denies: "not", "stopped", and the "free" of "gluten free"."""
    word = words[at]
    return word.role == "not" or (word.text == lexicon.lacking and at > 0 and words[at - 1].role == "word")


def _content(words: Iterable[ClauseWord]) -> frozenset[str]:
    return frozenset([word.key for word in words if word.role == "word"])


def _axes(words: list[ClauseWord], lexicon: Lexicon) -> dict[str, int]:
    """The scales of opposites that a clause has a word of, and the side of each; a word that denies is on none."""
    found = ((lexicon.axes.get(word.text) or lexicon.axes.get(word.key)) for word in words if word.telling and word.role != "not")
    return {axis.name: axis.side for axis in found if axis}


def _owner(subject: tuple[ClauseWord, ...], lexicon: Lexicon) -> tuple[str, bool]:
    """Whose subject it is (the speaker's, or that of a name), and whether it is a pronoun for someone or something."""
    pronoun = False
    for word in subject:
        if word.role == "self":
            return SELF, False
        if word.owner:
            return word.key, False
        pronoun = pronoun or (word.role in _PRONOUNS and word.text not in lexicon.possessives)
    return "", pronoun


def _prepositions(split: ClauseParts) -> frozenset[str]:
    """The preposition that leads from the verb to what it says, "-" for a direct object."""
    for word in split.rest:
        if word.role in {"preposition", "from"}:
            return frozenset({word.text})
        if word.role in {"word", "value"}:
            break
    return frozenset({"-"})


def _compared(rest: tuple[ClauseWord, ...], lexicon: Lexicon) -> tuple[frozenset[str], frozenset[str]]:
    """What is ranked above what: the tabs and the spaces of "prefers tabs over spaces"; nothing where nothing is compared."""
    at = next((i for i, word in enumerate(rest) if word.text in lexicon.comparing), None)
    return (frozenset(), frozenset()) if at is None else (_content(rest[:at]), _content(rest[at + 1 :]))


def _attributes(words: list[ClauseWord], lexicon: Lexicon) -> dict[str, bool]:
    """The attributes that a clause gives a value for, each with whether a verb says so, and not only a noun."""
    found: dict[str, bool] = {}
    for at, word in enumerate(words):
        for attribute in lexicon.attributes.get(word.key, ()) if word.telling and word.role in {"word", "not"} else ():
            ahead = [later.text for later in words[at + 1 : at + 1 + _REACH]]
            if not attribute.preposition or attribute.preposition in ahead or (attribute.preposition == "-" and _takes_object(words, at)):
                found[attribute.name] = found.get(attribute.name, False) or bool(attribute.preposition)
    return found


def _takes_object(words: list[ClauseWord], at: int) -> bool:
    return at + 1 == len(words) or words[at + 1].role not in {"preposition", "from"}


def _gone(words: list[ClauseWord]) -> frozenset[str]:
    """What a change leaves behind: the Trello of "switched from Trello to Linear" and of "Linear instead of Trello"."""
    found: set[str] = set()
    leaving = False
    for word in words:
        if word.role in {"from", "instead"}:
            leaving = True
        elif word.role in {"preposition", "not", "be"}:
            leaving = False
        elif leaving and word.role == "word":
            found.add(word.key)
    return frozenset(found)
