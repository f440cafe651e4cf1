"""Whether a text tells that something has changed, by the words that say so in many languages."""

from functools import lru_cache

from cued.text.patterns import pattern, spoken

_WORDS = """now nowadays anymore instead since new newly moved moves switched changed replaced replaces became become becomes joined
migrated renamed raised lowered reduced increased promoted postponed rescheduled cancelled canceled retired quit resigned
stopped sold upgraded repainted transferred jetzt nun inzwischen neuerdings seit umgezogen gezogen gewechselt geändert
stattdessen ersetzt verschoben neue neuer neues ahora mudó mudado cambió cambiado nuevo nueva maintenant désormais déménagé
changé nouveau nouvelle adesso trasferito cambiato agora mudou novo nova verhuisd veranderd voortaan teraz przeprowadził
przeprowadziła zmienił zmieniła artık taşındı flyttat flyttade numera nå flyttet flyttede nu nyní teď přestěhoval přestěhovala
nykyään nyt muutti mostantól költözött acum mutat schimbat sada preselio preselila сейчас теперь переехал переехала сменил
сменила тепер переїхав переїхала""".split()
_PHRASES = (
    r"no longer|any (?:more|longer)|(?:took|taken) over|gave up|given up|step(?:ped|s) down|went (?:up|down)|is up to|is down to"
    r"|started (?:as|working)|broke up|split up"
    r"|from \w+ on|not \w+ but|this (?:year|term|season|month)|nicht mehr|ya no|ne \w+ plus|non \w+ più|não \w+ mais|niet meer|już nie"
    r"|inte längre|ikke længere|ikke lenger|už ne|ei enää|már nem|nu mai|više ne|больше не|більше не"
)
_CHANGED = pattern(rf"\W(?:{'|'.join(_WORDS)}|{_PHRASES})(?!\w)")
_CHANGED_ANYWHERE = pattern("现在|現在|如今|不再|改为|改成|改到|换成|換成|搬到|搬去|搬家|今は|引っ越|変わ|変更|이제|바뀌|이사")


@lru_cache(maxsize=1 << 12)
def tells_change(text: str) -> bool:
    """Whether a text says that something is other than it was ("now", "no longer", "umgezogen", "搬到")."""
    return bool(_CHANGED.search(spoken(text))) or (not text.isascii() and bool(_CHANGED_ANYWHERE.search(text)))
