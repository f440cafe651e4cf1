"""What a cue asks for by its words: the past or the present, a time beside an event, whose words, advice; and what bears on that.

`intent` bends recency, so it needs a word that says so; the future counts as neutral, because nothing that is stored has happened yet.
An event that a time lies beside ("two days after the move", "seit der Hochzeit", "搬家以后") is read as a relation and its own words;
which time that is, only a memory that names the event can tell (`flow.asked`).

A cue that asks for advice, a choice or a plan is about whatever its user prefers, avoids or cannot have.
"""

import re
from functools import lru_cache
from typing import Literal, NamedTuple, cast

from cued.model import Intent
from cued.text import scripts
from cued.text.patterns import pattern
from cued.text.stopwords import IDLE, STOP_WORDS

_NUMBER = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|few|several|many|couple(?: of)?)"
_UNIT = (
    r"(?:minute|hour|day|night|week|weekend|month|quarter|year|decade|centur(?:y|ie)|fortnight|season|"
    r"summer|winter|spring|fall|autumn)s?"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"

# Words that say the time.
_MARKERS: dict[Intent, tuple[str, ...]] = {
    "present": (
        r"now(?!\s+and\s+then)|nowadays|currently|current|at the moment|at present|presently|lately|recently|recent|these days",
        r"today'?s?|still|latest|newest|up[ -]to[ -]date|so far|as of (?:now|today)|anymore|any more",
        r"this (?:week|month|morning|afternoon|evening)",
    ),
    "past": (
        rf"yesterday|ago|last (?:{_UNIT}|{_WEEKDAY}|{_MONTH}|time)|(?:past|last) {_NUMBER} {_UNIT}|the past {_UNIT}|the other day",
        r"previous(?:ly)?|former(?:ly)?|originally|initially|at first|used to|back (?:then|when|in)|at th(?:at|e) time",
        r"in th(?:ose|e old) days|once upon|earlier|in the past|histor(?:y|ical|ically)|when (?:did|was|were|had)|first time",
        r"years? back",
    ),
}
_MARKED = {name: pattern(rf"\b(?:{'|'.join(markers)})(?!\w)", re.IGNORECASE) for name, markers in _MARKERS.items()}


def intent(text: str) -> Intent:
    """The intent that the text's time words state: past, present, or neutral when they state none, both, or the future."""
    stated = [name for name, marked in _MARKED.items() if marked.search(text)]
    return stated[0] if len(stated) == 1 else "neutral"


_END = 80
_LETTERS = pattern(r"[^\W\d_]+")
_APOSTROPHE = pattern("['’]")
_QUESTION = pattern(r"[?？؟⸮]\W*$")
AGENTS = frozenset({"agent", "ai", "assistant", "bot", "chatbot", "model"})
_REQUEST = pattern(r"\b(?:can|could|would|will|do|may|help|thank)\s+you\b", re.IGNORECASE)
_YOU = pattern(
    r"\b(?:you|your|yours|you've|you'd|(?:ha|hatte|sagte|meinte|nannte|empfahl|riete|kann|könnte|würde)st\s+du|du\s+(?:\w+\s+){0,3}ha(?:tte)?st"
    r"|dir|dich|deine?[mnrs]?|usted|ustedes|tú|te|vous|votre|vos|tu|toi"
    r"|você|vocês|jij|jouw|jullie|sen|sana|senin|siz|sizin|ты|тебя|тебе|тобой|вы|вас|вам|твой|твоя|твои|ваш|ваша|ваши)\b",
    re.IGNORECASE,
)
_YOU_ANYWHERE = pattern("[你您妳]|あなた|당신|네가|أنت|आप|तुम")
"""Where words are not set apart, or carry others."""
_TOLD = r"(?:recommended|suggested|explained|described|offered|given|told|advised|mentioned|proposed|shown)"
# What was said to whoever asks, without a word for who said it: in passive voice, or by the verb's ending.
_SAID = pattern(
    rf"\b(?:{_TOLD}\s+(?:to|for)\s+(?:me|us)|(?:was|were|have|had|got|been)\s+(?:I|we)\s+(?:been\s+)?(?:{_TOLD}|supposed\s+to)"
    r"|(?:was|were|been|got)\s+(?:\w+\s+){0,2}?(?:recommended|suggested|advised|proposed)|the\s+(?:assistant|agent|bot|chatbot|model|ai)"
    r"|the\s+(?:advice|recommendations?|suggestions?|tips?|explanation|answer)\s+(?:about|on|for|regarding|against|concerning|to))\b",
    re.IGNORECASE,
)
_SAID_ELSEWHERE = pattern(
    r"\b(?:empfohlen|geraten|vorgeschlagen|empfahlst|rietest|sagtest|hattest|sollte\s+ich|sollten\s+wir"
    r"|(?:recomenda|aconseja|sugeri|menciona|explica|propusi|diji)ste|(?:me|nos)\s+(?:recomend|aconsej|suger|indic|propus)\w+|tenía(?:mos)?\s+que"
    r"|(?:conseillé|recommandé|proposé|suggéré|expliqué)e?s?|devais|hai\s+(?:consigliato|detto|suggerito|raccomandato|proposto|spiegato)"
    r"|(?:recomend|aconselh|suger|mencion|explic)(?:ou|iste|iu)|disseste|aangeraden|aanbevolen|voorgesteld|geadviseerd"
    r"|(?:по)?советовал[аи]?|(?:по)?рекомендовал[аи]?|предлагал[аи]?|предложил[аи]?|говорил[аи]?"
    r"|(?:öner|söyle|de|anlat)(?:din|diniz|miştin|miştiniz)|tavsiye\s+et\w+)\b",
    re.IGNORECASE,
)
_SAID_ANYWHERE = pattern(
    "(?:上次|之前|曾|刚才).{0,2}(?:建议|推荐|推薦|建議|提到|说)|推荐过|建议过|(?:勧め|薦め|教え|おすすめし|提案し)てくれ|言って(?:い)?(?:た|まし)"
    "|(?:と|って)言(?:わ|い|っ)|(?:추천|제안|조언|말)(?:해 ?줬|해 ?준|했|한)|نصحت|اقترحت|أوصيت|أخبرت|قلت|सुझाया|बताया|सलाह दी"
)
# "How do I …", "tell me …" and "sort it for me" ask for help with anything; "Is it a good idea for me?" does not.
_SERVICE = pattern(
    r"\b(?:how (?:do|can|should|would) (?:i|we)|(?:tell|give|show|help|sing|remind) me|let(?:'s| us))\b",
    re.IGNORECASE,
)
_FOR_ME = pattern(r"\bfor (?:me|us)\b", re.IGNORECASE)
_ASKED = pattern(r"(?:what|which|who|where|when|why|how|is|are|do|does|did|should|was|were)\b", re.IGNORECASE)
_SELF = pattern(
    r"\b(?:i|me|my|mine|we|us|our|ours|ich|mir|mich|meine?[mnrs]?|wir|uns|unser\w{0,2}|yo|mi|mis|nuestr[oa]s?|je|mon|mes|nous|notre|nos"
    r"|io|mio|mia|miei|nostr[oa]|eu|meus?|minhas?|nosso|nossa|ik|mijn|ons|onze|ben|benim|bana|bizim|saya|tôi"
    r"|я|мне|меня|мой|моя|моё|мои|моей|моего|мы|нас|нам|наш|наша|나는?|내가?|저는?|제가?|우리|أنا|لي|عندي)\b",
    re.IGNORECASE,
)
_SELF_ANYWHERE = pattern("[我咱]|私|僕|俺|मेर[ाीे]|मैं|हमार[ाीे]")
# As `_SELF`, without what is also a name ("Mia", "Ben", "Ma"): sought in any text, and not in a cue alone.
_OWN_WORDS = frozenset(
    """i i'm i've i'd i'll me my mine myself we we're we've we'd we'll us our ours ich mir mich mein meine meinem meinen meiner meines wir
    uns unser unsere unserem unseren unserer yo mis nuestro nuestra nuestros nuestras je j'ai mon mes nous notre nos eu meu meus minha
    minhas nosso nossa ik mijn ons onze benim bana bizim я мне меня мой моя моё мои моей моего мы нас нам наш наша
    나 내 내가 나는 저는 제가 우리 أنا لي عندي""".split()
)


def speaks_of_itself(cue: str) -> bool:
    """Whether a cue speaks of whoever asks ("my passport", "are we insured?"), not only for help with anything."""
    said = _SERVICE.sub(" ", cue if _ASKED.match(cue) else _FOR_ME.sub(" ", cue))
    return bool(_SELF.search(said) or (not said.isascii() and _SELF_ANYWHERE.search(said)))


_AGENT_HINTS = frozenset(
    """you your yours recommended suggested explained described offered given told advised mentioned proposed shown supposed advice
    recommendation recommendations suggestion suggestions tip tips explanation answer assistant agent bot chatbot model ai""".split()
)
_AGENT_HINTS_ELSEWHERE = frozenset(
    """du dir dich dein deine deiner deinem deinen deines usted ustedes te tu toi vous votre vos jij jouw jullie sen sana senin siz sizin
    empfohlen geraten vorgeschlagen empfahlst rietest sagtest hattest sollte sollten recomendaste aconsejaste sugeriste mencionaste
    explicaste propusiste dijiste recomendaron aconsejaron sugirieron devais hai recomendou aconselhou sugeriu mencionou explicou disseste
    aangeraden aanbevolen voorgesteld geadviseerd tavsiye""".split()
)
"""Words without one of which nothing is asked of an agent, in English and in other languages' plain letters: most cues are told by them."""


@lru_cache(maxsize=64)
def _letters(text: str) -> frozenset[str]:
    return frozenset(_LETTERS.findall(text.lower()))


@lru_cache(maxsize=1 << 14)
def in_first_person(text: str) -> bool:
    """Whether a text begins in the words of somebody who speaks of themselves ("My locker …", "We owe …")."""
    begun = text[:_LOOKED_AT]
    # Words set apart by blanks are compared in a tenth of the time that a pattern takes.
    spoken = not _OWN_WORDS.isdisjoint(begun.lower().replace("\u2019", "'").split())
    return spoken or (not begun.isascii() and bool(_SELF_ANYWHERE.search(begun)))


def addresses_agent(cue: str) -> bool:
    """Whether a cue asks for what the agent itself has said ("the list you gave me", "recommended to me"), not only for its help."""
    words, plain = _letters(cue), cue.isascii()
    if plain and words.isdisjoint(_AGENT_HINTS) and words.isdisjoint(_AGENT_HINTS_ELSEWHERE):
        return False
    said = _REQUEST.sub(" ", cue)
    if _YOU.search(said) or _SAID.search(said):
        return True
    if not plain and (_YOU_ANYWHERE.search(said) or _SAID_ANYWHERE.search(said)):
        return True
    return _SAID_ELSEWHERE.search(said) is not None


def is_idle(utterance: str) -> bool:
    """Whether an utterance greets, thanks or agrees and asks for nothing itself, in English."""
    words = _LETTERS.findall(_APOSTROPHE.sub("", utterance.lower()))
    return not asks(utterance) and all(word in STOP_WORDS or word in IDLE for word in words)


def of_speaker(turn: str) -> float:
    """How much more a turn speaks of its speaker ("my deal") than of whom it is said to ("your deal"), −1 to 1, by its pronouns."""
    own, others = _SELF.findall(turn), _YOU.findall(turn)
    if not turn.isascii():
        own, others = own + _SELF_ANYWHERE.findall(turn), others + _YOU_ANYWHERE.findall(turn)
    return (len(own) - len(others)) / (len(own) + len(others) + 1)


def asks(turn: str) -> bool:
    """Whether a turn ends in a question, in any script; emoji and closing marks after it do not matter."""
    return bool(_QUESTION.search(turn[-_END:]))


_SEEKS = pattern(
    r"\b(?:recommend\w*|suggest\w*|advi[cs]e|ideas?|tips?|options?|plan|planning|choose|pick|find me|looking for|help me|best"
    r"|(?:should|shall) (?:i|we)|i should|(?:could|can|would) you (?:find|give|make|create|show|provide|name|put together|come up with)"
    r"|what (?:are|would be) (?:some|a)|what \w+ of \w+ (?:can|could|would|should)|which \w+ (?:would|should)|what's a good"
    r"|(?:how|what|where) (?:can|should|could) (?:i|we))\b",
    re.IGNORECASE,
)
_PAST = pattern(r"\b(?:did|was|were|had)\b", re.IGNORECASE)
_LEANS = pattern(
    r"\b(?:prefer\w*|favou?rites?|loves?|enjoy\w*|hates?|dislike\w*|avoid\w*|despise|loathe|detest|allerg\w+|intoleran\w+|sensitive to"
    r"|can(?:'t|not| not) (?:stand|eat|tolerate|bear|take|have|sleep|use)|never|always|rather|would like|insist|refuse"
    r"|not (?:a |much of a )?fan"
    r"|(?:do|does|wo)(?:n't|nt| not) (?:like|want|eat|drink|enjoy|use|buy|trust|wear|do|go|watch|read|need|take)|will not"
    r"|vegan|vegetarian|kosher|halal|gluten|diet|afraid|scared|scares|fear\w*|phobi\w+|terrified|anxious|uncomfortable|upset\w*"
    r"|keen on|fond of|fan of|interested in|passionate|drawn to|committed to|opposed to|strict\w*|must|only|mostly|budget|hardly"
    r"|i (?:like|want|need|find|value|believe|tend))\b"
)
_LOOKED_AT = 300


def seeks(cue: str) -> bool:
    """Whether a cue asks for advice, a choice or a plan ("recommend …", "what should I …"), in English, and not what came of one."""
    return bool(_SEEKS.search(cue)) and not _PAST.search(cue)


@lru_cache(maxsize=1 << 14)
def leans(text: str) -> bool:
    """Whether a memory tells what somebody prefers, avoids or cannot have, in English."""
    # A pattern that minds case finds its words several times as fast.
    return bool(_LEANS.search(text[:_LOOKED_AT].lower()))


Relation = Literal["before", "after", "since", "until", "around"]


class Beside(NamedTuple):
    """How a time lies to an event, the event in the words of the text, and where both stand in it.

    With `many` it is so many units away ("two days after"), with a unit alone the next or the last one ("the week before") or, of
    `around`, the one that the event lies in. `close` is "right after". With an open end the last words may not be the event's any more.
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
_BESIDE = pattern(
    rf"\b(?:(?P<count>\d{{1,4}}|the|{'|'.join(_COUNTS)})\s+{_BESIDE_UNIT}s?\s+)?(?P<close>(?:right|just|shortly|soon|directly|immediately)\s+)?"
    rf"(?P<relation>before|after|following|since|until)\s+{_OWNERS}\s+{_EVENT}",
    re.IGNORECASE,
)
_AROUND = pattern(
    rf"\b(?:(?:on|in|over)?\s*the\s+{_BESIDE_UNIT}\s+of|(?P<relation>around)(?:\s+the\s+time\s+of)?)\s+{_OWNERS}\s+{_EVENT}", re.IGNORECASE
)
# What somebody did: "since Samira started". Only what is past can be dated.
_CLAUSE = pattern(
    r"\b(?P<relation>[Bb]efore|[Aa]fter|[Ss]ince|[Uu]ntil)\s+(?:I|we|you|he|she|they|it|(?P<who>[A-Z][\w'’]+(?:\s[A-Z]\w+)?))\s+(?P<event>(?:\w+ed|left"
    r"|went|came|got|began|met|bought|sold|broke|became|found|lost|won|made|took|gave|paid|cut|fell|ran|wrote|built|flew|married)\b(?:\s[\w'’-]+){0,5})"
)
# The event ends where the question goes on.
_GOES_ON = pattern(
    r"\b(?:and|or|but|did|do|does|was|were|is|are|had|has|have|what|who|whom|which|when|where|why|how|i|we|you|he|she|they|it|that|than|"
    r"if|because|started|began|ended|came|went)\b.*",
    re.IGNORECASE,
)
_UNITS_ALONE = frozenset("day days week weeks weekend month months year years season day's week's month's year's".split())

# Words that stand before the event in other languages, with an article or one inside them; Russian and Arabic have none.
_BEFORE = {
    "before": r"vor|antes de|avant|voor|prima di|(?:antes d(?:el|[oa]s?)|prima d(?:el|ell[ao']|ei|elle))(?=\s|['’])|до|перед|قبل",
    "after": r"nach|después de|tras|depois de|após|après|dopo|na|(?:después del|depois d[oa]s?)(?=\s)|после|بعد",
    "since": r"seit|desde|depuis|sinds|da(?:l|ll[ao'])(?=\s|['’])|منذ",
    "until": r"bis zu[mr]|hasta|até|jusqu['’]à|jusqu['’]au|fino a(?:l|lla)?|tot",
}
_ARTICLES = (
    r"(?:(?:de[mnr]|die|das|(?:meine|unsere|seine|ihre)[mnr]?|unserem|meinem|el|la|los|las|mi|mis|nuestr[oa]s?|le|les|mon|ma|mes|notre|nos"
    r"|il|lo|gli|mio|mia|nostr[oa]|[oa]s?|meu|minha|noss[oa]|de|het|mijn|onze|ons)\s+|l['’])"
)
_ELSEWHERE = pattern(
    r"(?<!\w)(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _BEFORE.items()) + r")(?:\s+|['’]\s*)"
    rf"{_ARTICLES}*(?P<event>(?:[\w-]+\s*){{1,4}})",
    re.IGNORECASE,
)
_HAN_KATA = f"[{scripts.HAN}{scripts.KATAKANA}]"
# A word of any length is read from its beginning alone: from each letter of a long one anew would take the square of its length.
_BEHIND = (
    pattern(rf"(?:^|[在我们你，, ])(?P<event>[{scripts.HAN}]{{2,8}}?)(?:(?P<before>之前|以前)|(?P<after>之后|以后|之後|以後))"),
    pattern(rf"(?P<event>{_HAN_KATA}{{2,10}})(?:の|する|した)(?:(?P<before>前)|(?P<after>後|あと))"),
    pattern(rf"(?P<event>[{scripts.HANGUL}]{{2,8}})\s(?:(?P<before>전에)|(?P<after>후에|이후|뒤에))"),
    pattern(r"\b(?P<event>\w{3,})(?:[dt][ae]n)\s(?:(?P<before>önce)|(?P<after>sonra)|(?P<since>beri))", re.IGNORECASE),
    pattern(r"(?<![^\s?।])(?P<event>(?:[^\s?।]+\s){1,2}?)(?:से|के)\s(?:(?P<before>पहले)|(?P<after>बाद))"),
)


_BESIDE_WORDS = frozenset("before after following since until".split())
_AROUND_WORDS = frozenset("around day week weekend month year".split())
_ELSEWHERE_WORDS = frozenset(
    "vor nach seit bis antes tras desde hasta depois avant depuis voor na sinds tot prima dopo dal dalla dall dallo fino".split()
)


def beside(text: str) -> Beside | None:
    """The first event that the text puts a time beside, None where there is none."""
    words = _letters(text)
    if not words.isdisjoint(_BESIDE_WORDS) and (match := _BESIDE.search(text)):
        return _english(match)
    if not words.isdisjoint(_BESIDE_WORDS) and (match := _CLAUSE.search(text)):
        event = f"{match['who'] or ''} {match['event']}".strip()
        return Beside(cast("Relation", match["relation"].lower()), event, match.span())
    if not words.isdisjoint(_AROUND_WORDS) and (match := _AROUND.search(text)):
        return _english(match)
    return None if text.isascii() and words.isdisjoint(_ELSEWHERE_WORDS) else _elsewhere(text)


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
    for each in (_ELSEWHERE, *_BEHIND):
        if (match := each.search(text)) and (event := match["event"].strip()):
            relation = next(name for name, said in match.groupdict().items() if said and name != "event")
            return Beside(cast("Relation", relation), event, match.span(), open_end=True)
    return None
