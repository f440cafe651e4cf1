"""Holidays by name, as data: fixed days, nth weekdays, days around Easter, and the Islamic calendar."""

from collections.abc import Callable
from datetime import datetime, timedelta

from cued.text.times.almanac import DAY, Span, easter, islamic, midnight, month, nth_weekday

_FIXED = {
    (1, 1): "new years day|new year day",
    (1, 26): "australia day",
    (2, 2): "groundhog day",
    (2, 14): "valentines day|valentines|valentine day|saint valentines day|st valentines day",
    (3, 8): "international womens day|womens day",
    (3, 14): "pi day",
    (3, 17): "saint patricks day|st patricks day|patricks day|st paddys day",
    (4, 1): "april fools day|april fools",
    (4, 22): "earth day",
    (5, 1): "may day|international workers day",
    (5, 4): "star wars day",
    (5, 5): "cinco de mayo",
    (6, 19): "juneteenth",
    (7, 1): "canada day",
    (7, 4): "independence day|fourth of july|july fourth",
    (7, 14): "bastille day",
    (10, 31): "halloween|all hallows eve",
    (11, 1): "all saints day",
    (11, 5): "guy fawkes night|guy fawkes day|bonfire night",
    (11, 11): "veterans day|remembrance day|armistice day|singles day",
    (12, 24): "christmas eve|xmas eve",
    (12, 25): "christmas day|christmas|xmas day|xmas",
    (12, 26): "boxing day",
    (12, 31): "new years eve|new year eve",
}
_TURN_OF_YEAR = "new years|new year|turn of the year"
# (month, weekday from Monday = 0, which one, days after it)
_NTH_WEEKDAY = {
    (1, 0, 3, 0): "martin luther king jr day|martin luther king day|mlk day",
    (2, 0, 3, 0): "presidents day|president day|washingtons birthday",
    (5, 6, 2, 0): "mothers day|mother day",
    (5, 0, -1, 0): "memorial day",
    (6, 6, 3, 0): "fathers day|father day",
    (9, 0, 1, 0): "labor day|labour day",
    (10, 0, 2, 0): "columbus day|indigenous peoples day",
    (11, 3, 4, 0): "thanksgiving day|thanksgiving|thanks giving day|thanks giving",
    (11, 3, 4, 1): "black friday",
    (11, 3, 4, 4): "cyber monday",
}
_EASTER = {
    -47: "mardi gras|shrove tuesday|fat tuesday|pancake day",
    -46: "ash wednesday",
    -7: "palm sunday",
    -3: "maundy thursday|holy thursday",
    -2: "good friday",
    0: "easter sunday|easter day|easter",
    1: "easter monday",
    39: "ascension day",
    49: "pentecost|whit sunday",
}
# month and day of that calendar, and how many days it lasts
_ISLAMIC = {
    (1, 1, 1): "islamic new year|hijri new year|arabic new year|muharram",
    (9, 1, 30): "ramadan|ramadhan|ramazan|ramzan",
    (10, 1, 1): "eid al fitr|eid ul fitr",
    (12, 10, 1): "eid al adha|eid ul adha",
}

Yearly = Callable[[int], Span]


def _fixed(key: tuple[int, int]) -> Yearly:
    return lambda year: _days(midnight(year, *key), 1)


def _turn_of_year(year: int) -> Span:
    return _days(midnight(year - 1, 12, 31), 2)


def _nth(key: tuple[int, int, int, int]) -> Yearly:
    number, weekday, which, after = key
    return lambda year: _days(nth_weekday(weekday, which, within=month(year, number)).start + after * DAY, 1)


def _around_easter(offset: int) -> Yearly:
    return lambda year: _days(easter(year) + offset * DAY, 1)


def _in_islamic_year(key: tuple[int, int, int]) -> Yearly:
    return lambda year: _days(islamic(year, key[0], key[1]), key[2])


def _days(start: datetime, count: int) -> Span:
    return Span(start, start + timedelta(days=count), "day")


def _named() -> dict[str, Yearly]:
    rules: list[tuple[Yearly, str]] = [(_fixed(key), names) for key, names in _FIXED.items()]
    rules += [(_turn_of_year, _TURN_OF_YEAR)]
    rules += [(_nth(key), names) for key, names in _NTH_WEEKDAY.items()]
    rules += [(_around_easter(key), names) for key, names in _EASTER.items()]
    rules += [(_in_islamic_year(key), names) for key, names in _ISLAMIC.items()]
    return {name: rule for rule, names in rules for name in names.split("|")}


HOLIDAYS = _named()
"""What gives the time of a holiday in a year, by its name."""
