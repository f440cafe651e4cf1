"""German, French and Spanish words that ask for advice, a choice or a plan, order work, or say what somebody prefers or avoids."""

from typing import Final

SEEKING: Final = {
    "de": (
        r"empf(?:iehl|ehl)\w*|schlag\w* (?:\w+ ){1,6}vor|vorschläge?|ideen?|tipps?|ratschl\w+|plane?|such\w* (?:mir|uns"
        r"|(?:\w+ )?eine?[nrs]?)|soll(?:te|ten|en)? (?:ich|wir)|(?:was|wo|wie|wohin|womit|welche[nrs]? \w+) (?:kann|könnte|können"
        r"|könnten) (?:ich|wir)|am besten"
    ),
    "fr": (
        r"recommande[rsz]?|conseille[rsz]?|suggère|suggére[rz]|propose[rsz]?|idées?|conseils?|planifie[rsz]?|organise[rsz]?|choisi[rst]"
        r"|(?:cherche|trouve|aide)[ -](?:moi|nous|une?)|(?:que|où|comment|quel\w* \w+) (?:puis|pourrais|devrais|dois|pouvons|devrions"
        r"|devons)|on (?:pourrait|peut|devrait)|(?:que|quoi) (?:acheter|choisir|cuisiner|faire|lire|manger|mettre|offrir|préparer"
        r"|regarder|servir)"
    ),
    "es": (
        r"recomi[eé]nd\w*|recomendar\w*|sugi[eé]r\w*|sugerir\w*|aconseja\w*|aconséja\w*|ideas?|consejos?|planea|planifica\w*|elige|escoge|prop[oó]n\w*"
        r"|ayúda(?:me|nos)|b[uú]sca(?:me|nos|(?= una? ))|qué (?:\w+ )?(?:le |les )?(?:debería|deberíamos|puedo|podemos|podría|llevo"
        r"|regalo|compro|cocino|preparo|podríamos|vemos|comemos|cenamos)"
    ),
}
"""By language, words that ask for advice, a choice or a plan, in lower case."""
ORDERING: Final = {
    "de": (
        r"(?:bitte )?(?:(?:kannst|könntest) du )?(?:bitte )?(?:back|bestell|buch|entwirf|erstell|koch|mach|organisier|pack|reservier"
        r"|schreib|verfass)e?(?: bitte)? (?:mir|uns|ihm|ihr|eine?[mnrs]?|den|die|das|etwas|meine?[mnrs]?|unsere?[mnrs]?)"
    ),
    "fr": (
        r"(?:(?:peux|pourrais)-tu )?(?:achète|achete[rz]|command(?:e[rz]?)|compose[rz]?|crée[rz]?|cuisine[rz]?|écri[st]|écrire|écrivez"
        r"|fais|faites|faire|prépare[rz]?|rédige[rz]?|réserve[rz]?)(?:[ -](?:moi|nous|lui))? (?:une?|des|du|les?|la|l['’]\w+|mon|ma|mes"
        r"|notre|nos)"
    ),
    "es": (
        r"(?:por favor,? )?(?:puedes )?(?:cocin|compr|cre|diseñ|organiz|prepar|prepár|redact|reserv|resérv)ar?(?:me|nos)? (?:una?s?|unos"
        r"|el|la|los|las|algo|mi|mis|nuestr\w+)|(?:escrib|escríb|pid|píd|haz|hac)\w* (?:una?s?|el|la|los|las|algo|mi)"
    ),
}
"""By language, the beginnings of an order for something new, in lower case."""
LEANING: Final = {
    "de": (
        r"mag|mögen|lieb(?:e|en|t|er|lings\w+)|am liebsten|hass(?:e|en|t)|bevorzug\w+|allergi\w+|\w*allergie|verträgt|vertrage"
        r"|unverträglich\w*|\w*intoleran\w+|vegetari\w+|vegan\w*|koscher|halal|\w*gluten\w*|diät|angst|fürchte\w*|keine?[mnrs]?|nie"
        r"|niemals|immer|nur|meide[nt]?|(?:kann|darf|will|möchte) (?:\w+ ){0,4}nicht|höchstens|maximal|begeister\w+|interessier\w+"
        r"|gern\w*|ungern|(?:ess|trink|vertrag)\w+ (?:\w+ ){0,3}nicht|(?:wird|werde) (?:\w+ ){0,2}(?:schlecht|übel)"
    ),
    "fr": (
        r"préfèr\w+|préfér\w+|aime\w*|adore\w*|déteste\w*|allergi\w+|intoléran\w+|supporte\w*|végétari\w+|végan\w*|vegan|casher|halal"
        r"|gluten|régime|peur|évite\w*|jamais|toujours|(?:ne |n['’])(?:\w+ ){1,3}(?:pas|que|plus)|au maximum|au plus|passionn\w+|fan de"
    ),
    "es": (
        r"prefi\w+|favorit\w+|gustan?|encantan?|odi[ao]\w*|detest\w+|alérgic\w+|alergias?|intoleran\w+|celíac\w+|vegetarian\w+|vegan\w+"
        r"|kosher|halal|gluten|dieta|miedo|pánico|evit[ao]\w*|nunca|jamás|siempre|no (?:\w+ ){0,2}(?:com|beb|quier|pued|soport|aguant|tom"
        r"|us)\w+|como máximo|apasion\w+|aficionad\w+"
    ),
}
"""By language, words that say what somebody prefers or avoids, in lower case."""
