"""How a new text stands to an old one.

Two texts are compared clause by clause. Clauses about different subjects have nothing to say about one another. Of one subject, the
same said with the opposite polarity is a negation, and another value of the same attribute an update; what is said twice is a
duplicate, and what is left is related where the texts are alike.
"""

from typing import NamedTuple

from cued.conflicts.claims.changing import update
from cued.conflicts.claims.clause import SELF
from cued.conflicts.claims.english import ENGLISH
from cued.conflicts.claims.lexicon import Lexicon
from cued.conflicts.claims.pairing import Pair, other_values, pairs, strong, told_apart, touches, weight
from cued.conflicts.claims.polarity import negation
from cued.conflicts.claims.texts import Text, read
from cued.model import ConflictType

RELATED_FLOOR = 0.75
UNRELATED = 0.5
_SAME = 0.8
_SAME_ALONE = 0.83
_SAME_COVER = 0.55
_SAME_OVERLAP = 0.5
_RELATED_OVERLAP = 0.25


class Relation(NamedTuple):
    """What a new text is to an old one, and what shows it."""

    type: ConflictType
    reason: str


def relate(new: str, old: str, *, similarity: float | None, lexicon: Lexicon = ENGLISH) -> Relation | None:
    """What a new text is to an old one, None when it has nothing to say about it; similarity is their vectors' cosine, if known."""
    if similarity is not None and similarity < UNRELATED:
        return None
    texts = read(new, lexicon), read(old, lexicon)
    found = pairs(*texts, lexicon)
    if not found:
        return None
    touching = [pair for pair in found if touches(pair)]
    for pair in touching:
        if reason := negation(pair, similarity):
            return Relation("negation", reason)
    for pair in touching:
        if reason := update(pair, similarity):
            return Relation("update", reason)
    if _duplicate(texts, found, similarity):
        return Relation("duplicate", "says the same")
    alike = similarity > RELATED_FLOOR if similarity is not None else _shared(*texts, lexicon) > _RELATED_OVERLAP
    return Relation("related", "speaks of the same") if alike else None


def overlap(new: str, old: str, *, lexicon: Lexicon = ENGLISH) -> float:
    """The share of words and values that two texts have in common, 0 to 1, where synonyms count as one word."""
    return _shared(read(new, lexicon), read(old, lexicon), lexicon)


def speaks_of_self(text: str, *, lexicon: Lexicon = ENGLISH) -> bool:
    """Whether a text claims something of whoever says it."""
    return any(clause.owner == SELF for clause in read(text, lexicon).clauses)


def _shared(new: Text, old: Text, lexicon: Lexicon) -> float:
    shared = weight(new.keys & old.keys, lexicon) + len(new.values & old.values)
    whole = weight(new.keys | old.keys, lexicon) + len(new.values | old.values)
    return shared / whole if whole else 0.0


def _duplicate(texts: tuple[Text, Text], found: list[Pair], similarity: float | None) -> bool:
    """Whether two texts say the same: nothing told apart, no other values or names, and most words shared."""
    new, old = texts
    lexicon = found[0].lexicon
    # What is soon told comes first: most texts that are compared have little in common.
    if similarity is None:
        alike = _shared(new, old, lexicon) >= _SAME_OVERLAP
    else:
        least = min(weight(text.keys, lexicon) + len(text.values) for text in texts)
        shared = weight(new.keys & old.keys, lexicon) + len(new.values & old.values) + len(new.attributes & old.attributes)
        both_alone = strong(new.keys - old.keys, lexicon) and strong(old.keys - new.keys, lexicon)
        alike = similarity >= (_SAME_ALONE if both_alone else _SAME) and shared >= _SAME_COVER * least
    if not alike or ((new.names - old.keys) and (old.names - new.keys)):
        return False
    return not any(other_values(pair) or told_apart(pair) for pair in found)
