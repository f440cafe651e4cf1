"""English opposites: scales on which two words contradict each other, and pairs that only tell two things apart."""

from typing import Final

from cued.conflicts.claims.english.meanings import key
from cued.conflicts.claims.lexicon import Axis

# Each line is a scale; what is left of the bar is its positive side. The first word names it.
_OPPOSITES: Final = """
like love enjoy adore fond keen appreciate fan prefer favour | hate dislike loathe detest despise
open opened | close closed shut
enable enabled activate activated active | disable disabled deactivate deactivated inactive
allow allowed permit permitted fine acceptable welcome ok okay | forbid forbidden ban banned prohibit prohibited disallow taboo
tolerate tolerates | intolerant allergy allergic
safe secure harmless | dangerous unsafe risky insecure hazardous
free available reachable | busy occupied unavailable unreachable
good great excellent healthy beneficial helpful fantastic wonderful | bad terrible awful unhealthy harmful horrible poor
easy simple straightforward | hard difficult complicated tricky
happy glad pleased satisfied content | unhappy sad disappointed dissatisfied miserable
cheap affordable inexpensive | expensive pricey costly unaffordable
big large huge | small tiny little
long | short
high | low
fast quick | slow
hot warm | cold chilly
early punctual | late delayed overdue
mandatory required compulsory obligatory necessary need require must essential | optional voluntary unnecessary
fixed | variable adjustable flexible floating
public | private
true | false
right correct accurate | wrong incorrect inaccurate
alive | dead
pass passed | fail failed failing
accept accepted approve approved agree agreed confirm confirmed | reject rejected decline declined refuse refused disagree denied deny
include included contain | exclude excluded omit
interesting exciting fun fascinating interested entertaining | boring dull tedious uninteresting
trust trusts | distrust mistrust
clean | dirty messy
full | empty
quiet silent | loud noisy
strong | weak
online | offline
automatic automated automatically | manual manually
strict | lenient lax
work works working functional functioning | broken defective kaput
own owns possess | sell sold
light | dark
sweet | sour
near | far
rich | broke
support supports | oppose opposes
win won | lose lost
join joined member | leave left
on up | off down
lock locked | unlock unlocked
fit | sick ill
calm relaxed | stressed anxious nervous
fear afraid scared | fearless
pro | anti
legal | illegal
common frequent | rare
serious | joking
tidy | untidy
ready | unready
married | unmarried
encourage encouraged recommend recommended | discourage discouraged
better improving improve | worse worsening worsen deteriorating
well nicely | badly poorly
crowded packed | deserted
follow | unfollow
possible feasible | impossible infeasible
visible shown | hidden invisible
present | absent
friendly kind nice | unfriendly rude mean nasty
comfortable cosy comfy | uncomfortable
reliable dependable stable | unreliable flaky unstable
modern | outdated old-fashioned obsolete deprecated
successful | unsuccessful
willing | unwilling reluctant
attend | miss skip
learn | unlearn
saves | wastes
polite | impolite
honest | dishonest
relaxing soothing calming | stressful exhausting
tasty delicious yummy | disgusting gross
beautiful pretty | ugly
smart clever | stupid
lazy | hardworking diligent
brave | cowardly
asynchronous async | synchronous sync
mutable | immutable
upper uppercase | lower lowercase
employed | unemployed jobless
vaccinated | unvaccinated
guilty | innocent
thick | thin
wide | narrow
deep | shallow
heavy | lightweight
indoors | outdoors
alone | together
awake | asleep
spicy | mild bland
wet | dry
"""


def _axes() -> dict[str, Axis]:
    found: dict[str, Axis] = {}
    for line in _OPPOSITES.strip().splitlines():
        for side, words in zip((1, -1), line.split(" | "), strict=True):
            for word in words.split():
                found.setdefault(word, Axis(line.split()[0], side))
                found.setdefault(key(word), Axis(line.split()[0], side))
    return found


AXES: Final = _axes()

# Words that tell two things of one sort apart: a start is not an end, and neither denies the other.
_APART: Final = """
begin open launch | end close stop over
come inbound back return | leave outbound out
buy | sell
first | second third last
morning breakfast | evening dinner lunch
left | right
front | back rear
prod live | test staging dev
read input | write output
before | after
summer | winter
minimum least | maximum most
grow born | live
debit | credit
import | export
upload | download
old | new
mother | father
son | daughter
brother | sister
husband | wife
frontend client | backend server
"""


def _apart() -> dict[str, tuple[Axis, ...]]:
    found: dict[str, tuple[Axis, ...]] = {}
    for line in _APART.strip().splitlines():
        for side, words in zip((1, -1), line.split(" | "), strict=True):
            for word in words.split():
                found[key(word)] = (*found.get(key(word), ()), Axis(line, side))
    return found


APART: Final = _apart()
