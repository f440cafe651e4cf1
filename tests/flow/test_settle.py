"""settle: what a recall leaves behind."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from cued.engine import decide
from cued.flow.settle import entry, log_line, touches
from cued.model import Use
from cued.policy.presets import preset
from tests.building import NOW, ago, evidence, memory

RULES = preset("generative-agents")


def recall_of(*rows):
    return decide(evidence(rows, cosine=[0.9] * len(rows), dense_rank=range(1, len(rows) + 1)), RULES)


@pytest.mark.requirement("P4", "F4")
def test_what_was_returned_is_touched():
    (touch,) = touches(recall_of(memory("a")), RULES, now=NOW)
    assert touch.id == "a"
    assert touch.use == Use(last_at=NOW, previous_at=None, count=1.0, counted_at=NOW)


@pytest.mark.requirement("P4")
def test_a_hundred_identical_recalls_in_a_second_count_once():
    row, written = memory("a"), 0
    for i in range(100):
        now = NOW + timedelta(milliseconds=10 * i)
        found = touches(recall_of(row), RULES, now=now)
        written += len(found)
        row = replace(row, use=found[0].use) if found else row
    assert (written, row.use.count) == (1, 1.0)


@pytest.mark.requirement("P4")
@pytest.mark.parametrize(("seconds", "due"), [(59, 0), (60, 1)])
def test_the_refresh_floor_is_sixty_seconds(seconds, due):
    used = memory("a", used=NOW - timedelta(seconds=seconds))
    assert len(touches(recall_of(used), RULES, now=NOW)) == due


@pytest.mark.requirement("P6")
def test_the_count_fades_before_one_is_added():
    used = memory("a", use=Use(last_at=ago(days=30), count=10, counted_at=ago(days=30)))
    (touch,) = touches(recall_of(used), RULES, now=NOW)
    assert touch.use.count == pytest.approx(10 * 0.99**30 + 1)
    assert touch.use.previous_at == ago(days=30)


def test_a_policy_may_leave_no_touch():
    assert touches(recall_of(memory("a")), preset("siftcoder"), now=NOW) == ()


@pytest.mark.requirement("F7")
def test_the_log_line_counts_candidates_survivors_and_tokens():
    recall = decide(
        evidence([memory("a", importance=1.0), memory("b", kind="procedural", created=ago(days=900))], cosine=[0.71, 0.0]),
        preset("field-guide"),
    )
    assert (
        log_line(recall) == f"candidates 2 · [sem] {recall.memories[0].score:.2f} · 1 below floor · {recall.tokens} tokens · not compacted"
    )


@pytest.mark.requirement("F7")
def test_the_log_entry_carries_ids_and_numbers_and_no_text():
    recall = recall_of(memory("a", text="a secret"))
    written = entry(recall, now=NOW)
    assert (written.chosen, written.candidates, written.outcome) == (("a",), 1, "recalled")
    assert "secret" not in repr(written)
