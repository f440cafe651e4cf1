"""The words of a cue in another language than English, counted anew, for the analyser cuts and stems them in ways that are not its own.

The encoder hardly knows such a language either, so that its vectors say less.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from cued.flow.table import Table
from cued.model import Column, TermStatistic
from cued.policy.spec import Calibration
from cued.text.analyse import analyse
from cued.text.hollow_words import pair_weights
from cued.text.languages import joins_words
from cued.text.patterns import pattern
from cued.text.scripts import UNSPACED, fold
from cued.text.stemming import BEGINNING, beginnings, heads, kindred, loosely, shared_beginning, stem
from cued.text.tongues.letter_runs import letter_runs, pairs_by_chance
from cued.text.tongues.tones import in_other_tones, syllables

COMMON = 1.0
"""What a word counts at least: one that a flood of notes has made common is still a word that was asked for."""
_BRIEF = 20.0
"""Texts of more terms have some of them by chance."""
_RARE, _TOLD_BRIEFLY = 0.12, 30.0
"""What no more than this share of the memories has may be a name, and a memory of no more terms names what it tells of."""
_NOTHING = 1e-9
"""What is left by rounding alone where nothing is."""
_FEW, _MANY = 40, 80
"""Among so few memories nothing is rare, and among so many it is told what is."""
_SPACED = pattern(rf"[^{UNSPACED}]{{3}}")
_WORD = pattern(r"[^\W\d_]+")
_KINDRED = 0.7
"""What another form of a word is worth beside the word itself, and the word that a compound ends in beside the compound."""
_ALL_NEAR, _SEEN = 3.0, 3
"""So many deviations nearer than usual a cue is to all texts where the encoder hardly knows a language; the usual as if seen in so many
more."""


class Counted(NamedTuple):
    """A cue's words: their idf together, that of those which nothing here has, the least that they count, and what each memory has."""

    total: float
    lacking: float
    at_least: float
    coverage: Column


def counted(table: Table, terms: Sequence[TermStatistic], *, latin: bool) -> Counted:
    """The words of a foreign cue: pairs of characters that are no words are left out, and other forms of a word stand in for it."""
    weights = [1.0] * len(terms) if latin else _pair_weights(table, terms)
    said = list(zip(terms, weights, strict=True))
    nowhere = frozenset(each.term for each in _nowhere(terms))
    total = sum(each.idf * weight for each, weight in said)
    lacking = sum(each.idf * weight for each, weight in said if each.term in nowhere)
    meant = table.columns["coverage"] - _by_chance(table, terms, latin=latin)
    coverage = np.where(meant > _NOTHING, meant, 0.0) * (sum(each.idf for each in terms) / total if total else 1.0)
    for each, has in _forms(table, terms) if total else ():
        coverage = coverage + each.idf / total * has
        lacking -= each.idf * has.max(initial=0.0)
    return Counted(total, lacking, sum(max(each.idf, COMMON) * weight for each, weight in said), np.minimum(coverage, 1.0))


def _by_chance(table: Table, terms: Sequence[TermStatistic], *, latin: bool) -> Column:
    """The share of the cue's words that each memory has only as it is indexed: two letters of a word, or a syllable in another tone."""
    said, total = table.evidence.cue.utterance, sum(each.idf for each in terms)
    if latin:
        toned = syllables(said)
        found = [in_other_tones(toned, syllables(text)) for text in table.texts] if toned else []
    else:
        runs = letter_runs(said)
        found = [pairs_by_chance(runs, fold(text)) for text in table.texts] if runs else []
    if not found or not total:
        return np.zeros(len(table))
    return np.array([sum(each.idf for each in terms if each.term in some) / total for some in found])


def _nowhere(terms: Sequence[TermStatistic]) -> list[TermStatistic]:
    """The terms that stand nowhere here; a pair of characters that only joins two known words is none of them.

    So a pair counts where one of its characters is in no known pair.
    """
    known = {letter for each in terms if each.documents and _is_pair(each.term) for letter in each.term}
    return [each for each in terms if not each.documents and not (_is_pair(each.term) and known.issuperset(each.term))]


def _is_pair(term: str) -> bool:
    return len(term) == len("个人") and not term.isascii()


def unnamed(table: Table, terms: Sequence[TermStatistic], coverage: Column) -> float:
    """How much of what the cue names is not in the memory that has most of its words, 0 to 1; less where that one is long, 0 without names.

    A name is a run of characters of which every pair is rare here. "跑步节的规模" has the words in which all sizes are told, and is
    about none of the races that are.
    """
    seen = table.evidence.findings.visible
    rare = {each.term: each.idf for each in terms if each.documents <= _RARE * seen and _is_pair(each.term)} if seen > _FEW else {}
    named = _runs(table.evidence.cue.utterance, rare)
    if not named or not len(table):
        return 0.0
    best = int(np.argmax(coverage))
    text, length = table.text(best), max(float(table.columns["length"][best]), 1.0)
    held = max(sum(idf for pair, idf in run if pair in text) / sum(idf for _, idf in run) for run in named)
    return (1.0 - held) * min(1.0, (_TOLD_BRIEFLY / length) ** 2) * min(1.0, (seen - _FEW) / (_MANY - _FEW))


def _runs(said: str, rare: Mapping[str, float]) -> list[list[tuple[str, float]]]:
    """The runs of characters whose every pair is rare, as these pairs with what they weigh."""
    runs: list[list[tuple[str, float]]] = [[]]
    for pair in map("".join, pairwise(said)):
        if pair in rare:
            runs[-1].append((pair, rare[pair]))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def distrust(table: Table, calibration: Calibration) -> float:
    """How much less than usual the vector of a foreign cue says, at least 1, by how near it is to all that is here."""
    nearer = usual_cosine(table, calibration) - calibration.background_mean
    return max(1.0, nearer / (_ALL_NEAR * calibration.background_deviation))


def usual_cosine(table: Table, calibration: Calibration) -> float:
    """The mean cosine of the cue and all that is here, as if a few of the embedder's usual ones had been seen as well."""
    seen = table.evidence.findings.background
    return (seen.count * seen.mean + _SEEN * calibration.background_mean) / (seen.count + _SEEN)


def _pair_weights(table: Table, terms: Sequence[TermStatistic]) -> list[float]:
    """How many words each term of a cue without spaces is, told by the candidate that has most of it; a long one has pairs by chance."""
    if not len(table):
        return [1.0] * len(terms)
    best = int(np.argmax(table.columns["coverage"]))
    text, surely = table.text(best), min(1.0, (_BRIEF / max(float(table.columns["length"][best]), 1.0)) ** 2)
    weights = pair_weights([each.term for each in terms], [each.term in text for each in terms])
    return [1.0 - surely * (1.0 - weight) for weight in weights]


def _forms(table: Table, terms: Sequence[TermStatistic]) -> list[tuple[TermStatistic, Column]]:
    """The words that nothing here has, each with what another form of it is worth where a candidate has one.

    Latin letters are stemmed as English and Cyrillic ones as Russian, so of other languages "trabajo" and "trabajas" are two words. Of
    "Hausschlüssel" a "Schlüssel" is a form as well: memories are found by what their compounds are made of, and cues are not.
    """
    unknown = [each for each in terms if not each.documents and _SPACED.match(each.term) and beginnings(each.term)]
    if not unknown:
        return []
    sought: dict[str, list[str]] = {}
    for each in unknown:
        sought.setdefault(shared_beginning(each.term), []).append(each.term)
    ended = {head: each.term for each in unknown for head in heads(each.term)} if joins_words(table.evidence.cue.utterance) else {}
    held = [_in_other_forms(sought, _read(text)) | _by_their_heads(ended, text) for text in table.texts]
    return [(each, np.array([_KINDRED * (each.term in some) for some in held])) for each in unknown]


def _by_their_heads(ended: Mapping[str, str], text: str) -> frozenset[str]:
    """The compounds that end in a word of the text, out of those that are sought."""
    if not ended:
        return frozenset()
    words = _words(text)
    return frozenset(compound for head, compound in ended.items() if head in words)


@lru_cache(maxsize=1 << 12)
def _words(text: str) -> frozenset[str]:
    return frozenset(map(stem, _WORD.findall(_read(text))))


@lru_cache(maxsize=1 << 12)
def _read(text: str) -> str:
    return loosely(fold(text).lower())


def _in_other_forms(sought: Mapping[str, Sequence[str]], text: str) -> frozenset[str]:
    """The words that a text has other forms of, out of those that are sought, by the beginning that all their forms share."""
    if not any(_is_begun(word, text) for words in sought.values() for word in words):
        return frozenset()
    own = analyse(text)
    likely = [(word, form) for form in own for word in sought.get(form[:BEGINNING], ())]
    likely += [(word, form) for word in sought.get("", ()) if _is_begun(word, text) for form in own]
    return frozenset(word for word, form in likely if kindred(word, form) and _is_begun(word, text))


def _is_begun(word: str, text: str) -> bool:
    return any(letters in text for letters in beginnings(word))
