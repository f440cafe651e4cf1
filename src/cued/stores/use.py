"""How a memory's use changes, by a recall or by feedback: pure functions of what is stored and what came to pass."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Literal

from msgspec.structs import replace

from cued.errors import InputError
from cued.model import ERASED, Feedback, RecallEntry, Row, Touch, Use

Verdict = Literal["cited", "bad"]

_DAY = timedelta(days=1)
_VERDICTS: tuple[Verdict, ...] = ("cited", "bad")


def touched(use: Use, touch: Touch) -> Use:
    """The state of use after one more recall, or the same state where that is not beyond the refresh floor.

    So a loop of a hundred identical recalls in a second counts once, and a use that arrives late moves nothing backwards.
    The count fades by `kept_per_day` before 1 is added; the last two times are what LRU-2 reads.
    """
    if not use.due(touch.at, touch.refresh_floor):
        return use
    days = max(0.0, (touch.at - use.counted_at) / _DAY) if use.counted_at else 0.0
    count = use.count * touch.kept_per_day**days + 1.0
    return replace(use, last_at=touch.at, previous_at=use.last_at, count=count, counted_at=touch.at)


def boosted(use: Use, feedback: Feedback, verdict: Verdict, *, instead_of: Verdict | None) -> Use:
    """The use with its boost × the verdict's factor, within the bounds; importance is multiplied by the boost when it is read.

    With `instead_of`, the factor of that earlier verdict is taken back first. What a bound had cut off is not given back, so a mind
    changed at a bound ends lower (or higher) than had it been made up at once, by less than the one factor.
    """
    factor = {"cited": feedback.cited_factor, "bad": feedback.bad_factor}
    plain = use.boost / factor[instead_of] if instead_of else use.boost
    return replace(use, boost=min(feedback.most, max(feedback.least, plain * factor[verdict])))


def verdicts_of(entry: RecallEntry) -> dict[str, Verdict]:
    """What feedback has said about a recall so far, by memory."""
    said: dict[Verdict, tuple[str, ...]] = {"cited": entry.cited, "bad": entry.bad}
    return {memory_id: verdict for verdict, ids in said.items() for memory_id in ids}


def news(entry: RecallEntry, feedback: Feedback) -> dict[str, Verdict]:
    """The verdicts that a recall's line does not have yet.

    A verdict counts once for a memory of a recall, however often it is sent; the opposite one replaces it. Ids that the recall did not
    choose, and ids in both lists, are refused.
    """
    sent = {"cited": _checked("cited", feedback.cited, entry), "bad": _checked("bad", feedback.bad, entry)}
    for memory_id in sent["bad"]:
        if memory_id in sent["cited"]:
            raise InputError("bad", memory_id, "an id that is not in `cited` as well")
    before = verdicts_of(entry)
    return {memory_id: verdict for verdict in _VERDICTS for memory_id in sent[verdict] if before.get(memory_id) != verdict}


def noted(entry: RecallEntry, verdicts: dict[str, Verdict]) -> RecallEntry:
    """The line with these verdicts as well, each list in the order in which the recall chose."""
    now = verdicts_of(entry) | verdicts
    cited, bad = (tuple(each for each in entry.chosen if now.get(each) == verdict) for verdict in _VERDICTS)
    return replace(entry, cited=cited, bad=bad)


def _checked(field: str, ids: Sequence[str], entry: RecallEntry) -> tuple[str, ...]:
    for memory_id in ids:
        # A memory that was erased since has lost its name in the log; what is said of it changes nothing.
        if memory_id not in entry.chosen and ERASED not in entry.chosen:
            accepted = ", ".join(entry.chosen) or "none, for it chose none"
            raise InputError(field, memory_id, f"ids of the memories that recall {entry.recall_id} chose: {accepted}")
    return tuple(each for each in dict.fromkeys(ids) if each in entry.chosen)


def counted(found: Mapping[str, Row], touches: Sequence[Touch]) -> list[tuple[int, Use]]:
    """The uses, by key, of those of the rows that these touches change; each on top of the one before."""
    uses: dict[str, Use] = {}
    for touch in touches:
        if touch.id in found:
            uses[touch.id] = touched(uses.get(touch.id, found[touch.id].memory.use), touch)
    return [(found[each].key, use) for each, use in uses.items() if use != found[each].memory.use]
