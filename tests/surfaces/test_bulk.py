"""JSON lines: whole chunks or nothing, and a bad line is named."""

import json

import pytest

from cued.errors import CuedError, InputError
from cued.requests.many import CHUNK
from cued.surfaces.bulk import remember_lines


def lines(*drafts):
    return [json.dumps(draft).encode() + b"\n" for draft in drafts]


def test_every_line_is_a_memory_and_ts_is_at(tenant):
    heard = []
    answer = remember_lines(
        tenant, lines({"text": "One.", "ts": "2025-03-01"}, {"text": "Two.", "tags": ["x"]}), progress=lambda *told: heard.append(told)
    )
    assert (answer["id"], len(answer["ids"]), heard) == (None, 2, [(2, 0)])
    assert tenant.get(answer["ids"][0]).created_at.isoformat() == "2025-03-01T00:00:00+00:00"


def test_blank_lines_a_byte_order_mark_and_a_missing_last_line_end_are_fine(tenant):
    answer = remember_lines(tenant, [b"\xef\xbb\xbf" + lines({"text": "One."})[0], b"  \r\n", b'{"text": "Zwei \xe2\x82\xac"}'])
    assert [tenant.get(each).text for each in answer["ids"]] == ["One.", "Zwei €"]


def test_what_was_to_give_way_to_a_less_trusted_line_is_a_conflict(tenant):
    held = tenant.remember("The kiln is hot.").id
    answer = remember_lines(tenant, lines({"text": "The kiln is cold.", "trust": "agent", "supersedes": [held]}))
    assert [conflict["id"] for conflict in answer["conflicts"]] == [held]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"text": "x", "importance": 7}', "a number from 0 to 1"),
        (b'{"text": "x", "kind": "dream"}', "one of semantic, episodic"),
        (b'{"text": "x", "colour": "red"}', "known: text"),
        (b'{"text": "x", "turn": "first"}', "turn"),
        (b'{"text": "  "}', "a text of 1 to"),
        (b'{"tags": []}', "a JSON object a line"),
        (b'{"text": "x", "ts": "2025-01-01", "at": "2025-01-01"}', "known: text"),
        (b'{"text": ', "a JSON object a line"),
        (b'["x"]', "a JSON object a line"),
        (b'{"text": "\xff"}', "a JSON object a line"),
        (b'"' + b"x" * 4_000_001 + b'"', "at most 4000000 bytes"),
    ],
)
def test_a_bad_line_is_named_and_nothing_of_its_chunk_is_stored(tenant, line, said):
    with pytest.raises(InputError, match=said) as refused:
        remember_lines(tenant, [*lines({"text": "One."}), line, *lines({"text": "Three."})])
    assert refused.value.__notes__[0].startswith("in line 2; nothing")
    assert tenant.stats().memories == 0


def test_the_chunks_before_a_bad_line_stay_stored_and_the_error_says_how_many(tenant):
    many = lines(*({"text": f"Fact {i}."} for i in range(CHUNK + 3)), {"text": "x", "weight": 7})
    with pytest.raises(InputError) as refused:
        remember_lines(tenant, many)
    assert refused.value.__notes__ == [
        f"in line {CHUNK + 4}; nothing of the chunk with line {CHUNK + 4} is stored",
        refused.value.__notes__[1],
    ]
    assert refused.value.__notes__[1].startswith(f"{CHUNK} memories are stored so far, line-00000001-")
    assert tenant.stats().memories == CHUNK
    again = remember_lines(tenant, many[:-1])
    assert (len(again["ids"]), again["known"], tenant.stats().memories) == (3, CHUNK, CHUNK + 3)
    assert [memory.text for memory in tenant.list(limit=2).memories] == [f"Fact {CHUNK + 2}.", f"Fact {CHUNK + 1}."]


def test_a_load_that_is_stopped_says_what_is_stored_and_goes_on_when_run_again(tenant):
    many = lines(*({"text": f"Fact {i}."} for i in range(CHUNK * 2)))

    def stopped():
        yield from many[: CHUNK + 5]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as interrupted:
        remember_lines(tenant, stopped())
    assert f"{CHUNK} memories are stored so far" in interrupted.value.__notes__[0]
    again = remember_lines(tenant, many)
    assert (again["known"], tenant.stats().memories) == (CHUNK, CHUNK * 2)


def test_a_known_id_with_another_text_is_refused(tenant):
    remember_lines(tenant, lines({"text": "One.", "id": "a"}))
    assert remember_lines(tenant, lines({"text": "One.", "id": "a"}))["known"] == 1
    with pytest.raises(InputError, match="with the same text"):
        remember_lines(tenant, lines({"text": "Two.", "id": "a"}))


def test_the_same_text_on_two_lines_is_two_memories(tenant):
    assert len(remember_lines(tenant, lines({"text": "One."}, {"text": "One."}))["ids"]) == 2


def test_lines_that_are_at_odds_with_each_other_are_named_together(tenant):
    with pytest.raises(CuedError) as refused:
        remember_lines(tenant, lines({"text": "One.", "id": "a"}, {"text": "Two.", "id": "a"}))
    assert refused.value.__notes__[0].startswith("in lines 1 to 2")
    assert tenant.stats().memories == 0
