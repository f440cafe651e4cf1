"""Claims: what a sentence says about whom, and how a new sentence relates to an old one.

`relate` tells whether a new text repeats, updates or denies an old one. The rules are independent of language: what they need of one is
a `Lexicon`, and English is the first.
"""

from cued.text.claims.relating import RELATED_FLOOR, Relation, another_value, overlap, relate, speaks_of_self, unrelated

__all__ = ["RELATED_FLOOR", "Relation", "another_value", "overlap", "relate", "speaks_of_self", "unrelated"]
