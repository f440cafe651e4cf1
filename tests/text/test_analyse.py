"""The analyser: any script, identifiers whole and in parts, and any string at all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cued.text.analyse import MAX_QUERY_TERMS, analyse, query_terms, searchable

ANYTHING = st.text(alphabet=st.characters(exclude_categories=()))
MARKS = ".,;:!?()[]{}<>\"'`*~|-"
WORDS = st.lists(st.text(alphabet="abcdefghijklmnoprstuvwxyz", min_size=1, max_size=14), max_size=12).map(" ".join)

IDENTIFIERS = {
    "ERR_SSL_VERSION_OR_CIPHER_MISMATCH": (
        "=err_ssl_version_or_cipher_mismatch",
        "cipher mismatch",
        "ERR_SSL_VERSION_OR_CIPHER_MISMATCHES",
    ),
    "ModuleNotFoundError": ("=modulenotfounderror", "module error", "ModuleNotFoundErrors"),
    "GPT-4o": ("=gpt-4o", "gpt", "GPT-4"),
    "auth-middleware": ("=auth-middleware", "middleware", "auth-middlewares"),
    "parseConfig": ("=parseconfig", "parse config", "parseConfigs"),
    "src/core/config.ts": ("=src/core/config.ts", "config.ts", "src/core/config.tsx"),
    "0x7fff5fbff8c0": ("=0x7fff5fbff8c0", "0x7fff5fbff8c0", "0x7fff5fbff8c8"),
    "v2.3.1": ("=v2.3.1", "2.3.1", "v2.3.10"),
}


def found(query, memory):
    return bool(set(query_terms(query)) & analyse(memory).keys())


@pytest.mark.requirement("R26")
@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_an_identifier_is_found_whole_and_by_its_parts_and_its_twin_is_another(identifier):
    whole, parts, twin = IDENTIFIERS[identifier]
    memory = analyse(f"Yesterday we hit {identifier}, and then (again) {identifier}.")
    assert memory[whole] == 2
    assert whole in query_terms(f"what about {identifier}?")
    assert set(query_terms(parts)) <= memory.keys()
    assert whole not in analyse(f"Yesterday we hit {twin}.")


@pytest.mark.requirement("R26")
def test_an_error_message_is_found_by_its_whole_name_and_its_module():
    message = "ModuleNotFoundError: No module named 'recall'"
    assert set(query_terms(message)) <= analyse(f"The import failed with {message} on Friday").keys()
    assert {"=modulenotfounderror", "recal"} <= set(query_terms(message))


@pytest.mark.requirement("R26")
def test_a_camel_case_name_is_found_when_written_in_lower_case():
    assert found("youtube", "We watched it on YouTube")
    assert found("parseconfig", "parseConfig raises")


@pytest.mark.requirement("X7")
@pytest.mark.parametrize(
    ("language", "memory", "query", "other"),
    [
        ("Chinese", "我在北京养了一只猫", "北京", "上海"),
        ("Chinese, one character", "我在北京养了一只猫", "猫", "狗"),
        ("Japanese", "猫が大好きです", "猫は好き", "犬"),
        ("Japanese loan word", "データベースを直した", "データベース", "サーバー"),
        ("Korean", "민수는 학교에서 점심을 먹었다", "학교", "병원"),
        ("Thai", "ฉันชอบแมวมาก", "แมว", "สุนัข"),
        ("German compound, its end", "Meine Krankenversicherung kostet mehr", "Versicherung", "Steuer"),
        ("German compound, its beginning", "Die Geburtstagsfeier war laut", "Geburtstag", "Hochzeit"),
        ("German compound, -er", "Der Bundeskanzler sprach", "Kanzler", "Präsident"),
        ("Dutch compound", "mijn ziektekostenverzekering", "verzekering", "belasting"),
        ("emoji", "Done 👍🏽", "👍", "👎"),
        ("emoji family", "we are 👨‍👩‍👧", "👩", "🐶"),
        ("flag", "holiday in 🇩🇪", "🇩🇪", "🇩🇰"),
        ("Russian inflection", "Она читает книги", "книга", "газета"),
        ("Hindi inflection", "किताबें मेज पर हैं", "किताब", "कुर्सी"),
        ("Arabic article and vowel signs", "قرأتُ الكِتاب", "كتاب", "بيت"),
        ("accents", "Zoë moved to Łódź", "zoe lodz", "krakow"),
        ("full width", "ＡＢＣ１２３", "abc123", "xyz124"),
        ("foreign digits", "سنة ٢٠٢٤", "2024", "2025"),
    ],
)
def test_a_word_of_any_script_is_found_and_another_is_not(language, memory, query, other):
    assert found(query, memory), language
    assert not found(other, memory), language


@pytest.mark.requirement("S3")
@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("cat AND dog", ("cat", "dog")),
        ("NEAR(cat dog)", ("near", "cat", "dog")),
        ('"cat" *', ("cat",)),
        ("cat* OR -dog", ("cat", "dog")),
        ("((cat", ("cat",)),
        ("text:cat", ("=text:cat", "text", "cat")),
        ("cat'; DROP TABLE dog; --", ("cat", "drop", "tabl", "dog")),
        ("cat\x00dog", ("cat", "dog")),
        ("\ud800cat\u202e", ("cat",)),
        ("^ * ( ) : -", ()),
    ],
)
def test_operators_are_words_or_nothing(query, terms):
    assert query_terms(query) == terms


@pytest.mark.requirement("S3")
@settings(max_examples=5000)
@given(ANYTHING)
def test_any_string_gives_terms_that_can_be_stored(text):
    terms = analyse(text)
    assert terms == analyse(text)
    assert all(count > 0 for count in terms.values())
    assert all(term and term.encode() and "\x00" not in term and not term.isspace() for term in terms)
    asked = query_terms(text)
    assert len(asked) == len(set(asked)) <= MAX_QUERY_TERMS


@given(ANYTHING)
def test_a_text_is_found_by_itself(text):
    content = set(query_terms(text))
    terms = analyse(text)
    assert content <= terms.keys() or not terms


@given(WORDS, WORDS)
def test_more_text_never_loses_a_term(one, other):
    alone, together = analyse(one), analyse(f"{one} {other}")
    assert all(together[term] >= count for term, count in alone.items())


@pytest.mark.requirement("S3")
@pytest.mark.parametrize("unit", ["a", "a.", "/a", "_a", "漢", "A ", "the ", "'", "\ud800", "é", "0", "👍", "a+", "-", "カ", "가", "v1."])
def test_a_text_of_100000_characters_is_no_trouble(unit):
    text = unit * (100_000 // len(unit))
    assert len(query_terms(text)) <= MAX_QUERY_TERMS
    assert all(len(term) <= 130 for term in analyse(text))


def test_an_ordinary_word_is_one_term_its_stem():
    assert analyse("Painting paintings painted") == {"paint": 3}


@given(
    st.text(alphabet=MARKS, max_size=4),
    st.sampled_from(["a", "s", "re", "Us", "on", "Lisbon", "running"]),
    st.text(alphabet=MARKS, max_size=4),
)
def test_marks_around_a_word_change_nothing(before, word, after):
    assert analyse(before + word + after) == analyse(word)


def test_an_underscore_before_an_apostrophe_is_no_mark_around_a_word():
    assert analyse("_'re") == {}


def test_possessives_and_contractions_are_their_words():
    assert query_terms("Caroline's dog, O'Brien’s cat, l'école") == ("carolin", "dog", "obrien", "cat", "l", "ecol")
    assert query_terms("I don't, we've, she'll painting") == ("paint",)


def test_amounts_versions_and_initials_have_one_form():
    assert set(query_terms("30 km")) <= analyse("30km").keys()
    assert query_terms("1,000,000") == ("1000000",)
    assert query_terms("May 3rd") == query_terms("May 3")
    assert query_terms("U.S.A.") == query_terms("USA")
    assert set(query_terms("Python 3.11")) <= analyse("Python 3.11.4").keys()
    assert found("email", "an e-mail")
    assert query_terms("C++ C#") == ("=c++", "=c#")


def test_function_words_are_left_out_unless_there_is_nothing_else():
    assert query_terms("What did you do about the garden?") == ("garden",)
    assert query_terms("who are you") == ("who", "are", "you")
    assert analyse("What did you do with the garden?").keys() == {"garden"} | {"what", "did", "you", "do", "with", "the"}
    assert analyse("the garden of my house").keys() == {"garden", "hous"}


def test_a_quotation_of_function_words_is_found():
    assert set(query_terms("to be or not to be")) <= analyse("Hamlet asks to be or not to be in act three").keys()


def test_a_country_in_capitals_is_no_pronoun():
    assert found("the US", "She moved to the US")
    assert not found("the US", "She moved with us")


def test_a_cue_has_one_term_a_word_and_no_sub_words():
    assert query_terms("Krankenversicherung") == ("krankenversicherung",)


def test_a_memory_of_a_speaker_is_searched_with_the_speaker():
    assert searchable("I paint", "Caroline") == "Caroline: I paint"
    assert searchable("I paint", None) == "I paint"
    assert found("what does Caroline paint", searchable("I like it", "Caroline"))
