"""Opinions from outside, asked between two runs of the flow: a reranker's of the best candidates, a summariser's of what does not fit.

Each is asked under the policy's deadline about the table that the flow has left, and its answer is one more piece of evidence.
One that fails, is late or talks nonsense becomes a note, and the recall stands as it was.
"""

from collections.abc import Callable, Sequence
from math import isfinite

from msgspec.structs import replace

from cued.engine import Parts
from cued.errors import InputError
from cued.flow import cue as cues
from cued.flow.rerank import shortlist
from cued.flow.table import Table
from cued.model import Evidence, Summary
from cued.others import answer_or_note, answered
from cued.text.harmless import harmless

Opinion = Callable[[Table, Parts], Evidence | None]


def reranked(table: Table, parts: Parts) -> Evidence | None:
    """The evidence with the reranker's scores of the table's shortlist; None without a reranker, or with nothing for it to order."""
    reranker, evidence, rules = parts.reranker, table.evidence, table.policy.rerank
    if reranker is None or not rules.depth or len(table) <= 1:
        return None
    rows = shortlist(table)
    ids, texts = [table.ids[row] for row in rows], [table.memories[row].text for row in rows]
    query = cues.words(evidence.cue, "cue", labelled=True)
    scores, note = answer_or_note("rerank", lambda: _checked(answered(reranker.rerank(query, texts)), ids), rules.deadline)
    return replace(evidence, degraded=(*evidence.degraded, note)) if scores is None else replace(evidence, rerank=scores)


def summarised(table: Table, parts: Parts) -> Evidence | None:
    """The evidence with a summary of the rows that did not fit whole; None without a summariser, or where all of them fit."""
    summariser, evidence, rules = parts.summariser, table.evidence, table.policy.budget
    if summariser is None or rules.overflow != "compact" or not table.compacted:
        return None
    texts, tokens = [table.memories[row].text for row in table.overfull], max(1, table.room_tokens)
    query = cues.words(evidence.cue, "cue", labelled=True)
    text, note = answer_or_note(
        "summary", lambda: _a_text(answered(summariser.summarise(query, texts, tokens=tokens))), rules.summary_deadline
    )
    if text is None:
        return replace(evidence, degraded=(*evidence.degraded, note))
    return replace(evidence, summary=Summary(text, tuple(table.ids[row] for row in table.overfull)))


OPINIONS: dict[str, Opinion] = {"rerank": reranked, "summary": summarised}
"""Who is asked, in order; each sees the table that the one before has led to."""


def _checked(scores: Sequence[float], ids: list[str]) -> dict[str, float]:
    if len(scores) != len(ids) or not all(isfinite(score) for score in scores):
        raise InputError("rerank", list(scores), f"{len(ids)} finite numbers, one a text")
    return dict(zip(ids, map(float, scores), strict=True))


def _a_text(text: str) -> str:
    if not isinstance(text, str) or not harmless(text):
        raise InputError("summary", text, "a text that says something")
    text.encode()
    return text
