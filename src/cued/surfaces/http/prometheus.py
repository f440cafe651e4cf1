"""What `/metrics` shows: requests by route and status and how long they took, how many wait, what recalls were. No label has a tenant."""

from collections.abc import Callable
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from cued.model import Workings
from cued.model.plain import JSON

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
_WORKINGS = {
    "tenants": "Tenants in memory.",
    "bytes": "Bytes that the tenants in memory take.",
    "hits": "Searches of a tenant that was in memory.",
    "misses": "Searches of a tenant that had to be loaded.",
    "contested": "Writes that were made again because others went first.",
}
_PARTS = frozenset({"dense", "rerank", "summary", "diversify"})


def _working(workings: Callable[[], Workings], name: str) -> float:
    return float(getattr(workings(), name))


class Metrics:
    """The counters of one server."""

    def __init__(self, *, waiting: Callable[[], int], workings: Callable[[], Workings]) -> None:
        """Start at nothing; `waiting` tells the length of the queue, `workings` how the store works."""
        self._registry = CollectorRegistry()
        self._requests = Counter("cued_requests", "Requests.", ("route", "status"), registry=self._registry)
        self._seconds = Histogram("cued_request_seconds", "Time to answer.", ("route",), buckets=_SECONDS, registry=self._registry)
        self._recalls = Counter("cued_recalls", "Recalls by outcome.", ("outcome",), registry=self._registry)
        self._tokens = Counter("cued_recall_tokens", "Tokens of recalled blocks.", registry=self._registry)
        self._memories = Counter("cued_recall_memories", "Memories that recalls brought.", registry=self._registry)
        self._degraded = Counter("cued_recall_degraded", "Recalls that went on without a part.", ("part",), registry=self._registry)
        self._stages = Histogram("cued_recall_stage_seconds", "Time in a stage.", ("stage",), buckets=_SECONDS, registry=self._registry)
        self._best = Histogram("cued_recall_best_relevance", "The best relevance of a recall.", buckets=_SHARES, registry=self._registry)
        queue = Gauge("cued_queue_waiting", "Calls that wait for a thread.", registry=self._registry)
        queue.set_function(waiting)
        for name, about in _WORKINGS.items():
            gauge = Gauge(f"cued_store_{name}", about, registry=self._registry)
            gauge.set_function(partial(_working, workings, name))

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def recalled(self, answer: JSON) -> None:
        """Count a recall by what it came to; the injection rate is that of the outcome `recalled` among all."""
        self._recalls.labels(answer["outcome"]).inc()
        self._tokens.inc(answer["tokens"])
        self._memories.inc(len(answer["memories"]))
        for part in {note.partition(":")[0] for note in answer["degraded"]}:
            self._degraded.labels(part if part in _PARTS else "other").inc()
        for stage, ms in answer["timings_ms"].items():
            self._stages.labels(stage).observe(ms / 1000)
        relevances = [each["relevance"] for each in (*answer["memories"], *answer["near_misses"])]
        self._best.observe(max(relevances, default=0.0))

    def text(self) -> bytes:
        """Everything as Prometheus reads it."""
        return generate_latest(self._registry)
