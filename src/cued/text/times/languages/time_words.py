"""The words of time of one language, from CLDR and from what is spoken, as one table from phrases to kinds."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from cued.text.remembered import Remembered
from cued.text.times.languages.atoms import Fold, folded, marked, words
from cued.text.times.languages.cldr import CLDR
from cued.text.times.languages.spoken import SPOKEN
from cued.text.times.vocabulary import Word

Phrase = tuple[str, ...]

_SEASONS = ("spring", "summer", "autumn", "winter")
_NUMBERED = {"month": 1, "month_short": 1, "monthnear": 1, "number": 1, "ordinal": 1}
_NUMBERED |= {"weekday": 0, "weekdaynear": 0, "weekdayahead": 0}
_KINDS = {"month_short": "monthshort"}
_KNOWN = 1 << 13
_NOT_WORDS = frozenset(["order", "era", "marks", "pointers", "function", "beginnings", "endings", "weekdays_behind"])


class Lexicon(NamedTuple):
    """The phrases of a language by their first word, the longest first, and how words and dates are written.

    `head` gives a word as the table has it: itself, or without its prefix or suffix; "" if it is unknown. `order` is that of a date in
    digits, `era` by how many years the language's own calendar is ahead, and `compared` how letters are compared. With `behind`, words
    such as "last" always follow what they point at.
    """

    by_first: dict[str, list[tuple[Phrase, Word]]]
    head: Callable[[str], str]
    order: str
    era: int
    behind: bool
    compared: Fold

    def phrases(self) -> Iterator[tuple[Phrase, Word]]:
        """Every phrase with what it stands for."""
        for group in self.by_first.values():
            yield from group


@cache
def lexicon(language: str) -> Lexicon:
    """The table of a language; spoken words take precedence over those of CLDR."""
    spoken, table = SPOKEN[language], dict[Phrase, Word]()
    compared = Remembered(marked if "marks" in spoken else folded, most=_KNOWN).__getitem__
    for source in (spoken, CLDR[language]):
        for form, word in entries(source):
            if phrase := words(form, compared):
                table.setdefault(phrase, word)
    table |= dict(_weekdays_of_weeks(table, spoken.get("weekdays_behind", "")))
    by_first: dict[str, list[tuple[Phrase, Word]]] = {}
    for phrase, word in sorted(table.items(), key=lambda item: -len(item[0])):
        by_first.setdefault(phrase[0], []).append((phrase, word))
    beginnings, endings = (spoken.get(name, "").split() for name in ("beginnings", "endings"))

    def head(word: str) -> str:
        carried = [word.removeprefix(start) for start in beginnings] + [word.removesuffix(end) for end in endings]
        return next((one for one in (word, *carried) if one in by_first), "")

    return Lexicon(
        by_first,
        Remembered(head, most=_KNOWN).__getitem__,
        order=spoken.get("order") or CLDR[language]["order"],
        era=int(spoken.get("era", 0)),
        behind="pointers" in spoken,
        compared=compared,
    )


def _weekdays_of_weeks(table: dict[Phrase, Word], behind: str) -> Iterator[tuple[Phrase, Word]]:
    """The weekdays that are written as a numeral behind a week: 上周 with 五 is its Friday."""
    weeks = [(phrase, word.number) for phrase, word in table.items() if word.kind == "relunit" and word.name == "week"]
    for weekday, group in enumerate(filter(None, behind.split("/"))):
        for numeral in group.split("|"):
            yield from (((*phrase, numeral), Word("dayofweek", weekday + 7 * week)) for phrase, week in weeks)


def entries(source: Mapping[str, str]) -> Iterator[tuple[str, Word]]:
    """Every form of a table with what it stands for, in order."""
    for key in (key for key in source if key not in _NOT_WORDS):
        kind, _, name = key.partition(" ")
        for position, group in enumerate(source[key].split("/"), _NUMBERED.get(kind, 0)):
            for form in filter(None, group.split("|")):
                yield _entry(kind, name, position, form)


def _entry(kind: str, name: str, position: int, form: str) -> tuple[str, Word]:
    if kind in _NUMBERED:
        return form, Word(_KINDS.get(kind, kind), position)
    if kind in {"relday", "relunit", "quantity", "dayaside", "month_more", "weekday_more"}:
        number, _, phrase = form.partition(" ")
        return phrase, Word(kind.removesuffix("_more"), int(number), name)
    if kind in {"season", "seasonlast"}:
        return form, Word(kind, 0, _SEASONS[position])
    if kind == "weekend":
        return form, Word("unit", 0, "weekend")
    return form, Word("unit" if kind == "single" else kind, int(kind == "single"), "few" if kind == "few" else name)
