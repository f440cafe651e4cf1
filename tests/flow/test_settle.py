"""settle: what a recall leaves behind."""

import math
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cued.engine import decide
from cued.flow.settle import documents, entry, log_line, touches
from cued.model import Cue, Touch, Use
from cued.policy.calibration import digest
from cued.policy.presets import preset
from cued.policy.spec import Settle
from cued.stores.use import touched
from tests.building import NOW, ago, evidence, memory, policy, scores

RULES = preset("generative-agents")
HERE = Cue(utterance="the cue", now=NOW)
THEN = Cue(utterance="the cue", now=NOW, as_of=ago(days=100))

moments = st.floats(0, 90).map(lambda days: ago(days=days))
uses = st.builds(
    Use,
    last_at=st.none() | moments,
    previous_at=st.none() | moments,
    count=st.floats(0, 50),
    counted_at=st.none() | moments,
    boost=st.floats(0.5, 1.5),
)


def recall_of(*rows):
    return decide(evidence(rows, cosine=[0.9] * len(rows), dense_rank=range(1, len(rows) + 1)), RULES)


def used(use, rules, *, now):
    """The use after one more recall under these rules."""
    return touched(use, Touch(id="any", at=now, refresh_floor=rules.refresh_floor, kept_per_day=rules.count_kept_per_day))


def applied(recall, rules=RULES, *, cue=HERE, now=NOW):
    """The use of each touched memory, as a store would leave it."""
    stored = {r.memory.id: r.memory.use for r in recall.memories}
    return {touch.id: touched(stored[touch.id], touch) for touch in touches(recall, rules, cue=cue, now=now)}


@pytest.mark.requirement("P4", "F4")
def test_what_was_returned_is_touched():
    assert applied(recall_of(memory("a"))) == {"a": Use(last_at=NOW, previous_at=None, count=1.0, counted_at=NOW)}


@pytest.mark.requirement("P4")
def test_a_hundred_identical_recalls_in_a_second_count_once():
    use = Use()
    for i in range(100):
        use = used(use, RULES.settle, now=NOW + timedelta(milliseconds=10 * i))
    assert use == Use(last_at=NOW, count=1.0, counted_at=NOW)


@pytest.mark.requirement("P4")
def test_a_loop_that_read_before_the_first_touch_was_written_counts_once_all_the_same():
    unread = recall_of(memory("a"))
    stored = Use()
    for i in range(100):
        stored = touched(stored, touches(unread, RULES, cue=HERE, now=NOW + timedelta(milliseconds=i))[0])
    assert stored.count == 1.0


@pytest.mark.requirement("P4")
@pytest.mark.parametrize(("seconds", "due"), [(59, 0), (60, 1)])
def test_the_refresh_floor_is_sixty_seconds(seconds, due):
    use = Use(last_at=NOW - timedelta(seconds=seconds), count=3.0)
    assert len(touches(recall_of(memory("a", use=use)), RULES, cue=HERE, now=NOW)) == due
    assert (used(use, RULES.settle, now=NOW) is use) is not due


@pytest.mark.requirement("P4")
@given(uses, moments, st.integers(0, 1000), st.sampled_from([1.0, 0.99]))
def test_a_touch_never_moves_the_last_use_backwards_and_never_counts_twice_within_the_floor(use, at, floor_s, kept):
    rules = Settle(refresh_floor=timedelta(seconds=floor_s), count_kept_per_day=kept)
    once = used(use, rules, now=at)
    assert once.boost == use.boost
    assert use.last_at is None or once.last_at >= use.last_at
    assert once is use or (once.last_at, once.previous_at) == (at, use.last_at)
    if floor_s > 0:
        assert used(once, rules, now=at) is once


@pytest.mark.requirement("P6")
def test_the_count_fades_before_one_is_added():
    row = memory("a", use=Use(last_at=ago(days=30), count=10, counted_at=ago(days=30), boost=1.2))
    use = applied(recall_of(row))["a"]
    assert use.count == pytest.approx(10 * 0.99**30 + 1)
    assert (use.previous_at, use.counted_at, use.boost) == (ago(days=30), NOW, 1.2)


@pytest.mark.requirement("P5")
def test_under_lru_2_one_scan_of_an_old_session_warms_nothing_and_the_second_within_the_window_does():
    rules = policy('[score]\nterms = [{ signal = "recency", tau = "10d", since = "last_used" }]\n[settle]\nsecond_within = "7d"')
    old = memory("a", created=ago(days=100))

    def score_of(row):
        return scores(decide(evidence([row]), rules))["a"]

    scanned = replace(old, use=used(old.use, rules.settle, now=ago(days=2)))
    again = replace(old, use=used(scanned.use, rules.settle, now=NOW))
    assert score_of(scanned) == score_of(old) == pytest.approx(math.exp(-100 / 10))
    assert score_of(again) == 1.0


@pytest.mark.requirement("P8")
def test_each_settled_recall_makes_memorybanks_strength_last_a_day_longer():
    rules = preset("memorybank")
    row = memory("a", created=ago(days=40))
    for times in range(1, 5):
        row = replace(row, use=used(row.use, rules.settle, now=ago(days=30 - times)))
        faded = scores(decide(evidence([row], cosine=[0.9], dense_rank=[1]), rules))["a"]
        assert faded == pytest.approx(0.9 * math.exp(-(30 - times) / (1 + times)))


def test_a_policy_may_leave_no_touch():
    assert touches(recall_of(memory("a")), preset("siftcoder"), cue=HERE, now=NOW) == ()


@pytest.mark.requirement("P13")
def test_archaeology_warms_nothing():
    adapting = policy('[settle]\nadapt = "arc"')
    recall = recall_of(memory("a"))
    assert touches(recall, RULES, cue=THEN, now=NOW) == ()
    assert documents(recall, adapting, cue=THEN, now=NOW) == {}
    assert set(documents(recall, adapting, cue=HERE, now=NOW)) == {"arc"}


@pytest.mark.requirement("P16")
def test_a_policy_that_does_not_adapt_and_a_recall_that_chose_nothing_change_no_document():
    assert documents(recall_of(memory("a")), RULES, cue=HERE, now=NOW) == {}
    assert documents(recall_of(), policy('[settle]\nadapt = "arc"'), cue=HERE, now=NOW) == {}


@pytest.mark.requirement("F7")
def test_the_log_line_counts_candidates_survivors_and_tokens():
    recall = decide(
        evidence([memory("a", importance=1.0), memory("b", kind="procedural", created=ago(days=900))], cosine=[0.71, 0.0]),
        preset("field-guide"),
    )
    line = f"candidates 2 · [sem] {recall.memories[0].score:.2f} · 1 below floor · {recall.tokens} tokens · "
    assert log_line(recall) == line + "not compacted"
    assert log_line(replace(recall, compacted=True)) == line + "compacted"


@pytest.mark.requirement("F7")
def test_the_log_entry_carries_ids_and_numbers_and_no_text():
    found = evidence([memory("a", text="a secret")], cosine=[0.9], dense_rank=[1], cue=Cue(utterance="hush", now=NOW, scope="p"))
    recall = decide(found, RULES)
    written = entry(recall, found, RULES, now=NOW)
    assert (written.chosen, written.candidates, written.outcome) == (("a",), 1, "recalled")
    assert (written.policy, written.policy_digest, written.scope, written.floor) == (RULES.name, digest(RULES), "p", RULES.floor.at)
    assert (written.cue, written.evidence) == (None, None)
    assert "secret" not in repr(written)
    assert "hush" not in repr(written)


@pytest.mark.requirement("F7")
def test_the_log_entry_counts_what_was_held_back_and_says_what_failed_and_where_the_time_went():
    rules = policy('[floor]\non = "similarity"\nat = 0.2\n[budget]\nlimit = 1')
    found = evidence([memory("a"), memory("b"), memory("c")], cosine=[0.9, 0.8, 0.1])
    found = replace(found, degraded=("dense: late",), findings=replace(found.findings, struck={"scope": 2, "expiry": 1}))
    recall = replace(decide(found, rules), timings_ms={"search": 1.23456, "fuse": 0.5, "total": 2.0})
    written = entry(recall, found, rules, now=NOW)
    assert (written.suppressed, written.omitted, written.below_floor, written.floor) == (3, 1, 1, 0.2)
    assert written.degraded == ("dense: late",)
    assert (written.total_ms, written.stage_ms) == (2.0, {"search": 1.235, "fuse": 0.5})


@pytest.mark.requirement("F7")
def test_the_log_entry_names_the_channel_that_alone_found_a_memory():
    rules = policy("[budget]\nlimit = 4")
    rows = [memory(name) for name in ("words", "meaning", "both", "beside")]
    found = evidence(rows, cosine=[0.6, 0.9, 0.8, 0.1], lexical_rank=[1, 0, 2, 0], dense_rank=[0, 1, 2, 0])
    written = entry(decide(found, rules), found, rules, now=NOW)
    assert written.chosen == ("meaning", "both", "words", "beside")
    assert written.found_by == ("dense", "", "lexical", "")


def test_the_log_entry_keeps_cue_and_evidence_when_it_is_handed_them():
    found = evidence([memory("a")], cosine=[0.9], cue=Cue(utterance="which one?", goal="choose", now=NOW))
    written = entry(decide(found, RULES), found, RULES, now=NOW, content=b"an envelope")
    assert (written.cue, written.evidence) == ("which one?\nGoal: choose", b"an envelope")
