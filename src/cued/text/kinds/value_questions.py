"""The kind of value that a cue asks for, if it asks for nothing else."""

import re
from collections.abc import Iterable
from typing import Final

from cued.text.kinds.signs import Kind
from cued.text.patterns import pattern, spoken

_LONGEST: Final = 14
"""A cue with more words than this also tells something."""
_MOST_SIGNS: Final = 200
"""More characters than so many words have; in a script without spaces they are many more words."""
_OPENING: Final = r"\W*(?:(?:and|so|hey|please|sorry|und|y|et|e)\W+)?(?:(?:tell|give|remind) me (?:of )?)?"
_WHAT: Final = (
    r"(?:what(?:'s|s| is| was| are| were)|wie (?:ist|lautet|war)|was ist|cuál es|cual es|quel est|quelle est|qual è|qual é|wat is|jaki jest"
    r"|jakie jest|hvad er|hva er|vad är|the)\s+"
)
_BETWEEN: Final = r"(?:(?!(?:an?|about|behind|best|for|from|good|in|like|of|on|problem|reason|to|usual|way|with|wrong)\W)[^\s?]+\s+){0,5}?"
"""Words that may stand between "what is" and its noun, without those that ask for something else than the noun's value."""
_CLOSING: Final = r"\s*(?:[?.!]|\Z|(?:of|for|to|at|in|on|again|now|von|vom|der|des|für|del?|d[aiou]|d(?=['’])|av|af|till)\W)"
_NOUNS: Final[tuple[tuple[Kind, str], ...]] = (
    (
        "phone",
        (
            r"(?:(?:tele)?phone|mobile|cell(?:phone)?) numbers?|telefonnummer|handynummer|(?:número de )?teléfono|numéro de téléphone"
            r"|numero di telefono|(?:número de )?telefone|telefoonnummer|numer telefonu|mobilnummer"
        ),
    ),
    ("e-mail", r"e-?mail(?: address(?:es)?)?|e-?mail-?adress?e?|correo(?: electrónico)?|adresse e-?mail|indirizzo e-?mail"),
    ("address", r"(?:postal |home |street )?address|adresse|anschrift|dirección|indirizzo|endereço|adres"),
    (
        "password",
        (
            r"passwords?|passcode|passphrase|pin(?: code| number)?|(?:door|gate|booking|access|lock|padlock|alarm|entry|voucher) code"
            r"|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|lösenord|adgangskode|hasło"
        ),
    ),
    (
        "number",
        (
            r"(?:account|bank|card|case|contract|customer|flight|id|identity|insurance|invoice|licen[cs]e|membership|order|passport|policy"
            r"|reference|registration|room|seat|serial|social security|tax|tracking|vat) numbers?|(?:number|licen[cs]e) plate"
            r"|iban|zip ?code|post ?code|postal code|kontonummer|postleitzahl|número|code postal|numéro|numero|nummer"
        ),
    ),
    (
        "surname",
        (
            r"(?:last|family|full|maiden|second) name|surname|(?:nach|familien)name|apellidos?|nom de famille|cognome|sobrenome|achternaam"
            r"|nazwisko|e(?:ft|tt)ern(?:amn|avn)"
        ),
    ),
    ("blood", r"blood (?:type|group)|blutgruppe|grupo sanguíneo|groupe sanguin"),
    ("pay", r"salary|wages?|income|gehalt|sueldo|salario|salaire|stipendio"),
    (
        "price",
        (
            r"price|rent|fees?|fare|deposit|cost|revenue|turnover|preis|miete|kaution|umsatz|precio|alquiler|prix|loyer|prezzo|affitto|preço"
            r"|prijs|huur|pris|cena"
        ),
    ),
    ("age", r"age"),
    ("birthday", r"birthday|date of birth|birth ?date|geburtstag|cumpleaños|anniversaire"),
    ("colour", r"colou?r|farbe|couleur|colore|cor|kleur|kolor|färg|far[gv]e"),
    ("version", r"versions?(?: number)?"),
)
_WHOSE: Final = r"(?:my|our|your|his|her|their|the|\w+['’]s?)"
_NAMED: Final = (
    r"(?:aunt|baby|boss|boy|boyfriend|brother|cat|child|cleaner|coach|colleague|cousin|dad|daughter|dentist|doctor|dog|father|fiancée?|flatmate"
    r"|friend|girl|girlfriend|grand\w+|hamster|horse|husband|kid|kitten|landlady|landlord|manager|mother|mum|mom|nanny|nephew|neighbou?r|niece"
    r"|nurse|parrot|partner|plumber|puppy|rabbit|roommate|sister|son|teacher|therapist|trainer|tutor|uncle|vet|wife)s?"
)
"""People and pets, who have a name with a capital."""
_QUESTIONS: Final[tuple[tuple[Kind, str], ...]] = (
    (
        "price",
        (
            r"how much (?:does|did|do|will|would) [^?]+ (?:cost|charge|pay)\W|what (?:does|did|do|will) [^?]+ (?:cost|pay)\W"
            r"|how (?:expensive|cheap) "
        ),
    ),
    (
        "price",
        (
            r"(?:was|wie ?viel) kost(?:et|en|ete) |(?:was|wie ?viel) (?:hat|haben|hatten?) [^?]+ gekostet"
            r"|wie ?viel (?:be)?zahl\w+ |wie teuer "
            r"|cuánto (?:cuestan?|costó|valen?|cobran?|pag(?:o|a|an|amos|ó|ué|aron)) |combien (?:coût|pai|pay)\w+ "
            r"|quanto (?:cost\w+|custa|pag(?:o|a|hiamo|amos)) "
        ),
    ),
    (
        "amount",
        (
            r"how much (?:is|are|was|were) (?:my|our|your|his|her|their|the|\w+['’]s) \w+(?: \w+){0,2}"
            r"(?: (?:an?|per|each|every) \w+)?\W*\Z"
        ),
    ),
    ("price", r"(?:wat|hoeveel) kost |ile kosztuje |hvad koster |hva koster |vad kostar "),
    ("pay", r"how much (?:does|did|do|will) [^?]+ (?:earn|make|get paid)\W|wie ?viel verdien\w+ |cuánto gana |combien gagne "),
    ("size", r"(?:how much|what) (?:does|did|do) [^?]+ weigh\W"),
    ("birthday", r"when (?:is|was) [^?]+ (?:birthday|born)\W|wann hat [^?]+ geburtstag|wann (?:ist|wurde) [^?]+ geboren"),
    (
        "home",
        (
            r"where(?:'s| does| do| is| are) [^?]+ (?:live|living|reside|based)\W"
            r"|(?:which|what) (?:city|town|country|street|village) (?:does|do|is) "
        ),
    ),
    ("birthplace", r"where (?:was|were|is) [^?]+ (?:born|originally from)\W|where did [^?]+ grow up\W"),
    ("age", r"how old (?:is|are|am|was|were) |wie alt (?:ist|sind|war) |cuántos años tiene |quel âge |quanti anni ha |quantos anos tem "),
    ("age", r"hoe oud |hvor gammel |hur gammal |ile lat ma "),
    ("count", r"how many "),
    ("length", r"how long (?:is|are|was|were|does|did|do|will|has|have) "),
    (
        "size",
        r"how (?:tall|high|deep|wide|big|large|heavy|far)(?: away)? (?:is|are|am|was|were) |wie (?:groß|hoch|tief|breit|schwer|weit) ist ",
    ),
    ("size", r"(?:what|which) (?:(?:shoe|ring|dress|shirt|hat) )?size (?:is|are|does|do|am) "),
    (
        "name",
        rf"what(?:'s| is| was| are) (?:{_WHOSE} (?:\w+ )?{_NAMED}(?:['’]s? name| called)|(?:the )?name of {_WHOSE} (?:\w+ )?{_NAMED})\W",
    ),
    (
        "version",
        (
            r"(?:what|which) (?:[^\s?]+ ){0,2}versions? (?:of|is|are|was|were|do|does|did|has|have) |welche version |quelle version "
            r"|qué versión "
        ),
    ),
    ("phone", rf"what(?:'s| is| was) (?:(?:his|her|their)|{_WHOSE} (?:\w+ )?{_NAMED}['’]s) (?:new |current )?number\W*(?:again|now)?\W*\Z"),
    ("colour", r"(?:what|which) colou?rs? (?:is|are|was|were|does|do|did) |welche farbe |de qué color |de quelle couleur |welke kleur "),
)
_IN_CHINESE: Final[tuple[tuple[Kind, str], ...]] = (
    ("phone", "(?:电话|手机)号?码?是?(?:多少|什么|几)"),
    ("e-mail", "(?:邮箱|邮件)(?:地址)?是?(?:多少|什么|哪)"),
    ("address", "地址是?(?:什么|哪)"),
    ("password", "密码是?(?:多少|什么)"),
    ("pay", "(?:工资|薪水|月薪|年薪|收入)是?(?:多少|几)"),
    ("price", "多少钱|什么价|价格是?多少"),
    ("birthday", "生日是?(?:哪|几|什么)"),
    ("age", "几岁|多大(?:年纪|岁数|了)|年龄是?多少"),
    ("size", "(?:身高|体重|面积|尺寸|尺码)是?(?:多少|多大|几|什么)|有?多[高重宽深]"),
    ("colour", "什么颜色|颜色是?什么"),
    ("version", "(?:哪个|什么)版本|版本号?是?(?:多少|什么|几)"),
)
"""The same in Chinese, which is written without spaces."""
_HAVES: Final = r"(?:does|do|did|has|have|hat|haben|hatte|tiene|tienen|a|avait|heeft)"
_QUESTION_WORD: Final = pattern(r"\W(?:what|where|who|whom|whose|when|which|how|why)(?:'s)?(?!\w)")
_ROUGHLY: Final = pattern(r"\W(?:roughly|approximately|about how|guess|ungefähr|etwa|más o menos|environ|circa)(?!\w)")
"""Questions for a rough value, to which a mere hint is an answer."""


def _any_of(asked: Iterable[tuple[Kind, str]]) -> str:
    """One pattern of all of these, each as a group of its own."""
    return "|".join(f"({pattern})" for _, pattern in asked)


_ASKED: Final[tuple[tuple[re.Pattern[str], tuple[tuple[Kind, str], ...]], ...]] = (
    (pattern(rf"{_OPENING}{_WHAT}{_BETWEEN}(?:{_any_of(_NOUNS)}){_CLOSING}"), _NOUNS),
    (pattern(rf"{_OPENING}(?:which|what|welche[nrs]?|qué|quel(?:le)?|welke?) (?:{_any_of(_NOUNS)}) {_HAVES}\W"), _NOUNS),
    (pattern(rf"{_OPENING}(?:{_any_of(_QUESTIONS)})"), _QUESTIONS),
)
"""The ways to ask, and the kinds of their groups."""
_ASKED_IN_CHINESE: Final = (pattern(rf"[^,，。；;]*?(?:{_any_of(_IN_CHINESE)})[^,，。；;]*\Z"), _IN_CHINESE)


def asked_kind(cue: str) -> Kind | None:
    """The kind of value that a cue asks for; None where it asks for none, or for more."""
    said = f"{spoken(cue)} "
    if len(said) > _MOST_SIGNS or len(said.split()) > _LONGEST or len(_QUESTION_WORD.findall(said)) > 1 or _ROUGHLY.search(said):
        return None
    for asked, kinds in _ASKED if said.isascii() else (*_ASKED, _ASKED_IN_CHINESE):
        if (match := asked.match(said)) and match.lastindex:
            return kinds[match.lastindex - 1][0]
    return None
