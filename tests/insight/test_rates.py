"""What the lines of a recall log say together."""

import pytest
from msgspec.structs import replace

from cued.insight.rates import Rates, blindness_rate, injection_rate, rates
from cued.model import RecallEntry
from tests.building import NOW


def entry(outcome, *chosen):
    """A line of the log with this outcome."""
    return RecallEntry(
        recall_id="r",
        at=NOW,
        policy="cued",
        outcome=outcome,
        candidates=3,
        chosen=chosen,
        best_relevance=0.5,
        below_floor=1,
        tokens=9,
        total_ms=1.0,
    )


LOG = [entry("recalled", "a"), entry("recalled", "a", "b"), entry("below_floor"), entry("nothing_matched"), entry("nothing_stored")]


@pytest.mark.requirement("R6", "R1")
def test_the_injection_rate_is_the_share_of_recalls_that_returned_something():
    assert injection_rate(LOG) == 2 / 5
    assert injection_rate([]) == 0.0


@pytest.mark.requirement("R7")
def test_the_blindness_rate_leaves_out_recalls_of_an_empty_tenant():
    assert blindness_rate(LOG) == 2 / 4
    assert blindness_rate([entry("nothing_stored")]) == 0.0
    assert blindness_rate([]) == 0.0


def test_the_rates_of_a_log_are_told_together_with_failures_and_the_median_time():
    slow = replace(entry("recalled", "a"), total_ms=30.0, degraded=("dense: no embedder",))
    assert rates([*LOG, slow]) == Rates(recalls=6, injection_rate=3 / 6, blindness_rate=2 / 5, degraded_rate=1 / 6, median_ms=1.0)
    assert rates([]) == Rates(recalls=0, injection_rate=0.0, blindness_rate=0.0, degraded_rate=0.0, median_ms=0.0)
