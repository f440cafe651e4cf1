"""A server under load: many clients on many tenants, most of them recalling. Run it as `python -m bench.serving [SECONDS]`.

The server is a process of its own with the hashing embedder, so that what is measured is the server and the store, not a model.
"""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import httpx

import cued
from cued.surfaces.access_tokens import Tokens

TENANTS, MEMORIES, SHARE = 50, 10_000, 0.9
_WORDS = "deploy staging ledger kiln oats cupboard retry webhook invoice harbour lemon cake peanut tulip engine canvas".split()


def main(seconds: float = 30.0, clients: int = 64) -> int:
    """Load the store, start the server, ask it for so long, and print what was seen; the exit code says whether anything failed."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "memories.db"
        tokens = _stocked(db)
        command = [sys.executable, "-m", "cued.surfaces.cli", "serve", "--db", str(db), "--embedder", "hashing", "--port", "0"]
        with subprocess.Popen([*command, "--rate", "100000"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:  # noqa: S603 - our own command
            try:
                said = (server.stdout.readline() if server.stdout else b"").decode()
                url = re.findall(r"http://\S+", said)[0]
                asyncio.run(_asked(url, tokens, seconds=2.0, clients=clients))
                before = _rss_mb(server.pid)
                seen = asyncio.run(_asked(url, tokens, seconds=seconds, clients=clients))
                after = _rss_mb(server.pid)
            finally:
                server.terminate()
    return _report(seen, seconds=seconds, clients=clients, memory=(before, after))


def _stocked(db: Path) -> list[str]:
    with cued.open(db, embedder="hashing", settle="off") as memories:
        tokens = Tokens(memories.parts.store)
        for number in range(TENANTS):
            texts = [f"{_WORDS[n % 16]} {_WORDS[n * 7 % 16]} number {n} of {number}" for n in range(MEMORIES // TENANTS)]
            memories.tenant(f"t{number}").remember_many(texts)
        return [tokens.create(f"t{number}", scope="write")[0] for number in range(TENANTS)]


async def _asked(url: str, tokens: list[str], *, seconds: float, clients: int) -> list[tuple[str, int, float]]:
    until, seen = time.perf_counter() + seconds, []

    async def ask(number: int) -> None:
        headers = {"Authorization": f"Bearer {tokens[number % len(tokens)]}"}
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as client:
            turn = number
            while time.perf_counter() < until:
                turn += 1
                kind, path, body = _request(turn)
                started = time.perf_counter()
                answer = await client.post(path, json=body)
                seen.append((kind, answer.status_code, time.perf_counter() - started))

    await asyncio.gather(*(ask(number) for number in range(clients)))
    return seen


def _request(turn: int) -> tuple[str, str, dict[str, Any]]:
    if turn % 10 < 10 * SHARE:
        return "recall", "/v1/recall", {"text": f"{_WORDS[turn % 16]} {_WORDS[turn * 3 % 16]}"}
    return "remember", "/v1/memories", {"text": f"{_WORDS[turn % 16]} noted at turn {turn}", "conflicts": False}


def _report(seen: list[tuple[str, int, float]], *, seconds: float, clients: int, memory: tuple[float, float]) -> int:
    failed = sum(status >= 400 for _, status, _ in seen)  # noqa: PLR2004 - a status
    print(f"{clients} clients, {seconds:g} s, {MEMORIES:,} memories in {TENANTS} tenants, {os.cpu_count()} cores shared with the clients")
    print(f"{len(seen) / seconds:.0f} requests a second, {failed} failed; resident memory {memory[0]:.0f} MB → {memory[1]:.0f} MB")
    for kind in ("recall", "remember"):
        times = sorted(took * 1000 for each, _, took in seen if each == kind)
        p95, p99 = times[int(len(times) * 0.95)], times[int(len(times) * 0.99)]
        print(f"{kind:9} n={len(times):6} p50 {median(times):6.1f} ms  p95 {p95:6.1f} ms  p99 {p99:6.1f} ms")
    return int(failed > 0)


def _rss_mb(pid: int) -> float:
    """The process's resident memory where the system tells it, else 0."""
    status = Path(f"/proc/{pid}/status")
    return int(re.findall(r"VmRSS:\s+(\d+)", status.read_text())[0]) / 1024 if status.is_file() else 0.0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if sys.argv[1:] else 30.0))
