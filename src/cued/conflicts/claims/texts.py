"""From a text to what it claims, clause by clause."""

from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from cued.conflicts.claims.clause import Clause, clause_of
from cued.conflicts.claims.lexicon import Lexicon
from cued.conflicts.claims.parsing import clauses
from cued.conflicts.claims.sentences import sentences
from cued.conflicts.claims.values import Value

MAX_CLAUSES = 12


class Text(Struct, frozen=True, eq=False):
    """A text as its clauses, with everything it mentions."""

    clauses: tuple[Clause, ...]
    keys: frozenset[str]
    names: frozenset[str]
    values: frozenset[Value]
    attributes: frozenset[str]


@lru_cache(maxsize=1 << 10)
def read(text: str, lexicon: Lexicon) -> Text:
    """What the first twelve clauses of a text claim."""
    found: list[Clause] = []
    for sentence in sentences(text, lexicon):
        inside = False
        for words in clauses(sentence, lexicon):
            clause = clause_of(words, found[-1] if found else None, lexicon)
            if found and inside and found[-1].now:
                clause = replace(clause, now=True)
            inside = True
            if clause.keys or clause.values:
                found.append(clause)
        if len(found) >= MAX_CLAUSES:
            break
    return Text(
        tuple(found[:MAX_CLAUSES]),
        frozenset().union(*(clause.keys for clause in found)),
        frozenset().union(*(clause.names for clause in found)),
        frozenset(value for clause in found for value in clause.values),
        frozenset(name for clause in found for name in clause.attributes),
    )
