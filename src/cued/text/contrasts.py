"""English words that exclude one another, so that a text with the one does not say what a text with the other says."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from cued.text.stemming import stem

# On each line words that exclude one another; words with a comma between them mean the same here. A line with an "=" in front may be
# left out by the newer text: "in their editor" and "in the editor" are one.
_CONTRASTS: Final = """
like,love,enjoy,prefer,adore,favourite,favorite | hate,dislike,loathe,detest,avoid
increase,raise,grow,gain,rise | decrease,reduce,lower,drop,shrink,fall
before,until | after,since
start,begin,beginning | end,finish,stop
first | second | third | last
open | close,shut
enable,allow,permit,activate | disable,forbid,block,ban,deactivate | require,must,mandatory | optional
accept,approve,agree | reject,refuse,deny,decline,disagree
early,earlier | late,later
more | less,fewer
most,maximum,max | least,minimum,min
above,over | below,under
inside | outside
left | right
north | south | east | west
small,little,tiny | large,big,huge
short | long | tall
old | new | young
high | low
hot | warm | cold,cool
fast,quick | slow
cheap | expensive
light,bright | dark
full | empty
good | bad
best | worst
better | worse
safe | dangerous,unsafe
public | private
true,correct | false,wrong,incorrect
single | married | divorced | widowed | engaged
buy,purchase | sell | rent
lend | borrow
win | lose
pass,succeed | fail
add,include | remove,delete,exclude
arrive | leave,depart
push | pull
send | receive
import | export
upload | download
encrypt | decrypt
connect | disconnect
install | uninstall
lock | unlock
sync,synchronous | async,asynchronous
manual | automatic
= he,his,him | she,her,hers | they,their,them | i,me,my,mine | we,us,our | you,your
mother,mom,mum | father,dad | sister | brother | son | daughter | wife | husband | aunt | uncle | grandmother | grandfather
boy | girl
man | woman
morning | noon | afternoon | evening | night | midnight
monday | tuesday | wednesday | thursday | friday | saturday | sunday | weekday | weekend
january | february | march | april | may | june | july | august | september | october | november | december
spring | summer | autumn | winter
minute | hour,hourly | day,daily | week,weekly | month,monthly | year,yearly,annual | decade
red | orange | yellow | green | blue | purple,violet | pink | brown | black | white | grey,gray
one,once | two,twice | three | four | five | six | seven | eight | nine | ten | eleven | twelve | half | dozen | hundred | thousand
development,dev | staging | production,prod
off
"""


def contrasts(words: Iterable[str]) -> frozenset[str]:
    """Give which of the contrasting words stand among these lower-case ones, each by the first word of its meaning."""
    return frozenset(_LABELS[root] for root in map(stem, words) if root in _LABELS)


@lru_cache(maxsize=1 << 12)
def excluded(said: frozenset[str], *, silent: bool) -> frozenset[str]:
    """Give what a text with these contrasting words does not say; where it is `silent` on a line, all of that line too."""
    lines = (line for line, optional in _LINES if said & line or (silent and not optional))
    return frozenset[str]().union(*lines) - said


def _meanings(line: str) -> list[list[str]]:
    return [meaning.split(",") for meaning in line.removeprefix("= ").split(" | ")]


def _lines() -> Iterator[tuple[frozenset[str], bool]]:
    for line in _CONTRASTS.strip().split("\n"):
        yield frozenset(words[0] for words in _meanings(line)), line.startswith("= ")


_LINES: Final = tuple(_lines())
_LABELS: Final = {stem(word): words[0] for line in _CONTRASTS.strip().split("\n") for words in _meanings(line) for word in words}
PLACES: Final = {label: place for place, label in enumerate(sorted(frozenset[str]().union(*(line for line, _ in _LINES))))}
"""A number for each contrasting word, so that many of them fit into one integer."""
