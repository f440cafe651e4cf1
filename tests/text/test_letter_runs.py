"""Two letters that stand in any text of a script without spaces are no word that two texts have in common."""

import pytest

from cued.text.scripts import fold
from cued.text.tongues.letter_runs import letter_runs, pairs_by_chance


def by_chance(cue, text):
    return pairs_by_chance(letter_runs(cue), fold(text))


def test_letters_in_a_longer_word_of_another_meaning_are_there_by_chance():
    # Australia and a restaurant
    assert by_chance("オーストラリア", "欅レストランで食べた") == {"スト", "トラ"}


@pytest.mark.parametrize(
    ("cue", "text"), [("タマ", "猫のタマは"), ("ピーナッツバター", "ピーナッツアレルギー"), ("กุญแจสำรอง", "กุญแจอยู่ที่บ้าน")]
)
def test_a_whole_run_and_four_letters_in_a_row_are_not(cue, text):
    assert not by_chance(cue, text)


def test_a_pair_that_stands_in_a_shared_word_too_is_meant():
    assert by_chance("バナナバナ", "バナナバ") == frozenset()


@pytest.mark.parametrize("text", ["", "tea", "花生过敏", "땅콩", "Москва"])
def test_other_scripts_have_no_such_runs(text):
    assert letter_runs(text) == []
