"""Update: another value of the same attribute of the same subject."""

from cued.conflicts.claims.pairing import Pair, cover, other_values, strong, told_apart

_UNALIKE = 0.5
_ALIKE = 0.75
_MOVED_ALIKE = 0.55
_TOPIC = 0.3
_LONG_COVER = 0.5
_WHEN = frozenset({"weekday", "day", "month", "year", "time"})
_ADJECTIVES = ("y", "ful", "ous", "ive", "able", "ible", "al", "ing", "ed", "ish", "less", "ent", "ant", "ic")


def update(pair: Pair, similarity: float | None) -> str:
    """Which value the new clause changes, "" when it changes none."""
    if pair.new.also or (similarity is not None and similarity < _UNALIKE):
        return ""
    if (pair.long and not _close(pair)) or told_apart(pair):
        return ""
    if pair.new.above & pair.old.below and pair.new.below & pair.old.above:
        return "the other way round"
    if pair.new.gone or pair.new.gone_values:
        return _replaced(pair)
    if other_values(pair):
        return _value_changed(pair)
    by_meaning = _attribute_changed(pair) or _family_changed(pair)
    return by_meaning or _predicate_changed(pair, similarity) or _renamed(pair) or _moved(pair, similarity)


def _close(pair: Pair) -> bool:
    """Whether two clauses of long texts speak of the same: there the likeness of the texts says little about their clauses."""
    by_verb = any(verbal and pair.old.attributes.get(name) for name, verbal in pair.new.attributes.items())
    telling = len(strong(pair.shared, pair.lexicon)) > 1 or pair.new.keys == pair.old.keys
    return by_verb or (telling and cover(pair) >= _LONG_COVER)


def _replaced(pair: Pair) -> str:
    left = sorted(pair.new.gone & pair.old.keys) or sorted(value.value for value in set(pair.new.gone_values) & set(pair.old.values))
    return f"replaces {left[0]}" if left else ""


def _value_changed(pair: Pair) -> str:
    """Which value changed: there is a number or date of one kind, and another one in its place; "" where none did."""
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
    """Whether the values are only the dates of two events."""
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
    if being and pair.new.subject & pair.old.subject and _nominal(pair, new, old, similarity):
        return "another value"
    return ""


def _renamed(pair: Pair) -> str:
    """The words "another name" where both name one description differently ("our provider is Telekom", "Vodafone is ours"), else ""."""
    known = pair.new.verb == "be" and strong(pair.new.subject, pair.lexicon) and pair.new.subject <= pair.old.keys
    if known and pair.new_only & pair.new.names and pair.old_only & pair.old.names:
        return "another name"
    return ""


def _nominal(pair: Pair, new: frozenset[str], old: frozenset[str], similarity: float | None) -> bool:
    """Whether both complements name something, and do not merely describe it."""
    if (new & pair.new.names and old & pair.old.names) or pair.new.prepositions != frozenset({"-"}):
        return True
    described = any(key in pair.lexicon.axes or key in pair.lexicon.additive for key in new | old)
    if described or (similarity is not None and similarity < _ALIKE):
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
    """The words that can be a value: no verb of either clause and no word of change."""
    return strong(keys - {pair.new.verb, pair.old.verb} - pair.lexicon.changes, pair.lexicon)
