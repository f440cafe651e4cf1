"""Negation: the same said of the same subject with the opposite polarity, by a word of denial, an ending, or an opposite."""

from cued.conflicts.claims.pairing import Pair, other_values, strong, told_apart, weight

_COVER = 0.6
_COVER_ALIKE = 0.5
_COVER_LONG = 0.75
_ALIKE = 0.8
_UNALIKE = 0.55


def negation(pair: Pair, similarity: float | None) -> str:
    """Why the new clause denies the old one, "" when it does not."""
    if similarity is not None and similarity < _UNALIKE:
        return ""
    scales = pair.new.axes.keys() & pair.old.axes.keys()
    prefixed = _prefixed(pair) if pair.new.prefixed or pair.old.prefixed else frozenset[str]()
    flips = sum(pair.new.axes[scale] != pair.old.axes[scale] for scale in scales) + bool(prefixed)
    flips += (pair.new.sign != pair.old.sign) + _disposed(pair)
    if not scales:
        flips += _denies(pair.new.axes) != _denies(pair.old.axes)
    if flips % 2 == 0 or told_apart(pair) or other_values(pair) or not _same_matter(pair, prefixed, similarity):
        return ""
    return _reason(pair, scales, prefixed)


# Scales of which one side denies by itself, whatever is spoken of: what is forbidden is not done.
_DENYING = ("allow", "tolerate", "own", "include", "enable", "like", "mandatory")


def _denies(axes: dict[str, int]) -> bool:
    return bool(axes) and sum(axes.get(scale, 1) < 0 for scale in _DENYING) % 2 == 1


def _disposed(pair: Pair) -> bool:
    """Whether one clause has something and the other gives it away: "I have a piano", "I donated my piano"."""
    verbs, lexicon = {pair.new.verb, pair.old.verb}, pair.lexicon
    return not lexicon.disposals.isdisjoint(verbs) and not lexicon.holding.isdisjoint(verbs)


def _same_matter(pair: Pair, prefixed: frozenset[str], similarity: float | None) -> bool:
    """Whether both clauses speak of the same object, apart from the words that carry the opposition."""
    lexicon = pair.lexicon
    bare = [frozenset(key for key in keys if key not in lexicon.axes) - prefixed for keys in (pair.new.keys, pair.old.keys)]
    shared = bare[0] & bare[1]
    if not all(bare):
        return not any(bare) or pair.new.keys == pair.old.keys
    if _other_matter(pair, shared) or (shared <= pair.new.subject & pair.old.subject and not _about_subject(pair, bare)):
        return False
    share = weight(shared, lexicon) / min(weight(side, lexicon) for side in bare)
    if pair.long:
        return share >= _COVER_LONG
    return share >= (_COVER_ALIKE if similarity is not None and similarity >= _ALIKE else _COVER)


def _other_matter(pair: Pair, shared: frozenset[str]) -> bool:
    """Whether names differ, or too little is shared to be sure."""
    telling = len(strong(shared, pair.lexicon))
    other_names = pair.new_only & pair.new.names and pair.old_only & pair.old.names
    return bool(other_names) or (not telling and pair.new.verb != pair.old.verb) or (pair.long and telling == 1)


def _about_subject(pair: Pair, bare: list[frozenset[str]]) -> bool:
    """Whether at least one clause says nothing of its subject but the opposite itself: "the shop is open", "the shop is closed"."""
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
    """What shows the opposition, in words."""
    if any(pair.new.axes[scale] != pair.old.axes[scale] for scale in scales) or prefixed:
        return "says the opposite"
    return "denies it" if pair.new.sign < 0 else "affirms what was denied"
