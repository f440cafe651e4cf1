"""mem0's rows, in each shape that they are handed out in."""

import json

import pytest

import cued
from cued.errors import InputError
from cued.importers import detect
from tests.building import NOW
from tests.upkeep.import_samples import imported, utc, written

ROWS = [
    {
        "id": "a1",
        "memory": "Loves hiking",
        "hash": "h",
        "metadata": {"mood": "glad", "deep": {"no": 1}, "big": 10**400, "n": 3},
        "categories": ["sport", "sport", 7],
        "score": 0.9,
        "created_at": "2025-01-02T03:04:05.678901-07:00",
        "updated_at": None,
        "user_id": "ann",
        "run_id": "run-9",
        "actor_id": "Ann",
    },
    {"id": 7, "memory": "Lives in Oslo", "created_at": 1_735_700_000, "expiration_date": "2099-01-01"},
]


@pytest.mark.parametrize("shape", ["list", "results", "memories", "lines", "one"])
def test_rows_come_in_from_every_shape(tmp_path, shape):
    shapes = {
        "list": ROWS,
        "results": {"results": ROWS, "relations": []},
        "memories": {"memories": ROWS},
        "lines": "\n".join(map(json.dumps, ROWS)) + "\n",
        "one": ROWS[0],
    }
    path = written(tmp_path / "mem0.json", shapes[shape])

    done, found = imported(path)

    assert detect(path) == done.format == "mem0"
    assert {m.text for m in found} == ({"Loves hiking"} if shape == "one" else {"Loves hiking", "Lives in Oslo"})


def test_a_row_keeps_its_time_its_labels_and_the_metadata_that_is_plain(tmp_path):
    _, found = imported(written(tmp_path / "mem0.json", ROWS))

    hiking = next(m for m in found if m.text == "Loves hiking")
    oslo = next(m for m in found if m.text == "Lives in Oslo")

    assert (hiking.kind, hiking.trust, hiking.tags) == ("semantic", "import", ("sport",))
    assert hiking.created_at == utc(2025, 1, 2, 10, 4, 5, 678901)
    assert (hiking.source.session, hiking.source.speaker) == ("mem0:run-9", "Ann")
    assert hiking.source.meta == {"mood": "glad", "n": 3, "user_id": "ann"}
    assert oslo.expires_at == utc(2099, 1, 1)


def test_a_second_import_stores_nothing_and_rows_without_an_id_are_told_by_their_text(tmp_path):
    rows = [*ROWS, *({"memory": "No id", "user_id": "ann", "agent_id": agent} for agent in ("one", "two", "one"))]
    path = written(tmp_path / "mem0.json", rows)

    done, found = imported(path)

    assert (done.stored, done.known) == (4, 1)
    assert [m.id for m in imported(path)[1]] == [m.id for m in found]


def test_rows_of_several_users_are_refused_and_taken_one_user_at_a_time(tmp_path):
    rows = [
        {"memory": "likes tea", "user_id": "ann"},
        {"memory": "likes rum", "user_id": "bob"},
        {"memory": "likes milk", "user_id": "ann"},
    ]
    path = written(tmp_path / "mem0.json", rows)
    with cued.open(None, embedder=None) as memories:
        with pytest.raises(InputError, match=r"2 users.*'ann', 'bob'"):
            memories.tenant("ann").import_file(path)
        with pytest.raises(InputError, match="a user who has rows here"):
            memories.tenant("ann").import_file(path, user="eve")
        done = memories.tenant("ann").import_file(path, user="ann")
        assert (done.stored, done.skipped) == (2, {"row of another user": 1})
        assert memories.tenant("bob").stats().memories == 0


def test_a_row_without_a_time_is_as_old_as_the_import(tmp_path):
    assert imported(written(tmp_path / "m.json", [{"id": "x", "memory": "Now"}]))[1][0].created_at == NOW


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (7, "malformed row"),
        ({"id": "x", "memory": 7}, "malformed row"),
        ({"id": "x"}, "empty text"),
        ({"id": "x", "memory": "x" * 100_001}, "text longer than 100000 characters"),
        (
            {"id": "x", "memory": "gone", "created_at": "2025-01-01", "expiration_date": "2024-01-01"},
            "row that had expired when it was written",
        ),
    ],
)
def test_an_odd_row_is_skipped_with_a_reason(tmp_path, odd, reason):
    done, _ = imported(written(tmp_path / "m.json", [*ROWS, odd]))

    assert (done.stored, done.skipped) == (2, {reason: 1})


@pytest.mark.parametrize("data", ["[]", "", "nothing"])
def test_a_file_without_rows_is_refused(tmp_path, data):
    with pytest.raises(InputError):
        imported(written(tmp_path / "m.json", data), format="mem0")


def test_a_broken_line_is_skipped(tmp_path):
    done, _ = imported(written(tmp_path / "m.jsonl", '{"memory": "a"}\n{\n{"memory": "b"}'))

    assert (done.stored, done.skipped) == (2, {"malformed row": 1})
