"""The function words of English by what they do in a sentence, and its contractions."""

from typing import Final

from cued.text.claims.lexicon import WordRole

_BY_ROLE: Final[dict[WordRole, str]] = {
    "not": "not no never none nobody nothing neither nor without hardly barely zero nope lacking formerly-did stopped",
    "now": "now nowadays currently presently anymore henceforth onwards meanwhile latest current correction update",
    "new": "new updated replacement successor",
    "also": "also too additionally besides both another else plus",
    "self": "i me my mine myself we us our ours ourselves user users",
    "person": "he him his himself she her hers herself they them their theirs themselves someone everybody everyone who whom",
    "thing": "it its itself this these those ones which there here",
    "determiner": "a an the some any each every all such own same other",
    "be": "am is are was were be been being becomes become became remains",
    "have": "have has had having got gotten",
    "auxiliary": "do does did doing done will would shall should can could may might must ought let please gonna gotta wanna",
    "preposition": """of in on at by for with against between into through during to up down off over under as than per via onto upon
        within around near behind beside next inside outside above below across along towards toward out back""",
    "border": """and or but that because since so while though although whereas if when where then however therefore instead unless yet
        hence whose before after until till once""",
    "filler": """filler just already today lately recently finally eventually actual actually very really quite rather pretty totally
        completely absolutely always usually often generally mostly basically simply only even still again ever more most much many
        few less least lot lots bit kind sort way thing things okay ok yes oh well btw fyi note reminder remember info apparently
        honestly probably maybe perhaps about approximately roughly exactly nearly almost far right how what why said says say saying
        told tells tell mentioned mentions mention heard learned learnt realised realized confirmed turns seems seem appears think
        thinks thought believe believes guess called named total altogether directly straight properly definitely daily regularly
        normally thanks hi hey hello gets getting get stuff etc eg ie""",
    "time": """day days week weeks month months monthly weekly yearly annually year years hour hours minute minutes morning mornings
        afternoon afternoons evening evenings night nights noon midnight tonight tomorrow yesterday weekend weekends spring summer
        autumn winter last ago soon later earlier o'clock past half quarter""",
    "from": "from formerly previously",
    "instead": "instead-of",
}

ROLES: Final[dict[str, WordRole]] = {word: role for role, words in _BY_ROLE.items() for word in words.split()}

# Both spellings, because apostrophes get lost in chats.
_SHORTENED: Final = {
    "not": """don't:do doesn't:does didn't:did isn't:is aren't:are wasn't:was weren't:were haven't:have hasn't:has hadn't:had
        won't:will wouldn't:would shouldn't:should can't:can couldn't:could mustn't:must needn't:must ain't:is mightn't:might""",
    "is": "it's:it he's:he she's:she that's:that there's:there here's:here what's:what who's:who where's:where everyone's:everyone",
    "am": "i'm:i",
    "are": "you're:you we're:we they're:they",
    "have": "i've:i we've:we you've:you they've:they",
    "will": "i'll:i we'll:we you'll:you they'll:they he'll:he she'll:she it'll:it",
    "would": "i'd:i we'd:we you'd:you they'd:they he'd:he she'd:she",
    "us": "let's:let",
}
_SAFE_WITHOUT_APOSTROPHE: Final = frozenset(
    """dont doesnt didnt isnt arent wasnt werent havent hasnt hadnt wont wouldnt shouldnt cant couldnt mustnt aint im ive youre theyre
    thats theres weve""".split()
)


def _contractions() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {"cannot": ("can", "not")}
    for tail, pairs in _SHORTENED.items():
        for pair in pairs.split():
            short, head = pair.split(":")
            found[short] = (head, tail)
            bare = short.replace("'", "")
            if bare in _SAFE_WITHOUT_APOSTROPHE:
                found[bare] = (head, tail)
    return found


CONTRACTIONS: Final = _contractions()

POSSESSIVES: Final = frozenset("my our your his her its their whose".split())
SUBJECT_PRONOUNS: Final = frozenset("i we he she they it user you".split())
PASTS: Final = frozenset("was were had did been".split())
ABBREVIATIONS: Final = frozenset("dr mr mrs ms prof st no vs etc e.g i.e approx inc ltd jr sr".split())
