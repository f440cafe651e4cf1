"""What `/metrics` shows: requests by route and status and how long they took, how many wait, what recalls were. No label has a tenant.

All processes of a server add to the same counters, so that any of them can report the whole, and what a process counted before it died
is kept. Each process publishes its own gauges now and then.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import accumulate
from types import MappingProxyType
from typing import NamedTuple

from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from cued.model import Workings
from cued.model.plain import JSON
from cued.sharing import Sums

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
_BETWEEN, _SUM = "\n", "sum"
_PARTS = frozenset({"dense", "rerank", "summary", "diversify"})


class _Counted(NamedTuple):
    """A metric's help, the names of its labels, and the upper bounds of a histogram's buckets."""

    about: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()

    @property
    def written(self) -> tuple[str, ...]:
        """The bounds as Prometheus writes them, with +Inf as the last."""
        return _written(self.bounds)


_COUNTERS: Mapping[str, _Counted] = MappingProxyType(
    {
        "cued_requests": _Counted("Requests.", ("route", "status")),
        "cued_recalls": _Counted("Recalls by outcome.", ("outcome",)),
        "cued_recall_tokens": _Counted("Tokens of recalled blocks."),
        "cued_recall_memories": _Counted("Memories that recalls brought."),
        "cued_recall_degraded": _Counted("Recalls that went on without a part.", ("part",)),
    }
)
_HISTOGRAMS: Mapping[str, _Counted] = MappingProxyType(
    {
        "cued_request_seconds": _Counted("Time to answer.", ("route",), _SECONDS),
        "cued_recall_stage_seconds": _Counted("Time in a stage.", ("stage",), _SECONDS),
        "cued_recall_best_relevance": _Counted("The best relevance of a recall.", (), _SHARES),
    }
)
_GAUGES: Mapping[str, str] = MappingProxyType(
    {
        "cued_queue_waiting": "Calls that wait for a thread.",
        "cued_store_tenants": "Tenants in memory.",
        "cued_store_bytes": "Bytes that the tenants in memory take.",
        "cued_store_hits": "Searches of a tenant that was in memory.",
        "cued_store_misses": "Searches of a tenant that had to be loaded.",
        "cued_store_contested": "Writes that were made again because others went first.",
    }
)
_STORE = "cued_store_"


class Metrics:
    """The counters of one server, as one of its processes has them."""

    def __init__(self, *, waiting: Callable[[], int], workings: Callable[[], Workings], sums: Sums, process: int = 0) -> None:
        """Count in these sums; `waiting` gives the length of this process's queue, `workings` the state of its store."""
        self._waiting, self._workings, self._sums, self._process = waiting, workings, sums, str(process)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._sums.add({_cell_name("cued_requests", route, str(status)): 1.0, **_observed("cued_request_seconds", seconds, route)})

    def recalled(self, answer: JSON) -> None:
        """Count a recall by its outcome; the injection rate is the share of the outcome `recalled`."""
        relevances = [each["relevance"] for each in (*answer["memories"], *answer["near_misses"])]
        parts = {note.partition(":")[0] for note in answer["degraded"]}
        amounts = {
            _cell_name("cued_recalls", answer["outcome"]): 1.0,
            _cell_name("cued_recall_tokens"): float(answer["tokens"]),
            _cell_name("cued_recall_memories"): float(len(answer["memories"])),
            **{_cell_name("cued_recall_degraded", part if part in _PARTS else "other"): 1.0 for part in parts},
            **_observed("cued_recall_best_relevance", max(relevances, default=0.0)),
        }
        for stage, ms in answer["timings_ms"].items():
            amounts |= _observed("cued_recall_stage_seconds", ms / 1000, stage)
        self._sums.add(amounts)

    def tell(self) -> None:
        """Publish this process's gauges to all processes."""
        workings = self._workings()
        held = {"cued_queue_waiting": self._waiting()}
        held |= {name: getattr(workings, name.removeprefix(_STORE)) for name in _GAUGES if name.startswith(_STORE)}
        self._sums.put({_cell_name(name, self._process): float(value) for name, value in held.items()})

    def text(self) -> bytes:
        """Everything as Prometheus reads it."""
        self.tell()
        return generate_latest(self)

    def collect(self) -> Iterator[Metric]:
        """Everything that was counted, over all processes."""
        cells: dict[str, dict[tuple[str, ...], float]] = {}
        for name, value in self._sums.all().items():
            metric, *named = name.split(_BETWEEN)
            cells.setdefault(metric, {})[tuple(named)] = value
        for metric, counted in _COUNTERS.items():
            counter = CounterMetricFamily(metric, counted.about, labels=counted.labels)
            for labels, value in cells.get(metric, {} if counted.labels else {(): 0.0}).items():
                counter.add_metric(labels, value)
            yield counter
        for metric, counted in _HISTOGRAMS.items():
            yield _histogram(metric, counted, cells.get(metric, {}))
        for metric, about in _GAUGES.items():
            yield GaugeMetricFamily(metric, about, value=sum(cells.get(metric, {}).values()))


def _histogram(metric: str, counted: _Counted, cells: Mapping[tuple[str, ...], float]) -> HistogramMetricFamily:
    family = HistogramMetricFamily(metric, counted.about, labels=counted.labels)
    bounds = counted.written
    for labels in dict.fromkeys(labels[:-1] for labels in cells) if counted.labels else [()]:
        upto = accumulate(cells.get((*labels, bound), 0.0) for bound in bounds)
        family.add_metric(labels, list(zip(bounds, upto, strict=True)), cells.get((*labels, _SUM), 0.0))
    return family


def _observed(metric: str, value: float, *labels: str) -> dict[str, float]:
    """What one more value adds to a histogram: one to the first bucket that holds it, and itself to the sum."""
    counted = _HISTOGRAMS[metric]
    bound = counted.written[bisect_left(counted.bounds, value)]
    return {_cell_name(metric, *labels, bound): 1.0, _cell_name(metric, *labels, _SUM): value}


@lru_cache
def _written(bounds: tuple[float, ...]) -> tuple[str, ...]:
    return (*(str(float(each)) for each in bounds), "+Inf")


def _cell_name(metric: str, *labels: str) -> str:
    return _BETWEEN.join((metric, *labels))
