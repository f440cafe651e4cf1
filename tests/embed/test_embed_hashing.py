"""Feature hashing: the same bytes everywhere, a unit vector for any string, and shared words count."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.embed import Hashing, load_embedder
from cued.errors import InputError

ANY_TEXT = st.text(st.characters(exclude_categories=()))
TEXTS = ["The user prefers dark mode.", "deploy failed on staging", "東京で会いましょう 🎉", "", "!!!"]


def similarity(left: str, right: str) -> float:
    one, other = Hashing().embed([left, right], role="memory")
    return float(one @ other)


@pytest.mark.requirement("S11")
@given(ANY_TEXT, st.integers(8, 64))
def test_any_string_at_all_gets_a_finite_unit_vector(text, dimensions):
    (row,) = Hashing(dimensions).embed([text], role="memory")
    assert row.shape == (dimensions,)
    assert np.isfinite(row).all()
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-6)


@pytest.mark.requirement("S11")
@given(st.lists(ANY_TEXT, max_size=5))
def test_a_text_has_the_same_bytes_alone_and_in_company(texts):
    together = Hashing().embed(texts, role="memory")
    assert [row.tobytes() for row in together] == [Hashing().embed([text], role="query")[0].tobytes() for text in texts]


@pytest.mark.requirement("S11")
def test_another_process_with_another_hash_seed_gives_the_same_bytes():
    program = f"import sys; from cued.embed import Hashing; sys.stdout.write(Hashing().embed({TEXTS!r}, role='memory').tobytes().hex())"
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path), "PYTHONHASHSEED": "7", "PYTHONUTF8": "1"}
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment)
    assert done.stdout == Hashing().embed(TEXTS, role="memory").tobytes().hex()


@pytest.mark.requirement("S11", "X8")
def test_revision_1_is_these_vectors_for_good():
    rounded = np.round(Hashing().embed(TEXTS, role="memory"), 5) + 0.0
    assert Hashing().fingerprint.revision == "1"
    assert hashlib.sha256(rounded.astype("<f4").tobytes()).hexdigest()[:16] == "3818327aa291ccf8"


def test_shared_words_and_shared_pieces_of_words_are_similar_and_strangers_are_not():
    shared = similarity("the deploy of the billing service failed", "why did the billing deploy fail")
    pieces = similarity("deployment", "deployments")
    strangers = similarity("the deploy of the billing service failed", "my sister likes olives")
    assert shared > 0.3
    assert pieces > 0.2
    assert abs(strangers) < 0.15


def test_word_order_shows_in_the_pairs():
    assert 0.6 < similarity("dog bites man", "man bites dog") < 0.999


def test_case_and_width_and_composition_do_not_matter():
    assert similarity("CAFÉ Ｗｉｄｅ", "cafe\u0301 wide") == pytest.approx(1, abs=1e-6)


def test_chinese_finds_the_words_it_shares():
    assert similarity("我住在北京", "北京的天气") > similarity("我住在北京", "他喜欢音乐") + 0.1


def test_a_repeated_word_counts_less_each_time():
    once, often = similarity("tea coffee", "tea"), similarity("tea tea tea tea coffee", "tea")
    assert once < often < 0.95


@pytest.mark.requirement("X8")
def test_the_fingerprint_tells_the_dimensions():
    assert load_embedder("hashing").fingerprint.dimensions == 384
    assert load_embedder("hashing:256").fingerprint.dimensions == 256
    assert load_embedder("hashing").fingerprint != load_embedder("hashing:256").fingerprint


@pytest.mark.parametrize("dimensions", [0, 7, 8193])
def test_too_few_or_too_many_dimensions_are_refused(dimensions):
    with pytest.raises(InputError, match="8 to 8192"):
        Hashing(dimensions)


def test_no_texts_give_no_rows():
    assert Hashing().embed([], role="memory").shape == (0, 384)
