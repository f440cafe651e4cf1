"""Words for food, and for what somebody must not eat, in English, German, French and Spanish."""

from typing import Final

FOOD: Final = {
    "en": (
        r"eat\w*|food|dinner|lunch\w*|breakfast|brunch|supper|meals?|menus?|dish(?:es)?|snacks?|starters?|desserts?|puddings?|cakes?"
        r"|cookies|biscuits|pizzas?|pasta|curry|soups?|salads?|sauces?|sandwich\w*|chocolates?|restaurants?|caf[eé]s?|bistros?|take-?aways?"
        r"|take-?out|cater\w*|recipes?|cook\w*|bak(?:e|ed|ing|ery)|barbecue|bbq|picnics?|buffets?|grocer\w+|shopping list"
        r"|(?:book|reserv)\w* (?:\w+ ){0,3}table"
    ),
    "de": (
        r"ess(?:e|en|t)|isst|\w*essen|\w*gerichte?n?|\w*menüs?|nachtische?|nachspeisen?|vorspeisen?|\w*kuchen|\w*torten?|plätzchen|\w*suppen?"
        r"|\w*salate?|\w*soßen?|\w*restaurants?|lokale?|cafés?|gasth\w+|\w*rezepte?|koch(?:e|en|t|st)|back(?:e|en|t)|grillen|picknick"
        r"|\w*buffets?|einkaufsliste|frühstück\w*|mittag|snacks?|lebensmittel|(?:reservier|buch)\w* (?:\w+ ){0,3}tisch"
    ),
    "fr": (
        r"mange\w*|dîners?|dîner|déjeuners?|repas|menus?|plats?|desserts?|entrées?|gâteaux?|tartes?|biscuits|goûters?|apéro\w*|soupes?|salades?"
        r"|sauces?|restaurants?|restos?|bistrots?|traiteurs?|recettes?|cuisine\w*|pique-nique|buffets?|liste de courses"
        r"|réserve\w*(?:[ -]\w+){0,3} table"
    ),
    "es": (
        r"com(?:er|emos|ida|idas)|cen(?:a|ar|amos|as)|almuerzo|almorzar|desayun\w+|merienda|menús?|platos?|postres?|entrantes?|tartas?"
        r"|pastel\w*|galletas|sopas?|ensaladas?|salsas?|tapas|restaurantes?|bares?|recetas?|cocin\w+|barbacoa|lista de la compra"
        r"|res[eé]rv\w* (?:\w+ ){0,3}mesa"
    ),
}
"""By language, words that show a text to be about food, in lower case."""
MUST_NOT_EAT: Final = {
    "en": (
        r"vegan|vegetarian|kosher|halal|(?:can(?:'t|not| not)|do(?:es)?(?:n't| not)|never|no longer|must(?:n't| not)|may not"
        r"|should(?:n't| not)|won't) (?:eat|have any|drink|digest|tolerate)"
    ),
    "de": (
        r"vegan\w*|vegetari\w+|koscher|halal|(?:verträgt|vertrage|vertragen|isst|esse|essen|trinkt|trinke|darf|dürfen)"
        r" (?:\w+ ){0,3}(?:keine?[nm]?|nicht|nie)"
    ),
    "fr": (
        r"végan\w*|végétari\w+|casher|halal|(?:ne |n['’])(?:\w+ ){0,3}(?:mange|bois|boit|supporte|digère|manger|boire)\w*"
        r" (?:pas|plus|jamais|ni|que)"
    ),
    "es": (r"vegan[oa]s?|vegetarian[oa]s?|kosher|halal|(?:no|nunca) (?:\w+ ){0,2}(?:com|beb|tom|toler)(?:o|e|en|emos|er|a|an)"),
}
"""By language, words that say that somebody must not eat or drink something, in lower case."""
ILL_OF: Final = (
    r"allerg\w+|alérgic\w+|alergi\w+|\w*allergie|anaphyla\w+|\w*intol[eé]ran\w*|\w*unverträglich\w*|coeliac|celiac|cœliaque|celíac\w+"
    r"|zöliakie|diab[eéè]t\w+"
)
"""Words that say that it makes them ill."""
NO_FOOD: Final = (
    r"penicillin\w*|penicilina|pénicilline|amoxi\w+|antibioti\w+|aspirin\w*|ibuprofen\w*|latex|látex|nickel|pollen|polen|\w*pollen|hay|heuschnupfen"
    r"|dust|mites?|\w*staub\w*|hausstaub\w*|acariens|ácaros|cats?|\w*katzen?\w*|chats?|gatos?|dogs?|\w*hunde?\w*|chiens?|perros?|horses?|fur"
    r"|wasps?|bees?|\w*wespen\w*|\w*bienen\w*|guêpes?|abeilles?|avispas|abejas|plasters?|sun|perfumes?"
)
"""Things other than food that people are allergic to."""
