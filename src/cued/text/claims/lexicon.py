"""What the rules of claims need to know about a language, as data: each language is a value of `Lexicon`."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from cued.text.stemming import stem

# What a word does in a sentence. Words that are in none of these classes carry the content.
WordRole = Literal[
    "word", "not", "now", "also", "self", "person", "thing", "determiner", "owner", "be", "have", "auxiliary", "preposition",
    "border", "filler", "time", "from", "instead", "new",
]  # fmt: skip


def key_of(word: str, forms: Mapping[str, str]) -> str:
    """The key that a lower-case word shares with its forms and synonyms; `forms` has those that share no stem."""
    word = word.replace("-", "")
    root = stem(word)
    return forms.get(word) or forms.get(root) or root


class Axis(Struct, frozen=True):
    """A scale of opposites, and the side of it that a word is on: +1 or -1."""

    name: str
    side: int


class Attribute(Struct, frozen=True):
    """An attribute that has one value at a time, known by its noun, or by a verb with one of its prepositions."""

    name: str
    preposition: str = ""


class Phrase(Struct, frozen=True):
    """Words that mean one thing together: the one word that stands for them."""

    words: tuple[str, ...]
    as_word: str


class Lexicon(Struct, frozen=True, kw_only=True, eq=False):
    """A language: the roles of its function words, its opposites, changes, attributes and families, by lower-case word or by stem."""

    roles: Mapping[str, WordRole]
    contractions: Mapping[str, tuple[str, ...]]
    phrases: Mapping[str, tuple[Phrase, ...]]
    forms: Mapping[str, str]
    verbs: frozenset[str]
    pasts: frozenset[str]
    axes: Mapping[str, Axis]
    events: frozenset[str]
    repeated: frozenset[str]
    additive: frozenset[str]
    single: frozenset[str]
    copulas: frozenset[str]
    weak: frozenset[str]
    changes: frozenset[str]
    endings: frozenset[str]
    holding: frozenset[str]
    disposals: frozenset[str]
    comparing: frozenset[str]
    attributes: Mapping[str, tuple[Attribute, ...]]
    families: Mapping[str, str]
    kin: frozenset[str]
    apart: Mapping[str, tuple[Axis, ...]]
    possessives: frozenset[str]
    prefixes: tuple[str, ...]
    subject_pronouns: frozenset[str]
    definite: str
    gerund: str
    inflected: tuple[str, ...]
    lacking: str
    aged: tuple[str, str]
    numbers: Mapping[str, int]
    doubtful_number: str
    noons: Mapping[str, str]
    hour_parts: Mapping[str, int]
    weekdays: Mapping[str, int]
    months: Mapping[str, int]
    units: Mapping[str, tuple[str, str]]
    abbreviations: frozenset[str]

    def key(self, word: str) -> str:
        """The key that a lower-case word shares with its forms and synonyms."""
        return key_of(word, self.forms)
