"""Corpora that are made by rule: facts about people in other languages, requests, and reports around a fault."""

from random import Random

from training import genres


def test_facts_name_a_person_in_question_and_answer_in_every_language():
    made = {language: rows for _, language, rows in genres.facts(Random(1))}
    assert set(made) == {"zh", "ja", "de", "es", "fr", "ru"}
    for rows in made.values():
        assert all(row.answers[0] not in row.others and "{" not in row.cue + row.answers[0] for row in rows)
        assert len({row.answers[0] for row in rows}) > len(rows) / 2


def test_a_request_is_answered_by_the_leanings_of_its_topic_and_shares_hardly_a_word_with_them():
    rows, leanings = genres.requests()
    assert all(set(row.answers) <= set(leanings) for row in rows)
    assert len(rows) > 80
