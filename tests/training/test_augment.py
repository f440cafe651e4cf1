"""How rows are varied before the model sees them."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from training.augment import NAMES, Chances, Style, example, first_person, keywords, rename, speaker, third_person
from training.corpora import Row

TALK = Row("Why is Ross late?", ("Ross Geller: The bus broke down.",), tuple(f"Rachel Green: Remark {index}." for index in range(9)))
ALWAYS = Chances(rename=1.0, person=1.0, keywords=0.0, agent_state=0.0)
NEVER = Chances(rename=0.0, person=0.0, keywords=0.0, agent_state=0.0)


def test_a_speaker_is_what_stands_before_the_first_colon():
    assert speaker("Ross Geller: Hi: there") == "Ross Geller"
    assert speaker("see http://example.org") is None
    assert speaker("no speaker here") is None


def test_renaming_changes_a_name_everywhere_to_the_same_new_one():
    cue, texts = rename("Why is Ross late?", ["Ross Geller: Bus.", "Rachel Green: Ross, come!"], Random(1))
    new = speaker(texts[0]).split()[0]
    assert new in NAMES
    assert cue == f"Why is {new} late?"
    assert texts[1].endswith(f": {new}, come!")
    assert "Ross" not in cue + " ".join(texts)


def test_names_are_distinct():
    assert len(set(NAMES)) == len(NAMES)


def test_a_question_put_to_somebody_becomes_one_about_somebody_or_oneself():
    assert third_person("Do you like your job?", "Nora") == "Does Nora like Nora's job?"
    assert first_person("Are you happy with your job?") == "Am I happy with my job?"


def test_keywords_are_the_cue_without_its_function_words():
    assert keywords("Where did I put the blue_key.txt?") == "put blue_key.txt"
    assert keywords("What is it?") == "What is it?"


def test_a_style_without_speakers_takes_them_off_every_passage():
    made = example(TALK, Style(speakers=False, long=False), NEVER, Random(3), negatives=4)
    assert made.positive.text == "The bus broke down."
    assert [speaker(passage.text) for passage in made.negatives] == [None] * 4


def test_a_long_positive_holds_the_answer_among_other_remarks():
    made = example(TALK, Style(speakers=True, long=True), NEVER, Random(3), negatives=4)
    assert "The bus broke down." in made.positive.text
    assert "Remark" in made.positive.text
    assert made.positive.keys & made.answers


def test_a_topic_marks_all_its_rows_as_answers():
    row = Row("Where do I live?", ("I moved to Oslo.",), ("Bake it.",), topic="home")
    assert example(row, Style(speakers=True, long=False), NEVER, Random(0), negatives=1).positive.keys == {"I moved to Oslo.", "home"}


@given(st.integers(0, 10_000), st.booleans(), st.booleans(), st.integers(0, 6))
def test_the_positive_is_always_an_answer_and_no_negative_is(seed, speakers, long, negatives):
    made = example(TALK, Style(speakers=speakers, long=long), ALWAYS, Random(seed), negatives=negatives)
    assert made.positive.keys & made.answers
    assert not [passage for passage in made.negatives if passage.keys & made.answers]
    assert len(made.negatives) <= max(1, negatives)


@given(st.integers(0, 10_000))
def test_the_same_seed_makes_the_same_example(seed):
    form = Style(speakers=True, long=False)
    assert example(TALK, form, ALWAYS, Random(seed), negatives=3) == example(TALK, form, ALWAYS, Random(seed), negatives=3)
