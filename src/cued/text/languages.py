"""What matters about a text's language: whether an encoder of English can understand it, and whether it is code."""

from functools import lru_cache
from string import ascii_letters

from cued.text.hollow_words import ALSO_ENGLISH, LATIN_WORDS, SHARED, WORDS_BY_LANGUAGE
from cued.text.patterns import pattern
from cued.text.scripts import HAN, HIRAGANA, KATAKANA, fold
from cued.text.stopwords import STOP_WORDS

_LOOKED_AT = 300
_LATIN = pattern(r"[A-Za-z\u00aa-\u024f\u1e00-\u1eff]+")
_LETTERS = pattern(r"[^\W\d_]+")
_HAN, _KANA = pattern(f"[{HAN}]"), pattern(f"[{HIRAGANA}{KATAKANA}]")
_PLAIN_LETTERS = ascii_letters.encode()
_WORD = pattern(r"[A-Za-z\u00aa-\u024f\u1e00-\u1eff']+")
# What is left of the function words shows English.
ENGLISH = STOP_WORDS - SHARED
# Shared with few languages, so that several of them show English too.
_RATHER = frozenset("all an at by he i i'd i'll i'm i've let let's my not to up us we".split())
OTHERS = frozenset(word for word in LATIN_WORDS if len(word) > 1) - STOP_WORDS - SHARED - ALSO_ENGLISH
_COMPOUNDING = ("de", "nl", "sv", "da", "no", "fi", "hu")
_HINT = 0.34
_SEVERAL = 2
_TELLING = 3
"""How many words are needed to tell a language, unless the first is a question word, or one of them greets."""
# Without those that are known as names: Dove, Ben Hur, Île, a cine film.
_ASKING = OTHERS & frozenset(
    """wo wer wann warum wohin woher wieviel welche welcher donde cuando quien cual quand combien quando quale quanto onde quem
    waar wanneer hoeveel welke gdzie kto kiedy jaki jakie kogo komu dlaczego kde kdo kdy kolik hvor hvem hvad hva hvordan
    vem kuka kenen mihin milloin miksi miten mikor kinek honnan mennyi melyik milyen unde gdje tko kada koliko kakav
    nerede neden hangi siapa kapan berapa""".split()
)
_GREETING = frozenset(
    """gracias merci danke grazie obrigado obrigada bedankt dankjewel hola buenos buenas bonjour bonsoir salut hallo guten moin servus
    tschuss ciao dziekuje dzieki czesc hej tack takk tesekkurler merhaba terima""".split()
)
"""Words that greet or thank also tell a language, though they ask for nothing."""
_ANYWHERE = OTHERS | _GREETING
# German writes every noun with a capital; a name of somebody hardly ever has an article.
_NOUN = pattern(
    r"\b(?:[Dd](?:er|ie|as|en|em)|(?:[Kk]|[MmDdSs])?[Ee]in(?:e[mnrs]?)?|(?:[Ii]hr|[Uu]nser|[Ee]uer|[Dd]ies|[Jj]ed|[Ww]elch)(?:e[mnrs]?)?|[Zz]u[mr]|[Vv]om|[AaIi](?:m|ns)|[Bb]eim)"
    r"\s+([A-ZÄÖÜ]\w+)"
)
# What stands before a word in small letters opens a sentence; before one of these it orders something ("Schedule a …").
_OPENING = pattern(r"\W*([^\W\d_]+)\s+(?=[^\W\d_A-ZÀ-Þ])")
_ORDER = pattern(r"\W*([^\W\d_]+)\s(?:an?|any|her|his|me|my|our|some|the|their|th[eo]se|this|us)\s")
CODE = pattern(r"[{}=<>_\\`|]|\w\(|\w/\w|://")
# A dot between single letters ("9 a.m.", "e.g.") and the plural of "flat(s)" are none.
_MARKS = pattern(r"[_`{}<>=|\\#]|[a-z)][A-Z][a-z]|(?:[a-z]{2}|\))\.[a-z]{2}|\w\((?!s\))|::|/\w+/|\s-{1,2}[a-z]|(?:Error|Exception)\b")
# Wherever there is a mark, this finds one of its signs; it passes over small letters, so that prose is told quickly.
_SIGN = pattern(
    r"[A-Z.:/\-_`{}<>=|\\#(](?:(?<=[_`{}<>=|\\#(])|(?<=[a-z)][A-Z.])(?=[a-z])|(?<=:)(?=:)|(?<=/)(?=\w)|(?<=\s-)(?=-?[a-z])|(?<=E)(?=rror|xception))"
)
# An address is somebody's, and no code.
_EMAIL = pattern(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}\b")
_BRAND = pattern(r"(?:[A-Z][a-z]+|[a-z])[A-Z][a-z]+")
_BEGUN = 240
# So many marks a word are surely code; prose has one in some twenty.
_SURELY_CODE = 0.25
_OF_A_CODE = 1 / 3
# The share of English function words from which a text is hardly English, and from which it surely is.
_HARDLY, _SURELY = 0.04, 0.14
_RATHER_FOREIGN = 0.5


def is_latin(text: str) -> bool:
    """Whether at least half of a text's letters are Latin; a text without letters is."""
    if text.isascii():
        return True
    begun = text[:_LOOKED_AT]
    plain = begun.encode("ascii", "ignore")
    if len(plain) - len(plain.translate(None, _PLAIN_LETTERS)) >= len(begun) - len(plain):
        # Even if all else were letters of another script.
        return True
    return 2 * len("".join(_LATIN.findall(begun))) >= len("".join(_LETTERS.findall(begun)))


def is_chinese(text: str) -> bool:
    """Whether a text has Han characters and no kana."""
    begun = text[:_LOOKED_AT]
    return not begun.isascii() and _HAN.search(begun) is not None and _KANA.search(begun) is None


@lru_cache(maxsize=64)
def foreignness(text: str) -> float:
    """How little a text looks like English or code, 0 to 1, by its share of English function words; 0 for a word or two that do not ask.

    A headline has no function words, so a text in plain letters is foreign only if a word of another language is in it.
    """
    begun = text[:_LOOKED_AT].lower().replace("\u2019", "'")
    words = _WORD.findall(begun)
    if not words or CODE.search(begun) or (begun.isascii() and not _of_others(words, text[:_LOOKED_AT])):
        return 0.0
    elsewhere = _of_another(frozenset(words))
    english = sum((word in ENGLISH or word.partition("'")[0] in ENGLISH) and word not in elsewhere for word in words)
    return unlike_english((english + _HINT * len(_RATHER.intersection(words))) / len(words))


def _of_others(words: list[str], written: str) -> bool:
    """Whether words in plain letters may be of another language, because one of them is; in a very short text it must ask or greet.

    A word in capitals among small letters is a name, such as KDE.
    """
    telling = _ANYWHERE.intersection(words) if len(words) >= _TELLING else _GREETING.intersection(words) | _ASKING.intersection(words[:1])
    return any(word.upper() not in written for word in telling) or bool(telling and written.isupper())


def _of_another(words: frozenset[str]) -> frozenset[str]:
    """The function words of the language to which more of the words belong than to English; none if there is no such language.

    "is", "of" and "over" are also Dutch.
    """
    known = max((words & own for own in WORDS_BY_LANGUAGE.values()), key=lambda own: len(own - STOP_WORDS))
    own, english = known - STOP_WORDS, (words & ENGLISH) - known
    return known if len(own) >= _SEVERAL and len(own) > len(english) else frozenset()


def joins_words(text: str) -> bool:
    """Whether a foreign text is in a language that writes compounds as one word ("Hausschlüssel")."""
    words = frozenset(_WORD.findall(text[:_LOOKED_AT].lower()))
    known = {language: len(words & own) for language, own in WORDS_BY_LANGUAGE.items()}
    return max(map(known.__getitem__, _COMPOUNDING)) == max(known.values()) > 0


def no_names(text: str) -> frozenset[str]:
    """The words of a text with a capital that are not names, in the form of entities.

    These are nouns after a German article or the like, the first word of a text in another language than English, which may be a verb, and
    in English a first word before an article ("Schedule a …").
    """
    begun = text[:_LOOKED_AT]
    if foreignness(text) >= _RATHER_FOREIGN:
        found = [*_NOUN.findall(begun), *(match[1] for match in (_OPENING.match(begun),) if match)]
    else:
        found = [match[1] for match in (_ORDER.match(begun),) if match]
    return frozenset(fold(word).casefold() for word in found)


def unlike_english(share: float) -> float:
    """How little words are like English, 0 to 1, if this share of them are English function words."""
    return min(1.0, max(0.0, (_SURELY - share) / (_SURELY - _HARDLY)))


@lru_cache(maxsize=1 << 14)
def technical(text: str) -> float:
    """How much a text is code, commands, paths, identifiers or errors, 0 to 1, by their marks among its first words."""
    begun = text[:_BEGUN]
    if "@" in begun:
        begun = _EMAIL.sub("", begun)
    if not _SIGN.search(begun):
        return 0.0
    return min(1.0, len(_MARKS.findall(begun)) / (1 + begun.count(" ")) / _SURELY_CODE)


def is_code(text: str) -> bool:
    """Whether a text is a single code and not a word: a number, hash or ticket (at least a third digits), or an identifier.

    "YouTube" and "iPhone" are spelt as some identifiers are, and are words.
    """
    signs = [sign for sign in text if sign.isalnum()] if len(text.split(maxsplit=1)) == 1 else []
    identifier = technical(text) > 0.0 and not _BRAND.fullmatch(text)
    return bool(signs) and (identifier or sum(map(str.isdecimal, signs)) >= _OF_A_CODE * len(signs))
