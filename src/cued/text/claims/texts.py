"""From a text to what it claims, clause by clause."""

from functools import lru_cache
from itertools import chain

from cued.text.claims.clause import Clause, bases, clause_of, lazily
from cued.text.claims.lexicon import Lexicon
from cued.text.claims.parsing import clauses
from cued.text.claims.sentences import TEXT, sentences
from cued.text.claims.values import Value

MAX_CLAUSES = 12


class Text:
    """A text as its clauses, with everything it mentions."""

    def __init__(self, clauses: tuple[Clause, ...], found: list[Clause], lexicon: Lexicon) -> None:
        """Hold these clauses; `found` may be a little more than those that count."""
        self.clauses, self._found, self._lexicon = clauses, found, lexicon
        self.keys: frozenset[str] = frozenset().union(*(clause.keys for clause in found))

    @lazily
    def texts(self) -> frozenset[str]:
        """All its words as they are written."""
        return frozenset(map(TEXT, chain.from_iterable(clause.words for clause in self.clauses)))

    @lazily
    def bases(self) -> frozenset[str]:
        """Its words that begin with a prefix of denial, without the prefix."""
        return bases(list(chain.from_iterable(clause.words for clause in self.clauses)), self._lexicon)

    @lazily
    def names(self) -> frozenset[str]:
        """The words with a capital."""
        return frozenset().union(*(clause.names for clause in self._found))

    @lazily
    def values(self) -> frozenset[Value]:
        """Every value that it gives."""
        return frozenset(value for clause in self._found for value in clause.values)

    @lazily
    def attributes(self) -> frozenset[str]:
        """Every attribute that it gives a value for."""
        return frozenset(name for clause in self._found for name in clause.attributes)


@lru_cache(maxsize=1 << 8)
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
    return Text(tuple(found[:MAX_CLAUSES]), found, lexicon)
