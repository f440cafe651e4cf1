"""What a cue's words ask for: the past or the present, a person, one of a series, the agent's own words, advice; and what fits that.

`intent` changes how recency counts, so it needs a word that says so; the future counts as neutral, because nothing that is stored lies in
it. A time relative to an event is read by `event_times`.

A cue that asks for advice, a choice or a plan is about whatever its user prefers, avoids or cannot have.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import dropwhile
from typing import Literal

from cued.model import Intent
from cued.text.patterns import pattern, spoken, spoken_words
from cued.text.remembered import Remembered
from cued.text.stopwords import STOP_WORDS
from cued.text.tongues import eating_words, leaning_words

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
_MARKED = {name: pattern(rf"\W(?:{'|'.join(markers)})(?!\w)") for name, markers in _MARKERS.items()}


def intent(text: str) -> Intent:
    """The intent that the text's time words state: past, present, or neutral when they state none, both, or the future."""
    said = spoken(text)
    stated = [name for name, marked in _MARKED.items() if marked.search(said)]
    return stated[0] if len(stated) == 1 else "neutral"


_END = 80
_QUESTION = pattern(r"[?？؟⸮]\W*$")
AGENTS = frozenset({"agent", "ai", "assistant", "bot", "chatbot", "model"})
_REQUEST = pattern(r"(\W)(?:can|could|would|will|do|may|help|thank|how\s+are|how\s+have|see|meet|talk\s+to)\s+you\b")
_TOLD_YOU = pattern(
    r"(\W)(?:(?:i|we)(?:['’](?:ve|d)|\s+ha(?:ve|d))?\s+(?:(?:already|ever|just|once)\s+)?"
    r"(?:tell|told|show(?:ed|n)?|give|gave|given|send|sent|ask(?:ed)?(?=\s+you\s+to\s+(?:remember|note|keep|save))|(?:say|said|mention(?:ed)?|explain(?:ed)?|describe[sd]?|share[sd]?|wrote|written)"
    r"(?:\s+[\w'’]+){0,4}\s+(?:to|with|for))\s+you|(?:ich|wir)\s+(?:dir|euch|ihnen)|(?:je|j['’]|nous)\s+(?:t['’]|vous\s+)a(?:i|vais|vons|vions)"
    r"|te\s+(?:dije|conté|mencioné|expliqué|h(?:e|abía)\s+(?:dicho|contado|mencionado|explicado)))\b"
)
"""The user has told the agent something, and asks for their own words."""
_YOU = pattern(
    r"\W(?:you|your|yours|you've|you'd|(?:ha|hatte|sagte|meinte|nannte|empfahl|riete|kann|könnte|würde)st\s+du|du\s+(?:\w+\s+){0,3}ha(?:tte)?st"
    r"|dir|dich|deine?[mnrs]?|usted|ustedes|tú|te|t(?=['’]\w)|vous|votre|vos|tu|toi"
    r"|você|vocês|jij|jouw|jullie|sen|sana|senin|siz|sizin|ты|тебя|тебе|тобой|вы|вас|вам|твой|твоя|твои|ваш|ваша|ваши)\b"
)
_DU = pattern(r"[Dd][Uu]\b")
"""Without a match `_YOU` can only find single words."""
_YOU_ANYWHERE = pattern("[你您妳]|あなた|당신|네가|أنت|आप|तुम")
"""The same in languages that write words without spaces, or join them."""
_TOLD = r"(?:recommended|suggested|explained|described|offered|given|told|advised|mentioned|proposed|shown)"
# What was said to whoever asks, without a word for who said it: in passive voice, or by the verb's ending.
_SAID = pattern(
    rf"\W(?:{_TOLD}\s+(?:to|for)\s+(?:me|us)|(?:was|were|have|had|got|been)\s+(?:i|we)\s+(?:been\s+)?(?:{_TOLD}|supposed\s+to)"
    r"|(?:was|were|been|got)\s+(?:\w+\s+){0,2}?(?:recommended|suggested|advised|proposed)|the\s+(?:assistant|agent|bot|chatbot|model|ai)"
    r"|the\s+(?:advice|recommendations?|suggestions?|tips?|explanation|answer)\s+(?:about|on|for|regarding|against|concerning|to))\b"
)
_SAID_ELSEWHERE = pattern(
    r"\W(?:empfohlen|geraten|vorgeschlagen|empfahlst|rietest|sagtest|hattest|sollte\s+ich|sollten\s+wir"
    r"|(?:recomenda|aconseja|sugeri|menciona|explica|propusi|diji)ste|(?:me|nos)\s+(?:recomend|aconsej|suger|indic|propus)\w+|tenía(?:mos)?\s+que"
    r"|(?:conseillé|recommandé|proposé|suggéré|expliqué)e?s?|devais|hai\s+(?:consigliato|detto|suggerito|raccomandato|proposto|spiegato)"
    r"|(?:recomend|aconselh|suger|mencion|explic)(?:ou|iste|iu)|disseste|aangeraden|aanbevolen|voorgesteld|geadviseerd"
    r"|(?:по)?советовал[аи]?|(?:по)?рекомендовал[аи]?|предлагал[аи]?|предложил[аи]?|говорил[аи]?"
    r"|(?:öner|söyle|de|anlat)(?:din|diniz|miştin|miştiniz)|tavsiye\s+et\w+)\b"
)
_SAID_ANYWHERE = pattern(
    "(?:上次|之前|曾|刚才).{0,2}(?:建议|推荐|推薦|建議|提到|说)|推荐过|建议过|(?:勧め|薦め|教え|おすすめし|提案し)てくれ|言って(?:い)?(?:た|まし)"
    "|(?:と|って)言(?:わ|い|っ)|(?:추천|제안|조언|말)(?:해 ?줬|해 ?준|했|한)|نصحت|اقترحت|أوصيت|أخبرت|قلت|सुझाया|बताया|सलाह दी"
)
# "How do I …", "tell me …" and "sort it for me" ask for help with anything; "Is it a good idea for me?" does not.
_HELP = r"how (?:do|can|should|would) (?:i|we)|(?:tell|give|show|help|sing|remind) me|let us"
_SERVICE = pattern(rf"\b(?:{_HELP})\Z", re.IGNORECASE)
_SERVICE_FOR_ME = pattern(rf"\b(?:{_HELP}|for (?:me|us))\Z", re.IGNORECASE)
_LONGEST = len("how should we")
_ASKED = pattern(r"(?:what|which|who|where|when|why|how|is|are|do|does|did|should|was|were)\b", re.IGNORECASE)
# Some are also names and abbreviations, with capitals: "Mia", "Ben", "EU".
_SELF = pattern(
    r"\b(?:i|me|my|mine|we|our|ours|ich|mir|mich|meine?[mnrs]?|wir|uns|unser\w{0,2}|yo|mis|nuestr[oa]s?|je|mes|nous|notre|nos"
    r"|(?-i:mia|ben|us|[Mm]i|[Mm]on|[Ii]o|[Ee]u)|mio|miei|nostr[oa]|meus?|minhas?|nosso|nossa|ik|mijn|ons|onze|benim|bana|bizim|saya|tôi"
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
    """Whether a cue is about its user ("my passport", "are we insured?"), and does not only ask for help."""
    if not cue.isascii() and _SELF_ANYWHERE.search(cue):
        return True
    if not any(map(_OWN.__getitem__, cue.split())):
        return False
    service = _SERVICE if _ASKED.match(cue) else _SERVICE_FOR_ME
    return any(not service.search(cue, max(own.end() - _LONGEST, 0), own.end()) for own in _SELF.finditer(cue))


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
"""Words of which one is in every cue that asks for the agent's words, in plain letters: most cues have none."""


@lru_cache(maxsize=1 << 14)
def in_first_person(text: str) -> bool:
    """Whether a text begins in the first person ("My locker …", "We owe …")."""
    begun = text[:_LOOKED_AT]
    # Words set apart by blanks are compared in a tenth of the time that a pattern takes.
    spoken = not _OWN_WORDS.isdisjoint(begun.lower().replace("\u2019", "'").split())
    return spoken or (not begun.isascii() and bool(_SELF_ANYWHERE.search(begun)))


def addresses_agent(cue: str) -> bool:
    """Whether a cue asks for what the agent has said ("the list you gave me", "recommended to me"), and not only for help."""
    words, plain = spoken_words(cue), cue.isascii()
    if plain and words.isdisjoint(_AGENT_HINTS) and words.isdisjoint(_AGENT_HINTS_ELSEWHERE):
        return False
    said = _TOLD_YOU.sub(r"\1 ", _REQUEST.sub(r"\1 ", spoken(cue)))
    if _YOU.search(said) or _SAID.search(said):
        return True
    if not plain and (_YOU_ANYWHERE.search(said) or _SAID_ANYWHERE.search(said)):
        return True
    return _SAID_ELSEWHERE.search(said) is not None


def of_speaker(turn: str) -> float:
    """How much more a turn is about its speaker ("my deal") than about its listener ("your deal"), −1 to 1, by its pronouns."""
    words = turn.split()
    own = sum(map(_OWN.__getitem__, words))
    others = len(_YOU.findall(spoken(turn))) if _DU.search(turn) else sum(map(_OTHERS.__getitem__, words))
    if not turn.isascii():
        own, others = own + len(_SELF_ANYWHERE.findall(turn)), others + len(_YOU_ANYWHERE.findall(turn))
    return (own - others) / (own + others + 1)


_OWN = Remembered(lambda word: len(_SELF.findall(word)), most=1 << 15)
_OTHERS = Remembered(lambda word: len(_YOU.findall(spoken(word))), most=1 << 15)
"""How often a chunk between two spaces says "I" or "you"."""


_NAME = r"[A-Z][^\W\d_A-Z]+(?:\s[A-Z][^\W\d_A-Z]+){0,2}"
_ASKED_ABOUT = pattern(
    rf"\b(?:(?P<whose>{_NAME})['’]s?\s(?=\w)|(?:do|does|did|is|was|has|had|will|would|can|could|should)\s(?P<who>{_NAME})(?!\w))"
)
_TOLD_ABOUT = pattern(
    rf"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?\s)?(?P<name>{_NAME})(?:['’]s?\s(?=\w)|\s(?=(?:is|was|has|had|will|can|does|did|[a-z]+(?:s|ed))\b))"
)
_NOBODY = STOP_WORDS | frozenset("user users client customer assistant agent".split())
_KIN = {
    word: place
    for place, words in enumerate(
        (
            "mum mom mummy mommy mama mother",
            "dad daddy papa father",
            "grandma granny gran nana grandmother",
            "grandpa grandad granddad grandfather",
        )
    )
    for word in words.split()
}
"""Words for parents and grandparents, by which of them is meant."""
_ALIKE = 3
# Its first sign comes first, so that the engine looks for one and tries nowhere else.
_NUMBERED = pattern(r"(?P<series>[#A-Z](?<![\w#].)(?:(?<=#)|(?<!#)[A-Z]{1,7}-?))\d{3,}(?![\w-])")
_ONE_OF_SERIES = r"(?P<series>[^\W\d_]{3,20}) (?P<number>\d{1,6}[a-z]?)(?![\w-]|[.:,]\d)"
_IN_ORDER = pattern(_ONE_OF_SERIES)
_LABEL = pattern(rf"\W{{1,3}}{_ONE_OF_SERIES}(?=\s?[:,(–—]|\s-\s)")
_DIGITS = pattern(r"\d+")
_BESIDE = frozenset(
    """after before since until till from than between following past next previous later earlier beside except like unlike only more most
    nach vor seit bis ab nächste nächsten después antes desde hasta siguiente après avant depuis suivant""".split()
)
"""Words with which a cue that names one of a series may ask for the one before or after it."""


def asked_about(cue: str) -> str:
    """The name of whom an English cue asks about ("Stefan" of "Who is Stefan's dentist?", "Where does Stefan live?"), "" for none."""
    return next(filter(None, (_name(match["whose"] or match["who"]) for match in _ASKED_ABOUT.finditer(cue))), "")


def told_about(text: str) -> str:
    """The name with which a memory about somebody begins ("Maya" of "Maya's dentist moved.", "Maya lives here."), "" for none."""
    found = _TOLD_ABOUT.match(text)
    return _name(found["name"]) if found else ""


def _name(words: str) -> str:
    """The words, without those that only begin a sentence before a name ("Is Maya")."""
    return " ".join(dropwhile(lambda word: word.lower() in _NOBODY, words.split()))


def numbered(text: str) -> dict[str, frozenset[str]]:
    """The numbers that a text names something by ("#48214", "LH1234", "OPS-482"), by series, which is what stands before the number."""
    found: dict[str, set[str]] = {}
    for match in _NUMBERED.finditer(text):
        found.setdefault(match["series"], set()).add(match[0])
    return {series: frozenset(numbers) for series, numbers in found.items()}


def of_somebody_else(text: str, stranger: str) -> bool:
    """Whether a memory is about somebody else than the stranger, by a name with another beginning: "Ben" may be "Benjamin".

    "Mum" may be anybody with a name, but not "Dad".
    """
    told = told_about(text) if stranger else ""
    if (kin := _KIN.get(stranger.lower())) is not None:
        return _KIN.get(told.lower(), kin) != kin
    return bool(told) and stranger not in text and told[:_ALIKE] != stranger[:_ALIKE]


def of_another_number(text: str, numbers: Mapping[str, frozenset[str]]) -> bool:
    """Whether a memory has numbers of a series that is asked for, but none of the numbers asked for."""
    told = numbered(text) if any(series in text for series in numbers) else {}
    return any(numbers[series].isdisjoint(told[series]) for series in numbers.keys() & told.keys())


def labelled(cue: str) -> tuple[str, str]:
    """The one of a series that a cue asks for by its only number ("session", "10" of "What happened in session 10?"), "" for none."""
    if len(_DIGITS.findall(cue)) != 1 or not _BESIDE.isdisjoint(spoken_words(cue)):
        return "", ""
    found = _IN_ORDER.search(spoken(cue))
    return (found["series"], found["number"].lstrip("0")) if found and found["series"] not in STOP_WORDS else ("", "")


def of_another_label(text: str, series: str, number: str) -> bool:
    """Whether a memory begins with the label of another one of the series ("Session 6: …"), and does not name the one asked for."""
    said = spoken(text)
    label = _LABEL.match(said)
    if label is None or label["series"] != series:
        return False
    return all(each["number"].lstrip("0") != number for each in _IN_ORDER.finditer(said) if each["series"] == series)


def asks(turn: str) -> bool:
    """Whether a turn ends in a question, in any script; emoji and closing marks after it do not matter."""
    end = turn[-_END:]
    return ("?" in end or not end.isascii()) and _QUESTION.search(end) is not None


Sought = Literal["utterance", "order", "state", ""]
_SEEKS = pattern(
    r"\W(?:recommend\w*|suggest\w*|advi[cs]e|ideas?|tips?|options?|plan|planning|choose|pick|find me|looking for|help me|best"
    r"|(?:should|shall) (?:i|we)|i should|(?:could|can|would) you (?:find|give|make|create|show|provide|name|put together|come up with)"
    r"|what (?:are|would be) (?:some|a)|what \w+ of \w+ (?:can|could|would|should)|which \w+ (?:would|should)|what's a good"
    r"|(?:how|what|where) (?:can|should|could) (?:i|we))\b"
)
_ORDERS = pattern(
    r"\W*(?:(?:please|now|ok|okay|then|and|hey|hi)\W+)*"
    r"(?:(?:can|could|would|will) you (?:please )?|(?:i|we) (?:need|want|have) (?:you )?to |let's )?"
    r"(?:(?:reply|respond|write) to \w|(?:add|arrange|bake|book|build|buy|compose|cook|create|design|draft|find|generate"
    r"|implement|make|order|organi[sz]e|pack|prepare|put (?:on|together)|reserve|rewrite|schedule|set up|summari[sz]e|write)"
    r" (?:an?|the|my|our|his|her|their|me|us|him|them|some\w*|more|new|for|\d+|two|three|breakfast|lunch|dinner)\b"
    r"|(?:arrange|bake|buy|compose|cook|organi[sz]e|prepare|reserve|write) \w)"
)
"""An order for something new, which can be done to the user's taste: not "book club", and not a change to what exists."""
_LEANS = pattern(
    r"\b(?:prefer\w*|favou?rites?|loves?|enjoy\w*|hates?|dislike\w*|avoid\w*|despise|loathe|detest|allerg\w+|intoleran\w+|sensitive to"
    r"|can(?:'t|not| not) \w+|never|always|rather|would like|insist|refuse|not (?:a |much of a )?fan"
    r"|(?:do|does|wo)(?:n't|nt| not) \w+|will not|(?:gives?|gave|makes?|made|keeps?|kept) (?:me|him|her|us|them)"
    r"|vegan|vegetarian|kosher|halal|gluten|diet|afraid|scared|scares|fear\w*|phobi\w+|terrified|anxious|uncomfortable|upset\w*"
    r"|keen on|fond of|fan of|interested in|passionate|drawn to|committed to|opposed to|strict\w*|must|only|mostly|budget|hardly"
    r"|at most|no more than|no \w+ing|too \w+|(?:gave|given|give|giving) up|cut(?:s|ting)? (?:down|back|out)"
    r"|i (?:like|want|need|find|value|believe|tend)|likes|tends|(?:wants|needs)(?! to\b)"
    r"|user (?:wants|needs|asked|asks|wishes|expects|insisted))\b"
)
_IN_CODE = pattern("`[^`]+`")
_SOUGHT_ELSEWHERE = pattern(rf"\W(?:{'|'.join(leaning_words.SEEKING.values())})(?!\w)")
_ORDERED_ELSEWHERE = pattern(rf"\W*(?:{'|'.join(leaning_words.ORDERING.values())})(?!\w)")
_LEANS_ELSEWHERE = pattern(rf"\W(?:{'|'.join(leaning_words.LEANING.values())})(?!\w)")
_OF_FOOD = pattern(rf"\W(?:{'|'.join(eating_words.FOOD.values())})(?!\w)")
_NOT_EATEN = pattern(rf"\W(?:{'|'.join(eating_words.MUST_NOT_EAT.values())})(?!\w)")
_ILL_OF = pattern(rf"\W(?:{eating_words.ILL_OF})(?!\w)")
_OF_NO_FOOD = pattern(rf"\W(?:{eating_words.NO_FOOD})(?!\w)")
_PAST = pattern(r"\W(?:did|was|were|had)\b")
_LOOKED_AT = 300


_BEFORE = pattern(r"\W(?:previous|previously|former|formerly|used to|before(?=\W*\Z)|ex(?=[- ]\w))(?!\w)")


def asks_of_before(cue: str) -> bool:
    """Whether an English cue asks for what held before the current state ("previous", "used to", "… before?")."""
    return _BEFORE.search(spoken(cue)) is not None


def tells_of_past(text: str) -> bool:
    """Whether an English text has an auxiliary verb of the past ("did", "was")."""
    return _PAST.search(spoken(text)) is not None


def seeks(cue: str) -> bool:
    """Whether an English cue asks for advice, a choice or a plan ("recommend …", "what should I …"), and not what came of one."""
    return bool(_SEEKS.search(spoken(cue))) and not tells_of_past(cue)


def orders(cue: str) -> bool:
    """Whether an English cue orders work that can be done in many ways ("write a letter", "book us a table")."""
    return _ORDERS.match(spoken(cue)) is not None


def sought(utterance: str, state: str, *, foreign: bool = False) -> Sought:
    """The text that asks for advice, a choice, a plan or a piece of work: the utterance, or else the agent's state; "" for neither."""
    if _SOUGHT_ELSEWHERE.search(spoken(utterance)) if foreign else seeks(utterance):
        return "utterance"
    if _ORDERED_ELSEWHERE.match(spoken(utterance)) if foreign else orders(utterance):
        return "order"
    return "state" if state and seeks(state) else ""


@lru_cache(maxsize=1 << 14)
def leans(text: str, *, foreign: bool = False) -> bool:
    """Whether a memory says what somebody prefers, avoids or cannot have, in English or, if it is `foreign`, in another language."""
    # `--only` is a word of a command.
    begun = _IN_CODE.sub("`", text[:_LOOKED_AT]) if "`" in text else text[:_LOOKED_AT]
    # A pattern that minds case finds its words several times as fast.
    return bool(_LEANS_ELSEWHERE.search(spoken(begun)) if foreign else _LEANS.search(begun.lower()))


def speaks_of_food(cue: str) -> bool:
    """Whether a cue speaks of a meal, a dish, or a place to have one, in English, German, French or Spanish."""
    return _OF_FOOD.search(spoken(cue)) is not None


@lru_cache(maxsize=1 << 14)
def must_not_eat(text: str) -> Literal["ill", "strict", ""]:
    """Why somebody must not eat or drink something, as a text begins: because it makes them ill, or by a rule; "" for no reason."""
    begun = spoken(text[:_LOOKED_AT])
    if _ILL_OF.search(begun) and not _OF_NO_FOOD.search(begun):
        return "ill"
    return "strict" if _NOT_EATEN.search(begun) else ""
