"""score: what orders the candidates, a sum or product of terms, each a shaped and weighted signal."""

from collections.abc import Callable

import numpy as np

from cued.flow.score.renewal import add_renewal
from cued.flow.score.signals import SIGNALS
from cued.flow.table import Table
from cued.model import Column
from cued.policy.spec import HISTORY_SIGNALS, Combine, Term

_FLAT = 1e-9


def run(table: Table) -> None:
    """Add the column `score` and each term's contribution, and put the rows in order.

    Contributions add up to the score, or multiply to it where the policy combines by product.
    """
    score = table.policy.score
    table.contributions = {
        term.name or term.signal or "": _weight(term, table) * _value(term, table, score.combine) for term in score.terms
    }
    table.columns["score"] = _combined(list(table.contributions.values()), score.combine, len(table))
    if table.boost is not None:
        _boost(table, table.boost, score.combine)
    if score.renewal:
        add_renewal(table)
    table.sort_by(table.columns["score"])


def _value(term: Term, table: Table, parent: Combine) -> Column:
    """A term's column, shaped and clipped, before its weight."""
    if term.signal is not None:
        column = SIGNALS[term.signal](table, term)
    else:
        combine: Combine = "sum" if term.sum else "product"
        parts = [_weight(part, table) * _value(part, table, combine) for part in term.sum or term.product]
        column = _combined(parts, combine, len(table))
    column = SHAPES[term.normalise](column)
    if term.clip is not None:
        low, high = term.clip
        column = np.minimum(np.maximum(column, low), high)
    return _bent(column, table, parent) if term.signal in HISTORY_SIGNALS else column


def _weight(term: Term, table: Table) -> float:
    """The weight with lean · recency_weight added, so that one knob can trade recency against the rest; a balance learnt replaces it."""
    balance = table.evidence.balance
    return term.weight + term.lean * (table.policy.score.recency_weight if balance is None else balance)


def _combined(parts: list[Column], combine: Combine, rows: int) -> Column:
    start = np.zeros(rows) if combine == "sum" else np.ones(rows)
    for part in parts:
        start = start + part if combine == "sum" else start * part
    return start


def _bent(column: Column, table: Table, parent: Combine) -> Column:
    """Bend a fading column to the cue's temporal intent: by factor in a sum, by exponent in a product, inverted at −1."""
    score = table.policy.score
    factor = {"past": score.intent.past, "present": score.intent.present, "neutral": 1.0}[table.evidence.intent]
    factor = factor if score.decay else 0.0
    if factor < 0:
        return 1.0 - column
    if factor == 1.0:
        return column
    return column**factor if parent == "product" else column * factor


def _boost(table: Table, boost: Column, combine: Combine) -> None:
    """Multiply the score by the caller's factor, or divide where the score is negative, so that a boost never sinks a row."""
    plain = table.columns["score"]
    boosted = np.where(plain >= 0, plain * boost, plain / boost)
    table.contributions["boost"] = boosted - plain if combine == "sum" else boost
    table.columns["score"] = boosted


def _as_it_is(column: Column) -> Column:
    """The column as it is."""
    return column


def minmax(column: Column) -> Column:
    """(x − min)/(max − min) over the candidates, in [0, 1]; a constant column gives 0.5."""
    if column.size == 0:
        return column
    low, high = float(column.min()), float(column.max())
    if high - low < _FLAT:
        return np.full_like(column, 0.5)
    return (column - low) / (high - low)


def _by_max(column: Column) -> Column:
    """x/max over the candidates, at most 1; a column without a positive value gives 0."""
    most = float(column.max(initial=0.0))
    return column / most if most > 0 else np.zeros_like(column)


SHAPES: dict[str, Callable[[Column], Column]] = {"none": _as_it_is, "minmax": minmax, "max": _by_max}
