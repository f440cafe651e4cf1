"""English numbers, calendar words and units."""

from typing import Final

from cued.text.stemming import stem

_ONES: Final = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen""".split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBERS: Final[dict[str, int]] = (
    {word: number for number, word in enumerate(_ONES) if number}
    | {word: 10 * number for number, word in enumerate(_TENS, 2)}
    | {"hundred": 100, "thousand": 1000, "dozen": 12, "twice": 2, "once": 1, "thirtieth": 30, "fifteenth": 15, "twentieth": 20}
)

_WEEKDAYS: Final = "monday|mon tuesday|tue|tues wednesday|wed|weds thursday|thu|thur|thurs friday|fri saturday|sat sunday|sun".split()
_MONTHS: Final = """january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct
november|nov december|dec""".split()
WEEKDAYS: Final = {form: at for at, names in enumerate(_WEEKDAYS) for name in names.split("|") for form in (name, name + "s")}
MONTHS: Final = {name: at for at, names in enumerate(_MONTHS, 1) for name in names.split("|")}

# The dimension, then its units, each with its spellings.
_UNITS: Final = """
money : euro|eur|€ dollar|usd|$|buck pound|gbp|£|quid franc|chf yen|jpy|¥ rupee|inr|₹
mass : kg|kilo|kilogram g|gram mg|milligram lb|lbs pound-weight ounce|oz ton|tonne mcg
length : km|kilometre|kilometer mile|mi metre|meter|m cm|centimetre mm ft|foot|feet inch
volume : litre|liter|l ml|millilitre cup gallon
duration : second|sec|s minute|min hour|hr|h day|night week month year|yr
share : percent|%|pct
data : byte kb|kib mb|mib gb|gib tb|tib
temperature : °c|celsius|degree °f|fahrenheit
pulse : bpm
"""


def _units() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for line in _UNITS.strip().splitlines():
        dimension, _, units = line.partition(" : ")
        for spellings in units.split():
            unit, *others = spellings.split("|")
            found |= {form: (dimension, unit) for name in (unit, *others) for form in (name, f"{name}s", stem(name))}
    return found


UNITS: Final = _units()
NOONS: Final = {"noon": "12:00", "midnight": "0:00"}
PARTS: Final = {"half": 30, "quarter": 15}
