"""From a text to what it claims, clause by clause."""

from functools import cached_property, lru_cache

from cued.conflicts.claims.clause import Clause, clause_of
from cued.conflicts.claims.lexicon import Lexicon
from cued.conflicts.claims.parsing import clauses
from cued.conflicts.claims.sentences import sentences
from cued.conflicts.claims.values import Value

MAX_CLAUSES = 12


class Text:
    """A text as its clauses, with everything it mentions."""

    def __init__(self, clauses: tuple[Clause, ...], found: list[Clause]) -> None:
        """Say this much; what was `found` may be a little more than the clauses that count."""
        self.clauses, self._found = clauses, found
        self.keys: frozenset[str] = frozenset().union(*(clause.keys for clause in found))

    @cached_property
    def names(self) -> frozenset[str]:
        """The words with a capital."""
        return frozenset().union(*(clause.names for clause in self._found))

    @cached_property
    def values(self) -> frozenset[Value]:
        """Every value that it gives."""
        return frozenset(value for clause in self._found for value in clause.values)

    @cached_property
    def attributes(self) -> frozenset[str]:
        """Every attribute that it fills."""
        return frozenset(name for clause in self._found for name in clause.attributes)


@lru_cache(maxsize=1 << 10)
def read(text: str, lexicon: Lexicon) -> Text:
    """What the first twelve clauses of a text claim."""
    found: list[Clause] = []
    for sentence in sentences(text, lexicon):
        inside = False
        for words in clauses(sentence, lexicon):
            last = found[-1] if found else None
            clause = clause_of(words, last, lexicon, leading=last if inside else None)
            inside = True
            if clause.keys or clause.values:
                found.append(clause)
        if len(found) >= MAX_CLAUSES:
            break
    return Text(tuple(found[:MAX_CLAUSES]), found)
