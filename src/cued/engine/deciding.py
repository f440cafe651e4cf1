"""decide: the flow over the evidence, pure. The same bytes in give the same bytes out."""

from cued import flow
from cued.engine.stopwatch import Lap, untimed
from cued.flow.table import Table
from cued.flow.trace import conclude
from cued.model import Evidence, Recall
from cued.policy.spec import Policy


def decide(evidence: Evidence, policy: Policy) -> Recall:
    """The recall that the policy makes of the evidence."""
    return conclude(run(evidence, policy))


def run(evidence: Evidence, policy: Policy, *, lap: Lap = untimed) -> Table:
    """The table after every stage of the flow has run over it, once."""
    table = Table(evidence, policy)
    # without a candidate there is nothing to weigh, and core memories are shown all the same
    for stage in flow.ORDER if len(table) else (flow.budget, flow.render):
        stage.run(table)
        lap(stage.__name__.rpartition(".")[2])
    return table
