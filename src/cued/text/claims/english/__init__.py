"""English, as a lexicon."""

from typing import Final

from cued.text.claims.english import attributes, function_words, meanings, measures, phrases, scales
from cued.text.claims.lexicon import Lexicon

ENGLISH: Final = Lexicon(
    roles=function_words.ROLES,
    contractions=function_words.CONTRACTIONS,
    phrases=phrases.PHRASES,
    forms=meanings.FORMS,
    verbs=meanings.VERBS,
    pasts=function_words.PASTS,
    axes=scales.AXES,
    events=meanings.EVENTS,
    repeated=meanings.REPEATED,
    additive=attributes.ADDITIVE,
    single=attributes.SINGLE,
    copulas=attributes.COPULAS,
    weak=meanings.WEAK,
    changes=attributes.CHANGES,
    endings=attributes.ENDINGS,
    holding=attributes.HOLDING,
    disposals=attributes.DISPOSALS,
    comparing=frozenset({"over", "than"}),
    attributes=attributes.ATTRIBUTES,
    families=attributes.FAMILIES,
    kin=attributes.KIN,
    apart=scales.APART,
    possessives=function_words.POSSESSIVES,
    prefixes=("un", "in", "im", "ir", "dis", "non", "de"),
    subject_pronouns=function_words.SUBJECT_PRONOUNS,
    definite="the",
    gerund="ing",
    inflected=("s", "ed"),
    lacking="free",
    aged=("turn", "old"),
    numbers=measures.NUMBERS,
    doubtful_number="one",
    noons=measures.NOONS,
    hour_parts=measures.PARTS,
    weekdays=measures.WEEKDAYS,
    months=measures.MONTHS,
    units=measures.UNITS,
    abbreviations=function_words.ABBREVIATIONS,
)
