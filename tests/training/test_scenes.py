"""The pairs of our own writing."""

from training.augment import speaker
from training.scenes import first_person, rows

WRITTEN = rows(7, count=300)


def test_the_same_seed_writes_the_same_rows():
    assert rows(7, count=300) == WRITTEN
    assert rows(8, count=300)["scenes_chat"] != WRITTEN["scenes_chat"]


def test_no_slot_is_left_open():
    filled = (WRITTEN["scenes_chat"], WRITTEN["scenes_user"])
    texts = [text for found in filled for row in found for text in (row.cue, *row.answers, *row.others)]
    assert not [text for text in texts if "{" in text or "}" in text]


def test_an_answer_never_stands_among_the_others():
    assert not [row for found in WRITTEN.values() for row in found if set(row.answers) & set(row.others)]


def test_in_a_talk_the_friend_says_the_like_and_is_no_answer():
    row = WRITTEN["scenes_chat"][0]
    assert speaker(row.answers[0]) != speaker(row.others[0])


def test_messages_to_an_assistant_carry_their_topic():
    assert all(row.topic for row in WRITTEN["scenes_user"])


def test_know_how_has_no_pair_twice():
    cues = [row.cue for row in WRITTEN["know_how"]]
    assert len(cues) >= 200
    assert len(set(cues)) == len(cues)


def test_a_question_about_a_name_becomes_one_about_oneself():
    assert first_person("When did {N} move?") == "When did I move?"
    assert first_person("What does {N} paint?") == "What do I paint?"
    assert first_person("How is {N}'s health?") == "How is my health?"
