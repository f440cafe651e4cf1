"""A server under load: many clients on many tenants, most of them recalling; a command in a shell beside it; and one process a core.

The server is a process of its own with the hashing embedder, so that what is measured is the server and the store, not a model. Every
tenant is asked before the load is measured: what a server keeps of a tenant it reads with the first question, and that is no growth.
The clients are one more process, which has its share of the same cores, so they speak no more of HTTP than they need.
`python -m bench.serving [SECONDS]` runs this case alone.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np

import cued
from bench.figures import FAILED, GROWN, SHELL, Figure, Result
from bench.sizes import Load
from cued.surfaces.access_tokens import Tokens

CASE = "serving"
_CORES = max(2, os.cpu_count() or 1)
_SHARE, _WARM_UP, _SHELLS = 0.9, 10, 9
_WORDS = "deploy staging ledger kiln oats cupboard retry webhook invoice harbour lemon cake peanut tulip engine canvas".split()


class Asked(NamedTuple):
    """One request: what it was, what came of it, and how long it took."""

    kind: str
    status: int
    ms: float


def serving(load: Load) -> Result:
    """Load the store, start the server, ask it for so long, and tell what was seen."""
    with tempfile.TemporaryDirectory(prefix="cued") as folder:
        db = Path(folder) / "memories.db"
        tokens = _stocked(db, load)
        environment = os.environ | {"XDG_CACHE_HOME": folder, "CUED_DB": str(db), "CUED_EMBEDDER": "hashing"}
        with _server(environment) as (url, pid):
            asyncio.run(_ask(url, tokens, load, each=_WARM_UP * load.tenants // load.clients + 1))
            before_mb = _resident_mb(pid)
            seen = asyncio.run(_ask(url, tokens, load))
            after_mb = _resident_mb(pid)
            shells = [_shell_ms(environment) for _ in range(1 + _SHELLS)][1:]
        with _server(environment, processes=_CORES) as (url, _):
            asyncio.run(_ask(url, tokens, load, each=_CORES * (_WARM_UP * load.tenants // load.clients + 1)))
            together = asyncio.run(_ask(url, tokens, load))
    alone = tuple(_figures(seen, shells, load=load, memory_mb=(before_mb, after_mb)))
    return Result(figures=(*alone, *_figures_together(together, seen, load=load)))


@contextmanager
def _server(environment: dict[str, str], *, processes: int = 1) -> Iterator[tuple[str, int]]:
    command = [sys.executable, "-m", "cued.surfaces.cli", "serve", "--port", "0", "--rate", "100000", "--processes", f"{processes}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as server:  # noqa: S603 - our own command
        try:
            said = (server.stdout.readline() if server.stdout else b"").decode()
            yield re.findall(r"http://\S+", said)[0], server.pid
        finally:
            server.terminate()


def _stocked(db: Path, load: Load) -> list[str]:
    with cued.open(db, embedder="hashing", settle="off") as memories:
        tokens = Tokens(memories.parts.store)
        for number in range(load.tenants):
            texts = [f"{_WORDS[n % 16]} {_WORDS[n * 7 % 16]} number {n} of {number}" for n in range(load.memories // load.tenants)]
            memories.tenant(f"t{number}").remember_many(texts)
        memories.tenant("me").remember_many([f"{_WORDS[n % 16]} of mine, number {n}" for n in range(200)])
        return [tokens.create(f"t{number}", scope="write")[0] for number in range(load.tenants)]


async def _ask(url: str, tokens: Sequence[str], load: Load, *, each: int | None = None) -> list[Asked]:
    """What all clients saw, each asking one tenant after the other: so often, or for as long as the load lasts."""
    seen = list[Asked]()

    async def ask(number: int) -> None:
        place = urlsplit(url)
        reading, writing = await asyncio.open_connection(place.hostname, place.port)
        turn, until = number, time.perf_counter() + load.seconds
        while turn < number + each if each is not None else time.perf_counter() < until:
            turn += 1
            kind, path, body = _request(turn)
            started = time.perf_counter()
            writing.write(_post(path, body, token=tokens[turn % len(tokens)]))
            status = await _status(reading)
            seen.append(Asked(kind, status, (time.perf_counter() - started) * 1000))
        writing.close()
        await writing.wait_closed()

    await asyncio.gather(*(ask(number) for number in range(load.clients)))
    return seen


def _post(path: str, body: dict[str, Any], *, token: str) -> bytes:
    said = json.dumps(body)
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json"
    return f"{head}\r\nContent-Length: {len(said)}\r\n\r\n{said}".encode("ascii")


async def _status(reading: asyncio.StreamReader) -> int:
    """The status of an answer that has come whole."""
    head = await reading.readuntil(b"\r\n\r\n")
    await reading.readexactly(int(re.findall(rb"content-length: (\d+)", head)[0]))
    return int(head.split(b" ", 2)[1])


def _request(turn: int) -> tuple[str, str, dict[str, Any]]:
    if turn % 10 < 10 * _SHARE:
        return "recall", "/v1/recall", {"text": f"{_WORDS[turn % 16]} {_WORDS[turn * 3 % 16]}"}
    return "remember", "/v1/memories", {"text": f"{_WORDS[turn % 16]} noted at turn {turn}", "conflicts": False}


def _figures(seen: Sequence[Asked], shells: Sequence[float], *, load: Load, memory_mb: tuple[float, float]) -> Iterator[Figure]:
    times = {kind: [each.ms for each in seen if each.kind == kind] for kind in ("recall", "remember")}
    yield _series("recall over HTTP", times["recall"])
    if times["remember"]:
        yield _series("remember over HTTP, meanwhile", times["remember"])
    yield Figure(case=CASE, measure="requests", unit="/s", value=len(seen) / load.seconds)
    yield Figure(case=CASE, measure=FAILED, unit="", value=float(sum(each.status >= 400 for each in seen)))  # noqa: PLR2004 - a status
    yield Figure(case=CASE, measure="memory under load", unit="MB", value=memory_mb[1])
    yield Figure(case=CASE, measure=GROWN, unit="%", value=100 * max(0.0, memory_mb[1] / memory_mb[0] - 1) if memory_mb[0] else 0.0)
    yield _series(SHELL, shells)


def _figures_together(together: Sequence[Asked], alone: Sequence[Asked], *, load: Load) -> Iterator[Figure]:
    """What came of the same load with several processes, and how many times as much that was."""
    yield _series(f"recall over HTTP, {_CORES} processes", [each.ms for each in together if each.kind == "recall"])
    yield Figure(case=CASE, measure=f"requests, {_CORES} processes", unit="/s", value=len(together) / load.seconds)
    yield Figure(case=CASE, measure=f"{_CORES} processes ÷ one", unit="×", value=len(together) / len(alone))
    failed = sum(each.status >= 400 for each in together)  # noqa: PLR2004 - a status
    yield Figure(case=CASE, measure=f"{FAILED}, {_CORES} processes", unit="", value=float(failed))


def _series(measure: str, times_ms: Sequence[float]) -> Figure:
    p50, p95 = (float(np.percentile(times_ms, share)) for share in (50, 95))
    return Figure(case=CASE, measure=measure, unit="ms", value=p50, p95=p95, most=max(times_ms))


def _shell_ms(environment: dict[str, str]) -> float:
    command = [sys.executable, "-m", "cued.surfaces.cli", "recall", "the staging deploy", "--block"]
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)  # noqa: S603 - our own command
    return (time.perf_counter() - started) * 1000


def _resident_mb(pid: int) -> float:
    """The process's resident memory where the system tells it, else 0."""
    status = Path(f"/proc/{pid}/status")
    return int(re.findall(r"VmRSS:\s+(\d+)", status.read_text())[0]) / 1024 if status.is_file() else 0.0


if __name__ == "__main__":
    for figure in serving(Load(seconds=float(sys.argv[1]) if sys.argv[1:] else 30.0)).figures:
        tail = "" if figure.p95 is None else f"  p95 {figure.p95:.1f}  max {figure.most:.1f}"
        print(f"{figure.measure:32} {figure.value:8.1f} {figure.unit}{tail}")
