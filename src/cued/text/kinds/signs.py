"""The signs that a text may have a value of a kind: a number, a symbol, or a word of its field. In doubt a text has it."""

import re
from typing import Final, Literal

from cued.text.patterns import pattern

Kind = Literal[
    "phone", "e-mail", "address", "password", "number", "price", "pay", "age", "birthday", "count", "length", "size", "colour",
    "home", "birthplace", "surname", "blood", "name", "amount", "version",
]  # fmt: skip
ENGLISH_ONLY: Final = frozenset[Kind]({"home", "birthplace", "name"})
"""Kinds whose words are known only in English here, so that a text in another language may always have them."""

WORDS: Final = (
    r"\W(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|\w*teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|hundreds?|thousands?|million|half|double|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|hundert|tausend|halb"
    r"|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|cien|mil|deux|trois|quatre|cinq|sept|huit|neuf|dix|vingt|cent|mille"
    r"|tre|quattro|cinque|sei|sette|otto|nove|dieci|cento|dois|duas|três|quatro|oito|dez|twee|drie|zeven|negen|tien|honderd|duizend"
    r"|två|fyra|fem|sex|sju|åtta|nio|tio|hundra|seks|syv|otte|åtte|ti|hundrede|tusind"
    r"|dwa|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć|dziesięć|sto|tysiąc)(?!\w)"
)
_NUMBER: Final = rf"\d|{WORDS}"
MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|ene|abr|ago|dic|janv|févr|avr|juin|juil|août|déc)"
_THINGS: Final = r"\s(?:(?!(?:year|month|week|this|is|was|always)s?\W)\w{3,}s|people|children|men|women)(?!\w)"
MONEY: Final = (
    r"bucks?|cents?|crowns?|dollars?|euros?|francs?|grand|krone[rn]?|lira|pence|pesos?|pounds?|quid|rand|rupees?|yen|yuan|złoty\w*"
)
_AMOUNT: Final = (
    r"(?<![\d.,:/-])(?<!\Wat )(?<!\Wum )(?<!\Wab )(?<!\Wbis )(?<!\Win )(?<!\Wim )(?<!since )(?<!seit )\d[\d.,]*+"
    rf"(?![\d:/]|-[a-z](?![\w-])|{_THINGS}|\s?(?:[ap]\.?m|uhr|h|o'clock|st|nd|rd|th|%|[km]?g|[kcm]?m|m?l|(?:second|minute|hour|day|week|month|year)s?"
    rf"|{MONTH}\w*)(?!\w))"
)
"""A number that may be money: no time of day, date, code, measure or count."""
_PLACED: Final = (
    r"(?<![\d.,:/])\d+(?!\d|[.,:/]\d|\s?(?:[ap]\.?m|uhr|%|[km]?g|[kcm]?m|m?l|(?:second|minute|hour|day|week|month|year)s?)(?!\w))"
)
"""A number that may be part of an address: no time of day or measure."""
_QUANTITY: Final = (
    r"(?<![\d.,:/-])\d[\d.,]*+(?![\d:/]|-[a-z](?![\w-])|\s?(?:[ap]\.?m|uhr|h|o'clock|st|nd|rd|th"
    rf"|{MONTH}\w*)(?!\w))"
)
"""A number that may be a quantity: no time of day, date or code."""
_YEARS: Final = (
    rf"(?<![\d.,:/])\d+(?![\d.,:/]\d|{_THINGS}|\s?(?:[ap]\.?m|uhr|h|%|k?g|[kcm]?m|m?l|{MONTH}\w*)(?!\w))|(?:{WORDS})(?!{_THINGS})"
)
"""A number that may be an age or a year: not a count of anything but years."""
_MUCH: Final = (
    r"much|lots?|few|many|several|little|all|none|nothing|no|free|once|twice|pair|couple|plenty|enough|some|more|less|most|every"
    r"|viele?|wenige?|alle|keine?|mucho|poco|todos?|beaucoup|peu|tout|molto|tutto|muito|veel|weinig|mycket|meget|dużo|mało"
)
_DEAR: Final = (
    "much|lots?|little|nothing|free|no charge|viel|wenig|nichts|mucho|poco|nada|beaucoup|peu|rien|molto|niente|muito|veel|weinig"
    "|mycket|meget|dużo|mało"
)
"""Words for a cost without a number."""
_SPAN: Final = (
    r"(?:second|minute|hour|day|night|week|month|year|decade|centur|morning|evening|afternoon|season|summer|winter|spring|autumn|fortnight"
    r"|stunde|tag|woche|monat|jahr|hora|día|semana|mes|año|heure|jour|semaine|mois|giorn|settiman|ann[io]|dia|uur|dag|maand"
    r"|timm|time|veck|uge|måned|månad|år|godzin|dzień|dni|tydzień|tygodni|rok|lat)\w*"
)
_PRICE: Final = (
    rf"{_AMOUNT}|{WORDS}(?!{_THINGS})|\d\s?(?:{MONEY})(?!\w)|[$€£¥₹]|\W(?:{_DEAR}|{MONEY}|fees?|gifts?|presents?|paid|each|per|gratis|prix"
    r"|chère?s?|car[oa]s?|pag(?:a|o|ó|amos|ato|ata|ar|ou|uei)|(?:cost|pric|cheap|expens|pay|charg|bargain|worth|kost|preis|teuer|bezahl|geschenk"
    r"|cuest|preci|coût|prezz)\w*)(?!\w)"
)
_SIGNS: Final[dict[Kind, str]] = {
    "phone": (
        r"(?:\d\D{0,3}){4}|(?<!\W(?:am|by))(?<!\W(?:par|por))(?<!\Won the)\W(?:phone|t[eé]l[eé]|mobil|cell(?:phone)?\W"
        r"|tel\W|handy|(?:n[uú]mero?|numéro?|numb(?:er)?|nummer)(?!\w* \d{1,3}(?![\d ])))"
    ),
    "e-mail": r"@|mail|correo|courriel|\W(?:addres|adres|dirección|indirizz|endereço|write to)",
    "address": (
        rf"{_PLACED}|\W(?:addres|adres|liv(?:e|es|ed|ing)\W|mov(?:e|ed|es|ing)\W|stay|street|road|lane|avenue|square|corner|floor|flat\W|house|home|next"
        r"|opposite|near|behind|above|wohn|umgezogen|haus|dirección|vive|calle\W|habite|rue\W|indirizz|abita|via\W|mora\W|rua\W|woont|straat"
        r"|bor\W|mieszka|ulic|\w*(?:stra(?:ss|ß)e|gata|vej|weg|straat)\W)"
    ),
    "password": (
        r"\d|[:=] ?\S{4,}\W*\Z|[\"“”‘’'`]\W*\Z|\W(?:pass|pin\W|code|combination|key|phrase|log\W?in|secret|open|unlock|enter|type|word"
        r"|us(?:e|es|ing)\W|wort|schlüssel|geheim|contraseña|clave|mot\W|senha|wachtwoord|lösen|adgangskode|hasło)"
    ),
    "price": _PRICE,
    "pay": rf"{_PRICE}|\W(?:earn|salar|wage|income|rais|stipend|pension|hourly|gehalt|verdien|lohn|suel|gan[aó]|salaire|gagn)",
    "amount": rf"{_QUANTITY}|{WORDS}|{_PRICE}",
    "version": (
        r"(?<![\w./:#$€£-])v?\d{1,2}(?:\.\d+)*+(?![\w/:%-]|\s(?:[ap]\.?m|percent|people|users|seats|times|(?:second|minute|hour|day|week|month|year)s?)(?!\w))|\W(?:versi[oó]n\w*|latest|newest|stable|current|lts|neueste\w*|derni[eè]re|última)(?!\w)"
    ),
    "number": r"\d|\W(?:numb|code|plate|iban|bic\W|id\W|nummer|kennzeichen|númer|matrícul|numér|plaque)",
    "blood": r"blood.?(?:type|group)|rhesus|donor|\Wtype|\W(?:a|b|ab|0|o)\W?(?:[+\-−]|pos|neg|rh)|blutgruppe|(?:grupo|groupe) sangu",
    "age": (
        rf"{_YEARS}|\W(?:(?:is|are|brand|quite|as|so|still|very) new\W|age\W|aged|old|elder|young|born|bab(?:y|ies)|toddler|infant|teen"
        r"|adult|pension|centur|ancient|modern|victorian|medieval|built|planted|founded|turn|school|kindergarten|universit"
        r"|college|grade|alt|jung|geboren|gebaut|gepflanzt|años|joven|viej|nacid"
        r"|née?\W|âge|jeune|vieux|vieil|anni\W|giovan|nat[oa]\W|anos|oud|jong|gammel|gammal|ung|født|född|lat\W|stary|młod|urodz)"
    ),
    "birthday": (
        rf"{_NUMBER}|\W(?:birth|born|{_SPAN}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|christmas|easter|eve\W"
        r"|mär|mai|okt|dez|gebor|geburt|cumple|naci|anniv|compl|naiss|fød|föd|urodz)"
    ),
    "home": (
        r"[\d:]|\W(?:addres|liv(?:e|es|ed|ing)\W|mov|stay|locat|base|place|street|road|lane|avenue|square|corner|floor|flat|house|home|next|opposite|behind"
        r"|above|abroad|neighbo|resid|settl|relocat|rent|landl|apartment|room|village|town|city|countr|farm|address"
        r"|(?:in|at|from|to|near|by|off|outside|across|around|into|over|under|on|of)\W)"
    ),
    "birthplace": (
        r"\W(?:born|birth|nativ|from\W|grew|grow|rais|home|child|origin|came|comes?\W|root|nation|citizen|passport|countr|immigra|emigra"
        r"|in \d{4})|\w(?:ian|ese|ish|nch|tch|eek|lav|ole|ss)\W"
    ),
    "surname": (
        r"[A-Z][\w'’-]+,? (?:(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|ten|ter|bin|ibn|al|O'|Mc) ?)*[A-Z]|[A-Z]\. ?[A-Z]"
        r"|\b(?:Mr|Mrs|Ms|Dr|Frau|Herrn?|Madame|Monsieur|M(?:me|lle)|Señora?|Sra?|Signora?|Pan[ai]?|Senhora?)\b"
        r"|(?i:name|née|maiden|initial|spel[lt]|\bnom\b|apellid|nombre|cognom|nazwisk|naam|namn|navn|se llama|appelle|heißt)"
    ),
    "name": (
        r"(?<=[^.!?] )(?!I\b|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|(?:Jan|Febr)uary|March|April|May|Ju(?:ne|ly)|August"
        r"|(?:Sept|Nov|Dec)ember|October)[A-Z]|\A[A-Z][^\W\d_]+(?:,|:|['’]s| (?:is|was|and|has|will|can|[a-z]+(?:s|ed))\b)|\A[^A-Z]*\Z"
        r"|(?i:\b(?:name|call)|[\"“”‘`])"
    ),
    "count": (
        rf"{_NUMBER}|[,;&]|\W(?:{_MUCH}|an?|one|first|second|third|another|and|both|only|single|und|ein\w*|beide|y|un[ao]?|et|une|ed?|en|een|og|och)(?!\w)"
    ),
    "length": (
        rf"{_NUMBER}|\W(?:{_MUCH}|{_SPAN}|an?|since|until|till|long|short|forever|always|quick\w*|seit|bis|immer|lang|desde|depuis)(?!\w)"
    ),
    "size": (
        rf"{_NUMBER}|\W(?:{_MUCH}|an? (?:foot|metre|meter|mile)|(?:tall|high|low|deep|shallow|wide|narrow|big|large|small|tiny|huge|medium"
        r"|short|long|heavy|light|thin|thick|size|far|near|close|next|walk|minute|hour|metre|meter|weigh|groß|klein|hoch|tief|breit|schwer"
        r"|größe|grand|petit|alt[oa]|pequeñ|profond|stor|liten|lille|hög|høj)\w*)(?!\w)| x*[sml](?!['\w])"
    ),
    "colour": (
        r"\W(?:black|white|gr[ea]y|red|blue|green|yellow|orange|purple|violet|pink|brown|beige|cream|turquoise|teal|navy|maroon|burgundy|crimson"
        r"|scarlet|magenta|lilac|lavender|mauve|olive|khaki|mint|lime|gold|silver|bronze|copper|ivory|ochre|amber|coral|peach|salmon|rust|tan\W"
        r"|indigo|cyan|aqua|emerald|charcoal|anthracite|mustard|plum\W|cherry|sand|chestnut|blond|ginger|auburn|hazel|dark|light|pale|bright"
        r"|colou?r|paint|repaint|dye|strip|pattern|schwarz|wei(?:ß|ss)|grau|rot|blau|grün|gelb|lila|rosa|braun|dunkel|hell|farb|gestrichen"
        r"|negr|blanc|gris|roj|azul|verde|amarill|morad|marrón|pintad|noir|rouge|bleu|vert|jaune|couleur|brun|peint|nero|bianc|rosso|giall"
        r"|zwart|wit\W|rood|groen|geel|paars|bruin|sort|hvid|rød|blå|grøn|gul|svart|vit\W|röd|grön|czarn|biał|czerw|niebiesk|zielon|żółt)"
    ),
}
AS_WRITTEN: Final = frozenset[Kind]({"surname", "name"})
"""Kinds whose signs need capitals, so that they are searched in the text as it is written."""
SIGNS: Final[dict[Kind, re.Pattern[str]]] = {kind: pattern(signs) for kind, signs in _SIGNS.items()}
"""The pattern of each kind, for a lower-case text with a space before it, or for the text as it is written."""
_CHINESE_NUMBER: Final = "[\\d〇零一二三四五六七八九十百千万两半几]"
IN_CHINESE: Final[dict[Kind, re.Pattern[str]]] = {
    "phone": pattern(rf"(?:{_CHINESE_NUMBER}\D{{0,3}}){{4}}|号码|通讯录|名片"),
    "e-mail": pattern("@|邮箱|邮件|地址"),
    "address": pattern(rf"{_CHINESE_NUMBER}|住|搬|地址|[路街号楼区县镇村室]"),
    "password": pattern('[\\d"“”‘`:：=]|密码|口令|钥匙|是'),
    "pay": pattern(rf"{_CHINESE_NUMBER}|[元块钱薪资]|收入|赚|挣"),
    "price": pattern(rf"{_CHINESE_NUMBER}|[元块钱价贵免送]|便宜"),
    "birthday": pattern(rf"{_CHINESE_NUMBER}|生日|出生|生于|[月日春夏秋冬节]"),
    "age": pattern(rf"{_CHINESE_NUMBER}|[岁龄]|出生|生于|年级|小学|初中|高中|大学|幼儿|退休|老人|婴儿"),
    "size": pattern(rf"{_CHINESE_NUMBER}|[米斤克厘尺寸码高矮重轻大小深浅宽窄]"),
    "colour": pattern("[色黑白灰红蓝绿黄橙紫粉棕金银]"),
    "version": pattern(rf"{_CHINESE_NUMBER}|版|最新"),
}
"""The same for texts in Chinese, of the kinds that are known there."""
