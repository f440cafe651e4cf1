"""How a new text relates to an old one.

Two texts are compared clause by clause. Clauses about different subjects have nothing to do with one another. About one subject, the
same claim with the opposite polarity (by a word of denial, a prefix, or an opposite) is a negation, and another value of the same
attribute is an update; a claim that is repeated is a duplicate, and all else is related if the texts are alike.
"""

from collections.abc import Iterable
from typing import NamedTuple

from cued.model import ConflictType
from cued.text.claims.clause import SELF
from cued.text.claims.english import ENGLISH
from cued.text.claims.lexicon import Lexicon
from cued.text.claims.pairing import Pair, cover, other_values, side_by_side, strong, told_apart, touching, weight
from cued.text.claims.sentences import ClauseWord
from cued.text.claims.texts import Text, read

RELATED_FLOOR = 0.75
_UNRELATED = 0.5
_UNRELATED_WORDY = 0.68
_UNSHARED_WORDY = 0.12
_WORDY = 9
_SAME = 0.8
_SAME_ALONE = 0.83
_SAME_COVER = 0.55
_SAME_OVERLAP = 0.5
_RELATED_OVERLAP = 0.25
_DENIED_ALIKE = 0.8
_DENIED_UNALIKE = 0.55
_COVER = 0.6
_COVER_ALIKE = 0.5
_COVER_LONG = 0.75
_CHANGED_ALIKE = 0.75
_CHANGED_UNALIKE = 0.5
_MOVED_ALIKE = 0.55
_TOPIC = 0.3
_LONG_COVER = 0.5
_WHEN = frozenset({"weekday", "day", "month", "year", "time"})
_ADJECTIVES = ("y", "ful", "ous", "ive", "able", "ible", "al", "ing", "ed", "ish", "less", "ent", "ant", "ic")


class Relation(NamedTuple):
    """How a new text relates to an old one, and the words that show it."""

    type: ConflictType
    reason: str


def relate(new: str, old: str, *, similarity: float | None, one_matter: bool = False, lexicon: Lexicon = ENGLISH) -> Relation | None:
    """How a new text relates to an old one, None if it does not; similarity is the cosine of their vectors, if known.

    With `one_matter` the two are known to be about the same, because both answer one question: no likeness is then taken for chance.
    """
    if similarity is not None and unrelated(new, old, similarity):
        return None
    texts = read(new, lexicon), read(old, lexicon)
    share = _shared(*texts, lexicon) if similarity is None else 1.0
    if share < _UNSHARED_WORDY and not one_matter and _wordy(new, old):
        return None
    laid = side_by_side(*texts, lexicon)
    return _at_odds(touching(laid, *texts), similarity) or _alike(texts, laid, similarity, share, lexicon)


def unrelated(new: str, old: str, similarity: float) -> bool:
    """Whether texts of this similarity have nothing to do with one another.

    Two long texts say several things each, some of which are alike by chance: they must be nearer than two of which one is short.
    """
    return similarity < _UNRELATED or (similarity < _UNRELATED_WORDY and _wordy(new, old))


def _wordy(new: str, old: str) -> bool:
    return all(len(text.split(maxsplit=_WORDY)) >= _WORDY for text in (new, old))


def overlap(new: str, old: str, *, lexicon: Lexicon = ENGLISH) -> float:
    """The share of words and values that two texts have in common, 0 to 1, where synonyms count as one word."""
    return _shared(read(new, lexicon), read(old, lexicon), lexicon)


def speaks_of_self(text: str, *, lexicon: Lexicon = ENGLISH) -> bool:
    """Whether a text claims something about its speaker."""
    return any(clause.owner == SELF for clause in read(text, lexicon).clauses)


def another_value(new: str, old: str, *, lexicon: Lexicon = ENGLISH) -> bool:
    """Whether two texts share a telling word and have different values of one kind: "raised the dose to 100 mg", "a dose of 50 mg".

    A shared name is not a telling word: somebody's dose is not another value of their weight.
    """
    texts = read(new, lexicon), read(old, lexicon)
    if not strong((texts[0].keys & texts[1].keys) - texts[0].names - texts[1].names, lexicon):
        return False
    kinds = {value.kind for value in texts[0].values} & {value.kind for value in texts[1].values}
    values = ({value for value in text.values if value.kind in kinds} for text in texts)
    return bool(kinds) and set.isdisjoint(*values)


def _shared(new: Text, old: Text, lexicon: Lexicon) -> float:
    shared = weight(new.keys & old.keys, lexicon) + len(new.values & old.values)
    whole = weight(new.keys | old.keys, lexicon) + len(new.values | old.values)
    return shared / whole if whole else 0.0


def _at_odds(touched: list[Pair], similarity: float | None) -> Relation | None:
    for pair in touched:
        if reason := _negation(pair, similarity):
            return Relation("negation", reason)
    for pair in touched:
        if reason := _update(pair, similarity):
            return Relation("update", reason)
    return None


def _alike(texts: tuple[Text, Text], laid: list[Pair], similarity: float | None, share: float, lexicon: Lexicon) -> Relation | None:
    """Whether the texts are about the same, by their similarity, or if that is unknown by the share of words that both have."""
    if not laid:
        return None
    same = share >= _SAME_OVERLAP if similarity is None else _same_words(texts, similarity, lexicon)
    if same and not _apart(*texts, laid):
        return Relation("duplicate", "says the same")
    near = share > _RELATED_OVERLAP if similarity is None else similarity > RELATED_FLOOR
    return Relation("related", "speaks of the same") if near else None


def _same_words(texts: tuple[Text, Text], similarity: float, lexicon: Lexicon) -> bool:
    """Whether texts of this similarity have most words in common."""
    if similarity < _SAME:
        return False
    new, old = texts
    least = min(weight(text.keys, lexicon) + len(text.values) for text in texts)
    shared = weight(new.keys & old.keys, lexicon) + len(new.values & old.values) + len(new.attributes & old.attributes)
    both_alone = strong(new.keys - old.keys, lexicon) and strong(old.keys - new.keys, lexicon)
    return similarity >= (_SAME_ALONE if both_alone else _SAME) and shared >= _SAME_COVER * least


def _apart(new: Text, old: Text, laid: list[Pair]) -> bool:
    """Whether anything tells alike texts apart: names that only one of them has, or clauses with other values, things or polarity."""
    if (new.names - old.keys) and (old.names - new.keys):
        return True
    return any(other_values(pair) or told_apart(pair) or _denied(pair) or _both_of_many(pair) for pair in laid)


def _denied(pair: Pair) -> bool:
    return bool(pair.shared) and pair.new.sign != pair.old.sign


def _both_of_many(pair: Pair) -> bool:
    """Whether two short clauses say the same about two things: "hates olives", "hates coriander"."""
    return not pair.long and _of_many(pair) and bool(_objects(pair.new_only, pair)) and bool(_objects(pair.old_only, pair))


def _negation(pair: Pair, similarity: float | None) -> str:
    """The reason why the new clause denies the old one, "" if it does not."""
    if (similarity is not None and similarity < _DENIED_UNALIKE) or not (pair.new.may_oppose or pair.old.may_oppose):
        return ""
    new, old = pair.new, pair.old
    scales = new.axes.keys() & old.axes.keys() if new.axes and old.axes else set[str]()
    prefixed = _prefixed(pair) if new.prefixed or old.prefixed else frozenset[str]()
    flips = sum(new.axes[scale] != old.axes[scale] for scale in scales) if scales else new.denying != old.denying
    flips += bool(prefixed) + (new.sign != old.sign) + _disposed(pair)
    if flips % 2 == 0 or not _same_matter(pair, prefixed, similarity) or other_values(pair):
        return ""
    if told_apart(pair, but=_stated(pair) if scales else frozenset()):
        return ""
    return _reason(pair, scales, prefixed)


def _stated(pair: Pair) -> frozenset[str]:
    """The opposite states that both clauses give for the same times: "is open" and "is closed", not "opens" and "closes at 6"."""
    if set(pair.new.values) != set(pair.old.values) or not (_says_how(pair.new.words) and _says_how(pair.old.words)):
        return frozenset()
    return (pair.new.keys | pair.old.keys) & pair.lexicon.axes.keys()


def _says_how(words: Iterable[ClauseWord]) -> bool:
    return any(word.role == "be" for word in words)


def _disposed(pair: Pair) -> bool:
    """Whether one clause has something and the other gives it away: "I have a piano", "I donated my piano"."""
    new, old, lexicon = pair.new.verb, pair.old.verb, pair.lexicon
    given, held = new in lexicon.disposals or old in lexicon.disposals, new in lexicon.holding or old in lexicon.holding
    return given and held


def _same_matter(pair: Pair, prefixed: frozenset[str], similarity: float | None) -> bool:
    """Whether both clauses speak of the same object, apart from the words that carry the opposition."""
    lexicon = pair.lexicon
    bare = [pair.new.plain - prefixed, pair.old.plain - prefixed]
    shared = bare[0] & bare[1]
    if not all(bare):
        return not any(bare) or pair.new.keys == pair.old.keys
    if _other_matter(pair, shared) or (shared <= pair.new.subject & pair.old.subject and not _about_subject(pair, bare)):
        return False
    share = weight(shared, lexicon) / min(weight(side, lexicon) for side in bare)
    if pair.long:
        return share >= _COVER_LONG
    return share >= (_COVER_ALIKE if similarity is not None and similarity >= _DENIED_ALIKE else _COVER)


def _other_matter(pair: Pair, shared: frozenset[str]) -> bool:
    """Whether the clauses have different names, or share too little to be sure."""
    telling = len(strong(shared, pair.lexicon))
    other_names = pair.new_only & pair.new.names and pair.old_only & pair.old.names
    return bool(other_names) or (not telling and pair.new.verb != pair.old.verb) or (pair.long and telling == 1)


def _about_subject(pair: Pair, bare: list[frozenset[str]]) -> bool:
    """Whether one clause at least says only the opposite about its subject: "the shop is open", "the shop is closed"."""
    return any(side <= clause.subject for side, clause in zip(bare, (pair.new, pair.old), strict=True))


def _prefixed(pair: Pair) -> frozenset[str]:
    """The words of which one is the other with a prefix of denial: "paid" and "unpaid"."""
    lexicon = pair.lexicon
    found: set[str] = set()
    for first, second in ((pair.new, pair.old), (pair.old, pair.new)):
        for word in first.prefixed - second.written:
            bases = {word.removeprefix(prefix) for prefix in lexicon.prefixes} & second.written
            if bases and lexicon.key(word) not in lexicon.axes:
                found |= {lexicon.key(word), *map(lexicon.key, bases)}
    return frozenset(found)


def _reason(pair: Pair, scales: set[str], prefixed: frozenset[str]) -> str:
    """The words that show the opposition."""
    if any(pair.new.axes[scale] != pair.old.axes[scale] for scale in scales) or prefixed:
        return "says the opposite"
    return "denies it" if pair.new.sign < 0 else "affirms what was denied"


def _update(pair: Pair, similarity: float | None) -> str:
    """What the new clause changes, in words; "" if it changes nothing."""
    if pair.new.also or (similarity is not None and similarity < _CHANGED_UNALIKE):
        return ""
    if (pair.long and not _close(pair)) or told_apart(pair):
        return ""
    (new_above, new_below), (old_above, old_below) = pair.new.compared, pair.old.compared
    if new_above & old_below and new_below & old_above:
        return "the other way round"
    if pair.new.gone or pair.new.gone_values:
        return _replaced(pair)
    if other_values(pair):
        return _value_changed(pair)
    by_meaning = _attribute_changed(pair) or _family_changed(pair)
    return by_meaning or _predicate_changed(pair, similarity) or _renamed(pair) or _moved(pair, similarity)


def _close(pair: Pair) -> bool:
    """Whether two clauses of long texts are about the same; the likeness of long texts says little about their clauses."""
    by_verb = any(verbal and pair.old.attributes.get(name) for name, verbal in pair.new.attributes.items())
    telling = len(strong(pair.shared, pair.lexicon)) > 1 or pair.new.keys == pair.old.keys
    return by_verb or (telling and cover(pair) >= _LONG_COVER)


def _replaced(pair: Pair) -> str:
    if pair.new.gone and pair.new.gone <= pair.old.gone and not _objects(pair.new_only, pair):
        return ""
    left = sorted(pair.new.gone & pair.old.keys) or sorted(value.value for value in set(pair.new.gone_values) & set(pair.old.values))
    return f"replaces {left[0]}" if left else ""


def _value_changed(pair: Pair) -> str:
    """The number or date that the new clause has in place of another of its kind, in words; "" where there is none."""
    lexicon, changed = pair.lexicon, pair.new.changed or pair.new.now
    found = other_values(pair)
    if not (strong(pair.shared, lexicon) or pair.new.attributes.keys() & pair.old.attributes.keys() or pair.new.keys == pair.old.keys):
        return ""
    if pair.new.sign != pair.old.sign or (not changed and _another_time(pair, found)):
        return ""
    if not changed and _objects(pair.new_only, pair) and _objects(pair.old_only, pair):
        return ""
    kind, new, old = found[0]
    # Days and hours are compared as numbers, which would say little to a reader.
    return f"another {kind}" if kind in _WHEN else f"another {kind}: {new}, was {old}"


def _another_time(pair: Pair, found: list[tuple[str, str, str]]) -> bool:
    """Whether the values are only the dates of two events, or the amounts of something that was done twice."""
    if pair.new.logged and pair.old.logged:
        return True
    happened = all(clause.verb in pair.lexicon.events or (clause.verb == "be" and clause.past) for clause in (pair.new, pair.old))
    return happened and all(kind in _WHEN for kind, _, _ in found)


def _attribute_changed(pair: Pair) -> str:
    attributes = {
        name for name, verbal in pair.new.attributes.items() if name in pair.old.attributes and (verbal or pair.old.attributes[name])
    }
    if attributes and _objects(pair.new_only, pair) and _objects(pair.old_only, pair):
        return f"another {min(attributes)}"
    return ""


def _family_changed(pair: Pair) -> str:
    if pair.new.verb in pair.lexicon.additive and not (pair.new.now or pair.new.changed):
        return ""
    for family, key in pair.new.families.items():
        was = pair.old.families.get(family)
        if was is not None and key in pair.new_only and was in pair.old_only:
            return f"another {family}: {key}, was {was}"
    return ""


def _predicate_changed(pair: Pair, similarity: float | None) -> str:
    """The words "another value" where one verb has another complement of the same subject, and takes one at a time; else ""."""
    new, old = _objects(pair.new_only, pair), _objects(pair.old_only, pair)
    being = pair.new.verb in pair.lexicon.copulas and pair.old.verb in pair.lexicon.copulas
    if not new or not old or pair.new.prepositions != pair.old.prepositions or not (being or pair.new.verb == pair.old.verb):
        return ""
    if pair.new.verb in pair.lexicon.single:
        return "another value"
    if being and pair.new.subject & pair.old.subject and not _of_many(pair) and _nominal(pair, new, old, similarity):
        return "another value"
    return ""


def _renamed(pair: Pair) -> str:
    """The words "another name" where both name one description differently ("our provider is Telekom", "Vodafone is ours"), else ""."""
    known = pair.new.verb == "be" and strong(pair.new.subject, pair.lexicon) and pair.new.subject <= pair.old.keys
    if known and pair.new_only & pair.new.names and pair.old_only & pair.old.names and not _of_many(pair):
        return "another name"
    return ""


def _of_many(pair: Pair) -> bool:
    """Whether both say something that can hold of many things at a time: who is allergic to nuts may also be allergic to latex."""
    return not (pair.shared - pair.new.subject - pair.old.subject).isdisjoint(pair.lexicon.additive)


def _nominal(pair: Pair, new: frozenset[str], old: frozenset[str], similarity: float | None) -> bool:
    """Whether both complements name something, and do not only describe it."""
    if (new & pair.new.names and old & pair.old.names) or pair.new.prepositions != frozenset({"-"}):
        return True
    described = any(key in pair.lexicon.axes or key in pair.lexicon.additive for key in new | old)
    if described or (similarity is not None and similarity < _CHANGED_ALIKE):
        return False
    return not any(word.endswith(_ADJECTIVES) for word in (pair.new.written | pair.old.written) if pair.lexicon.key(word) in new | old)


def _moved(pair: Pair, similarity: float | None) -> str:
    """The words "changes it" where there is a word of change, and something of the old clause that it can have changed, else ""."""
    if not (pair.new.changed or (pair.new.now and not pair.long)) or pair.new.sign < 0:
        return ""
    new, old = _objects(pair.new_only, pair), _objects(pair.old_only, pair)
    if not new or not old or not strong(pair.shared, pair.lexicon):
        return ""
    if pair.new.values and not pair.old.values and not new & pair.new.names:
        return ""
    if cover(pair) < _TOPIC or (similarity is not None and similarity < _MOVED_ALIKE):
        return ""
    return "changes it"


def _objects(keys: frozenset[str], pair: Pair) -> frozenset[str]:
    """The words that can be a value: neither a verb of either clause nor a word of change."""
    return strong(keys - {pair.new.verb, pair.old.verb} - pair.lexicon.changes, pair.lexicon)
