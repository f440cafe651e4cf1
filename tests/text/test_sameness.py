"""What a cosine does not see: pairs of near texts that are one, and pairs that are not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.model import Source
from cued.text.contrasts import contrasts, excluded
from cued.text.opposites import LINES
from cued.text.sameness import Profile, Sameness, difference
from tests.building import NOW, ago, memory

WORDS = [
    "Ada",
    "Bo",
    "likes",
    "hates",
    "not",
    "tea",
    "at",
    "8",
    "9",
    "tomorrow",
    "before",
    "after",
    "the",
    "their",
    "garden",
    "Monday",
    "red",
    "fond",
    "asleep",
    "awake",
]


def differing(newer, older, **facts):
    return difference(Profile(memory(text=newer, **facts)), Profile(memory(text=older)))


@pytest.mark.requirement("S5")
@pytest.mark.parametrize(
    ("newer", "older", "reason"),
    [
        ("The server listens on port 8081.", "The server listens on port 8080.", "numbers differ: 8081 against 8080"),
        ("Marta does not like mushrooms.", "Marta likes mushrooms.", "only the newer one negates"),
        ("Marta likes mushrooms.", "Marta doesn't like mushrooms.", "only the older one negates"),
        ("Julia likes mushrooms.", "Marta likes mushrooms.", "names differ: julia against marta"),
        ("Bob owes Alice the deposit.", "Alice owes Bob the deposit.", "the same words in another order"),
        ("The dog chased the cat.", "The cat chased the dog.", "the same words in another order"),
        ("Decrease the upload timeout.", "Increase the upload timeout.", "contrasting words: decrease against increase"),
        ("Restart it after the migration.", "Restart it before the migration.", "contrasting words: after against before"),
        ("Deploys happen on Tuesday.", "Deploys happen on Monday.", "contrasting words: tuesday against monday"),
        ("The backup runs.", "The backup runs every night.", "contrasting words: none against night"),
        ("我不喜欢香菜", "我喜欢香菜", "only the newer one negates"),
        ("Ich mag keinen Kaffee", "Ich mag Kaffee", "only the newer one negates"),
    ],
)
def test_texts_that_differ_in_what_matters_are_not_one(newer, older, reason):
    assert differing(newer, older) == reason


@pytest.mark.requirement("S5")
@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("The user likes dark mode in the editor.", "The user prefers dark mode in the editor."),
        ("User prefers dark mode in their editor", "The user prefers dark mode in the editor."),
        ("the user prefers python", "User prefers Python."),
        ("Lena purchased a new car.", "Lena bought a new car."),
        ("The cache gets warmed up on startup.", "The cache is warmed up at startup."),
        ("Rent is 1,200 a month!", "Rent is 1200 a month"),
        ("The backup runs every night.", "The backup runs."),
    ],
)
def test_texts_that_say_the_same_are_one(newer, older):
    assert differing(newer, older) == ""


@pytest.mark.requirement("S5")
def test_what_two_people_said_or_what_happened_on_two_days_stays_apart():
    said = "I like tea"
    assert differing(said, said, source=Source(speaker="Ada")) == "speakers differ: ada against nobody"
    runs = [Profile(memory(text="Went for a run.", kind="episodic", created=at)) for at in (NOW, ago(days=2))]
    assert difference(*runs) == "events of different days: 2025-06-01 against 2025-05-30"
    plans = [Profile(memory(text="The dentist is tomorrow.", created=at)) for at in (NOW, ago(days=7))]
    assert difference(*plans) == "they speak of different times"
    habits = [Profile(memory(text="The team meets on Monday.", created=at)) for at in (NOW, ago(days=7))]
    assert difference(*habits) == ""
    assert differing(said, said, tags=("work",)) == "tags differ: work against none"


def test_every_contrasting_word_is_known_by_one_meaning():
    for line in LINES:
        for word in (word for meaning in line.meanings for word in meaning.all):
            label = contrasts([word])
            assert len(label) == 1
            assert contrasts(label) == label
    assert contrasts(["increased", "raising"]) == {"increase"}
    assert excluded(frozenset({"red"}), silent=False) >= {"blue", "green"}
    assert "monday" not in excluded(frozenset({"red"}), silent=False)
    assert "monday" in excluded(frozenset({"red"}), silent=True)
    assert "she" not in excluded(frozenset({"red"}), silent=True)


def test_a_loose_word_may_be_left_out_and_still_excludes_its_opposite():
    assert differing("Marta is at the station", "Marta is asleep at the station") == ""
    assert differing("Marta is awake at the station", "Marta is asleep at the station") == "contrasting words: awake against asleep"
    assert differing("Marta is fond of the station", "Marta hates the station") == "contrasting words: fond against hate"
    assert differing("Marta is fond of the station", "Marta likes the station") == "contrasting words: fond against like"


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join), min_size=1, max_size=8))
def test_whole_tiles_are_judged_as_single_pairs_are(texts):
    profiles = [Profile(memory(text=text, created=ago(days=number))) for number, text in enumerate(texts)]
    rows = np.arange(len(texts))
    judged = Sameness(profiles)(rows, rows)
    assert judged.tolist() == [[difference(newer, older) == "" for older in profiles] for newer in profiles]
    assert judged.diagonal().all()
