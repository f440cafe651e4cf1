"""feedback: what the outcome of a recall says about its memories. Pure: the tenant's handle has it written."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from msgspec.structs import replace

from cued.errors import InputError
from cued.model import RecallEntry, Touch, Use
from cued.policy.spec import Settle

Verdict = Literal["cited", "bad"]


def feedback(use: Use, rules: Settle, verdict: Verdict, *, instead_of: Verdict | None = None) -> Use:
    """The use with its boost × `cited` or × `bad`, within `boost_range`; importance is multiplied by the boost when it is read.

    With `instead_of`, the factor of that earlier verdict is taken back first. What a bound had cut off is not given back, so a mind
    changed at a bound ends lower (or higher) than had it been made up at once, by less than the one factor.
    """
    factor = {"cited": rules.cited, "bad": rules.bad}
    low, high = rules.boost_range
    plain = use.boost / factor[instead_of] if instead_of else use.boost
    return replace(use, boost=min(high, max(low, plain * factor[verdict])))


def feedback_touches(
    entry: RecallEntry, *, cited: Sequence[str], bad: Sequence[str], rules: Settle
) -> tuple[tuple[Touch, ...], RecallEntry]:
    """The touches for these verdicts on a logged recall, and its entry with the verdicts noted.

    A verdict counts once for a memory of a recall, however often it is sent; the opposite one replaces it. Ids that the recall did not
    choose, and ids in both lists, are refused.
    """
    sent: dict[Verdict, tuple[str, ...]] = {"cited": _checked("cited", cited, entry), "bad": _checked("bad", bad, entry)}
    for memory_id in sent["bad"]:
        if memory_id in sent["cited"]:
            raise InputError("bad", memory_id, "an id that is not in `cited` as well")
    told = _told(entry)
    news = {memory_id: verdict for verdict, ids in sent.items() for memory_id in ids if told.get(memory_id) != verdict}
    touches = tuple(
        Touch(memory_id, partial(feedback, rules=rules, verdict=verdict, instead_of=told.get(memory_id)))
        for memory_id, verdict in news.items()
    )
    return touches, _noted(entry, told | news)


def _checked(field: str, ids: Sequence[str], entry: RecallEntry) -> tuple[str, ...]:
    listed = (ids,) if isinstance(ids, str) else tuple(dict.fromkeys(ids))
    for memory_id in listed:
        if memory_id not in entry.chosen:
            accepted = ", ".join(entry.chosen) or "none, for it chose none"
            raise InputError(field, memory_id, f"ids of the memories that recall {entry.recall_id} chose: {accepted}")
    return listed


def _told(entry: RecallEntry) -> dict[str, Verdict]:
    return {memory_id: verdict for verdict in _VERDICTS for memory_id in entry.detail.get(verdict, ())}


def _noted(entry: RecallEntry, told: dict[str, Verdict]) -> RecallEntry:
    """The entry with the verdicts in its detail, each list in the order in which the recall chose."""
    lists = {verdict: [each for each in entry.chosen if told.get(each) == verdict] for verdict in _VERDICTS}
    kept = {key: value for key, value in entry.detail.items() if key not in _VERDICTS}
    return replace(entry, detail=kept | {verdict: ids for verdict, ids in lists.items() if ids})


_VERDICTS: tuple[Verdict, ...] = ("cited", "bad")
