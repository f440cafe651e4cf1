"""An approximate index over a matrix of very many vectors: graphs of the package `usearch`, made in a thread. Never the truth.

Whoever searches gets the slots that a graph thinks nearest, and tells by their exact cosines. A graph is over the slots that were there
when it was made; what came since is scanned. When that is much, one more graph is made of it. Nothing is taken out of a graph: who is
struck is told by the gates, not by it. It is gone with the matrix, and made anew with the next.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from threading import Lock, Thread, main_thread
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from cued.model import Vector

if TYPE_CHECKING:
    from cued.stores.columns.vectors import Vectors

MORE: Final = 50_000
"""So many new vectors make one more graph; until then they are scanned."""
SAMPLE: Final = 8192
"""Of how many vectors the background of a cosine is told."""
_AT_ONCE: Final = 1024
# Measured at 100,000 and a million: more of the exact 50 than .99, and a graph of half the size that float16 would take.
_KIND: Final = {"metric": "ip", "dtype": "i8", "connectivity": 16, "expansion_add": 128, "expansion_search": 256}


class Graph(NamedTuple):
    """A graph over the slots from `first` to before `end`."""

    first: int
    end: int
    index: Any
    lock: Lock

    def nearest(self, vector: Vector, count: int) -> NDArray[np.intp]:
        """About the nearest slots, so many."""
        with self.lock:  # it has one working space for all who search it
            keys = self.index.search(vector, count, threads=1).keys
        slots: NDArray[np.intp] = keys.astype(np.intp)
        return slots


class VectorSample(NamedTuple):
    """Some of the vectors, and the slots that they were taken from."""

    slots: NDArray[np.int32]
    vectors: "Vectors"


class Index:
    """The graphs over one matrix, shared by all versions of it: a version only ever adds slots."""

    def __init__(self) -> None:
        """Start with none."""
        self._graphs: tuple[Graph, ...] = ()
        self._sample: VectorSample | None = None
        self._lock = Lock()
        self._thread: Thread | None = None

    def graphs(self, vectors: "Vectors") -> tuple[Graph, ...]:
        """The graphs over the first slots of this version, none where nothing is made yet; what is missing begins to be made."""
        graphs = self._graphs
        if vectors.count - _end(graphs) >= (MORE if graphs else 1):
            self._begin(vectors, _end(graphs))
        return graphs

    @property
    def sample(self) -> VectorSample:
        """Some of the vectors that the graphs are over."""
        if self._sample is None:
            raise LookupError("there is a sample where there is a graph")
        return self._sample

    @property
    def nbytes(self) -> int:
        """About how many bytes the graphs occupy."""
        return sum(int(graph.index.memory_usage) for graph in self._graphs)

    def wait(self) -> None:
        """Wait until what has begun to be made is there."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _begin(self, vectors: "Vectors", first: int) -> None:
        with self._lock:
            if self._thread is not None:
                return
            # Without this index, which is to go when nobody else has it.
            source = vectors.branched()
            source.shared = {}
            self._thread = Thread(target=_make_graph, args=(ref(self), source, first), name="cued-graph")
            self._thread.start()

    def take(self, graph: Graph, sample: VectorSample) -> None:
        """Add what was made."""
        with self._lock:
            self._graphs, self._sample, self._thread = (*self._graphs, graph), sample, None


def _end(graphs: Sequence[Graph]) -> int:
    return graphs[-1].end if graphs else 0


def _make_graph(owner: "ref[Index]", vectors: "Vectors", first: int) -> None:
    """Make a graph of the slots from `first` on, unless nobody waits for it any more."""
    index, end = None, vectors.count
    for start in range(first, end, _AT_ONCE):
        if owner() is None or not main_thread().is_alive():
            return
        slots = np.arange(start, min(start + _AT_ONCE, end), dtype=np.int32)
        some = vectors.take(slots)
        index = index or library().Index(ndim=some.shape[1], **_KIND)
        index.add(slots.astype(np.uint64), some, threads=1)
    # Evenly over all slots, so that which are taken depends on their number alone.
    slots = np.unique(np.linspace(0, end - 1, min(SAMPLE, end)).astype(np.int32))
    some = vectors.take(slots)
    sample = type(vectors)(some.shape[1])
    sample.add(np.arange(len(slots), dtype=np.int32), some)
    waiting = owner()
    if waiting is not None:
        waiting.take(Graph(first, end, index, Lock()), VectorSample(slots, sample))


@cache
def library() -> Any:  # noqa: ANN401 - a module
    """The package, None where it is not installed."""
    # A process that loads onnxruntime after it, to embed, dies; the other way round both work.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # as cued.embed.minilm says
    with suppress(ImportError):
        import_module("onnxruntime")
    try:
        return import_module("usearch.index")
    except ImportError:
        return None
