"""fuse: the channels' findings become one column, `fused`."""

import numpy as np

from cued.flow.table import Table, filled
from cued.model import CHANNELS, ChannelName, Column

_RAW = {"lexical": "bm25", "dense": "cosine", "entity": "entities", "temporal": "window"}


def run(table: Table) -> None:
    """Add the column `fused`, by the policy's way of fusing."""
    table.columns["fused"] = _WAYS[table.policy.fuse.how](table)


def _none(table: Table) -> Column:
    return np.zeros(len(table))


def _rrf(table: Table) -> Column:
    """Reciprocal rank fusion: Σ w/(k + rank) over the channels that found the row (Cormack et al., SIGIR 2009).

    In (0, Σ w/(k+1)]; divided by that maximum when the policy says `rescale`.
    """
    fuse = table.policy.fuse
    fused = np.zeros(len(table))
    most = 0.0
    for channel in _open_channels(table):
        ranks = table.columns[f"{channel}_rank"]
        weight = fuse.weights.get(channel, 1.0)
        fused += np.where(ranks > 0, weight / (fuse.k + ranks), 0.0)
        most += weight / (fuse.k + 1)
    return fused / most if fuse.rescale and most else fused


def _sum(table: Table) -> Column:
    """Σ w · score/max over the channels, plus `neighbours` times the same sum of the turn before and the turn after."""
    fuse = table.policy.fuse
    fused, lent = np.zeros(len(table)), np.zeros(len(table))
    for channel in _open_channels(table):
        weight, raw = fuse.weights.get(channel, 1.0), _RAW[channel]
        column = _at_least_zero(table.columns[raw])
        most = float(column.max(initial=0.0))
        if most <= 0:
            continue
        fused += weight * column / most
        for side in ("before", "after"):
            if f"{raw}_{side}" in table.columns:
                lent += weight * np.minimum(_at_least_zero(table.columns[f"{raw}_{side}"]) / most, 1.0)
    return fused + fuse.neighbours * lent


def _at_least_zero(column: Column) -> Column:
    return np.maximum(filled(column), 0.0)


def _open_channels(table: Table) -> list[ChannelName]:
    return [name for name in CHANNELS if getattr(table.policy.channels, name) is not None and f"{name}_rank" in table.columns]


_WAYS = {"none": _none, "rrf": _rrf, "sum": _sum}
