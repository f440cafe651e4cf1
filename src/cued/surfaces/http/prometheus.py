"""What `/metrics` shows: requests by route and status, how long they took, and how many wait. No tenant is in any label."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """The counters of one server."""

    def __init__(self, *, waiting: Callable[[], int]) -> None:
        """Start at nothing; `waiting` tells the length of the queue."""
        self._registry = CollectorRegistry()
        self._requests = Counter("cued_requests", "Requests.", ("route", "status"), registry=self._registry)
        self._seconds = Histogram("cued_request_seconds", "Time to answer.", ("route",), buckets=_SECONDS, registry=self._registry)
        self._recalls = Counter("cued_recalls", "Recalls by outcome.", ("outcome",), registry=self._registry)
        queue = Gauge("cued_queue_waiting", "Calls that wait for a thread.", registry=self._registry)
        queue.set_function(waiting)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def recalled(self, outcome: str) -> None:
        """Count a recall."""
        self._recalls.labels(outcome).inc()

    def text(self) -> bytes:
        """Everything as Prometheus reads it."""
        return generate_latest(self._registry)
