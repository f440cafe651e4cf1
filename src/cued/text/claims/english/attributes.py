"""English attributes: which have one value at a time, which words add to what is known, and which words change it."""

from typing import Final

from cued.text.claims.english.meanings import key
from cued.text.claims.lexicon import Attribute


def _keys(words: str) -> frozenset[str]:
    return frozenset(key(word) for word in words.split())


# What one does or has many of at once: another object is no news about the first one.
ADDITIVE: Final = _keys(
    """like love enjoy adore hate dislike have own want need play collect visit buy know speak eat drink bake cook read watch see
    allergy allergic take use prefer learn meet go do try add run contain include require support responsible interested
    afraid fear intolerant sensitive immune fond compatible incompatible friend
    good bad fan plan save invest attend follow practise share offer show bring give make help talk ask discuss teach
    remember subscribe trust recommend wish dream order sell paint fix check review love grow require expose return involve mention"""
)
# States and places: one at a time, so another value replaces the first one.
SINGLE: Final = _keys(
    """live stay reside sit stand lie sleep work bank base locate listen leave depart start begin end finish open close
    expire weigh cost earn owe belong report target insure host deploy store keep write implement rank measure last seat
    time limit default equal height live wake rise indent arrive drive name call lead manage study
    move relocate reach climb date root set assign map build cap"""
)
# Verbs that say no more than that something is.
COPULAS: Final = _keys("be happen occur locate hold remain stay sit stand lie become")
CHANGES: Final = _keys(
    """move relocate switch change replace rename raise increase decrease reduce lower push postpone delay reschedule shift migrate upgrade
    downgrade swap convert trade transfer update adjust bump extend shorten rise fall grow drop revise repaint transition
    promote turn become redesign rewrite reassign reach hit break rebook amend correct double halve slip climb downsize"""
)
# Verbs that end what their object says.
ENDINGS: Final = _keys(
    "stop quit cease cancel abandon remove delete avoid refuse uninstall unsubscribe revoke scrap discontinue lack ditch skip resign"
)
# To have something, and to have it no longer.
HOLDING: Final = _keys("have own possess")
DISPOSALS: Final = _keys("sell close lose return donate throw scrap break")
# Relatives, friends and animals: somebody else than the one who owns them.
KIN: Final = _keys(
    """mother father brother sister son daughter wife husband partner aunt uncle cousin grandmother grandfather nephew niece parents parent
    friend neighbour neighbor colleague coworker boss dog cat baby child roommate flatmate ex fiancee fiance in-law mother-in-law
    father-in-law sister-in-law brother-in-law ex-husband ex-wife stepson stepdaughter twin grandson granddaughter landlord tenant
    customer client team puppy"""
)
# The attribute, its nouns, and verbs with their prepositions ("-" for a direct object).
_ATTRIBUTES: Final = """
residence : address | live in at with near on; reside in at; move to into in; relocate to; home in; base in; settle in
employer : employer | work at for with; job at with; employ at by; join -; hire by at
occupation : occupation profession | work as; job as; train as; start as; hire as
spouse : spouse husband wife | marry to -
relationship : | date -; engage to; marry to -; divorce from
phone : phone-number |
email : e-mail email |
age : age | turn -
weight : weigh |  weigh -; weigh at
height : height | tall -
diet : diet |
salary : salary income | earn -
rent : rent |
cost : cost fee rate price | cost -; sell for
bank : bank | bank with at; account with at
insurance : insure | insure with by
version : version release |
port : port | listen on
base : | run on
branch : branch |
deadline : deadline | due on by in at
birthday : birthday | born on
birthplace : birthplace | born in
favourite : favourite |
dentist : dentist |
doctor : doctor |
school : school | study at; enrol at in
major : major | major in
car : car | drive -
owner : owner maintainer lead | own by
boss : boss | report to
timezone : timezone time-zone |
language : mother-tongue |
editor : editor ide |
theme : theme |
framework : framework |
status : status |
budget : budget |
limit : limit quota cap |
size : size |
password : password code pin |
location : location venue | locate in at; keep in at
vendor : provider vendor supplier |
hours : | wake at; begin at; open at; close at
"""


def _attributes() -> dict[str, tuple[Attribute, ...]]:
    found: dict[str, tuple[Attribute, ...]] = {}
    for line in _ATTRIBUTES.strip().splitlines():
        name, _, rest = line.partition(" :")
        nouns, _, verbs = rest.partition("|")
        for noun in nouns.split():
            found[key(noun)] = (*found.get(key(noun), ()), Attribute(name))
        for entry in filter(None, (verb.split() for verb in verbs.split(";"))):
            verb, *prepositions = entry
            found[key(verb)] = (*found.get(key(verb), ()), *(Attribute(name, preposition) for preposition in prepositions))
    return found


ATTRIBUTES: Final = _attributes()

# Values of one family exclude one another: what has one of them has none of the others.
_FAMILIES: Final = """
colour : white black grey gray red green blue yellow orange purple pink brown beige turquoise navy cream silver gold
diet : vegan vegetarian pescatarian carnivore omnivore flexitarian keto paleo
relationship : single dating engaged married divorced separated widowed
state : to-do todo in-progress done finished completed blocked on-hold pending backlog cancelled merged shipped resolved
employment : employed unemployed retired freelance freelancing self-employed intern
transport : train plane car bus ferry bike foot fly
mode : light dark
indent : tabs spaces
size : small medium large xl xs
language : english german french spanish italian portuguese dutch polish swedish japanese chinese korean russian turkish arabic
level : beginner intermediate advanced junior senior lead principal
rhythm : hourly daily weekly biweekly fortnightly monthly quarterly yearly annually
"""


def _families() -> dict[str, str]:
    lines = (line.partition(" : ") for line in _FAMILIES.strip().splitlines())
    return {key(word): name for name, _, words in lines for word in words.split()}


FAMILIES: Final = _families()
