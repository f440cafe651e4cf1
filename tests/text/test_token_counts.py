"""Token estimates against counts by the cl100k and o200k tables, which were taken once and stand here as data."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.text.harmless import harmless
from cued.text.token_counts import _ASCII_PIECE, _PIECE, estimate_tokens, least_tokens, most_tokens

# What it is, the text, its tokens in cl100k and in o200k.
COUNTED = (
    ("english", "Our landlord finally agreed to replace the broken dishwasher before Christmas.", 12, 12),
    ("english", "What was the name of that restaurant near the harbour we liked so much?", 15, 15),
    ("english", "User prefers dark mode, vim keybindings and concise commit messages.", 13, 13),
    ("german", "Gestern habe ich meinen Führerschein beim Einwohnermeldeamt abgeholt.", 22, 16),
    ("french", "Notre propriétaire a enfin accepté de remplacer le lave-vaisselle cassé.", 23, 14),
    ("spanish", "Mi abuela me enseñó a hacer tarta de manzana cuando tenía siete años.", 21, 18),
    ("polish", "Babcia nauczyła mnie piec szarlotkę, kiedy miałem siedem lat.", 25, 20),
    ("finnish", "Isoäitini opetti minut leipomaan omenapiirakkaa, kun olin seitsemänvuotias.", 29, 24),
    ("russian", "Бабушка научила меня печь яблочный пирог, когда мне было семь лет.", 36, 20),
    ("greek", "Η γιαγιά μου με έμαθε να φτιάχνω μηλόπιτα όταν ήμουν επτά χρονών.", 58, 27),
    ("arabic", "علمتني جدتي كيف أخبز فطيرة التفاح عندما كنت في السابعة من عمري.", 45, 23),
    ("hebrew", "סבתא שלי לימדה אותי לאפות עוגת תפוחים כשהייתי בן שבע.", 51, 20),
    ("hindi", "जब मैं सात साल का था तब दादी ने मुझे सेब की पाई बनाना सिखाया।", 58, 22),
    ("tamil", "எனக்கு ஏழு வயதாக இருந்தபோது பாட்டி சமைக்க கற்றுக் கொடுத்தார்.", 86, 24),
    ("thai", "คุณยายสอนฉันทำพายแอปเปิลตอนฉันอายุเจ็ดขวบ", 41, 23),
    ("chinese", "我七岁的时候，奶奶教我做苹果派。", 24, 13),
    ("japanese", "七歳のとき、祖母がアップルパイの作り方を教えてくれました。", 31, 24),
    ("korean", "일곱 살 때 할머니가 사과 파이 굽는 법을 가르쳐 주셨다.", 35, 24),
    ("emoji", "Finally done 🎓🥳", 8, 6),
    ("code", "SELECT id, text FROM memories WHERE tenant = ? AND score > 0.5 ORDER BY score DESC LIMIT 20;", 25, 25),
    ("code", "if (user?.profile?.email === undefined) { return null; }", 15, 15),
    ("numbers", "Call 415-555-0132 before 17:30 on 2024-03-09; the invoice 20481177 is $1,249.50.", 36, 36),
)
ENGLISH = tuple(case for case in COUNTED if case[0] == "english")


@pytest.mark.parametrize(("language", "text", "cl100k", "o200k"), COUNTED)
def test_no_script_is_undercounted(language, text, cl100k, o200k):
    estimate = estimate_tokens(text)
    assert estimate >= 0.85 * cl100k, language
    assert estimate >= 0.95 * o200k, language


def test_english_is_within_15_percent():
    estimated = sum(estimate_tokens(text) for _, text, _, _ in ENGLISH)
    for column in (2, 3):
        assert estimated / sum(case[column] for case in ENGLISH) == pytest.approx(1, abs=0.15)


def test_nothing_costs_nothing_and_a_space_costs_something():
    assert estimate_tokens("") == 0
    assert estimate_tokens(" ") == 1


def test_a_number_costs_a_token_for_three_digits_and_one_for_its_space():
    assert estimate_tokens("123456789") == 3
    assert estimate_tokens("12 34567") == 1 + 1 + 2


def test_a_key_without_spaces_costs_more_than_a_word_of_its_length_would():
    assert estimate_tokens("qwrtzpsdfghjklxcvbnm" * 3) > 60 / 4


def test_an_unknown_script_is_counted_by_its_bytes():
    assert estimate_tokens("እህቴ") == 9


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_string_has_an_estimate(text):
    assert (estimate_tokens(text) > 0) == bool(text)
    assert estimate_tokens(text) == estimate_tokens(text)


@given(st.text(), st.text())
def test_lines_add_up_so_that_a_block_never_costs_more_than_its_lines(one, other):
    assert estimate_tokens(one + "\n" + other) <= estimate_tokens(one) + estimate_tokens(other) + 1


WRITTEN = st.lists(
    st.sampled_from([*(text for _, text, _, _ in COUNTED), "-", "/src", "##", "[user]", "x\ty", " ", "\n", "б", "a  b", "7"])
).map(" ".join)


@given(st.text() | WRITTEN)
def test_the_bounds_hold_on_both_sides(text):
    line = f"- [semantic memory] {harmless(text)}\n"
    assert least_tokens(text) <= estimate_tokens(line) <= most_tokens(line)


@given(st.lists(st.text(st.characters(exclude_categories=("C", "Z")), min_size=1) | st.sampled_from([text for _, text, _, _ in COUNTED])))
def test_words_cost_by_themselves_what_they_cost_in_a_line(words):
    line = " ".join(words)
    # A blank that is no space has the line read as a whole, and costs a token.
    assert estimate_tokens(line + "\u00a0") == estimate_tokens(line) + 1


@given(st.text(st.characters(max_codepoint=127)))
def test_a_plain_text_costs_a_token_a_word_at_least(text):
    assert least_tokens(text) == len(text.split())


@given(st.text(st.characters(codec="ascii")))
def test_a_text_in_ascii_falls_into_the_pieces_that_it_has_among_all_scripts(text):
    pieces, among_all = ([(found.lastgroup, found[0]) for found in way.finditer(text)] for way in (_ASCII_PIECE, _PIECE))
    assert pieces == among_all
