"""How many of what: the thing that an English cue asks the number of, and whether a text may have that number."""

from functools import lru_cache
from typing import Final

from cued.text.kinds.signs import MONEY, MONTH, WORDS
from cued.text.patterns import pattern, spoken
from cued.text.stemming import stem

_ALIKE: Final = tuple(
    frozenset(map(stem, words.split()))
    for words in (
        (
            "people persons person employees staff members guests colleagues participants students players attendees somebody adults men"
            " women"
        ),
        "children child kids kid sons daughters boys girls babies",
        "siblings brothers sisters brother sister",
        "pets animals cats dogs rabbits hamsters birds puppy pup kittens",
    )
)
"""Groups of words of which one can count what another asks for; the first group is people."""
_ASKED: Final = pattern(
    r"how many ((?!times )(?:[\w'-]+ ){1,3}?)(?:do|does|am|are|is|can|could|will|would|should|may|might|must|of|in|on|at|per|there|to|a"
    r"|the)(?!\w)"
)
"""Questions how often or how much of something was done, to which each time that it was done belongs."""
_WORD: Final = pattern(r"[^\W\d_]+")
_NUMBER: Final = rf"(?<![\w.,:/#v$€£¥-])\d{{1,6}}(?![\d\w/:-]|[.,]\d|\s?%)|{WORDS}"
_COUNTS: Final = pattern(rf"(?:{_NUMBER})(?:\s+(?:(?:more|other|new|old|big|small|young|full|half)\s+)?(?P<thing>[^\W\d_]+|[ap]\.m))?")
_OF_A_UNIT: Final = pattern(
    rf"[ap]\.?m|o'clock|uhr|{MONTH}\w*|{MONEY}|percent|[km]?g|[kcm]?m|m?l|[kmg]b|(?:milli)?(?:second|minute|hour|day|night|week|month|year)s?"
)
_MUCH: Final = pattern(r"\W(?:none|no|nobody|several|many|few|dozens?|couple|both|all|only|single|half|most)(?!\w)")
_LISTED: Final = pattern(r"[A-Z]\w+,? and [A-Z]")
_DATED: Final = pattern(rf"\W(?:{MONTH}\w* \d+|in \d{{4}}|at \d+|by \d+|(?:1[89]|20)\d\d)(?!\w)")


def counted(cue: str) -> frozenset[str]:
    """The stems of what a cue asks the number of ("hive" of "How many hives does Henrik keep?"); none if it does not say."""
    asked = _ASKED.search(f"{spoken(cue)} ")
    return frozenset(map(stem, _WORD.findall(asked[1]))) if asked else frozenset()


@lru_cache(maxsize=1 << 12)
def may_count(text: str, things: frozenset[str]) -> bool:
    """Whether a text is about such things, or has a number that counts nothing else: "10 users" are not offices."""
    meant = things.union(*(group for group in _ALIKE if not group.isdisjoint(things)))
    said = spoken(text)
    if not meant.isdisjoint(map(stem, _WORD.findall(said))) or _MUCH.search(said):
        return True
    if not meant.isdisjoint(_ALIKE[0]) and _LISTED.search(text):
        return True
    found = (match["thing"] or "" for match in _COUNTS.finditer(_DATED.sub(" ", said)))
    return any(not thing.endswith("s") and not _OF_A_UNIT.fullmatch(thing) for thing in found)
