"""What a recall pays for its line in the log."""

import time

from cued.flow.settle import entry
from cued.policy.presets import load_policy
from tests.insight.simulation import World


def test_a_line_of_the_log_costs_a_recall_less_than_a_third_of_a_millisecond():
    """In the processor's time; what is written to the disk is written after the answer."""
    made = World().fill(144)
    policy = load_policy()
    explained = made.tenant.explain("Where does Mira keep the kettle?", conversation="c")
    started = time.process_time()
    for _ in range(200):
        entry(explained.recall, explained.evidence, policy, now=made.clock())
    assert (time.process_time() - started) / 200 < 0.0003
    made.close()
