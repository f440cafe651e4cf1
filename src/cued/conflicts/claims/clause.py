"""One clause as what it claims: of whom, which predicate, affirmed or denied, with which values, and whether something changed."""

from collections.abc import Iterable
from itertools import compress

from msgspec import Struct

from cued.conflicts.claims.lexicon import Lexicon
from cued.conflicts.claims.parsing import ClauseParts, parts, verb_at
from cued.conflicts.claims.sentences import ROLE, ClauseWord
from cued.conflicts.claims.values import Value, values

SELF = "self"
_REACH = 5
_DOUBTFUL = frozenset({"preposition", "number"})
_NO_OBJECT = frozenset({"be", "have", "auxiliary", "preposition", "border"})


class Clause(Struct, frozen=True, kw_only=True, eq=False):
    """One claim: of whom or what, which predicate, affirmed (+1) or denied (-1), with which values."""

    owner: str
    subject: frozenset[str]
    pronoun: bool
    person: bool
    first_name: frozenset[str]
    verb: str
    past: bool
    prepositions: frozenset[str]
    keys: frozenset[str]
    names: frozenset[str]
    written: frozenset[str]
    sign: int
    axes: dict[str, int]
    values: tuple[Value, ...]
    gone_values: tuple[Value, ...]
    attributes: dict[str, bool]
    families: dict[str, str]
    prefixed: frozenset[str]
    gone: frozenset[str]
    above: frozenset[str]
    below: frozenset[str]
    changed: bool
    now: bool
    also: bool


def clause_of(words: list[ClauseWord], previous: Clause | None, lexicon: Lexicon) -> Clause:
    """What a clause claims; without a subject of its own it goes on about that of the clause before it."""
    words = _resolved(words, lexicon)
    at = verb_at(words, lexicon)
    found, behind, left = values(words, lexicon, subject_end=at or 0)
    split = parts(left, at if left is words else verb_at(left, lexicon), lexicon)
    owner, pronoun = _owner(split.subject, lexicon)
    texts, keyed, roles, capitals, _, _, tellings, prefixed = zip(*left, strict=True) if left else ((),) * 8
    telling = [role == "word" for role in roles]
    content = frozenset(compress(keyed, telling))
    subject = _content(split.subject) if split.subject else frozenset[str]()
    keys = content if split.words == len(left) else subject | _content(split.rest) | _content([split.verb] if split.verb else [])
    if previous is not None:
        if not subject and not owner and not split.order:
            owner, subject = previous.owner, previous.subject
        if "thing" in roles or split.verb is None:
            keys |= previous.keys
    changed = not lexicon.changes.isdisjoint(content)
    replacing = changed or "instead" in roles
    above, below = (frozenset[str](), frozenset[str]()) if lexicon.comparing.isdisjoint(texts) else _compared(split.rest, lexicon)
    return Clause(
        owner=owner,
        subject=subject,
        pronoun=pronoun,
        person="person" in roles and any(word.role == "person" for word in split.subject),
        first_name=frozenset(keyed[:1] if left and capitals[0] and roles[0] == "word" else ()),
        verb=split.verb.key if split.verb else "",
        past=not lexicon.pasts.isdisjoint(texts),
        prepositions=_prepositions(split),
        keys=keys | subject,
        names=frozenset(compress(keyed[1:], capitals[1:])),
        written=frozenset(compress(texts, telling)),
        sign=_sign(left, lexicon) if "not" in roles or lexicon.lacking in texts else 1,
        axes=_axes(left, lexicon) if True in tellings else {},
        values=tuple(found) if replacing else (*behind, *found),
        gone_values=tuple(behind) if replacing else (),
        attributes=_attributes(left, lexicon) if True in tellings else {},
        families={lexicon.families[key]: key for key in sorted(lexicon.families.keys() & keys)},
        prefixed=frozenset([word.text for word in compress(left, prefixed) if word.role == "word"]),
        gone=_gone(left) if replacing else frozenset(),
        above=above,
        below=below,
        changed=changed,
        now=changed or "now" in roles or ("new" in roles and any(word.role == "new" for word in (split.subject or left))),
        also="also" in roles,
    )


def _resolved(words: list[ClauseWord], lexicon: Lexicon) -> list[ClauseWord]:
    """The words with two ambiguities settled: a preposition without an object ("the flight back is late"), and "one" alone."""
    roles, found = [*map(ROLE, words), "border"], words
    for at in [at for at, role in enumerate(roles) if role in _DOUBTFUL]:
        following = roles[at + 1]
        if roles[at] == "preposition" and following in _NO_OBJECT:
            found = [*found[:at], words[at].acting("word"), *found[at + 1 :]]
        elif words[at].text == lexicon.doubtful_number and following not in {"word", "time"}:
            found = [*found[:at], words[at].acting("thing"), *found[at + 1 :]]
    return found


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
    """The scales that a clause stands on, and its side of each; a word that denies does nothing else."""
    found = ((lexicon.axes.get(word.text) or lexicon.axes.get(word.key)) for word in words if word.telling and word.role != "not")
    return {axis.name: axis.side for axis in found if axis}


def _owner(subject: tuple[ClauseWord, ...], lexicon: Lexicon) -> tuple[str, bool]:
    """Whose subject it is (the speaker's own, or a name's), and whether the subject is a pronoun for someone or something."""
    for word in subject:
        if word.role == "self":
            return SELF, False
        if word.owner:
            return word.key, False
    pronoun = any(word.role in {"person", "thing"} and word.text not in lexicon.possessives for word in subject)
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
    """What is put above what: the tabs and the spaces of "prefers tabs over spaces"; nothing where nothing is compared."""
    at = next((i for i, word in enumerate(rest) if word.text in lexicon.comparing), None)
    return (frozenset(), frozenset()) if at is None else (_content(rest[:at]), _content(rest[at + 1 :]))


def _attributes(words: list[ClauseWord], lexicon: Lexicon) -> dict[str, bool]:
    """The attributes that a clause fills, each with whether its verb says so and not only its noun."""
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
