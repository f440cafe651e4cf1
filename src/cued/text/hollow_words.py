"""Function words of languages other than English: a cue drops them, because every text of its language has them.

Memories are indexed whole, so nothing that is stored depends on these lists. Those of English are in `stopwords`; here are only its words
that ask to be told something.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final

from cued.text import scripts
from cued.text.patterns import pattern
from cued.text.scripts import fold
from cued.text.stemming import stem
from cued.text.stopwords import STOP_WORDS

_LATIN: Final = {
    "de": """der die das den dem des ein eine einer eines einem einen und oder aber nicht kein keine ist sind war waren wird werden wurde
wurden hat haben hatte hatten habe kann können konnte ich du er sie es wir ihr mich mir uns sich mein meine sein seine ihre was wer wen
wem wie wo wohin woher wann warum welche welcher welches welchen wieviel viele von vom zu zum zur mit auf für im in am an aus bei nach
über unter durch um als auch so wenn dass ob noch nur sehr mehr hier dort es
unser unsere unserer unserem unseren unseres bin bist seid muss müssen musste soll sollte sollten gerade bis wovor womit wofür woran worauf
wozu woher dir dich dein deine deiner euch euer eure denn mal schon gibt gab hast habt heißt gegen seit man
meinem meinen meiner meines deinem deinen deines seinem seinen seiner seines ihrem ihren ihrer ihres keinem keinen keiner keines
dieser diese dieses diesem diesen jeder jede jedes jedem jeden worüber wogegen ihm ihn ihnen""",
    "es": """el la los las lo un una unos unas de del al a y o que qué quién quiénes cuál cuáles cuándo dónde cómo cuánto cuántos cuántas
por para con sin en entre sobre desde hasta es son era fue fueron ser está están hay ha han había se me te le les nos mi mis tu su sus
yo él ella ellos no ni si sí más muy ya como pero también este esta estos estas eso
tengo tiene tienes tenemos tienen tenía estoy estás estamos puedo puede puedes podemos soy eres somos hago hacer he hemos nuestro
nuestra nuestros nuestras vuestro donde cuando cual quien cuanto cuánta qué hora hasta dedica dedicaba""",
    "fr": """le la les l un une des du de d au aux et ou où que qu qui quoi quel quelle quels quelles quand comment combien pourquoi
est sont était étaient sera a ont avait être avoir il elle ils elles on je j tu nous vous me m te se s ce c cette ces cet mon ma mes son
sa ses leur leurs dans en sur sous par pour avec sans ne n pas plus très y si
jusqu jusque jusqu'à ai as avons avez avais suis es sommes êtes étais notre nos votre vos ton ta tes toi moi lui ça cela dont peut peux
pouvons faut fait déjà t chez heure combien""",
    "it": """il lo la i gli le l un uno una di del della dei delle dello degli a al alla ai alle da dal dalla in nel nella nei con su sul
sulla per tra fra e ed o ma che chi cosa quale quali quando dove come quanto quanti quante perché è sono era erano fu furono ha hanno aveva
essere si mi ti ci vi ho io lui lei loro mio mia suo sua non più anche questo questa
abbiamo avete avevo siamo sei nostro nostra nostri nostre tuo tua posso può puoi devo deve ora fino miei mie""",
    "pt": """o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às por pelo pela para com sem entre sobre e ou mas que
quem qual quais quando onde como quanto quantos quantas é são era foi foram ser está estão há tem têm tinha se me te lhe nos eu ele ela eles
meu minha seu sua não mais muito já também este esta isso
tenho temos tens estou estamos nosso nossa nossos nossas teu tua posso pode devo até hora meus minhas somos sou""",
    "nl": """de het een en of maar niet geen is zijn was waren wordt worden werd werden heeft hebben had ik jij je hij zij ze wij we u mij
me ons zich mijn zijn haar hun wat wie hoe waar wanneer waarom welke hoeveel van voor met op in aan uit bij naar over onder door om te
als ook dat die dit deze er nog meer
onze jouw jullie ben bent moet moeten kan kunnen kun mag tot hebt mogen""",
    "pl": """i oraz lub ale nie jest są był była było były być ma mają się to ten ta te tego tej w we na z ze do od dla po za przez pod nad
o u że co kto jak gdzie kiedy dlaczego jaki jaka jakie jakich który która które ile czy ja ty on ona oni my wy mnie mi mój moja jego jej
ich już tylko także
mam masz mamy jestem jesteś jesteśmy jakiej jakiego jakim którą którego której którym kim czym czego kogo komu skąd dokąd moje moim
mojej nasz nasza nasze twój twoja żeby jeśli teraz przy bez przed między albo""",
    "tr": """ve ile veya ama bir bu şu o ne neyi neden niçin nasıl kim kimin nerede nereye hangi kaç ben sen biz siz onlar benim bana beni
için gibi kadar çok daha en de da mi mı mu mü ki değil var yok olan olarak oldu olduğu ise
nedir neydi neye neyin neler nereden neresi kimde kime kimi kimden kimdi hangisi kaçta kaça kaçıncı zaman bizim bizi bize sizin sana seni
senin onun onu ona misin mıyım musun bunu şunu her hiç geç""",
    "id": """yang dan atau tetapi di ke dari pada untuk dengan dalam oleh adalah itu ini apa siapa kapan mana bagaimana mengapa berapa saya
kamu dia kami kita mereka nya tidak bukan sudah akan telah bisa dapat juga lebih ada sebagai
tentang karena jika kalau agar bahwa antara sampai sejak setelah sebelum harus sedang masih sekarang apakah si""",
    "vi": """là của và hay hoặc nhưng các những cái được bị trong ngoài cho với từ đến ở tại này đó kia khi nào gì ai đâu sao như thế bao
nhiêu một không có đã sẽ đang tôi bạn anh chị nó họ để về theo""",
    "sv": """och eller men inte är var vara varit har hade ha blir blev bli kan kunde ska skulle vill måste får fick jag du han hon den
det vi ni de mig dig honom henne oss er dem sig min mitt mina din ditt dina sin sitt sina vår vårt våra hans hennes deras en ett i
på av till från med för om hos vid mot efter innan utan genom mellan som att vad vem vems vilken vilket vilka när vart varför hur
många mycket nu då där här denna detta dessa också bara mer finns heter""",
    "hi": """hai hain tha thi ho hoon hun ka ki ke ko ne mein se par aur ya lekin kya kaun kab kahan kaha kaise kyun kyon kitna kitne
kitni kis kisne kiska kiski kiske kisko yeh ye woh maine mera meri mere mujhe humne hamara hamari hamare tum tumne aap aapne aapka
tera teri bhi nahi nahin ab raha rahi rahe saath liye wala""",
    "da": """og eller men ikke er var være været har havde have bliver blev kan kunne skal skulle vil ville må måtte jeg du han hun den det
vi i de mig dig hende os jer dem sig min mit mine din dit dine sin sit sine vores jeres hans hendes deres en et på af til fra med for om
hos ved mod efter uden gennem mellem som at hvad hvem hvis hvilken hvilket hvilke hvornår hvor hvorfor hvordan hvorhen hvorfra mange meget
nu da der her denne dette disse også kun findes hedder fik gør""",
    "no": """og eller men ikke er var være vært har hadde ha blir ble bli kan kunne skal skulle vil ville må måtte fikk jeg du han hun
den det vi dere de meg deg henne oss dem seg min mitt mine din ditt dine sin sitt sine vår vårt våre hans hennes deres en et ei på av
til fra med for om hos ved mot etter uten gjennom mellom som at hva hvem hvilken hvilket hvilke når hvor hvorfor hvordan mange mye nå da
der her denne dette disse også mer finnes heter gjør""",
    "cs": """a i nebo ale ne není je jsou jsem jsi jsme jste byl byla bylo byli být bude má mám máme máš mají se si to ten ta ty toho té
v ve na z ze do od po za přes pod nad při bez mezi před o u že co kdo koho komu čím jak kde kam odkud kdy proč jaký jaká jaké jakou
který která které kterou kolik čí já on ona oni my vy mě mi mně můj moje moji náš naše naši jeho její jejich už jen když aby s k
mého tvůj tvoje""",
    "fi": """ja tai mutta ei en et emme eivät ole olen olet on olemme ovat oli olin olivat ollut minä sinä hän me te he minun sinun hänen
meidän teidän heidän minulla meillä sinulla hänellä minut meidät minulle meille mikä mitä missä mistä mihin milloin miksi miten millä
millainen kuka kenen ketä kenelle kenellä kuinka paljonko montako moni monta mikään tämä tuo se nämä nuo ne tässä siinä siellä täällä että
jos kun kuin kanssa ilman ennen jälkeen vielä nyt myös vain enemmän joka jotka onko missäpäin""",
    "hu": """a az egy és vagy de nem ne is van vannak volt voltak lesz lenni én te ő mi ti ők engem téged minket nekem neked neki nekünk
enyém ki kinek kik mit mik melyik milyen mennyi hány hányan hol hova hová honnan mikor miért hogyan hogy ha mert ez azt ezt ezek
azok itt ott most már még csak nagyon több kell lehet vagyok vagyunk be el meg fel le hányadik hányas mettől meddig kivel mivel
miből amit amikor""",
    "ro": """și sau dar nu este sunt e era erau fi fost am ai are avem aveți au avea eu tu el ea noi voi ei ele mă te îl o ne vă îi le mi
ți îmi îți meu mea mei mele tău ta nostru noastră noștri noastre lui lor un una unei unui al ale de la din în pe cu fără pentru prin
între după până spre despre ce cine cui când unde cum cărui cărei acum mai foarte doar că să dacă acest
această aceasta acesta acolo aici se""",
    "hr": """i ili ne nije je su si smo ste bila bilo bili biti će ću ima imam imamo imaju se to taj ta ti ova ovaj u na iz s sa
do od za po kod pod nad pri bez između prije poslije o da što šta tko ko koga kome čime kako gdje kamo odakle kada kad zašto koji koja koje
koju kojem koliko čiji ja on ona oni mi vi me mene meni moj moja moje naš naša naše njegov njen njihov već samo također sada jer kakav
kakva""",
}
_ELSEWHERE: Final = (
    """и а но или не ни что чего чем кто кого кому где куда когда как какой какая какое какие каких сколько почему зачем в во на с со к по
о об от до из у за под над при для без через между это этот эта эти тот та те был была было были есть быть я ты он она оно мы вы они мне
меня мой моя моё мои его её их ли же бы уже ещё только кем чём нас нам нами вас вам вами тебя тебе твой твоя себя себе всего всё все больше
сейчас очень нужно надо можно наш наша наше наши скольки""",
    """من في على إلى عن مع بين بعد قبل عند ما ماذا لماذا متى أين كيف كم هل أي أو و ثم لكن هو هي هم أنا نحن هذا هذه ذلك تلك الذي التي
الذين كان كانت يكون أن إن لا لم لن قد كل بعض لي لنا لك عندي عندنا الآن مما بماذا لمن""",
    """है हैं था थी थे हो का की के को ने में से पर और या लेकिन क्या कौन कब कहाँ कैसे क्यों कितना कितने कितनी किस किसने यह वह ये वे इस उस मैं
मैंने हम तुम आप मेरा मेरी मेरे तो भी नहीं ही मुझे मुझको हमें हमने हमारा हमारी हमारे सा सी सबसे किससे किसके किसको किसका किसकी कहां कौनसा पास हूँ हूं
रहा रही रहे आपने तुमने""",
    """і й та але або чи не ні що чого чому хто кого кому де куди звідки коли як який яка яке які якого якій яких чий скільки навіщо в у
на з із зі до від по за під над при для без через між про після перед це цей ця ці той ті є був була було були бути буде я ти він
вона воно ми ви вони мені мене мій моя моє мої його її їх нас нам вас вам наш наша наше наші себе собі вже ще тільки дуже треба
можна зараз тепер ким чим""",
    """ο η το οι τα του της των τον την τους τις στο στη στην στον στους στις στα ένας μια μία ένα και ή αλλά δεν μην να θα που πού πως
πώς πότε γιατί τι ποιος ποια ποιο ποιοι ποιες ποιον πόσο πόσα πόσοι πόσες όταν αν ότι είναι είμαι είσαι είμαστε ήταν έχω έχεις έχει
έχουμε έχουν είχε με σε από για μετά πριν χωρίς μέχρι εγώ εσύ αυτός αυτή αυτό εμείς εσείς μου σου μας σας μπορώ μπορεί πρέπει τώρα
πολύ πιο""",
    """של את על אל עם מן בין אצל כמו בלי לפני אחרי עד מה מי מתי איפה היכן לאן מאיפה איך למה מדוע כמה איזה איזו אילו האם או אבל גם רק כי
אם אני אתה הוא היא אנחנו אתם הם הן שלי שלך שלו שלה שלנו שלכם שלהם לי לך לו לה לנו לכם להם אותי אותך אותו אותה אותנו אותם יש אין היה
הייתה היו יהיה להיות זה זו זאת אלה אלו כל לא כבר עוד מאוד יותר עכשיו ממה במה""",
)
# Characters that join a sentence of Chinese and are hardly ever part of a name or a thing.
_JOINING: Final = frozenset("的了吗嗎呢吧啊呀嘛么麼什谁誰哪怎是我你您他她它们們这這那和与與就都也很更最请請着在")
_ASKING: Final = frozenset(
    """多少 如何 几个 幾個 有没 没有 沒有 可以 一个 一個 为了 因为 何时 為何 为何 以及 或者 其他 几点 幾點 少钱 少錢 多久 几号 几月
幾號 幾月 时候 時候 哪里 哪裡 哪儿 哪兒 何 誰 何時 何処 どこ こへ こで どの どれ どん いく くら だれ なぜ いつ""".split()
)
# Particles and endings of Japanese; a word that is written in hiragana has other pairs.
_ENDING: Final = frozenset("のはがをにでともかたてしするまいなっれよね")
_PAIR: Final = pattern(rf"[{scripts.UNSPACED}]{{2}}")
_HAN: Final = pattern(f"[{scripts.HAN}]")
_ENOUGH: Final = 2
"""How many function words of a language in Latin script show that a cue is in it; one may be a name or an English word."""
# Function words of other languages that are also words, names or abbreviations of English.
ALSO_ENGLISH: Final = frozenset(
    """ada ai al ale alla ama ben biz co com come comment con da dan dem den des die dit dos door ed el en era est fra fu ha han hat hay ho
    io jest ke khi ki kim la las le lei lo los ma mana mas mes met mi mia mis mon mu na nas ne ni nie ob om os ou par para pas plus po pod
    pour qua sa sans se sen ser si sin son su sur ta te ten theo ti tu ty um un uno van var ve vi von war wen ya za as es her hiç hora kan
    lui man mag mal moi pode seit sei sol sou t tes toi ton tot tua ora bin bis gab ben agar men till min din mot
    vid dig hans ska hon hun ka ko ye tum tera teri ab nu aby au az bila cum dar det dine ea eu fel fi fost har hol hos ima ja jak jaka jake
    jen jer jos kad kam kell kun lor mai mam mange mar med meg mele mig mika mina mit mita mod moni nad nama nar nasa neki noi ole olen
    olin ona oni ott pe pres pri sada samo sau sig sina sine sit som sta ste sto tai tama til tuo una
    vain vare vart ved vil ville voi volt""".split()
)
# Other languages have these words of English too.
SHARED: Final = frozenset("a all am an as at by do he i id im in me my no not on or per so to up us via was we will".split())


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(fold(word).casefold()) for word in words.split())


_STEMS: Final = {language: _stems(words) for language, words in _LATIN.items()}
WORDS_BY_LANGUAGE: Final = {language: frozenset(words.split()) for language, words in _LATIN.items()}
"""The function words of languages in Latin script, as they are written; "hi" is Hindi as it is typed."""
LATIN_WORDS: Final = frozenset().union(*WORDS_BY_LANGUAGE.values())
_ANY_LATIN: Final = frozenset().union(*_STEMS.values())
_TELLING: Final = _ANY_LATIN - _stems(" ".join(STOP_WORDS | ALSO_ENGLISH | SHARED) + " d da das de del der di do dos du l o y")
"""Function words of which one is enough in a cue without English function words; none is part of a name."""
POLITE: Final = _stems("Sie Ihr Ihre Ihnen Ihrem Ihren Ihrer Usted Ustedes Ud Vous Votre Vos Lei")
"""Function words that are written with a capital within a sentence."""
_ANY_OTHER: Final = frozenset().union(*map(_stems, _ELSEWHERE))


SAYING: Final = _stems(
    """recommend recommended recommendation recommendations suggest suggested suggestion suggestions advise advised advice tell told say
said mention mentioned explain explained propose proposed describe described remind give gave given again supposed
empfohlen empfahlst empfehlung geraten rietest vorgeschlagen vorschlag gesagt sagtest erklärt genannt erwähnt tipp
recomendaste recomendó recomendado recomendabas aconsejaste aconsejó aconsejado sugeriste sugirió dijiste dicho mencionaste explicaste
conseillé conseilles recommandé proposé suggéré dit disais expliqué mentionné consigliato raccomandato suggerito detto spiegato proposto
recomendou recomendaste sugeriu sugeriste disse disseste aconselhou aconselhaste explicou aangeraden aanbevolen voorgesteld gezegd uitgelegd
советовал советовала советовали посоветовал посоветовала посоветовали рекомендовал рекомендовала рекомендовали порекомендовал предлагал
предлагали предложил говорил говорила говорили сказал сказала сказали önerdin önermiştin önerdiniz söyledin söylemiştin tavsiye dedin
demiştin
نصحت نصحتني اقترحت قلت أوصيت ذكرت أخبرتني सुझाया सुझाव बताया कहा सलाह सिफारिश 추천 추천해 말했 말한 알려준"""
) | frozenset("推荐 推薦 建议 建議 说过 說過 告诉 提到 之前 上次 勧 薦 教 言 おす すす すめ 推薦 提案".split())
"""Words that ask for something that was said, and not for its subject; hollow in a cue that asks for the agent's own words."""


def hollow(terms: Collection[str], *, english: Collection[str]) -> frozenset[str]:
    """The function words among the terms of a cue in another language than English; `english` are its English function words."""
    doubtful, telling = _ANY_LATIN.intersection(terms), len(frozenset(english) - SHARED)
    enough = _ENOUGH if telling or _TELLING.isdisjoint(doubtful) else 1
    found = _of_one_language(doubtful, least=max(enough, telling + 1)) if len(doubtful) >= enough else frozenset()
    if doubtful and not found:
        # Of "was" and "am" both languages are: another must know them too, and more than English does.
        found = _of_one_language(doubtful.union(english), least=max(_ENOUGH, len(english) + 1)) & doubtful
    return found.union(term for term in terms if not term.isascii() and (term in _ANY_OTHER or _joins(term)))


def characters(pairs: Collection[str]) -> tuple[str, ...]:
    """The Chinese characters in hollow pairs that have a meaning by themselves: the verb of "我住在哪里"."""
    asked = _JOINING.union(*_ASKING.intersection(pairs))
    return tuple(dict.fromkeys(letter for letter in "".join(pairs) if letter not in asked and _HAN.match(letter)))


def _of_one_language(terms: frozenset[str], *, least: int) -> frozenset[str]:
    """The terms that are function words of the language with the most of them here; of both, if two languages have as many."""
    known = [terms & words for words in _STEMS.values()]
    most = max(map(len, known))
    return frozenset().union(*(some for some in known if len(some) == most)) if most >= least else frozenset()


def _joins(pair: str) -> bool:
    """Whether a pair of characters holds a sentence of Chinese or Japanese together."""
    return len(pair) <= _ENOUGH and (pair in _ASKING or not _JOINING.isdisjoint(pair) or not _ENDING.isdisjoint(pair))


def pair_weights(terms: Sequence[str], known: Sequence[bool]) -> list[float]:
    """How many words each term of a cue stands for: 1, but less for pairs of characters that nothing here has.

    In a script without spaces any two adjacent characters make a pair, and half of the pairs are not words. An unknown pair that overlaps
    a known one crosses the end of that word and counts 0; a row of n unknown pairs counts (n + 1) / 2.
    """
    weights = [1.0] * len(terms)
    row: list[int] = []
    for place in range(len(terms) + 1):
        if place < len(terms) and not known[place] and (not row or _overlap(terms[row[-1]], terms[place])) and _is_pair(terms[place]):
            row.append(place)
            continue
        if row:
            _weigh(row, terms, known, weights)
        row = [place] if place < len(terms) and not known[place] and _is_pair(terms[place]) else []
    return weights


def _weigh(row: Sequence[int], terms: Sequence[str], known: Sequence[bool], weights: list[float]) -> None:
    """Weigh a row of unknown pairs that overlap each other."""
    before, after = row[0] - 1, row[-1] + 1
    across = {row[0]} if before >= 0 and known[before] and _overlap(terms[before], terms[row[0]]) else set[int]()
    across |= {row[-1]} if after < len(terms) and known[after] and _overlap(terms[row[-1]], terms[after]) else set[int]()
    rest = len(row) - len(across)
    for place in row:
        weights[place] = 0.0 if place in across else (rest + 1) / (2 * rest)


def _is_pair(term: str) -> bool:
    return len(term) == _ENOUGH and not term.isascii() and _PAIR.match(term) is not None


def _overlap(first: str, second: str) -> bool:
    return first[-1] == second[0]


_FRAME = pattern(
    r"\b(?:(?:tell|remind|show) (?:me|us)|(?:do|did|can|could) (?:you|i|we) (?:still )?(?:know|remember|recall)|(?:want|need|like) to know"
    r"|let me know)\b",
    re.IGNORECASE,
)


def unframed(cue: str) -> str:
    """An English cue without the words that only ask to be told ("tell me", "do you know", "what do I remember")."""
    return _FRAME.sub(" ", cue)
