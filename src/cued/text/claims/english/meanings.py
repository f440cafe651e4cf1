"""English words by what they mean: irregular forms, synonyms and verbs."""

from typing import Final

from cued.text.claims.lexicon import key_of
from cued.text.stemming import stem

# The word on the left stands for those on its right: forms that no stemmer knows, and everyday synonyms.
_SAME: Final = """
be am is are was were been being
have has had having got gotten
do does did done doing
become became
begin began begun start started starts starting kickoff commence commences
break broke broken
bring brought
build built
buy bought purchase purchased purchases
catch caught
choose chose chosen pick picked
cost costs price priced prices pricing
come came comes coming arrive arrived arrives arrival arriving
cut cutting
drink drank drunk
drive drove driven
eat ate eaten
end ends ended finish finished finishes
fall fell fallen decrease decreased decreases lower lowered reduce reduced shrink shrank
feel felt
find found
fly flew flown flies flight plane planes airplane
forget forgot forgotten
give gave given
go went gone goes
grow grew grown
hold held
hurt hurts
keep kept
know knew known
leave left leaving depart departs departed departure
lead led leads leading
lend lent
light lit
show shown
tell told
stand stood
stick stuck
throw threw thrown
bet bets
lose lost
make made
meet met meeting meetings
owe owed
pay paid pays
rent rental
rise rose risen raise raised raises increase increased increases
ride rode ridden
run ran
see saw seen watch watched watching watches
sell sold
send sent
shine shone
sing sang sung
sit sat
sleep slept
speak spoke spoken
spend spent
study studied studies
swim swam swum
take took taken
teach taught
wake woke woken
wear wore worn
win won
write wrote written
child children kid kids
wife wives
husband hubby
mother mum mom mama
father dad papa
grandmother grandma granny
grandfather grandpa
film movie films movies
flat apartment
house home houses homes
car automobile vehicle
phone telephone mobile smartphone
photo picture
bike bicycle
job position occupation
boss manager supervisor
employer company firm
colour color colours colors coloured
favourite favorite favourites favorites best fav fave
love luv
food dish meal
holiday vacation
doctor physician gp
repo repository
database db datastore
doc docs documentation
config configuration settings
deploy deployment deployments deployed
indent indentation indented
dev development developer
auth authentication
retro retrospective retros retrospectives
ticket issue
town city
shop store
bin bins trash garbage rubbish
salary wage wages earnings
deadline due
address addresses
partner boyfriend girlfriend
minimum min
maximum max
average avg
warranty guarantee
subscription subscribe subscribed subscriber membership
cancel cancelled canceled cancels cancelling canceling
allergy allergic allergies
vegetarian veggie
weigh weighs weight weighed
born birth birthday birthplace birthdate
marry married marriage
expire expires expiry expired
schedule scheduled
insure insured insurance insurer
provider supplier
appointment appt appointments
require required requirement requires
approve approval approved
include included includes
sign signed signature
use used uses using
lesson lessons
"""


def _forms() -> dict[str, str]:
    found = {"production": "prod"}  # its stem is that of "product"
    for line in _SAME.strip().splitlines():
        first, *others = line.split()
        for word in (first, *others):
            found[word] = found[stem(word)] = stem(first)
    return found


FORMS: Final = _forms()


def key(word: str) -> str:
    """The key that a lower-case word shares with its forms and synonyms."""
    return key_of(word, FORMS)


_VERBS: Final = """accept add admit adopt agree allow answer apply approve argue arrange arrive ask assign attend avoid bake ban bank base
be become begin believe belong bike block boil book borrow break bring build buy buy call cancel care carry celebrate change charge
chat check choose clean climb close collect come commit commute compile complain complete concern consider consist contain continue
cook cost count cover crash create cry cut cycle dance deal decide decline delay delete deliver depend deploy describe despise die
disable discuss dislike divorce document download draw dream dress drink drive drop earn eat email employ enable end enjoy ensure
enrol equal exclude exercise exist expect expire explain expose fail fall fear feed feel fight file fill find finish fit fix fly
follow forbid forget format gain generate get give go graduate grow happen hate have head hear help hike hire hold hope host hurt
identify ignore import include increase indent inherit insist install insure intend invest invite join jog jump keep kill know
land last laugh launch lead learn leave lend lie like limit link listen live lock log look lose love maintain make manage march
marry matter mean measure meditate meet mention merge migrate mind miss mock mount move need note offer open order owe own paint park pass
pause pay perform permit pick plan plant play point post postpone practise practice prefer prepare prevent print produce promise promote
propose provide publish pull push put quit rain raise reach read receive recommend recover reduce refactor refuse rehearse reject release
rely remain remember remind remove rename renew rent repair replace reply report represent request require reschedule reserve reside
resign rest restart retire return review ride ring rise roll run save say schedule score search seat see seem sell send separate serve set
share shift ship shop show shut sign sing sit skip sleep smile smoke speak spend split stand start stay stop store study subscribe
suffer suggest support suppose swap swear swim switch take talk target taste teach tell tend test thank think throw time touch track
trade train transfer translate travel treat trust try turn type understand uninstall update upgrade use vacation vary view visit
volunteer vote wait wake walk want warn wash watch water wear weigh win wish work worry write yell relocate unsubscribe tolerate
distrust loathe detest adore swap reopen occur contain repaint rebuild rewrite convert transition graduate divorce stick bump""".split()
VERBS: Final = frozenset(key(verb) for verb in _VERBS)

# Too common to show that two texts speak of the same thing.
WEAK: Final = frozenset(
    key(word)
    for word in """be have do go make take use want need put set come give keep see look run get work feel try plan person people place
    time name number prefer like day team start happen today thing own live decide choose good bad dr mr mrs ms prof""".split()
)
# What is done again and again: having done another amount of it is another time, and not a change.
REPEATED: Final = frozenset(
    key(word)
    for word in """run walk jog swim hike bike cycle ride drive fly travel row ski sleep eat drink cook bake spend pay buy sell lend borrow
    earn donate write watch play score win lose visit meet call talk water clean wash feed train exercise meditate practise study read fix
    test review merge deploy plant pick send receive print smoke sing dance""".split()
)
# What happens once: another time is another event and not a change.
EVENTS: Final = frozenset(
    key(word) for word in "buy visit watch meet go see read bring eat drink play attend win lose born die marry graduate".split()
)
