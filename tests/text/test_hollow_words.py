"""function words of other languages: what a cue is not searched by."""

import pytest

from cued.text.analyse import analyse, query_terms
from cued.text.hollow_words import pair_weights, unframed
from cued.text.stemming import beginnings, heads, kindred, loosely


@pytest.mark.parametrize(
    ("cue", "terms"),
    [
        ("Wo ist der Schlüssel von dem Keller?", ("schlussel", "keller")),
        ("¿Dónde está la llave de la casa?", ("llave", "casa")),
        ("Où est la clé de la cave ?", ("cle", "cave")),
        ("Wat is de naam van mijn hond?", ("naam", "hond")),
        ("Где ключ от подвала?", ("ключ", "подва")),
        ("¿Dónde trabajo?", ("trabajo",)),
        ("Hangi dili öğreniyorum?", ("dili", "ogreniyorum")),
        ("Was esse ich am liebsten?", ("ess", "liebsten")),
        ("À quoi Manon est-elle allergique ?", ("manon", "allergiqu")),
        ("Que mange-t-on ce soir ?", ("mang", "soir")),
        ("Qu'y a-t-il en mai ?", ("mai",)),
        ("东京的人口是多少", ("东京", "人口")),
        ("りんごはどこで買いましたか", ("りん", "んご", "買")),
        ("我住在哪里？", ("住",)),
        ("他喝什么", ("喝",)),
        ("什么时候上线？", ("候上", "上线")),
        ("どこに住んでいますか", ("住",)),
        ("房租幾號要繳", ("房租", "租幾", "號要", "要繳")),
        ("Var ligger nyckeln till källaren?", ("ligger", "nyckeln", "kallaren")),
        ("Gdzie jest klucz do piwnicy i przy której ulicy?", ("klucz", "piwnici", "ulici")),
        ("Де лежить ключ від підвалу?", ("леж", "ключ", "підвал")),
        ("Πού είναι το κλειδί της αποθήκης;", ("κλειδ", "αποθηκ")),
        ("איפה המפתח של המרתף?", ("המפתח", "המרתף")),
        ("tahkhane ki chaabi kahan hai?", ("tahkhan", "chaabi")),
    ],
)
def test_a_cue_is_searched_by_what_it_asks_for_alone(cue, terms):
    assert query_terms(cue) == terms


def test_a_word_of_english_that_is_a_function_word_elsewhere_is_searched_for():
    assert query_terms("Which die cast did the man order in the war?") == ("die", "cast", "man", "order", "war")


@pytest.mark.parametrize(
    ("cue", "terms"),
    [
        ("Wo arbeitet Ben?", ("arbeitet", "ben")),
        ("Was verträgt Mia nicht?", ("vertragt", "mia")),
        ("Was kostet das Haus am Meer?", ("kostet", "haus", "meer")),
        ("Können Sie mir sagen, wo Ihr Schlüssel ist?", ("sagen", "schlussel")),
        ("Hallo. Wo ist der Schlüssel?", ("hallo", "schlussel")),
    ],
)
def test_a_capital_within_a_sentence_is_a_name_and_no_function_word_of_another_language(cue, terms):
    assert query_terms(cue) == terms


@pytest.mark.parametrize("cue", ["Reiche meinen Urlaub ein", "Wo ist der Schlüssel zu seinem Büro?", "Wem gehört dieser Schirm?"])
def test_a_german_pronoun_is_one_in_every_case(cue):
    assert len(query_terms(cue)) == 2


@pytest.mark.parametrize("name", ["de Gaulle", "Die Hard"])
def test_one_such_word_says_no_language(name):
    assert len(query_terms(name)) == 2


@pytest.mark.parametrize("cue", ["你是谁", "der die das", "どこですか"])
def test_a_cue_of_nothing_else_is_searched_by_it(cue):
    assert query_terms(cue)


def test_a_memory_is_indexed_whole():
    assert {"der", "schlussel"} <= analyse("Der Schlüssel liegt unter dem Stein.").keys()
    assert "的人" in analyse("东京的人口")


def test_a_pair_across_the_end_of_a_known_word_is_no_word():
    # 小宇 is known; 宇害 lies across its end, 害怕 is a word of its own
    assert pair_weights(["小宇", "宇害", "害怕"], [True, False, False]) == [1.0, 0.0, 1.0]


def test_of_a_row_of_unknown_pairs_half_are_words():
    assert pair_weights(["接孩", "孩子", "子们"], [False] * 3) == [2 / 3] * 3


def test_words_with_spaces_stand_for_themselves():
    assert pair_weights(["go", "on", "дом"], [False, True, False]) == [1.0] * 3


@pytest.mark.parametrize(("first", "second"), [("kira", "kiramiz"), ("arabayi", "arabamiz"), ("dedemin", "dedem"), ("trabajas", "trabajo")])
def test_forms_of_one_word_are_kindred(first, second):
    assert kindred(first, second)
    assert kindred(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [("ברכב", "הרכב"), ("קונצרט", "לקונצרט"), ("ובבית", "הבית"), ("मूंगफली", "मूँगफली"), ("जमीन", "ज़मीन"), ("оксані", "оксан")],
)
def test_so_they_are_with_other_prefixes_marks_and_endings(first, second):
    assert kindred(first, second)
    assert kindred(second, first)
    assert any(each in loosely(second) for each in beginnings(first))


@pytest.mark.parametrize(("first", "second"), [("בית", "תי"), ("שלום", "לום שלג"), ("दाल", "दाम"), ("كتاب", "كتابة"), ("γιωργ", "γιωργο")])
def test_words_of_a_language_with_a_stemmer_and_other_words_are_not(first, second):
    assert not kindred(first, second)


@pytest.mark.parametrize(("first", "second"), [("contar", "contrasena"), ("cas", "casa"), ("", "casa"), ("kara", "kira")])
def test_other_words_are_not(first, second):
    assert not kindred(first, second)


def test_a_compound_ends_in_a_word_and_a_verb_with_a_prefix_does_not():
    assert "schlussel" in heads("hausschlussel")
    assert "arzt" in heads("zahnarzt")
    assert "stehen" not in heads("verstehen")
    assert heads("haus") == ()


@pytest.mark.parametrize(
    ("cue", "left"),
    [
        ("Tell me about Petra.", "about Petra."),
        ("What do I know about the boiler?", "What about the boiler?"),
        ("Do you still remember the plan?", "the plan?"),
        ("Who knows Petra?", "Who knows Petra?"),
        ("She told me about it.", "She told me about it."),
    ],
)
def test_words_that_only_ask_to_be_told_are_left_out(cue, left):
    assert unframed(cue).split() == left.split()
