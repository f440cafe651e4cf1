"""Health: how often memory speaks and how fast, what the log says, and what the doctor finds."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import get_args

from cued.errors import CuedError
from cued.model import Outcome
from cued.model.plain import JSON
from cued.surfaces.inspector.visiting import Visit
from cued.surfaces.inspector.wording import read_time

READ = 1000
LINES = 60
SLOWEST = 8
BUCKETS = 30


def page(visit: Visit) -> JSON:
    """What the newest lines of the log say."""
    outcome = visit.said("outcome")
    answer = visit.ask("log", {"limit": READ})
    lines = answer["recalls"]
    shown = [line for line in lines if outcome in ("", line["outcome"])]
    slowest = sorted(lines, key=lambda line: -line["total_ms"])[:SLOWEST]
    return {
        "stats": visit.stats(),
        "rates": answer["rates"],
        "lines": shown[:LINES],
        "matching": len(shown),
        "read": len(lines),
        "series": series(lines),
        "outcome": outcome,
        "known_outcomes": get_args(Outcome),
        "slowest": slowest,
        "stages": stages(lines),
        "kept": _kept_cues(visit, slowest),
        "policies": policies(visit.ask("policy_history")),
        "can_examine": visit.may("doctor"),
        "findings": _findings(visit) if visit.said("examine") and visit.may("doctor") else [],
    }


def series(lines: Sequence[JSON]) -> list[JSON]:
    """The recalls of equal stretches of time, oldest first: how many, how many were answered, and their median time."""
    if not lines:
        return []
    times = [read_time(line["at"]) for line in lines]
    first, last = min(times), max(times)
    size = max((last - first) / BUCKETS, timedelta(seconds=1))
    buckets: list[list[JSON]] = [[] for _ in range(BUCKETS)]
    for line, at in zip(lines, times, strict=True):
        buckets[min(BUCKETS - 1, int((at - first) / size))].append(line)
    most = max(map(len, buckets))
    slowest = max(median(line["total_ms"] for line in bucket) for bucket in buckets if bucket)
    return [_bucket(bucket, first + at * size, most, slowest) for at, bucket in enumerate(buckets)]


def stages(lines: Sequence[JSON]) -> list[JSON]:
    """The median time of each stage, the longest first, with its share of the longest."""
    spent: dict[str, list[float]] = {}
    for line in lines:
        for stage, took in line["stage_ms"].items():
            spent.setdefault(stage, []).append(took)
    told = sorted(((stage, median(times)) for stage, times in spent.items()), key=lambda item: -item[1])
    return [{"stage": stage, "ms": took, "share": took / (told[0][1] or 1.0)} for stage, took in told]


def policies(history: JSON) -> list[JSON]:
    """The policies that were learnt or saved, the newest first, the usual one last: each with what its report says."""
    versions = [
        {
            **{name: each[name] for name in ("number", "name", "at")},
            **{name: each["report"].get(name) for name in ("source", "told", "before", "after", "gain", "interval", "changes")},
        }
        for each in reversed(history["versions"])
    ]
    usual = {"number": 0, "name": "the usual policy", "at": None, "source": "", "told": "", "gain": None, "changes": []}
    return [{**each, "applied": each["number"] == history["current"]} for each in (*versions, usual)] if versions else []


def _bucket(bucket: Sequence[JSON], start: datetime, most: int, slowest: float) -> JSON:
    spoke = sum(bool(line["chosen"]) for line in bucket)
    took = median(line["total_ms"] for line in bucket) if bucket else 0.0
    return {
        "start": start,
        "count": len(bucket),
        "spoke": spoke,
        "high": len(bucket) / most,
        "spoke_high": spoke / most,
        "ms": took,
        "ms_high": took / (slowest or 1.0),
    }


def _kept_cues(visit: Visit, slowest: Sequence[JSON]) -> dict[str, str]:
    """The cues of those recalls on the page whose evidence is kept, so that they can be opened."""
    lines = visit.ask("log", {"limit": LINES, "content": True, **visit.chosen("outcome")})["recalls"]
    listed = {line["recall_id"] for line in lines}
    for line in slowest:
        if line["recall_id"] not in listed:
            lines += visit.ask("log", {"recall_id": line["recall_id"], "content": True, "limit": 1})["recalls"]
    return {line["recall_id"]: line["cue"] or "see why" for line in lines if line["evidence"] is not None}


def _findings(visit: Visit) -> list[JSON]:
    """The lines of the doctor's diagnosis, which may take long; where it fails, one line that says why."""
    try:
        answer = visit.ask("doctor")
    except CuedError as error:
        return [{"status": "note", "name": "", "told": str(error), "mend": ""}]
    return [finding(line) for line in (*answer["checklist"], *answer["beside"])]


def finding(line: JSON) -> JSON:
    """A line of a diagnosis: its verdict, its name, what it found, and what mends it."""
    told = " · ".join(line[name] for name in ("told", "figure", "cause") if line[name])
    return {"status": line["verdict"], "name": line["name"], "told": told, "mend": line["mend"]}
