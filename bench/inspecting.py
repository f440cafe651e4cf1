"""The inspector over a large tenant: how long each page takes, and deciding again. Run it as `python -m bench.inspecting [MEMORIES]`.

The pages are asked for over HTTP, whole, as a browser asks for them; the vectors are given, so that no model is measured.
"""

import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote_plus

import httpx
import uvicorn

from bench import corpus
from bench.loading import AT_ONCE, known, opened
from bench.vectors import GivenVectors
from cued.handles.memories import Memories
from cued.surfaces.access_tokens import Tokens
from cued.surfaces.http.app import make_app
from cued.surfaces.http.guard import Rules
from cued.surfaces.http.serving import ListenAddress, listen

TENANT, CUE, ROUNDS, LOGGED = "large", "garden lunch", 7, 300
PAGE_MS, DECIDE_MS = 300.0, 100.0
PARTS = {"floor moved": "/?text={cue}&floor=0.{n}", "weight changed": "/?text={cue}&w.importance=0.{n}"}
PAGES = {
    "recall": "/?text={cue}",
    "two policies": "/?text={cue}&against=rrf",
    "memories": "/inspect/memories",
    "search, frequent": "/inspect/memories?contains=the",
    "search, rare": "/inspect/memories?contains=zzzqq",
    "filtered": "/inspect/memories?kinds=semantic&hidden=1&since=2024-06-01",
    **{f"by {order}": f"/inspect/memories?order={order}" for order in ("importance", "used", "kind", "trust", "scope", "session")},
    **{f"search, by {order}": f"/inspect/memories?contains=the&order={order}" for order in ("importance", "used", "scope")},
    "search, oldest": "/inspect/memories?contains=the&order=written+up",
    "tag, by importance": "/inspect/memories?tags=garden&order=importance",
    "hidden": "/inspect/memories?state=superseded",
    "beliefs": "/inspect/beliefs",
    "timeline": "/inspect/timeline",
    "a month": "/inspect/timeline?at=2024-06",
    "map": "/inspect/map",
    "map with a cue": "/inspect/map?text={cue}",
    "health": "/inspect/health",
    "tenants": "/inspect/tenants",
}


class Took(NamedTuple):
    """How long one page took, in milliseconds: by the clock, and of the processor, which other work on the machine disturbs less."""

    wall: float
    processor: float


def main(count: int = 100_000) -> int:
    """Load a tenant, ask for each page a few times, and print the best of each; 1 where one needs more than its bound."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _stocked(Path(folder) / "memories.db", count) as memories,
        _signed_in(memories) as client,
    ):
        client.get(PAGES["memories"])
        seen = {name: _timed(client, path) for name, path in PAGES.items()}
        recall = client.get(f"/?text={quote_plus(CUE)}").text.partition('name="recall" value="')[2].partition('"')[0]
        parts = {name: _timed(client, f"{path}&recall={recall}", part="decided") for name, path in PARTS.items()}
    bounds = dict.fromkeys(seen, PAGE_MS) | dict.fromkeys(parts, DECIDE_MS)
    print(f"{count:,} memories in one tenant; milliseconds a page, the best of {ROUNDS}: by the clock, of the processor, bound")
    for name, best in (seen | parts).items():
        print(f"  {name:18} {best.wall:7.1f} {best.processor:7.1f} {bounds[name]:7.0f}")
    slow = [name for name, best in (seen | parts).items() if min(best) > bounds[name]]
    print(f"over their bound: {', '.join(slow) or 'none'}")
    return bool(slow)


@contextmanager
def _stocked(path: Path, count: int) -> Iterator[Memories]:
    embedder = GivenVectors({})
    with opened(path, embedder) as memories:
        tenant = memories.tenant(TENANT)
        for first in range(0, count, AT_ONCE):
            block = corpus.block(0, first, min(AT_ONCE, count - first), among=count, words=corpus.vocabulary())
            embedder.known = known(block)
            tenant.remember_many(block.drafts)
        embedder.known = {CUE: block.vectors[0]}
        for _ in range(LOGGED):
            tenant.recall(CUE)
        yield memories


@contextmanager
def _signed_in(memories: Memories) -> Iterator[httpx.Client]:
    written, _ = Tokens(memories.parts.store).create(TENANT, scope="admin")
    listening = listen(ListenAddress(port=0))
    app = make_app(memories, rules=Rules(rate=100_000, burst=100_000))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, ws="none", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        with httpx.Client(base_url=url, headers={"Accept": "text/html"}, timeout=120, follow_redirects=True) as client:
            client.get(f"/?token={written}")
            yield client
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def _timed(client: httpx.Client, path: str, *, part: str = "") -> Took:
    times = []
    for number in range(ROUNDS):
        asked = path.format(cue=quote_plus(CUE), n=10 + number)
        wall, processor = time.perf_counter(), time.process_time()
        answer = client.get(asked, headers={"cued-part": part} if part else {})
        answer.raise_for_status()
        times.append(((time.perf_counter() - wall) * 1000, (time.process_time() - processor) * 1000))
    return Took(min(wall for wall, _ in times), min(processor for _, processor in times))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
