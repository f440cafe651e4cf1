"""Time expressions of twenty-four languages become the intervals a reader would mean, and ordinary words become nothing."""

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.text.times import times
from cued.text.times.languages import triggers
from cued.text.times.languages.atoms import words
from cued.text.times.languages.cldr import CLDR
from cued.text.times.languages.spoken import SPOKEN
from cued.text.times.languages.time_words import entries, lexicon
from cued.text.times.share import time_share
from cued.text.times.vocabulary import Word
from tools import time_words

NOW = datetime(2024, 5, 15, 15, 30, tzinfo=UTC)  # a Wednesday
HERE = Path(__file__).parent
FIRST, SECOND = (tomllib.loads((HERE / name).read_text("utf-8")) for name in ("time_phrases.toml", "time_phrases_2.toml"))
ROWS = [(language, *row) for language, parts in FIRST.items() for part in parts.values() for row in part]
ROWS += [(language, *row) for language, parts in SECOND.items() for row in [*parts["times"], *parts["later"]]]


def moment(written: str) -> datetime:
    return datetime.fromisoformat(written).replace(tzinfo=UTC)


@pytest.mark.requirement("P11")
@pytest.mark.parametrize(("language", "text", "start", "end"), ROWS, ids=[f"{row[0]} {row[1]}" for row in ROWS])
def test_a_phrase_of_any_language_means_its_interval(language: str, text: str, start: str, end: str) -> None:
    assert [(mention.interval.start, mention.interval.end) for mention in times(text, now=NOW)] == [(moment(start), moment(end))]


ORDINARY = [
    "Guten Morgen", "hier ist das Buch", "die drei Wochen Urlaub", "die letzte Seite", "por la mañana", "hace frío", "me gusta el mar",
    "una vez más", "non lo so mai", "tre giorni di vacanza", "il y a deux chats", "les étés sont longs", "a segunda reunião",
    "o último filme", "over drie dingen", "goede morgen allemaal", "в последний раз", "天气很好", "日本料理", "最后一次", "一个人",
    "日本に行きたい", "月が綺麗ですね", "전화번호가 뭐야", "السلام عليكم", "नमस्ते", "tek bir gün", "Mars is red", "I ate pasta at the mart",
    "que sera sera", "my quest is over", "the hier of the throne", "Han Mei called", "a la carte", "hasta la vista",
    "My sedan is red", "Kal is in the marts", "Maja and Helga met Hari", "the AR app", "a Roku for the salon",
    "शादी से तीन दिन पहले", "Senin adın ne?", "Besök webbplatsen", "Slovenski ľudia majú právo", "Dobro jutro",
]  # fmt: skip
ORDINARY += [text for parts in SECOND.values() for text in parts["ordinary"]]


@pytest.mark.requirement("P11")
@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_words_of_other_languages_are_no_times(text: str) -> None:
    assert times(text, now=NOW) == ()


SHARES = [("Was habe ich im September gemacht?", 1.0), ("Wat heb ik in november gedaan?", 1.0), ("Hvad skete der i december?", 1.0)]
SHARES += [tuple(row) for parts in SECOND.values() for row in parts["shares"]]


@pytest.mark.requirement("P11")
@pytest.mark.parametrize(("text", "share"), SHARES)
def test_how_much_of_a_cue_asks_for_a_time_is_told_in_any_language(text: str, share: float) -> None:
    assert time_share(text, [(mention.start, mention.end) for mention in times(text, now=NOW)]) == share


def test_a_date_in_digits_is_read_in_the_order_of_its_language() -> None:
    spoken = {"Was war am 05.03.2024 los, letzte Fragen?": "2024-03-05", "¿Qué pasó el lunes pasado, el 5/3/2024?": "2024-03-05"}
    found = {text: [mention.interval.start for mention in times(text, now=NOW)][-1] for text in spoken}
    assert found == {text: moment(day) for text, day in spoken.items()}


RATHER_A_WEEK = {"minggu"}  # Sunday is "hari Minggu"


@pytest.mark.parametrize("language", CLDR)
def test_every_month_and_weekday_of_cldr_is_known_by_its_number(language: str) -> None:
    table = lexicon(language)
    known = dict(table.phrases())
    for kind, first in (("month", 1), ("weekday", 0)):
        for number, forms in enumerate(CLDR[language][kind].split("/"), first):
            for form in set(forms.split("|")) - RATHER_A_WEEK:
                assert known[words(form, table.compared)] in {Word(kind, number), Word(f"{kind}near", number)}, form


@pytest.mark.parametrize("language", CLDR)
def test_no_word_is_spoken_twice_or_as_cldr_has_it(language: str) -> None:
    compared = lexicon(language).compared
    said: dict[tuple[str, ...], Word] = {}
    for form, word in entries(SPOKEN[language]):
        phrase = words(form, compared)
        assert phrase not in said, form
        said[phrase] = word
    theirs: dict[tuple[str, ...], Word] = {}
    for form, word in entries(CLDR[language]):
        theirs.setdefault(words(form, compared), word)
    assert {phrase for phrase, word in said.items() if theirs.get(phrase) == word} == set()


def test_the_words_that_open_the_tables_are_those_of_the_tables() -> None:
    assert Path(triggers.__file__).read_text("utf-8") == time_words.triggers(), "run python -m tools.time_words again"


_WORDS = [" ".join(phrase) for language in CLDR for phrase, _ in lexicon(language).phrases()] + [
    "3",
    "12",
    "2023",
    "31",
    "-",
    ".",
    "5/3/2024",
]


@given(st.lists(st.sampled_from(_WORDS), max_size=8), st.datetimes(timezones=st.just(UTC)))
def test_any_words_of_time_of_any_languages_give_sound_mentions(some: list[str], now: datetime) -> None:
    text = " ".join(some)
    ends = 0
    for mention in times(text, now=now):
        assert mention.interval.start < mention.interval.end
        assert ends <= mention.start < mention.end <= len(text)
        ends = mention.end


@given(
    st.lists(st.lists(st.sampled_from(_WORDS), max_size=4), max_size=4),
    st.sampled_from(["wort ", "書"]),
    st.datetimes(timezones=st.just(UTC)),
)
def test_many_ordinary_words_between_two_times_say_what_a_few_say(parts: list[list[str]], ordinary: str, now: datetime) -> None:
    few, many = (f" {ordinary * count} ".join(map(" ".join, parts)) for count in (6, 40))
    assert [(each.text, each.interval) for each in times(few, now=now)] == [(each.text, each.interval) for each in times(many, now=now)]
