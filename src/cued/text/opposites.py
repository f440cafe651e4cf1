"""English words that exclude one another: the one list by which both duplicates and conflicts are recognised.

Above: `contrasts` uses it to keep two near texts apart, and `claims` to see what denies what.
"""

from typing import Final, Literal, NamedTuple

# Each line has meanings that exclude one another, with a bar between them; the first word of a meaning names it. The mark in front
# says what kind of line it is: "!" a scale with two sides, of which one denies the other; "/" things of one sort, of which neither
# denies the other (a start is not an end); "." words that only show that two texts differ.
# Words in brackets are loose: they exclude the other meanings, but a text may leave them out and still say the same.
# A "?" behind the mark makes a whole line loose: "in their editor" and "in the editor" are one.
_LINES: Final = """
! like love enjoy prefer adore (fond keen appreciate fan favour) | hate dislike loathe detest avoid (despise)
! open | close shut
! enable activate (active) | disable deactivate (inactive)
! allow permit (fine acceptable welcome ok okay) | forbid ban block (forbidden prohibit disallow taboo)
!? tolerate | intolerant allergy allergic
! safe (secure harmless) | dangerous unsafe (risky insecure hazardous)
!? free available reachable | busy occupied unavailable unreachable
! good (great excellent healthy beneficial helpful fantastic wonderful) | bad (terrible awful unhealthy harmful horrible poor)
!? easy simple straightforward | hard difficult complicated tricky
!? happy glad pleased satisfied content | unhappy sad disappointed dissatisfied miserable
! cheap (affordable inexpensive) | expensive (pricey costly unaffordable)
! big large huge | small tiny little
! long | short
! high | low
! fast quick | slow
! hot (warm) | cold (chilly)
! early (punctual) | late (delayed overdue)
! mandatory require must (compulsory obligatory necessary need essential) | optional (voluntary unnecessary)
!? fixed | variable adjustable flexible floating
! public | private
! true | false
! correct (right accurate) | wrong incorrect (inaccurate)
!? alive | dead
! pass succeed | fail
! accept approve agree (confirm) | reject refuse deny decline disagree
! include (contain) | exclude (omit)
!? interesting exciting fun fascinating interested entertaining | boring dull tedious uninteresting
!? trust | distrust mistrust
!? clean | dirty messy
! full | empty
!? quiet silent | loud noisy
!? strong | weak
!? online | offline
! automatic (automated) | manual
!? strict | lenient lax
!? work functional functioning | broken defective kaput
!? own possess | sell sold
! light bright | dark
!? sweet | sour
!? near | far
!? rich | broke
!? support | oppose
! win (won) | lose (lost)
!? join member | leave left
!? on up | off down
! lock | unlock
!? fit | sick ill
!? calm relaxed | stressed anxious nervous
!? fear afraid scared | fearless
!? pro | anti
!? legal | illegal
!? common frequent | rare
!? serious | joking
!? tidy | untidy
!? ready | unready
!? married | unmarried
!? encourage recommend | discourage
! better (improving improve) | worse (worsening worsen deteriorating)
!? well nicely | badly poorly
!? crowded packed | deserted
!? follow | unfollow
!? possible feasible | impossible infeasible
!? visible shown | hidden invisible
!? present | absent
!? friendly kind nice | unfriendly rude mean nasty
!? comfortable cosy comfy | uncomfortable
!? reliable dependable stable | unreliable flaky unstable
!? modern | outdated old-fashioned obsolete deprecated
!? successful | unsuccessful
!? willing | unwilling reluctant
!? attend | miss skip
!? learn | unlearn
!? saves | wastes
!? polite | impolite
!? honest | dishonest
!? relaxing soothing calming | stressful exhausting
!? tasty delicious yummy | disgusting gross
!? beautiful pretty | ugly
!? smart clever | stupid
!? lazy | hardworking diligent
!? brave | cowardly
! async asynchronous | sync synchronous
!? mutable | immutable
!? upper uppercase | lower lowercase
!? employed | unemployed jobless
!? vaccinated | unvaccinated
!? guilty | innocent
!? thick | thin
!? wide | narrow
!? deep | shallow
!? heavy | lightweight
!? indoors | outdoors
!? alone | together
!? awake | asleep
!? spicy | mild bland
!? wet | dry
/ start begin beginning (open launch) | end finish stop (close over)
/ arrive (come inbound back return) | leave depart (outbound out)
/ buy purchase | sell
/ first | second | third | last
/ morning (breakfast) | noon | afternoon | evening (dinner lunch) | night | midnight
/ left | right
/? front | back rear
/ production prod (live) | staging (test) | development dev
/? read input | write output
/ before until | after since
/ spring | summer | autumn | winter
/ most maximum max | least minimum min
/? grow born | live
/? debit | credit
/ import | export
/ upload | download
/ old | new
/ mother mom mum | father dad | sister | brother | son | daughter | wife | husband | aunt | uncle | grandmother | grandfather
/? frontend client | backend server
. increase raise grow gain rise | decrease reduce lower drop shrink fall
. add | remove delete
. more | less fewer
. above over | below under
. inside | outside
. north | south | east | west
. tall
. young
. warm
. cool
. earlier | later
. favourite favorite
. off
. rent
. best | worst
. single | married | divorced | widowed | engaged
. lend | borrow
. push | pull
. send | receive
. encrypt | decrypt
. connect | disconnect
. install | uninstall
.? he his him | she her hers | they their them | i me my mine | we us our | you your
. boy | girl
. man | woman
. monday | tuesday | wednesday | thursday | friday | saturday | sunday | weekday | weekend
. january | february | march | april | may | june | july | august | september | october | november | december
. minute | hour hourly | day daily | week weekly | month monthly | year yearly annual | decade
. red | orange | yellow | green | blue | purple violet | pink | brown | black | white | grey gray
. one once | two twice | three | four | five | six | seven | eight | nine | ten | eleven | twelve | half | dozen | hundred | thousand
"""

Shows = Literal["!", "/", "."]


class Sense(NamedTuple):
    """A meaning on a line: its words that must not be missing in the other text, and its loose ones."""

    words: tuple[str, ...]
    loose: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """The words of both sorts."""
        return self.words + self.loose


class Exclusion(NamedTuple):
    """Meanings that exclude one another, and the kind of their line."""

    shows: Shows
    meanings: tuple[Sense, ...]


def _line(line: str) -> Exclusion:
    mark, _, rest = line.partition(" ")
    meanings = (_meaning(meaning, loose="?" in mark) for meaning in rest.split(" | "))
    return Exclusion("!" if mark[0] == "!" else "/" if mark[0] == "/" else ".", tuple(meanings))


def _meaning(text: str, *, loose: bool) -> Sense:
    words, _, bracketed = text.partition("(")
    within = tuple(bracketed.rstrip(")").split())
    return Sense((), tuple(words.split())) if loose else Sense(tuple(words.split()), within)


LINES: Final = tuple(map(_line, _LINES.strip().splitlines()))
