"""function words of other languages: what a cue is not searched by."""

import pytest

from cued.text.analyse import analyse, query_terms


@pytest.mark.parametrize(
    ("cue", "terms"),
    [
        ("Wo ist der Schlüssel von dem Keller?", ("schlussel", "keller")),
        ("¿Dónde está la llave de la casa?", ("llave", "casa")),
        ("Où est la clé de la cave ?", ("cle", "cave")),
        ("Wat is de naam van mijn hond?", ("naam", "hond")),
        ("Где ключ от подвала?", ("ключ", "подва")),
        ("东京的人口是多少", ("东京", "人口")),
        ("りんごはどこで買いましたか", ("りん", "んご", "どこ", "買")),
    ],
)
def test_a_cue_is_searched_by_what_it_asks_for_alone(cue, terms):
    assert query_terms(cue) == terms


def test_a_word_of_english_that_is_a_function_word_elsewhere_is_searched_for():
    assert query_terms("Which die cast did the man order in the war?") == ("die", "cast", "man", "order", "war")


@pytest.mark.parametrize("name", ["de Gaulle", "Die Hard"])
def test_one_such_word_says_no_language(name):
    assert len(query_terms(name)) == 2


@pytest.mark.parametrize("cue", ["你是谁", "der die das", "どこですか"])
def test_a_cue_of_nothing_else_is_searched_by_it(cue):
    assert query_terms(cue)


def test_a_memory_is_indexed_whole():
    assert {"der", "schlussel"} <= analyse("Der Schlüssel liegt unter dem Stein.").keys()
    assert "的人" in analyse("东京的人口")
