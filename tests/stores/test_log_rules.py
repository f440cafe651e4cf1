"""What the store keeps of the recall log, by its rules."""

from contextlib import closing
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from cued.conformance.samples import HOUR, NOW, entry
from cued.model import LogQuery, LogRules
from tests.stocking import STORES, kept_by


@pytest.fixture(params=STORES)
def logged(request, tmp_path):
    """Give what is left of a hundred lines, written one by one under these rules."""

    def write(rules):
        store = kept_by(request.param, tmp_path, log_rules=rules)
        for number in range(100):
            store.settle("t", (), [replace(entry(f"r{number:03}"), at=NOW + number * HOUR, cue="tea?", evidence=b"e")])
        lines = store.log("t", LogQuery(limit=1000, content=True))
        store.close()
        return lines

    return write


def test_without_a_word_no_cue_and_no_evidence_is_kept(logged):
    assert {(line.cue, line.evidence) for line in logged(LogRules())} == {(None, None)}


def test_the_log_is_bounded_by_rows_and_by_age(logged):
    assert [line.recall_id for line in logged(LogRules(rows=3))] == ["r099", "r098", "r097"]


def test_lines_older_than_the_age_go(logged):
    assert [line.recall_id for line in logged(LogRules(age=2 * HOUR))] == ["r099", "r098", "r097"]


@pytest.mark.parametrize("kind", STORES)
def test_an_age_that_reaches_back_before_the_calendar_keeps_every_line(kind, tmp_path):
    with closing(kept_by(kind, tmp_path, log_rules=LogRules(age=2 * HOUR))) as store:
        store.settle("t", (), [replace(entry("r"), at=datetime(1, 1, 1, tzinfo=UTC))])
        assert [line.recall_id for line in store.log("t", LogQuery())] == ["r"]


def test_the_last_ones_keep_their_content(logged):
    lines = logged(LogRules(content="last", last=4))
    assert len(lines) == 100
    assert [line.recall_id for line in lines if line.cue is not None and line.evidence is not None] == ["r099", "r098", "r097", "r096"]


def test_a_share_of_all_recalls_keeps_its_content_the_same_in_every_store(logged):
    kept = [line.recall_id for line in logged(LogRules(content="sampled", share=0.3)) if line.cue is not None]
    assert 10 < len(kept) < 60
    assert kept[:3] == ["r099", "r091", "r088"]
