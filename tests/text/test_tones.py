"""The marks of Vietnamese tell words apart where both sides have them."""

import unicodedata

from cued.text.tongues.tones import in_other_tones, syllables


def other(cue, memory):
    return in_other_tones(syllables(cue), syllables(memory))


def test_a_syllable_with_other_marks_is_another_word():
    assert other("Phòng khám nha khoa ở đâu?", "Mật khẩu ở nhà") == {"nha"}


def test_one_that_is_written_alike_is_the_same_beside_any_others():
    assert other("nhà của Hương", "nhà nha khoa, đường Hoa") == frozenset()


def test_who_types_no_marks_is_not_told_apart():
    assert other("mat khau o nha", "Mật khẩu ở nhà") == frozenset()
    assert other("Mật khẩu ở nhà", "mat khau o nha") == frozenset()


def test_other_languages_have_none():
    assert syllables("Où est la clé de Zoë, señor? Größe") == {}


def test_marks_may_be_characters_of_their_own():
    assert syllables(unicodedata.normalize("NFD", "Mật khẩu")) == syllables("Mật khẩu")
