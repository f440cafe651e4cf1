"""The closed class of English function words: they join what is said and carry none of it."""

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
