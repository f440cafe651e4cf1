"""The tokenizer against token lists written by hand."""

import pytest

tokenizer_module = pytest.importorskip("cued_minilm.tokenizer", reason="the model wheel is not installed: pip install packages/cued-minilm")


@pytest.fixture(scope="module")
def tokenizer():
    return tokenizer_module.Tokenizer()


@pytest.fixture(scope="module")
def pieces(tokenizer):
    vocabulary = tokenizer_module.VOCAB_PATH.read_text(encoding="utf-8").split("\n")
    return lambda text: [vocabulary[number] for number in tokenizer.ids(text)][1:-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Hello, World!", ["hello", ",", "world", "!"]),
        ("  many \t spaces\n\r here\u00a0now\u3000", ["many", "spaces", "here", "now"]),
        ("unaffable", ["una", "##ffa", "##ble"]),
        ("embeddings", ["em", "##bed", "##ding", "##s"]),
        ("Naïve CAFÉ Zürich", ["naive", "cafe", "zurich"]),
        ("e\u0301te\u0301", ["et", "##e"]),
        ("don't", ["don", "'", "t"]),
        ("user@example.com", ["user", "@", "example", ".", "com"]),
        ("a+b=$5<^6`|~", ["a", "+", "b", "=", "$", "5", "<", "^", "6", "`", "|", "~"]),
        ("snake_case", ["snake", "_", "case"]),
        ("東京 tokyo", ["東", "京", "tokyo"]),
        ("in東京now", ["in", "東", "京", "now"]),
        ("hello🎉", ["[UNK]"]),
        ("hello 🎉 world", ["hello", "[UNK]", "world"]),
        ("“quoted” — text…", ["“", "quoted", "”", "—", "text", "…"]),
        ("x" * 101, ["[UNK]"]),
        ("zero\u200bwidth\x00and\x07control\ufffd", ["zero", "##wi", "##dt", "##hand", "##con", "##tro", "##l"]),
        ("lone \ud800 wolf", ["lone", "wolf"]),
        ("ΟΔΟΣ", ["ο", "##δ", "##ο", "##σ"]),
        ("[CLS] [SEP] [MASK]", ["[", "cl", "##s", "]", "[", "sep", "]", "[", "mask", "]"]),
        ("İstanbul", ["istanbul"]),
    ],
)
def test_known_tokenisations(pieces, text, expected):
    assert pieces(text) == expected


def test_the_sequence_opens_with_cls_and_closes_with_sep(tokenizer):
    assert tokenizer.ids("hello") == [101, 7592, 102]
    assert tokenizer.ids("") == [101, 102]


def test_a_word_of_exactly_one_hundred_characters_is_still_cut_into_pieces(pieces):
    assert "[UNK]" not in pieces("ab" * 50)


def test_what_is_over_256_tokens_is_cut_and_the_end_mark_stays(tokenizer):
    ids = tokenizer.ids("hello " * 1000)
    assert ids == [101, *[7592] * 254, 102]


def test_254_words_fit_and_255_do_not(tokenizer):
    assert len(tokenizer.ids("hello " * 253)) == 255
    assert len(tokenizer.ids("hello " * 254)) == len(tokenizer.ids("hello " * 255)) == 256


def test_a_cached_run_gives_the_same_ids_again(tokenizer):
    assert tokenizer.ids("Déjà-vu déjà-vu") == tokenizer.ids("Déjà-vu déjà-vu")
