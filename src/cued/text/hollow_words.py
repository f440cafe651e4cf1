"""Function words of languages other than English: what a cue is better not searched by, since every text of its language has them.

Memories are indexed whole; only a cue drops them, so nothing that is stored depends on these lists. English has its own in `stopwords`.
"""

from collections.abc import Collection
from typing import Final

from cued.text.scripts import fold
from cued.text.stemming import stem

_LATIN: Final = {
    "de": """der die das den dem des ein eine einer eines einem einen und oder aber nicht kein keine ist sind war waren wird werden wurde
wurden hat haben hatte hatten habe kann können konnte ich du er sie es wir ihr mich mir uns sich mein meine sein seine ihre was wer wen
wem wie wo wohin woher wann warum welche welcher welches welchen wieviel viele von vom zu zum zur mit auf für im in am an aus bei nach
über unter durch um als auch so wenn dass ob noch nur sehr mehr hier dort es""",
    "es": """el la los las lo un una unos unas de del al a y o que qué quién quiénes cuál cuáles cuándo dónde cómo cuánto cuántos cuántas
por para con sin en entre sobre desde hasta es son era fue fueron ser está están hay ha han había se me te le les nos mi mis tu su sus
yo él ella ellos no ni si sí más muy ya como pero también este esta estos estas eso""",
    "fr": """le la les l un une des du de d au aux et ou où mais que qu qui quoi quel quelle quels quelles quand comment combien pourquoi
est sont était étaient sera a ont avait être avoir il elle ils elles on je j tu nous vous me m te se s ce c cette ces cet mon ma mes son
sa ses leur leurs dans en sur sous par pour avec sans ne n pas plus très y si""",
    "it": """il lo la i gli le l un uno una di del della dei delle dello degli a al alla ai alle da dal dalla in nel nella nei con su sul
sulla per tra fra e ed o ma che chi cosa quale quali quando dove come quanto quanti quante perché è sono era erano fu furono ha hanno aveva
essere si mi ti ci vi ho io lui lei loro mio mia suo sua non più anche questo questa""",
    "pt": """o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às por pelo pela para com sem entre sobre e ou mas que
quem qual quais quando onde como quanto quantos quantas é são era foi foram ser está estão há tem têm tinha se me te lhe nos eu ele ela eles
meu minha seu sua não mais muito já também este esta isso""",
    "nl": """de het een en of maar niet geen is zijn was waren wordt worden werd werden heeft hebben had ik jij je hij zij ze wij we u mij
me ons zich mijn zijn haar hun wat wie hoe waar wanneer waarom welke hoeveel van voor met op in aan uit bij naar over onder door om te
als ook dat die dit deze er nog meer""",
    "pl": """i oraz lub ale nie jest są był była było były być ma mają się to ten ta te tego tej w we na z ze do od dla po za przez pod nad
o u że co kto jak gdzie kiedy dlaczego jaki jaka jakie jakich który która które ile czy ja ty on ona oni my wy mnie mi mój moja jego jej
ich już tylko także""",
    "tr": """ve ile veya ama bir bu şu o ne neyi neden niçin nasıl kim kimin nerede nereye hangi kaç ben sen biz siz onlar benim bana beni
için gibi kadar çok daha en de da mi mı mu mü ki değil var yok olan olarak oldu olduğu ise""",
    "id": """yang dan atau tetapi di ke dari pada untuk dengan dalam oleh adalah itu ini apa siapa kapan mana bagaimana mengapa berapa saya
kamu dia kami kita mereka nya tidak bukan sudah akan telah bisa dapat juga lebih ada sebagai""",
    "vi": """là của và hay hoặc nhưng các những cái được bị trong ngoài cho với từ đến ở tại này đó kia khi nào gì ai đâu sao như thế bao
nhiêu một không có đã sẽ đang tôi bạn anh chị nó họ để về theo""",
}
_ELSEWHERE: Final = (
    """и а но или не ни что чего чем кто кого кому где куда когда как какой какая какое какие каких сколько почему зачем в во на с со к по
о об от до из у за под над при для без через между это этот эта эти тот та те был была было были есть быть я ты он она оно мы вы они мне
меня мой моя мои его её их ли же бы уже ещё только""",
    """من في على إلى عن مع بين بعد قبل عند ما ماذا لماذا متى أين كيف كم هل أي أو و ثم لكن هو هي هم أنا نحن هذا هذه ذلك تلك الذي التي
الذين كان كانت يكون أن إن لا لم لن قد كل بعض""",
    """है हैं था थी थे हो का की के को ने में से पर और या लेकिन क्या कौन कब कहाँ कैसे क्यों कितना कितने कितनी किस किसने यह वह ये वे इस उस मैं
मैंने हम तुम आप मेरा मेरी मेरे तो भी नहीं ही""",
)
# Characters that join a sentence of Chinese and are hardly ever part of a name or a thing.
_JOINING: Final = frozenset("的了吗嗎呢吧啊呀嘛么麼什谁誰哪怎是我你您他她它们們这這那和与與就都也很更最请請着")
_ASKING: Final = frozenset("多少 如何 几个 幾個 有没 没有 沒有 可以 一个 一個 为了 因为 何时 為何 为何 以及 或者 其他".split())
# Particles and endings of Japanese; a word that is written in hiragana has other pairs.
_ENDING: Final = frozenset("のはがをにでともかたてしするまいなっれよね")
_ENOUGH: Final = 2
"""So many function words of a Latin language say that a cue is in it; one may be a name or a word of English."""


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(fold(word).casefold()) for word in words.split())


_STEMS: Final = {language: _stems(words) for language, words in _LATIN.items()}
LATIN_WORDS: Final = frozenset(word for words in _LATIN.values() for word in words.split())
"""The function words of languages in Latin script, as they are written."""
_ANY_LATIN: Final = frozenset().union(*_STEMS.values())
_ANY_OTHER: Final = frozenset().union(*map(_stems, _ELSEWHERE))


def hollow(terms: Collection[str], *, english: int) -> frozenset[str]:
    """The terms of a cue that carry nothing of it, in another language than English; `english` is how many English ones it has."""
    doubtful = _ANY_LATIN.intersection(terms)
    found = _of_one_language(doubtful, least=max(_ENOUGH, english + 1)) if len(doubtful) >= _ENOUGH else frozenset()
    return found.union(term for term in terms if not term.isascii() and (term in _ANY_OTHER or _joins(term)))


def _of_one_language(terms: frozenset[str], *, least: int) -> frozenset[str]:
    """The terms that are function words of the language that has most of them, of both where two have as many."""
    known = [terms & words for words in _STEMS.values()]
    most = max(map(len, known))
    return frozenset().union(*(some for some in known if len(some) == most)) if most >= least else frozenset()


def _joins(pair: str) -> bool:
    """Whether a pair of characters holds a sentence of Chinese or Japanese together."""
    return len(pair) <= _ENOUGH and (pair in _ASKING or not _JOINING.isdisjoint(pair) or not _ENDING.isdisjoint(pair))
