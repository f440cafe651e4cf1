"""English phrases that are one word in disguise."""

from collections import defaultdict
from typing import Final

from cued.text.claims.lexicon import Phrase

# On the right the word that stands for the phrase; it has its role or its axis in the other tables.
_PHRASES: Final = """
no longer = not anymore
not any more = not anymore
not any longer = not anymore
any more = anymore
any longer = anymore
used to = formerly-did
in the past = formerly-did
get up = wake
gets up = wake
got up = wake
getting up = wake
wake up = wake
wakes up = wake
woke up = wake
got rid of = stopped
get rid of = stopped
gave up = stopped
give up = stopped
given up = stopped
called off = stopped
call off = stopped
decided against = stopped
opted out = stopped
fed up = hate
sick of = hate
tired of = hate
can not stand = hate
could not stand = hate
can not bear = hate
not a fan = hate
not my thing = hate
not into = hate
big fan = like
is into = is like
am into = am like
are into = are like
a fan of = like
on time = punctual
in time = punctual
behind schedule = late
in stock = available
out of stock = unavailable
sold out = unavailable
is gone = is stopped
are gone = are stopped
has gone away = stopped
went away = stopped
no more = not anymore
out of order = broken
turned on = enabled
switched on = enabled
turn on = enabled
turned off = disabled
switched off = disabled
turn off = disabled
these days = now
at the moment = now
at present = now
right now = now
as of = now
from now on = now
so far = filler
as well = also
instead of = instead-of
rather than = instead-of
in place of = instead-of
in favour of = to
in favor of = to
at all = filler
a lot = filler
turned out = filler
turns out = filler
found out = filler
find out = filler
all day = filler
of course = filler
not sure = filler
not only = filler
not just = filler
can not wait = like
no doubt = filler
no problem = filler
no worries = filler
no idea = filler
never thought = filler
never realized = filler
never realised = filler
not mind = allowed
for now = now
up to date = current
going to = will
went up = rose
gone up = rose
goes up = rose
went down = fell
gone down = fell
down to = fell to
up to = rose to
in progress = in-progress
to do = to-do
on hold = on-hold
best of all = best
each other = filler
every other = every second
next to = near
take place = happen
takes place = happen
took place = happen
taking place = happen
have to = must
has to = must
had to = must
need to = must
needs to = must
able to = can
allowed to = allowed
supposed to = must
looking forward to = like
look forward to = like
afraid of = fear
scared of = fear
terrified of = fear
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
    lines = [(words, as_word) for words, _, as_word in (line.partition(" = ") for line in _PHRASES.strip().splitlines())]
    for words, as_word in (*lines, *_abstaining()):
        split = tuple(words.split())
        by_first[split[0]].append(Phrase(split, as_word))
    return {first: tuple(sorted(found, key=lambda phrase: -len(phrase.words))) for first, found in by_first.items()}


PHRASES: Final = _phrases()
