"""English phrases that mean what a single word means."""

from collections import defaultdict
from typing import Final

from cued.text.claims.lexicon import Phrase

# The word that stands for the phrases on its right; it has its role or its axis in the other tables.
_PHRASES: Final = """
not anymore : no longer; not any more; not any longer; no more
anymore : any more; any longer
formerly-did : used to; in the past
wake : get up; gets up; got up; getting up; wake up; wakes up; woke up
stopped : got rid of; get rid of; gave up; give up; given up; called off; call off; decided against; opted out; has gone away
stopped : went away
hate : fed up; sick of; tired of; can not stand; could not stand; can not bear; not a fan; not my thing; not into
like : big fan; a fan of; can not wait; looking forward to; look forward to
is like : is into
am like : am into
are like : are into
punctual : on time; in time
late : behind schedule
available : in stock
unavailable : out of stock; sold out
is stopped : is gone
are stopped : are gone
broken : out of order
enabled : turned on; switched on; turn on
disabled : turned off; switched off; turn off
now : these days; at the moment; at present; right now; as of; from now on; for now
filler : so far; at all; a lot; turned out; turns out; found out; find out; all day; of course; not sure; not only; not just; no doubt
filler : no problem; no worries; no idea; never thought; never realized; never realised; each other
also : as well
instead-of : instead of; rather than; in place of
to : in favour of; in favor of
allowed : not mind; allowed to
current : up to date
will : going to
rose : went up; gone up; goes up
fell : went down; gone down
fell to : down to
rose to : up to
in-progress : in progress
to-do : to do
on-hold : on hold
best : best of all
every second : every other
near : next to
happen : take place; takes place; took place; taking place
must : have to; has to; had to; need to; needs to; supposed to
can : able to
fear : afraid of; scared of; terrified of
"""


# What some are called, and what it says they do not do.
_ABSTAINING: Final = {
    "vegetarian": "not eat meat",
    "vegan": "not eat meat",
    "non-smoker": "not smoke",
    "teetotaller": "not drink alcohol",
    "only child": "not have sibling",
}


def _abstaining() -> list[tuple[str, str]]:
    """Phrases with their meaning: "is a vegetarian" is "is vegetarian not eat meat", with and without its article."""
    return [
        (f"{be} {article}{name}", f"{be} {name} {denied}")
        for be in ("am", "is", "are")
        for article in ("", "a ", "an ")
        for name, denied in _ABSTAINING.items()
    ]


def _phrases() -> dict[str, tuple[Phrase, ...]]:
    by_first: defaultdict[str, list[Phrase]] = defaultdict(list)
    lines = (line.partition(" : ") for line in _PHRASES.strip().splitlines())
    known = [(words, as_word) for as_word, _, phrases in lines for words in phrases.split("; ")]
    for words, as_word in (*known, *_abstaining()):
        split = tuple(words.split())
        by_first[split[0]].append(Phrase(split, as_word))
    return {first: tuple(sorted(found, key=lambda phrase: -len(phrase.words))) for first, found in by_first.items()}


PHRASES: Final = _phrases()
