"""What a recall log says as a whole: rates over time, how relevance, floors and times are spread, and what each channel adds."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from statistics import median

from msgspec import Struct

from cued.insight.rates import Advice, advice
from cued.model import CHANNELS, LogQuery, Outcome, RecallEntry, Tallies, TallyQuery
from cued.model.log import NO_FLOOR, RELEVANCE_STEPS, Spread, Tally, TallyBy, ms_of
from cued.model.plain import Plain
from cued.ports import Store

LATELY = 2000
_LATELY_OF_ALL = 20_000
"""Of how many recalls stages, channels and failures are told one by one."""
_QUARTER, _HOUR, _DAY, _WEEK = 900, 3600, 86_400, 604_800
_SPARKS = 40
_TAILS = (0.5, 0.9, 0.99)


class Counted(Struct, frozen=True, kw_only=True):
    """Recalls counted together; rates are from 0 to 1, `tokens`, `chosen` and `ms` are means a recall, and all are 0 without any."""

    recalls: int = 0
    injection_rate: float = 0.0
    blindness_rate: float = 0.0
    degraded_rate: float = 0.0
    cited_rate: float = 0.0
    bad_rate: float = 0.0
    chosen: float = 0.0
    tokens: float = 0.0
    below_floor: float = 0.0
    suppressed: float = 0.0
    omitted: float = 0.0
    ms: float = 0.0
    outcomes: dict[Outcome, int]


class Stretch(Struct, frozen=True, kw_only=True):
    """One stretch of time."""

    start: datetime
    counted: Counted


class Group(Struct, frozen=True, kw_only=True):
    """What belongs to one tenant, scope or policy: all of it, and stretch by stretch."""

    label: str
    counted: Counted
    series: tuple[Stretch, ...]


class Channel(Struct, frozen=True, kw_only=True):
    """What a channel adds: how many of the memories used lately it alone has found, and of those that were cited."""

    name: str
    alone: int
    cited_alone: int


class Insight(Plain, frozen=True, kw_only=True):
    """What the log says. `relevance` counts recalls by their best relevance in twentieths, `floors` by their floor.

    `ms` has the median, the 90th and the 99th percentile. Stages, channels and failures are of the `lately` newest recalls.
    """

    since: datetime | None
    until: datetime | None
    every_s: int
    counted: Counted
    series: tuple[Stretch, ...]
    groups: tuple[Group, ...]
    relevance: tuple[int, ...]
    floors: dict[str, int]
    ms: dict[str, float]
    lately: int
    stages_ms: dict[str, float]
    channels: tuple[Channel, ...]
    used: int
    failures: dict[str, int]
    advice: Advice


class Window(Struct, frozen=True, kw_only=True):
    """Which recalls are looked at, in stretches of how many seconds (0 for what suits), and in which groups."""

    since: datetime | None = None
    until: datetime | None = None
    every_s: int = 0
    by: TallyBy = ""


def insight(tenant: str, store: Store, window: Window) -> Insight:
    """What the log of one tenant says of a stretch of time."""
    lines = store.log(tenant, LogQuery(since=window.since, until=window.until, limit=LATELY))
    every = window.every_s or _suiting([tenant], store, window, lines)
    tallies = store.tally(tenant, TallyQuery(since=window.since, until=window.until, every_s=every, by=window.by))
    groups = _groups(tallies.rows) if window.by else ()
    return _insight(window, every, {"": tallies}, lines, groups)


def insight_of_all(store: Store, tenants: Iterable[str], window: Window) -> Insight:
    """What the logs of many tenants say together, each tenant a group."""
    names = tuple(tenants)
    lines = [line for name in names for line in store.log(name, LogQuery(since=window.since, until=window.until, limit=_some(names)))]
    every = window.every_s or _suiting(names, store, window, lines)
    query = TallyQuery(since=window.since, until=window.until, every_s=every)
    tallies = {name: store.tally(name, query) for name in names}
    groups = tuple(Group(label=name, counted=_counted(each.rows), series=_series(each.rows)) for name, each in tallies.items() if each.rows)
    return _insight(window, every, tallies, lines, groups)


def _insight(
    window: Window, every: int, tallies: Mapping[str, Tallies], lines: Sequence[RecallEntry], groups: tuple[Group, ...]
) -> Insight:
    rows = [row for each in tallies.values() for row in each.rows]
    # A spread of every nth line stands for n times as many.
    spread = [place._replace(recalls=place.recalls * each.nth) for each in tallies.values() for place in each.spread]
    counted = _counted(rows)
    floors = _floors(spread)
    usual = max(floors, key=lambda name: floors[name], default="none")
    return Insight(
        since=window.since,
        until=window.until,
        every_s=every,
        counted=counted,
        series=_series(rows),
        groups=groups,
        relevance=tuple(sum(p.recalls for p in spread if p.relevance == step) for step in range(RELEVANCE_STEPS)),
        floors=floors,
        ms=_tails(spread),
        lately=len(lines),
        stages_ms=_stages(lines),
        channels=_channels(lines),
        used=sum(len(line.chosen) for line in lines),
        failures=dict(Counter(note.partition(":")[0] for line in lines for note in line.degraded).most_common()),
        advice=advice(counted.injection_rate, counted.recalls, floor=None if usual == "none" else float(usual)),
    )


def _counted(rows: Iterable[Tally]) -> Counted:
    every = tuple(rows)
    recalls = sum(row.recalls for row in every)
    if not recalls:
        return Counted(outcomes={})
    outcomes: Counter[Outcome] = Counter()
    for row in every:
        outcomes.update(row.outcomes)
    holding = recalls - outcomes["nothing_stored"]
    injected = sum(row.injected for row in every)
    means = {
        name: sum(getattr(row, name) for row in every) / recalls for name in ("chosen", "tokens", "below_floor", "suppressed", "omitted")
    }
    shares = {f"{name}_rate": sum(getattr(row, name) for row in every) / recalls for name in ("degraded", "cited", "bad")}
    return Counted(
        recalls=recalls,
        injection_rate=injected / recalls,
        blindness_rate=(holding - injected) / holding if holding else 0.0,
        ms=sum(row.total_ms for row in every) / recalls,
        outcomes=dict(outcomes),
        **means,
        **shares,
    )


def _series(rows: Iterable[Tally]) -> tuple[Stretch, ...]:
    stretches: dict[datetime, list[Tally]] = {}
    for row in rows:
        stretches.setdefault(row.start, []).append(row)
    return tuple(Stretch(start=start, counted=_counted(stretches[start])) for start in sorted(stretches))


def _groups(rows: Iterable[Tally]) -> tuple[Group, ...]:
    labelled: dict[str, list[Tally]] = {}
    for row in rows:
        labelled.setdefault(row.label, []).append(row)
    made = (Group(label=label, counted=_counted(own), series=_series(own)) for label, own in labelled.items())
    return tuple(sorted(made, key=lambda group: (-group.counted.recalls, group.label)))


def _floors(spread: Iterable[Spread]) -> dict[str, int]:
    counts: Counter[int] = Counter()
    for place in spread:
        counts[place.floor] += place.recalls
    return {"none" if step == NO_FLOOR else f"{step / RELEVANCE_STEPS:.2f}": counts[step] for step in sorted(counts)}


def _tails(spread: Sequence[Spread]) -> dict[str, float]:
    total = sum(place.recalls for place in spread)
    if not total:
        return {}
    ordered, tails = sorted(spread, key=lambda place: place.ms), dict[str, float]()
    for tail in _TAILS:
        seen = 0
        for place in ordered:
            seen += place.recalls
            if seen >= tail * total:
                tails[f"p{tail * 100:.0f}"] = round(ms_of(place.ms), 3)
                break
    return tails


def _stages(lines: Sequence[RecallEntry]) -> dict[str, float]:
    spent: dict[str, list[float]] = {}
    for line in lines:
        for stage, ms in line.stage_ms.items():
            spent.setdefault(stage, []).append(ms)
    return {stage: round(median(each), 3) for stage, each in spent.items()}


def _channels(lines: Sequence[RecallEntry]) -> tuple[Channel, ...]:
    alone: Counter[str] = Counter(channel for line in lines for channel in line.found_by)
    cited: Counter[str] = Counter(
        channel for line in lines if line.cited for memory, channel in zip(line.chosen, line.found_by, strict=False) if memory in line.cited
    )
    return tuple(Channel(name=name, alone=alone[name], cited_alone=cited[name]) for name in CHANNELS)


def _suiting(tenants: Iterable[str], store: Store, window: Window, newest: Sequence[RecallEntry]) -> int:
    """A length of stretch that cuts the time from the oldest to the newest line into at most some forty."""
    first = LogQuery(since=window.since, until=window.until, limit=1, oldest_first=True)
    oldest = [line for tenant in tenants for line in store.log(tenant, first)]
    times = [line.at for line in (*newest, *oldest)]
    span = max(times) - min(times) if times else timedelta()
    fitting = (every for every in (_QUARTER, _HOUR, _DAY, _WEEK) if span <= _SPARKS * timedelta(seconds=every))
    return next(fitting, _WEEK * (1 + int(span / (_SPARKS * timedelta(seconds=_WEEK)))))


def _some(names: Sequence[str]) -> int:
    return max(1, min(LATELY, _LATELY_OF_ALL // max(1, len(names))))
