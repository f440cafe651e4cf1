"""Entities by rules, in one normal form on both sides."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cued.text.entities import MAX_ENTITIES, entities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did Caroline say?", ("caroline",)),
        ("Caroline's dog", ("caroline",)),
        ("I saw Melanie Smith in New York", ("melanie smith", "melanie", "smith", "new york", "york")),
        ("He met Dr. Ludwig van der Berg", ("ludwig van der berg", "ludwig", "berg")),
        ("She reads J. R. R. Tolkien", ("tolkien",)),
        ("at the University of California", ("university of california", "california")),
        ("We flew to The Hague with Jean-Luc and O'Brien", ("hague", "jean-luc", "o'brien")),
        ("Zoë met Владимир in Łódź", ("zoe", "владимир", "lodz")),
        ("NASA and AT&T hired her in the US", ("nasa", "at&t", "us")),
        ("I told Will about it", ("will",)),
        ("Hey Mel! Thanks, good to see you.", ("mel",)),
        ("Running is fun. However, swimming is better. People swim.", ()),
        ("Pottery is fun and pottery is cheap", ()),
        ("On Monday in March it rained", ()),
        ("Am I free on Fridays, or are Mondays better?", ()),
        ("STOP SHOUTING AT ME", ()),
        ("Cook it well. She cooks, cooked, recooked, (cook) and cook-offs", ()),
        ("Lamp oil. She has lamps, a lamp: lamplight and a lamp", ()),
        ("Lamp oil. She has lamps, a lamp: lamplight", ("lamp",)),
        ("nothing to see here", ()),
        ("", ()),
    ],
)
def test_names_are_capitalised_runs_that_are_no_ordinary_opening(text, expected):
    assert entities(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ERR_SSL_VERSION_OR_CIPHER_MISMATCH", ("err_ssl_version_or_cipher_mismatch",)),
        ("call parseConfig() or load_all at 0x7fff5fbff8c0", ("parseconfig", "load_all", "0x7fff5fbff8c0")),
        ("it uses GPT-4o and v2.3.1, not 2.3.10", ("gpt-4o", "2.3.1", "2.3.10")),
        ("see src/core/config.ts and ~/.bashrc and /etc/hosts", ("src/core/config.ts", "config.ts", "~/.bashrc", "/etc/hosts")),
        ("cats and/or dogs, a follow-up", ()),
        ("from https://www.github.com/foo/bar?x=1", ("github.com",)),
        ("mail jo.smith@example.com about #Python, @jane", ("jo.smith@example.com", "#python", "@jane")),
        ("it cost $1,200, then 20 dollars, 30 % off", ("$1200", "$20", "30%")),
        ("ran 5km, then 5 kilometres, lost 2.5 kg", ("5 km", "2.5 kg")),
        ("in 2023, the 1990s, at 10:30 or 4pm on the 3rd, a 2-year-old", ()),
        ("the play \"to be or not\" and 'recall' and “Charlotte’s Web”", ("to be or not", "recall", "charlotte web", "charlotte", "web")),
        ("我喜欢《红楼梦》", ("红楼梦",)),
        ("I use iPhone and YouTube", ("iphone", "youtube")),
    ],
)
def test_what_is_spelt_like_an_entity_is_one(text, expected):
    assert entities(text) == expected


def test_a_cue_and_a_memory_agree_on_a_name():
    assert set(entities("What is Melanie's job?")) & set(entities("Melanie Smith teaches in Boston."))


def test_there_is_a_most():
    assert len(entities(" and ".join(f"Name{number}" for number in range(500)))) == MAX_ENTITIES


@settings(max_examples=5000)
@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_string_gives_entities_that_can_be_stored(text):
    found = entities(text)
    assert found == entities(text)
    assert len(found) == len(set(found)) <= MAX_ENTITIES
    assert all(entity and entity.encode() and "\x00" not in entity and entity == entity.strip() for entity in found)


@settings(max_examples=1000)
@given(st.text(alphabet="aA1.-/\\:@#$%'\"’ _km,(v\n", max_size=40))
def test_any_mixture_of_marks_is_read(text):
    assert all(entity == entity.casefold() for entity in entities(text))


@pytest.mark.parametrize("unit", ["a+", "-a", "Ab. ", "A.", "/a", '"a', "'", "a@", "https://", "$1,111", "漢", "\ud800"])
def test_a_text_of_100000_characters_is_no_trouble(unit):
    assert len(entities(unit * (100_000 // len(unit)))) <= MAX_ENTITIES
