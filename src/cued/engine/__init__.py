"""A recall from end to end: `gathering` reads, `deciding` thinks, `opinions` asks others, and an `envelope` keeps it for later.

Above: the tenant's verbs, and everything that replays or evaluates. Below: the flow, and whatever stands behind the ports.
"""

from msgspec.structs import replace

from cued.engine.deciding import decide, run
from cued.engine.gathering import Parts, Question, gather, log
from cued.engine.opinions import OPINIONS
from cued.engine.stopwatch import Stopwatch
from cued.flow.trace import conclude
from cued.model import Evidence, Recall
from cued.policy.spec import Policy

__all__ = ["Parts", "Question", "Stopwatch", "decide", "gather", "log", "recall"]


def recall(question: Question, policy: Policy, parts: Parts) -> tuple[Recall, Evidence]:
    """The recall and the evidence that it rests on: gathered once, run through the flow once, and once more for each outside opinion."""
    watch = Stopwatch()
    evidence = gather(question, policy, parts, lap=watch.lap)
    table = run(evidence, policy, lap=watch.lap)
    for name, opinion in OPINIONS.items():
        heard = opinion(table, parts)
        if heard is not None:
            watch.lap(name)
            evidence, table = heard, run(heard, policy, lap=watch.lap)
    decided = conclude(table)
    watch.lap("trace")
    return replace(decided, timings_ms=watch.total()), evidence
