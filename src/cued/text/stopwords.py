"""Lists of ordinary English words: function words, which carry no meaning of their own, and words that often open a sentence."""

from typing import Final

_ARTICLES = "a an the this that these those"
_PRONOUNS = """i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves one someone something anyone anything everyone everything"""
_QUESTIONS = "what which who whom whose when where why how whether"
_AUXILIARIES = """am is are was were be been being do does did doing done have has had having will would shall should can could
might must ought dont doesnt didnt isnt arent wasnt werent havent hasnt hadnt wont wouldnt shouldnt cant cannot couldnt mustnt
im ive id ill youre youve theyre thats whats lets"""
_PREPOSITIONS = """of in on at by for with about against between into through during to from up down out off over under as than
per via onto upon within without"""
_CONJUNCTIONS = "and or but nor if then else because so while until though although"
_PARTICLES = """not no yes there here just too very also only own same such some any each both all more most other few much many
again ever even still please ok okay oh well really quite rather etc eg ie"""

# "may" is left out: it is a month more often than it matters as a verb.
STOP_WORDS: Final = frozenset(f"{_ARTICLES} {_PRONOUNS} {_QUESTIONS} {_AUXILIARIES} {_PREPOSITIONS} {_CONJUNCTIONS} {_PARTICLES}".split())
# Written in capitals these three are a country, a trade and an organisation.
NAMES_IN_CAPITALS: Final = frozenset({"US", "IT", "WHO"})

# A capital at the start of a sentence says nothing about these.
_GREETINGS = """hey hi hello bye goodbye thanks thank sorry congrats congratulations wow haha yeah yep yup nope nah sure absolutely
definitely exactly totally certainly indeed alright cool awesome amazing great good nice fantastic wonderful perfect lovely glad
welcome cheers hmm aww ah oops ugh lol omg dear morning evening afternoon"""
_ADVERBS = """actually additionally afterwards alternatively anyway apparently basically before after besides currently eventually
finally first firstly second secondly third fortunately generally hence however instead last lastly lately later maybe meanwhile
moreover nevertheless next now nowadays obviously often once originally otherwise overall perhaps possibly previously probably
recently seriously similarly since sometimes soon specifically suddenly then therefore thus today together tomorrow tonight
typically unfortunately usually yesterday yet always never almost already another despite due except following furthermore given
in like near unless unlike whenever wherever whatever whoever"""
_VERBS = """add allow apply ask avoid be become believe bring build buy call can change check choose clean click close come compare
complete consider continue cook cover create cut decide define describe do enable enjoy ensure explain explore feel find fix focus
follow get give go got had has help hope identify imagine implement include increase install join keep know learn leave let list
listen look looking love make manage meet mix move need note offer open order pay place plan play practice prepare provide put read
reduce remember remind remove replace reply return review run save say see seeing seek seems select send serve set share show sounds
speak start stay stop store stir suggest summarize support take talk teach tell test think track travel try turn understand update
use used visit wait walk want watch wear went wish wonder work working write fixed added removed updated moved changed using having
being going getting making taking trying"""
_NOUNS = """people person someone friends family kids mom dad mum mother father sister brother day days week weeks month months year
years time times thing things way ways part question questions answer example examples issue problem problems idea ideas tip tips
step steps option options note notes user users assistant system project task tasks meeting team customer client food music life
world home house work news today city street university school college hospital company group north south east west new old big
small best better long short high low free full early late different important special true false real right wrong left several
various plenty lots half two three four five six seven eight nine ten hundred thousand million happy sad proud excited"""
_CALENDAR = """monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun january february
march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec am pm utc gmt
spring summer autumn fall winter christmas easter"""

CALENDAR: Final = frozenset(f"{_CALENDAR} mondays tuesdays wednesdays thursdays fridays saturdays sundays".split())
IDLE: Final = (
    frozenset(_GREETINGS.split())
    | frozenset(
        "fine right got sounds think mind never best job work done yay cheers later soon see now day night weekend bit moment".split()
    )
    | frozenset("true understood noted makes sense funny let go ahead continue on next".split())
)
"""Words that greet, thank, agree or hesitate, beside function words: they ask for nothing."""
GREETING: Final = frozenset(_GREETINGS.split()) - frozenset("dear morning evening afternoon".split()) | frozenset(
    """ok okay oh brilliant worries thx ty hm done funny interesting point sense moment
    danke dankeschön guten gute hallo moin servus tschüss genau prima merci bonjour bonsoir bonne salut gracias hola vale buenos buenas
    adiós adios grazie ciao prego obrigado obrigada bom boa bedankt dank hoi tack hej takk tak dziękuję dzięki cześć teşekkürler merhaba
    谢谢 谢谢你 多谢 你好 您好 早 早上好 晚安 好的 好吧 再见 明天见 不客气 哈哈 嗯""".split()
)
"""Words that greet, thank or agree by themselves, in several languages."""
WITH_GREETING: Final = frozenset(
    """lot lots looks works morning evening afternoon tomorrow birthday happy problem super nice
    schön sehr vielen morgen tag abend nacht wiedersehen bis bald später beaucoup bien nuit journée soirée demain bientôt à
    muchas mucho días tardes noches hasta luego mañana mille molto giorno sera notte dia noite tarde dag""".split()
)
"""Words that stand beside these and ask for nothing either."""
WAVING: Final = frozenset(
    """yes no not never mind nevermind got see think ahead continue understood noted go wait stop hold hang forget works agree enough
    whatever sounds makes let""".split()
)
"""Words that agree, decline, dismiss or hesitate by themselves."""
WITH_WAVING: Final = frozenset("fine right true best next bit sec second minute moment fair".split())
"""Words that stand beside these and ask for nothing either."""
TITLES: Final = frozenset("dr mr mrs ms prof".split())
STARTERS: Final = frozenset(f"{_GREETINGS} {_ADVERBS} {_VERBS} {_NOUNS}".split())
