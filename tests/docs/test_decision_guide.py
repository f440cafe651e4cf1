"""The decision guide, held to what it says: each value that it advises does what the guide advises it for."""

import re
from datetime import UTC, datetime, timedelta

import pytest

import cued
from tests.docs.pages import ROOT

GUIDE = (ROOT / "docs" / "decision-guide.md").read_text("utf-8")
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
CODE = "ERR_SSL_VERSION_OR_CIPHER_MISMATCH"


def advised(section):
    """The first cell of each row of a section's table."""
    (text,) = re.findall(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", GUIDE, re.MULTILINE | re.DOTALL)
    _head, _rule, *rows = [line for line in text.splitlines() if line.startswith("| ")]
    return [row.split("|")[1].strip() for row in rows]


def ends(cell):
    """The numbers of a cell: both ends of a range, or the one number."""
    return [float(number) for number in cell.split("–")]


@pytest.fixture
def tenant():
    with cued.open(embedder="hashing", settle="off", clock=lambda: NOW) as memories:
        yield memories.tenant("alice")


@pytest.mark.requirement("R23")
def test_a_low_recency_weight_prefers_what_fits_and_a_high_one_what_is_new(tenant):
    fits = tenant.remember("The staging deploy runs every Friday.", at=NOW - timedelta(days=30)).id
    new = tenant.remember("Bob bakes a lemon cake.", at=NOW).id
    low, high = advised("`recency_weight`")
    for cell, first in ((low, fits), (high, new)):
        for weight in ends(cell):
            recall = tenant.recall("When is the staging deploy?", policy="recall", floor=0, recency_weight=weight)
            assert recall.memories[0].memory.id == first, weight


@pytest.mark.requirement("R23")
def test_each_advised_limit_is_what_comes_back_where_there_is_more(tenant):
    tenant.remember_many(f"The staging deploy of week {week} ran on Friday." for week in range(30))
    limits = [end for cell in advised("`limit`") for end in ends(cell)]
    for policy in ("recall", "cued"):
        found = [
            len(tenant.recall("When did the staging deploy run?", policy=policy, floor=0, limit=int(limit)).memories) for limit in limits
        ]
        assert found == limits == sorted(limits)


@pytest.mark.requirement("R23")
def test_with_embeddings_another_wording_is_found_and_without_them_an_identifier_is():
    model = pytest.importorskip("cued_minilm", reason="the model wheel cued-minilm is not installed").ENCODERS["recall"]
    if not model.revision:
        pytest.skip("cued_minilm is a source tree without its model")
    on, off = advised("embeddings on or off")
    found = {}
    for cell, embedder in ((on, "cued"), (off, None)):
        with cued.open(embedder=embedder, settle="off") as memories:
            alice = memories.tenant("alice")
            alice.remember("Rosa is getting married in September.")
            alice.remember(f"The proxy answered {CODE} again.")
            found[cell.split()[0]] = [alice.recall(cue).outcome for cue in ("When is the wedding?", f"What is {CODE}?")]
    assert found == {"on": ["recalled", "recalled"], "off": ["nothing_matched", "recalled"]}
