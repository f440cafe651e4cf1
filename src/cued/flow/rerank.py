"""rerank: a slower judge's opinion of the best candidates, mixed into the score; without one the blend's order stands.

The judge runs outside, under a deadline, between two runs of the flow: its scores are one more column of the evidence.
"""

import numpy as np

from cued.flow.score import minmax
from cued.flow.table import Table


def run(table: Table) -> None:
    """Add the judge's normalised scores, times `weight`, to the shortlist's scores, which then all stand above the rest."""
    scores = table.evidence.rerank
    if not scores or not table.policy.rerank.depth:
        return
    judged = np.array([row in scores for row in table.ids])
    shortlist = np.flatnonzero(judged)
    opinion = np.zeros(len(table))
    opinion[shortlist] = minmax(np.array([scores[table.ids[i]] for i in shortlist]))
    blend = table.columns["score"]
    lift = float(np.ptp(blend)) if len(table) else 0.0
    part = np.where(judged, table.policy.rerank.weight * opinion * float(np.ptp(blend[shortlist])) + lift, 0.0)
    table.columns["rerank"] = opinion
    table.contributions["rerank"] = part
    table.columns["score"] = blend + part
    table.sort_by(table.columns["score"])


def shortlist(table: Table) -> list[int]:
    """The rows that a judge should see: the best by score, as many as `depth`."""
    return [int(row) for row in table.order[: table.policy.rerank.depth]]
