"""Times relative to an event ("two days after the move", "seit der Hochzeit", "搬家以后"): the relation, and the event's words.

Only a memory that names the event can tell which time that is (`flow.relevance.asked_times`).
"""

import re
from typing import Literal, NamedTuple, cast

from cued.text import scripts
from cued.text.patterns import pattern, spoken, spoken_words

Relation = Literal["before", "after", "since", "until", "around"]


class Beside(NamedTuple):
    """How a time relates to an event, the event in the text's words, and where both stand in it.

    With `many` it is so many units away ("two days after"); with a unit alone it is the next or the last one ("the week before") or, with
    `around`, the one that the event lies in. `close` is "right after". With an open end the last words may no longer belong to the event.
    """

    relation: Relation
    event: str
    span: tuple[int, int]
    many: int = 0
    unit: str = ""
    close: bool = False
    open_end: bool = False


_COUNTS = {word: number for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())}
_COUNTS |= {"a": 1, "an": 1, "a couple of": 2, "a few": 3}
_OWNERS = r"(?:the|our|my|your|his|her|their|[A-Z]\w+['’]s)"
_BESIDE_UNIT = r"(?P<unit>day|weekend|week|month|year)"
_EVENT = r"(?P<event>(?:[\w'’-]+\s*){1,8})"
# Who looks after the dog does nothing later than it.
_NO_VERB = "".join(rf"(?<!\b{verb}\s)" for verb in "look looks looked looking take takes took named".split())
_BESIDE = pattern(
    rf"\b(?:(?P<count>\d{{1,4}}|the|{'|'.join(_COUNTS)})\s+{_BESIDE_UNIT}s?\s+)?(?P<close>(?:right|just|shortly|soon|directly|immediately)\s+)?"
    rf"{_NO_VERB}(?P<relation>before|after|following|since|until)\s+{_OWNERS}\s+{_EVENT}",
    re.IGNORECASE,
)
# What is "around the house" is near to it; what was done around the move was done then.
_AROUND = pattern(
    rf"\b(?:(?:on|in|over)?\s*the\s+{_BESIDE_UNIT}\s+of|(?P<relation>around)(?P<clear>\s+the\s+time\s+of)?)\s+{_OWNERS}\s+{_EVENT}",
    re.IGNORECASE,
)
_THEN = pattern(r"\b(?:did|was|were|had|happened|went)\b", re.IGNORECASE)
# What somebody did: "since Samira started", or got: "before I got the offer". Only what is past can be dated.
_CLAUSE = pattern(
    r"\b(?P<relation>[Bb]efore|[Aa]fter|[Ss]ince|[Uu]ntil)\s+(?:I|we|you|he|she|they|it|(?P<who>[A-Z][\w'’]+(?:\s[A-Z]\w+)?))\s+"
    r"(?:(?:got|had|made|took|gave|went\s(?:on|to))\s(?:an?|the|my|our|his|her|their)\s(?P<thing>[\w'’-]+(?:\s[\w'’-]+){0,4})|(?P<event>(?:\w+ed|left"
    r"|went|came|got|began|met|bought|sold|broke|became|found|lost|won|made|took|gave|paid|cut|fell|ran|wrote|built|flew|married)\b(?:\s[\w'’-]+){0,5}))"
)
# The event ends where the question goes on.
_GOES_ON = pattern(
    r"\b(?:and|or|but|did|do|does|was|were|is|are|had|has|have|what|who|whom|which|when|where|why|how|i|we|you|he|she|they|it|that|than|"
    r"if|because|started|began|ended|came|went)\b.*",
    re.IGNORECASE,
)
_UNITS_ALONE = frozenset("day days week weeks weekend month months year years season day's week's month's year's".split())

# Words that stand before the event in other languages where an article comes behind them, without which they are "to Hamburg" and "at
# school", and those that have it inside them or need none. Dutch "voor" is "for" and Italian "dal" is "at" as often, and are left out.
_BEFORE = {
    "before": r"vor|antes de|avant|prima di",
    "after": r"nach|después de|tras|depois de|après|após|dopo|na",
    "since": r"seit|desde|depuis|sinds",
    "until": r"hasta|até|jusqu['’]à|fino a|tot",
}
_BEFORE_ALONE = {
    "before": r"antes d(?:el|[oa]s?)|prima d(?:el|ell[ao']|ei|elle)|до|перед|قبل",
    "after": r"después del|depois d[oa]s?|после|بعد",
    "since": "منذ",
    "until": r"bis zu[mr]|jusqu['’]au|fino al(?:la)?",
}
_ARTICLES = (
    r"(?:(?:de[mnr]|die|das|(?:meine|unsere|seine|ihre)[mnr]?|unserem|meinem|el|la|los|las|mi|mis|nuestr[oa]s?|le|les|mon|ma|mes|notre|nos"
    r"|il|lo|gli|mio|mia|nostr[oa]|[oa]s?|meu|minha|noss[oa]|de|het|mijn|onze|ons)\s+|l['’])"
)
_AHEAD = "|".join(rf"(?P<{name}>(?:{words})(?=\s+{_ARTICLES})|(?:{_BEFORE_ALONE[name]})(?=\s|['’]))" for name, words in _BEFORE.items())
_HAN_KATA = f"[{scripts.HAN}{scripts.KATAKANA}]"
# Each pattern is behind what it does not match without, which is found faster, in small letters.
# A word of any length is read from its beginning alone: from each letter of a long one anew would take the square of its length.
_ELSEWHERE = [
    (pattern(sign), pattern(source))
    for sign, source in {
        r"\W(?:vor|nach|seit|bis|antes|tras|desde|hasta|depois|avant|depuis|na|sinds|tot|prima|dopo|fino|jusqu|después|après|após|até"
        r"|до|перед|после|قبل|بعد|منذ)[\s'’]": rf"(?i)(?<!\w)(?:{_AHEAD})(?:\s+|['’]\s*){_ARTICLES}*(?P<event>(?:[\w-]+\s*){{1,4}})",
        "[之以][前后後]": rf"(?:^|[在我们你，, ])(?P<event>[{scripts.HAN}]{{2,8}}?)(?:(?P<before>[之以]前)|(?P<after>[之以][后後]))",
        "(?:の|する|した)[前後あ]": rf"(?P<event>{_HAN_KATA}{{2,10}})(?:の|する|した)(?:(?P<before>前)|(?P<after>後|あと))",
        r"\s(?:전에|후에|이후|뒤에)": rf"(?P<event>[{scripts.HANGUL}]{{2,8}})\s(?:(?P<before>전에)|(?P<after>후에|이후|뒤에))",
        r"\s(?:önce|sonra|beri)": r"(?i)\b(?P<event>\w{3,})(?:[dt][ae]n)\s(?:(?P<before>önce)|(?P<after>sonra)|(?P<since>beri))",
        r"\s(?:पहले|बाद)": r"(?<![^\s?।])(?P<event>(?:[^\s?।]+\s){1,2}?)(?:से|के)\s(?:(?P<before>पहले)|(?P<after>बाद))",
    }.items()
]


_BESIDE_WORDS = frozenset("before after following since until".split())
_AROUND_WORDS = frozenset("around day week weekend month year".split())
_ELSEWHERE_WORDS = frozenset("vor nach seit bis antes tras desde hasta depois avant depuis na sinds tot prima dopo fino jusqu".split())
# What no such pattern matches without: the words from where it tells which time on, in small letters, in which they are found faster.
_MAY_BE_BESIDE = pattern(rf"\W(?:before|after|following|since|until)\s+{_OWNERS.lower()}\s")
_MAY_BE_CLAUSE = pattern(r"\W(?:before|after|since|until)\s")
_MAY_BE_AROUND = pattern(rf"\W(?:(?:day|weekend|week|month|year)\s+of|around(?:\s+the\s+time\s+of)?)\s+{_OWNERS.lower()}\s")
_LEADING = 6
"""More words than a pattern has before its telling word: "a couple of days right"."""


def beside(text: str) -> Beside | None:
    """The first time in the text that is relative to an event; None where there is none."""
    words = spoken_words(text)
    if not words.isdisjoint(_BESIDE_WORDS) and (match := _first(_BESIDE, text, _MAY_BE_BESIDE)):
        return _english(match)
    if not words.isdisjoint(_BESIDE_WORDS) and (match := _first(_CLAUSE, text, _MAY_BE_CLAUSE)):
        event = f"{match['who'] or ''} {match['thing'] or match['event']}".strip()
        return Beside(cast("Relation", match["relation"].lower()), event, match.span())
    if not words.isdisjoint(_AROUND_WORDS) and (match := _first(_AROUND, text, _MAY_BE_AROUND)):
        return _english(match) if match["unit"] or match["clear"] or _THEN.search(text) else None
    return None if text.isascii() and words.isdisjoint(_ELSEWHERE_WORDS) else _elsewhere(text)


def _first(wanted: re.Pattern[str], text: str, may_be: re.Pattern[str]) -> re.Match[str] | None:
    """The first match of a pattern, searched from a few words before the first place where it can be."""
    if (found := may_be.search(spoken(text))) is None:
        return None
    before = text[: found.start()].rsplit(None, _LEADING)
    return wanted.search(text, len(before[0]) if len(before) > _LEADING else 0)


def _english(match: re.Match[str]) -> Beside | None:
    event = _GOES_ON.sub("", match["event"]).strip()
    if not event or _UNITS_ALONE.issuperset(event.lower().split()):
        return None
    said = match.groupdict()
    relation = {"following": "after", None: "around"}.get(said["relation"] and said["relation"].lower(), said["relation"])
    counted = " ".join((said.get("count") or "").lower().split())
    return Beside(
        cast("Relation", (relation or "around").lower()),
        event,
        (match.start(), match.start("event") + len(event)),
        many=int(counted) if counted.isdecimal() else _COUNTS.get(counted, 0),
        unit=(said["unit"] or "").lower(),
        close=bool(said.get("close")),
    )


def _elsewhere(text: str) -> Beside | None:
    for sign, each in _ELSEWHERE:
        if sign.search(spoken(text)) and (match := each.search(text)) and (event := match["event"].strip()):
            relation = next(name for name, said in match.groupdict().items() if said and name != "event")
            return Beside(cast("Relation", relation), event, match.span(), open_end=True)
    return None
