"""The middle of a recall, pure: the same evidence and policy give the same bytes.

`cue` comes before the reading and `settle` after the answer; between them `ORDER` is the flow, one module a stage.
"""

from types import ModuleType

from cued.flow import budget, diversify, floor, fuse, relevance, render, rerank, score, trust
from cued.flow.table import Table
from cued.model import Evidence
from cued.policy.spec import Policy
from cued.ports import Timer

ORDER: tuple[ModuleType, ...] = (fuse, relevance, score, rerank, floor, diversify, trust, budget, render)
"""The stages of `decide`, in order; each module's `run(table)` is the stage."""


def run(evidence: Evidence, policy: Policy, *, clock: Timer | None = None, spent: dict[str, float] | None = None) -> Table:
    """The table after every stage has run over it, once; with a clock, the seconds that each took are added to `spent`."""
    table = Table(evidence, policy)
    # Without a candidate there is nothing to weigh, and core memories are shown all the same.
    for stage in ORDER if len(table) else (budget, render):
        started = 0.0 if clock is None else clock()
        stage.run(table)
        if clock is not None and spent is not None:
            name = stage.__name__.rpartition(".")[2]
            spent[name] = spent.get(name, 0.0) + clock() - started
    return table
