"""Two clauses compared: what they share, what only one has, and whether they speak of the same subject."""

from typing import NamedTuple

from cued.text.claims.clause import SELF, Clause
from cued.text.claims.lexicon import Lexicon
from cued.text.claims.texts import Text

_STRONG, _WEAK = 5, 2
_FEW_CLAUSES = 4
# "She is five years old", "she is six".
_AGES = (("age", "count"), ("count", "age"))


class Pair(NamedTuple):
    """A clause of the new text and one of the old."""

    new: Clause
    old: Clause
    shared: frozenset[str]
    long: bool
    lexicon: Lexicon

    @property
    def new_only(self) -> frozenset[str]:
        """The words that only the new clause has."""
        return self.new.keys - self.shared

    @property
    def old_only(self) -> frozenset[str]:
        """The words that only the old clause has."""
        return self.old.keys - self.shared


def same_subject(new: Text, old: Text, lexicon: Lexicon) -> list[tuple[Clause, Clause]]:
    """Every clause of the new text with every clause of the old that has the same subject."""
    # What of a clause's subject the other text does not mention; where both have such words, they speak of two.
    olds = [(o, o.subject - new.keys) for o in old.clauses]
    mentioned = [each for each in olds if not each[1]]
    return [
        (n, o)
        for n, new_alone in [(n, n.subject - old.keys) for n in new.clauses]
        for o, old_alone in (mentioned if new_alone else olds)
        if (not n.owner or _same_owner(n, o, old.keys))
        and (not o.owner or _same_owner(o, n, new.keys))
        and (lexicon.kin.isdisjoint(new_alone or old_alone) or _named(n, o, new.names | old.names))
    ]


def side_by_side(new: Text, old: Text, lexicon: Lexicon) -> list[Pair]:
    """Every clause of the new text beside every clause of the old that has the same subject."""
    long = len(new.clauses) + len(old.clauses) > _FEW_CLAUSES
    return [Pair(n, o, n.keys & o.keys, long, lexicon) for n, o in same_subject(new, old, lexicon)]


def touching(pairs: list[Pair], new: Text, old: Text) -> list[Pair]:
    """The pairs with anything in common through which one clause could contradict the other."""
    if not pairs or not pairs[0].long:
        return [pair for pair in pairs if pair.shared or _meet(pair)]
    prefixing = not (new.bases.isdisjoint(old.texts) and old.bases.isdisjoint(new.texts))
    return [pair for pair in pairs if _tells(pair, prefixing=prefixing)]


def _tells(pair: Pair, *, prefixing: bool) -> bool:
    """Whether two clauses of long texts have enough in common; one shared word is too little, unless a clause has hardly another.

    Opposites are too little as well, unless they are a clause's only words, or one is the other with a prefix of denial.
    """
    new, old = pair.new, pair.old
    if len(pair.shared) > 1 or new.keys == old.keys:
        return True
    if new.attributes and not new.attributes.keys().isdisjoint(old.attributes):
        return True
    alone = new.sparse or old.sparse or (prefixing and (_prefixes(new, old) or _prefixes(old, new)))
    return alone and (bool(pair.shared) or _meet(pair))


def _meet(pair: Pair) -> bool:
    """Whether two clauses speak of one attribute, scale or family."""
    new, old = pair.new, pair.old
    named = ((new.attributes, old.attributes), (new.axes, old.axes), (new.families, old.families))
    return new.keys == old.keys or any(not one.keys().isdisjoint(other) for one, other in named)


def _prefixes(clause: Clause, other: Clause) -> bool:
    """Whether a word of the clause may be one of the other's with a prefix of denial."""
    return not clause.bases.isdisjoint(other.written)


def cover(pair: Pair) -> float:
    """The share of the shorter clause's words that the other one has too, 0 to 1."""
    least = min(weight(pair.new.keys, pair.lexicon), weight(pair.old.keys, pair.lexicon))
    return weight(pair.shared, pair.lexicon) / least if least else 0.0


def weight(keys: frozenset[str], lexicon: Lexicon) -> float:
    """How much a set of words says; common words count less."""
    weak = len(keys & lexicon.weak)
    # Divided once, so that the weight is the same in whatever order the words are.
    return (_STRONG * (len(keys) - weak) + _WEAK * weak) / _STRONG


def strong(keys: frozenset[str], lexicon: Lexicon) -> frozenset[str]:
    """The words that are rare enough to show what a clause is about."""
    return keys - lexicon.weak


def told_apart(pair: Pair, *, but: frozenset[str] = frozenset()) -> bool:
    """Whether a word of either clause, except these, shows two things of one sort: a start and an end, the first and the second."""
    apart = pair.lexicon.apart
    new, old = apart.keys() & pair.new_only - but, apart.keys() & pair.old_only - but
    sides = {axis.name: axis.side for key in new for axis in apart[key]}
    return bool(sides) and any(sides.get(axis.name, axis.side) != axis.side for key in old for axis in apart[key])


def other_values(pair: Pair) -> list[tuple[str, str, str]]:
    """The values in which the two clauses differ: kind, new value, old value."""
    new, old = _by_kind(pair.new), _by_kind(pair.old)
    found = [(kind, new[kind][0], old[kind][0]) for kind in new.keys() & old.keys() if not set(new[kind]) & set(old[kind])]
    if not new.keys() & old.keys():
        ages = ((n, o) for n, o in _AGES if n in new and o in old and new[n] != old[o])
        found += [("age", new[n][0], old[o][0]) for n, o in ages]
    return sorted(found)


def _by_kind(clause: Clause) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for value in clause.values:
        found.setdefault(value.kind, []).append(value.value)
    return found


def _named(n: Clause, o: Clause, names: frozenset[str]) -> bool:
    """Whether both subjects have a name in common."""
    return not (n.subject & o.subject).isdisjoint(names | (n.first_name & o.keys) | (o.first_name & n.keys))


def _same_owner(clause: Clause, other: Clause, others_keys: frozenset[str]) -> bool:
    """Whether a clause about the speaker, or about somebody's possession, can have the same subject as another clause."""
    if clause.owner == SELF and not clause.subject:
        foreign = other.subject and not other.owner and not other.subject & clause.keys
        return not foreign and not (other.pronoun and other.owner != SELF and other.person)
    if clause.owner and other.owner and clause.owner != other.owner:
        return clause.owner in others_keys
    return True
