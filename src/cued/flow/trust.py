"""trust: what nobody has vouched for comes after what somebody has, in few places, and variants of it from one source count once."""

from collections.abc import Sequence

import numpy as np

from cued.flow.table import Table
from cued.model import UNVERIFIED, Memory

UNVERIFIED_SHARE, VARIANT = "unverified:", "variant of"
"""How the two reasons begin for which what is unverified is left out."""
LEAST_TOKENS = 200
"""Room for a few lines in a block that is small."""


def run(table: Table) -> None:
    """Strike variants and put what is verified first, where there is both; among memories of one sort nothing changes."""
    rows = table.survivors()
    unsure = [row for row in rows if unverified(table, row)]
    if table.policy.trust.one_in <= 1 or not unsure or len(unsure) == len(rows):
        return
    table.mixed = True
    _strike_variants(table, unsure)
    table.order = np.array(sorted(table.order.tolist(), key=lambda row: unverified(table, row)), dtype=np.intp)


def unverified(table: Table, row: int) -> bool:
    """Whether nobody has vouched for a row."""
    return table.memories[row].trust in UNVERIFIED


def share_tokens(table: Table, most: int) -> int:
    """How many tokens of a block of at most so many the unverified may take, whatever else is in it: one in n, but LEAST_TOKENS always."""
    one_in = table.policy.trust.one_in
    return most if one_in <= 1 else max(most // one_in, LEAST_TOKENS)


def within_share(table: Table, rows: Sequence[int], most: int) -> list[int]:
    """Those of the rows that may stand among `most`: with one in n unverified, n − 1 verified ones for each; the others are struck."""
    one_in = table.policy.trust.one_in
    sure = sum(not unverified(table, row) for row in rows)
    left = min(most // one_in, sure // max(1, one_in - 1))
    kept: list[int] = []
    for row in rows:
        if not unverified(table, row):
            kept.append(row)
        elif left > 0:
            kept.append(row)
            left -= 1
        else:
            table.strike(row, "trust", f"{UNVERIFIED_SHARE} at most one in {one_in} may be, where something verified speaks")
    return kept


def _strike_variants(table: Table, rows: Sequence[int]) -> None:
    """Strike every row that is near a better one of the same source, which counts it as its duplicate."""
    if table.vectors is None:
        return
    near = table.vectors[rows] @ table.vectors[rows].T >= table.policy.trust.variants
    kept: list[int] = []
    for place, row in enumerate(rows):
        same = (rows[k] for k in kept if near[k, place] and _source(table.memories[rows[k]]) == _source(table.memories[row]))
        better = next(same, None)
        if better is None:
            kept.append(place)
            continue
        table.duplicates.setdefault(better, []).append(table.ids[row])
        table.strike(row, "trust", f"{VARIANT} {table.ids[better]} from the same source, unverified as it is")


def _source(memory: Memory) -> tuple[str | None, ...]:
    """Where a memory comes from: its conversation or its page, and where it names none, whatever is trusted alike."""
    return memory.trust, memory.source.session, memory.source.url
