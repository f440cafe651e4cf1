"""Whether an encoder of English can know a text."""

from string import ascii_letters

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.text import languages
from cued.text.languages import foreignness, is_code, is_latin, joins_words, no_names, technical


@pytest.mark.parametrize("text", ["", "42", "The café is über-nice", "Tôi sống ở Hà Nội", "Mia said 你好 to the neighbours in the yard"])
def test_latin_texts(text):
    assert is_latin(text)


@pytest.mark.parametrize(
    "text", ["我的血型是O型。", "Где мой паспорт?", "ما فصيلة دمي؟", "मेरा नाम", "ฉันชอบชา", "お茶が好き", "Kim은 차를 좋아한다"]
)
def test_texts_in_another_script(text):
    assert not is_latin(text)


@given(st.text(st.characters(exclude_categories=()) | st.sampled_from("aé我Яㅎ²½ª"), max_size=300))
def test_half_of_the_letters_make_a_text_latin(text):
    letters = sum(each.isalnum() and not each.isdecimal() for each in text)
    latin = sum(each in ascii_letters or "\u00aa" <= each <= "\u024f" or "\u1e00" <= each <= "\u1eff" for each in text)
    assert is_latin(text) == (2 * latin >= letters)


def test_english_and_code_are_not_foreign_and_german_is():
    assert foreignness("What is the name of my landlord?") == 0.0
    assert foreignness("if x == 3: return foo(x)") == 0.0
    assert foreignness("Wie heißt meine Vermieterin noch gleich?") == 1.0
    assert foreignness("") == 0.0


@pytest.mark.parametrize("text", ["vale, gracias", "Merci beaucoup", "Danke dir", "hola"])
def test_a_word_or_two_that_greet_or_thank_in_another_language_are_foreign(text):
    assert foreignness(text) == 1.0


@pytest.mark.parametrize("text", ["thanks", "Good morning", "Ben Hur"])
def test_a_word_or_two_in_english_and_a_name_are_not(text):
    assert foreignness(text) == 0.0


def test_han_without_kana_is_chinese():
    assert languages.is_chinese("我住在杭州")
    assert not any(map(languages.is_chinese, ["お茶が好き", "Kim은", "Hanoi", ""]))


@pytest.mark.parametrize(
    ("text", "nouns"),
    [
        ("Wann kommt die Putzfrau?", {"wann", "putzfrau"}),
        ("Wer macht unsere Steuererklärung?", {"wer", "steuererklarung"}),
        ("Welchen Beruf hatte mein Opa Heinz?", {"beruf", "opa"}),
        ("Wo war Jonas am Wochenende und beim Arzt?", {"wo", "wochenende", "arzt"}),
        ("Why did the Titanic and Die Hard do so well?", set()),
        ("", set()),
    ],
)
def test_an_article_tells_a_german_noun_from_a_name(text, nouns):
    assert no_names(text) == nouns


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Propose un dessert pour Léo.", {"propose"}),
        ("Escribe un mensaje sobre la gotera.", {"escribe"}),
        ("Schedule a dentist appointment for Tom.", {"schedule"}),
        ("Pick some wine", {"pick"}),
        ("Jana Roth ist wo?", set()),
        ("Oslo in the winter", set()),
        ("Tom moved", set()),
    ],
)
def test_an_order_that_opens_a_text_is_no_name(text, words):
    assert no_names(text) == words


@pytest.mark.parametrize("text", ["Am I allergic to penicillin?", "What's my occupation?", "Let\u2019s continue.", "Good morning!", "x"])
def test_few_words_of_english_and_a_word_or_two_are_not_foreign(text):
    assert foreignness(text) < 0.1


@pytest.mark.parametrize("text", ["Wo wohne ich?", "¿A qué hora me levanto?", "Dove abita Marco?", "Où est la clé?", "Schuhgröße"])
def test_few_words_of_another_language_are(text):
    assert foreignness(text) == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "Hvem er min tandlæge?",
        "Hvor bor Mira?",
        "Hva heter hunden din?",
        "Kde bydlel Petr?",
        "Kdo je doktor Novak?",
        "Kuka on Pekka?",
        "Missä on avain?",
        "Mikor indul a vonat?",
        "Unde este cheia?",
        "Cine are bilete pentru concert?",
        "Gdje radi Petar?",
        "Gdzie klucz?",
        "Kto dzwoni?",
        "KTO DZWONI?",
    ],
)
def test_a_language_is_told_by_a_few_of_its_function_words_or_by_how_a_short_cue_asks(text):
    assert foreignness(text) == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "Che Guevara",
        "Tom Sam",
        "Jen moved",
        "Mint tea for Sam and Ali",
        "Who is Ole?",
        "Care home fees",
        "Dove soap",
        "Cine film",
        "KDE settings",
        "KDE Plasma on laptop",
        "WER score",
        "TKO in round two",
    ],
)
def test_names_and_words_that_other_languages_have_too_are_not_foreign(text):
    assert foreignness(text) == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "Wat is de hoofdstad van Spanje?",
        "Schrijf een gedicht over de herfst",
        "Waar is de sleutel of de kaart?",
        "Amit ab kahan rehta hai?",
    ],
)
def test_a_word_that_english_has_too_does_not_make_another_language_english(text):
    assert foreignness(text) == 1.0


@pytest.mark.parametrize("text", ["Is De Vries over there?", "Where is the van?", "Is the main road closed?", "Two men came till noon"])
def test_nor_do_a_few_words_of_another_language_make_english_foreign(text):
    assert foreignness(text) == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "sqlite3.OperationalError: database is locked",
        "git rebase --onto main topic",
        "def with_backoff(call, attempts=5): ...",
        "getUserByEmail returns None when there is none",
        "/etc/nginx/conf.d/site.conf",
    ],
)
def test_what_is_spelt_like_code_is_technical(text):
    assert technical(text) > 0.5


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Which tea do I drink?",
        "Mia was born on 3 May 2016, at 10:05 in the morning.",
        "我的血型是O型。",
        "Lunch at 1 p.m., e.g. soup.",
        "Flat(s) to let",
        "Anna Berg, anna.berg@kontor.se",
    ],
)
def test_prose_is_not(text):
    assert technical(text) == 0.0


@pytest.mark.parametrize(
    "text",
    ["Red or white?", "Walrus operator causes different behavior in PyTest", "Improve storage comparison algorithm"],
)
def test_a_headline_in_plain_letters_is_not_foreign(text):
    assert foreignness(text) == 0.0


@given(st.text(alphabet="abE._-:/() Z`é#rxo", max_size=14).map(lambda text: text.replace("Ero", "Error").replace("Ex", "Exception")))
def test_what_has_a_mark_of_code_has_a_sign_of_it(text):
    # The signs are looked for first, and only what has one is searched for marks.
    if languages._MARKS.search(text):  # noqa: SLF001 - what is inside has to agree
        assert languages._SIGN.search(text)  # noqa: SLF001


@pytest.mark.parametrize(
    ("text", "joins"),
    [
        ("Wo ist der Hausschlüssel?", True),
        ("Waar is de huissleutel van mijn broer?", True),
        ("Var är min husnyckel?", True),
        ("Où est la clé de la maison ?", False),
        ("¿Dónde está la llave de casa?", False),
        ("Где ключ?", False),
    ],
)
def test_a_language_that_writes_compounds_as_one_word_is_told_by_its_function_words(text, joins):
    assert joins_words(text) == joins


@pytest.mark.parametrize("text", ["ERR_LEDGER_UNBALANCED", "parseConfig", "RefundService.request", "MapView.tsx", "#48214", "OPS-482"])
def test_an_identifier_is_a_code(text):
    assert is_code(text)


@pytest.mark.parametrize("text", ["YouTube", "iPhone", "breakfast", "sister-in-law", "parseConfig fails", "mia@example.org"])
def test_a_word_a_brand_and_an_address_are_none(text):
    assert not is_code(text)


@pytest.mark.parametrize("text", ["gracias, haz el commit", "danke, bitte committen"])
def test_thanks_in_another_language_tell_it_among_other_words_too(text):
    assert foreignness(text) == 1.0


def test_thanks_in_another_language_among_words_of_english_do_not():
    assert foreignness("danke, that was the right one") == 0.0
