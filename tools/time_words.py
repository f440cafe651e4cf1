"""Writes the words of time of all languages but English from CLDR: cldr_*.py and triggers.py of src/cued/text/times/languages.

    npm pack cldr-dates-full && tar xzf cldr-dates-full-*.tgz
    PYTHONPATH=src python -m tools.time_words package

The argument is the folder of CLDR's JSON package `cldr-dates-full` (Unicode-3.0). Nothing of it is needed at run time. `triggers.py`
also has words of `languages/spoken.py`, which is written by hand: run this again after a change there.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from cued.text.stopwords import STOP_WORDS
from cued.text.times.languages.atoms import LATIN, folded
from cued.text.times.vocabulary import VOCABULARY

TARGET = Path(__file__).resolve().parent.parent / "src" / "cued" / "text" / "times" / "languages"
ELSEWHERE = tuple("ar el he hi ja ko ru th uk vi zh".split())
UNITS = "minute hour day week month quarter year".split()
WEEKDAYS = "mon tue wed thu fri sat sun".split()
SLOT = "{0}"
# What a trigger may be: a word that no time expression of a kind is without.
TRIGGER_KINDS = frozenset(
    "month season weekday relday relunit unit ago agolead last next quantity recent since until before after sincepost "
    "monthnear weekdaynear weekdayahead seasonlast dayaside agosince unitback".split()
)
WIDTH = 140
# Words of other languages that English texts are full of; what they stand in is found by its other words.
ENGLISH = (
    STOP_WORDS
    | VOCABULARY.keys()
    | frozenset("an ay over die once tag y ha fa este recent minutes son era faz ate na ab que quest apos".split())
    | frozenset("aren ars az denna din dino fore fram fran frem host jam lat morse od parson po salon se sen tills time timer yang".split())
)

Fields = dict[str, Any]


def main() -> None:
    """Read CLDR and write the modules."""
    package = Path(sys.argv[1])
    version = json.loads((package / "package.json").read_text("utf-8"))["version"]
    for group, languages in (("latin", LATIN), ("elsewhere", ELSEWHERE)):
        tables = {language: _table(package / "main" / language, language) for language in languages}
        (TARGET / f"cldr_{group}.py").write_text(_module(group, version, tables), "utf-8")
    (TARGET / "triggers.py").write_text(triggers(), "utf-8")


def _table(folder: Path, language: str) -> dict[str, str]:
    fields, gregorian = _read(folder, language)
    past, future = (_patterns(fields, f"relativeTime-type-{side}") for side in ("past", "future"))
    # the words around a counted unit are those that all units share
    (ago_lead, ago), (in_lead, hence) = _around(past), _around(future)
    units = {unit: _forms(past[unit] + future[unit], fields[unit]["displayName"], (ago_lead, ago, in_lead, hence)) for unit in UNITS}
    table = {
        "order": re.sub(r"[^dmy]|(?<=(.))\1", "", gregorian["dateFormats"]["short"].lower())[:3],
        "month": _numbered(gregorian["months"], "wide"),
        "month_short": _numbered(gregorian["months"], "abbreviated"),
        "weekday": _numbered(gregorian["days"], "wide"),
        "relday": _relative(fields["day"]),
        **{f"relunit {unit}": _relative(fields[unit]) for unit in UNITS[3:]},
        **{f"single {unit}": _joined(forms) for unit, (_, forms) in units.items()},
        **{f"unit {unit}": _joined(form for form in forms if form not in single) for unit, (forms, single) in units.items()},
        **{f"quantity {unit}": _joined(_uncounted(past[unit], ago_lead)) for unit in UNITS},
        "agolead": ago_lead,
        "ago": ago,
        "inlead": in_lead,
        "hence": hence,
    }
    return {key: value for key, value in table.items() if value.replace("/", "")}


def _read(folder: Path, language: str) -> tuple[Fields, Fields]:
    fields = json.loads((folder / "dateFields.json").read_text("utf-8"))["main"][language]["dates"]["fields"]
    calendars = json.loads((folder / "ca-gregorian.json").read_text("utf-8"))["main"][language]["dates"]["calendars"]
    return fields, calendars["gregorian"]


def _patterns(fields: Fields, side: str) -> dict[str, list[tuple[str, str]]]:
    return {unit: [(key.rpartition("-")[2], text.lower()) for key, text in fields[unit][side].items()] for unit in UNITS}


def _around(patterns: dict[str, list[tuple[str, str]]]) -> tuple[str, str]:
    cut = [text.partition(SLOT) for group in patterns.values() for _, text in group if SLOT in text]
    before = _shared([lead for lead, _, _ in cut])
    after = _shared([trail[::-1] for _, _, trail in cut])[::-1]
    return before.strip(), after.strip()


def _shared(texts: list[str]) -> str:
    """The longest beginning that all texts share."""
    first, last = min(texts), max(texts)
    return next((first[:at] for at, letter in enumerate(first) if letter != last[at]), first)


def _forms(patterns: list[tuple[str, str]], name: str, around: tuple[str, str, str, str]) -> tuple[list[str], list[str]]:
    ago_lead, ago, in_lead, hence = around
    forms = [name.lower()]
    single: list[str] = []
    for count, text in patterns:
        if SLOT not in text:
            continue
        unit = text.removeprefix(ago_lead).removeprefix(in_lead).replace(SLOT, "").strip()
        unit = unit.removesuffix(ago).removesuffix(hence).strip() if ago or hence else unit
        (single if count == "one" else forms).append(unit)
    return forms, single


def _uncounted(patterns: list[tuple[str, str]], lead: str) -> list[str]:
    """The forms that carry their number in themselves, such as the Arabic dual, as "number form"."""
    counts = {"one": 1, "two": 2}
    return [f"{counts[count]} {text.removeprefix(lead).strip()}" for count, text in patterns if SLOT not in text and count in counts]


def _numbered(names: Fields, width: str) -> str:
    order = [str(number) for number in range(1, 13)] if "1" in names["format"][width] else WEEKDAYS
    forms = [[names[form][width][key].lower() for form in ("format", "stand-alone")] for key in order]
    return "/".join(_joined(group) for group in forms)


def _relative(field: Fields) -> str:
    pairs = ((int(key.removeprefix("relative-type-")), text) for key, text in field.items() if key.startswith("relative-type-"))
    return "|".join(f"{offset} {text.lower()}" for offset, text in sorted(pairs) if offset or "day" not in field)


def _joined(forms: Iterable[str]) -> str:
    return "|".join(dict.fromkeys(forms))


def _module(group: str, version: str, tables: dict[str, dict[str, str]]) -> str:
    letters = "Latin letters" if group == "latin" else "other scripts and Vietnamese"
    lines = [
        f'"""The words of time as CLDR {version} has them, in {letters}; written by `python -m tools.time_words` (see NOTICE)."""',
        "",
        "# ruff: noqa: E501 - a line is a row of the table",
        f"CLDR_{group.upper()}: dict[str, dict[str, str]] = {{",
    ]
    for language, table in tables.items():
        lines += [f'    "{language}": {{', *(f'        "{key}": "{value}",' for key, value in table.items()), "    },"]
    return "\n".join([*lines, "}", ""])


def triggers() -> str:
    """The module of triggers, by the tables as they are."""
    words = sorted({word for language in LATIN for word in _of(language)} - ENGLISH)
    head = [
        '"""The words without which a text of Latin letters speaks of no time but in English; written by `python -m tools.time_words`."""',
        "",
        "LATIN_TRIGGERS = frozenset(",
        "    (",
    ]
    return "\n".join([*head, *(f'        "{row} "' for row in _rows(words)), "    ).split()", ")", ""])


def _rows(words: list[str]) -> Iterator[str]:
    row = ""
    for word in words:
        if len(row) + len(word) > WIDTH - 20:
            yield row.strip()
            row = ""
        row += f"{word} "
    yield row.strip()


def _of(language: str) -> Iterator[str]:
    from cued.text.times.languages.time_words import lexicon  # noqa: PLC0415 - it reads the table that was just written

    for phrase, word in lexicon(language).phrases():
        if word.kind in TRIGGER_KINDS:
            longest = max((folded(part) for part in phrase), key=len)
            yield longest


if __name__ == "__main__":
    main()
