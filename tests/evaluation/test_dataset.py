import gzip
import json
from datetime import UTC, datetime

import pytest

import cued
from cued.errors import InputError
from cued.evaluation.dataset import answerable, narrowed
from cued.evaluation.formats import read
from tests.evaluation.made import lines, write


@pytest.mark.requirement("P21")
def test_a_folder_of_json_lines_is_read_with_naive_times_as_utc(tmp_path):
    dataset = read(write(tmp_path))
    assert dataset.name == tmp_path.name
    assert {tenant: len(items) for tenant, items in dataset.memories.items()} == {"ada": 6, "cem": 4}
    first, query = dataset.memories["ada"][0], dataset.queries[1]
    assert (first.id, first.session, first.speaker, first.at) == ("m0", "a-s1", "Ada", datetime(2025, 1, 3, 10, tzinfo=UTC))
    assert (query.category, query.gold_ids, query.gold_sessions) == ("person", ("m5", "m0"), ("a-s1", "a-s3"))
    assert query.asked_at == datetime(2025, 4, 1, 8, tzinfo=UTC)


def test_gzipped_files_are_read_alike(tmp_path):
    plain = read(write(tmp_path))
    for name in ("memories", "queries"):
        file = tmp_path / f"{name}.jsonl"
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    assert read(tmp_path) == plain


def test_pairs_of_query_and_expected_ids_are_enough(tmp_path):
    dataset = read(write(tmp_path, [{"id": "1", "text": "Tea at four."}], [{"id": "q", "query": "tea?", "gold_ids": ["1"]}]))
    assert [query.gold_ids for query in answerable(dataset)] == [("1",)]
    assert list(dataset.memories) == [dataset.queries[0].tenant]


def test_an_export_of_a_store_is_read_without_what_does_not_stand(tmp_path):
    with cued.open(embedder="hashing") as memories:
        tenant = memories.tenant("me")
        tenant.remember("Tea at four.", id="tea", session="s1", at="2025-03-01T14:30Z")
        tenant.remember("Coffee at nine.", id="coffee")
        tenant.remember("Coffee at ten.", id="later", supersedes=["coffee"])
        tenant.remember("Lunch at noon.", id="lunch")
        tenant.forget("lunch")
        exported = b"".join(tenant.export()).decode().splitlines()
    dataset = read(write(tmp_path, exported, [{"query": "tea?", "gold_ids": ["tea"]}, {"query": "soup?"}]))
    assert {tenant: [item.id for item in own] for tenant, own in dataset.memories.items()} == {"me": ["tea", "later"]}
    assert dataset.memories["me"][0].at == datetime(2025, 3, 1, 14, 30, tzinfo=UTC)
    assert [(query.id, query.tenant, query.gold_sessions) for query in dataset.queries] == [("line-1", "me", ("s1",)), ("line-2", "me", ())]
    with pytest.raises(InputError, match="that have a text and stand"):
        read(write(tmp_path, exported, [{"query": "lunch?", "gold_ids": ["lunch"]}]))


def test_questions_without_gold_and_of_unanswerable_categories_are_not_answerable(tmp_path):
    assert [query.id for query in answerable(read(write(tmp_path)))] == ["q1", "q2", "q3", "q5", "q6"]


def test_memories_are_in_order_of_time_and_blank_ones_are_left_out_and_counted(tmp_path):
    memories, queries = lines()
    memories = [*reversed(memories), {"id": "blank", "tenant": "ada", "text": " \n"}]
    dataset = read(write(tmp_path, memories, queries))
    assert [item.id for item in dataset.memories["ada"]] == ["m0", "m1", "m2", "m3", "m4", "m5"]
    assert dataset.blank == 1


def test_gold_sessions_left_out_are_those_of_the_gold(tmp_path):
    memories, queries = lines()
    for query in queries:
        del query["gold_sessions"]
    assert read(write(tmp_path, memories, queries)).queries[1].gold_sessions == ("a-s3", "a-s1")


@pytest.mark.parametrize(
    ("memories", "queries", "said"),
    [
        (['{"id": "1", "text": "a"}', "{oops"], [], ("memories.jsonl, line 2", "id and text are needed")),
        (
            ['{"id": "1", "text": "a"}'],
            ['{"id": "q", "query": "?", "gold_id": ["1"]}'],
            ("queries.jsonl, line 1", "unknown field `gold_id`", '"gold_ids": […]'),
        ),
        (['{"id": "1"}'], [], ("memories.jsonl, line 1", "missing required field `text`")),
        (['{"id": "1", "text": "a"}', '{"id": "1", "text": "b"}'], [], ("memories.jsonl, line 2, id", "no other memory")),
        (['{"id": "1", "text": "a", "ts": "soon"}'], [], ("memories.jsonl, line 1, ts", "without a zone it is UTC")),
        (
            ['{"id": "1", "text": "a"}'],
            ['{"id": "q", "query": "?", "gold_ids": ["2"]}'],
            ("queries.jsonl, line 1, gold_ids", "ids of memories"),
        ),
        (['{"id": "1", "text": "a"}'], ['{"id": "q", "query": "?", "tenant": "x"}'], ("queries.jsonl, line 1, tenant", "has memories")),
    ],
)
def test_a_bad_line_is_refused_with_its_file_its_number_and_what_is_accepted(tmp_path, memories, queries, said):
    with pytest.raises(InputError) as refused:
        read(write(tmp_path, memories, queries))
    assert all(part in str(refused.value) for part in said)


def test_a_folder_without_the_files_says_what_it_has(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(InputError, match=r"memories\.jsonl\[\.gz\].*this one has notes\.txt"):
        read(tmp_path)


def test_a_data_set_is_narrowed_to_tenants_and_categories(tmp_path):
    dataset = read(write(tmp_path))
    assert [query.id for query in narrowed(dataset, tenants=1, categories=("person",)).queries] == ["q1", "q2"]
    with pytest.raises(InputError, match="one of abstention, event, person, place"):
        narrowed(dataset, categories=("weather",))


def test_locomos_own_file_is_told_by_its_content(tmp_path):
    turns = [
        {"speaker": "Jo", "dia_id": "D1:1", "text": "Hi!"},
        {"speaker": "Al", "dia_id": "D1:2", "text": "Look.", "blip_caption": "a photo of a dog", "img_url": ["x"]},
    ]
    conversation = {
        "speaker_a": "Jo",
        "speaker_b": "Al",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": turns,
        "session_2_date_time": "9:55 am on 22 October, 2023",
        "session_2": [{"speaker": "Jo", "dia_id": "D2:1", "text": "Bye."}],
        "session_3_date_time": "9:55 am on 23 October, 2023",
    }
    asked = [
        {"question": "What did Al show?", "answer": "a dog", "evidence": ["D1:2; D2:1", "D9:9"], "category": 1},
        {"question": "Which cat?", "adversarial_answer": "none", "evidence": ["D1:1"], "category": 5},
    ]
    file = tmp_path / "locomo10.json"
    file.write_text(json.dumps([{"sample_id": "conv-1", "conversation": conversation, "qa": asked, "event_summary": {}}]))
    dataset = read(file)
    second = dataset.memories["conv-1"][1]
    assert (second.id, second.text, second.session, second.turn) == ("D1:2", "Look. [shares a photo of a dog]", "session_1", 1)
    assert second.at == datetime(2023, 5, 8, 13, 56, 1, tzinfo=UTC)
    multi, adversarial = dataset.queries
    assert (multi.category, multi.gold_ids, multi.gold_sessions) == ("multi-hop", ("D1:2", "D2:1"), ("session_1", "session_2"))
    assert multi.asked_at == datetime(2023, 10, 22, 9, 55, tzinfo=UTC)
    assert adversarial.category == "adversarial"
    assert answerable(dataset) == (multi,)


def test_longmemevals_own_file_is_told_by_its_content(tmp_path):
    chat = [{"role": "user", "content": "I bought a red bike.", "has_answer": True}, {"role": "assistant", "content": "Nice."}]
    question = {
        "question_id": "q7",
        "question_type": "single-session-user",
        "question": "Which colour is the bike?",
        "answer": "red",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 04:00", "2023/05/22 (Mon) 04:00"],
        "haystack_session_ids": ["answer_1", "other", "other"],
        "haystack_sessions": [chat, [{"role": "user", "content": ""}], [{"role": "user", "content": "Hello."}]],
        "answer_session_ids": ["answer_1"],
    }
    absent = {**question, "question_id": "q7_abs"}
    file = tmp_path / "longmemeval_s.json.gz"
    file.write_bytes(gzip.compress(json.dumps([question, absent]).encode()))
    dataset = read(file)
    assert dataset.name == "longmemeval_s"
    assert [item.text for item in dataset.memories["q7"]] == ["I bought a red bike.", "Nice.", "Hello."]
    (query,) = answerable(dataset)
    (gold,) = query.gold_ids
    assert next(item.text for item in dataset.memories["q7"] if item.id == gold) == "I bought a red bike."
    assert query.gold_sessions == (dataset.memories["q7"][0].session,)
    assert query.asked_at == datetime(2023, 5, 30, 23, 40, tzinfo=UTC)
    assert dataset.queries[1].category == "abstention"


def test_another_file_is_refused_with_what_is_accepted(tmp_path):
    file = tmp_path / "shopping.json"
    file.write_text('["milk"]')
    with pytest.raises(InputError, match=r"locomo10\.json"):
        read(file)
