"""A real HTTP server on loopback that speaks OpenAI's embeddings protocol, with one switch for each trap seen in the wild."""

import base64
import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, BinaryIO, Self

import numpy as np

DIMENSIONS = 8
KEY = "sk-fake-0123456789abcdef"

Item = dict[str, Any]


@dataclass
class Traps:
    """What this endpoint does wrong; each default is to behave."""

    base64_answers: bool = False
    refuses_encoding_format: bool = False
    ignores_dimensions: bool = False
    largest_batch: int | None = None
    batch_status: int = 400
    first_answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    closes_first: int = 0
    hangs: bool = False
    drips: str = ""
    only_answer: tuple[int, dict[str, str], bytes] | None = None
    served_model: str | None = None
    change: Callable[[list[Item]], list[Item]] = list


def vector(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """Give the vector this endpoint makes of a text: of length 5, so that normalising it shows."""
    values = np.random.default_rng(list(text.encode())).normal(size=dimensions)
    return [float(value) for value in 5 * values / np.linalg.norm(values)]


class FakeEndpoint:
    """The server, its traps and the requests it has seen; use it as a context."""

    def __init__(self, traps: Traps | None = None) -> None:
        self.traps = traps or Traps()
        self.requests: list[dict[str, Any]] = []
        self.authorisations: list[str | None] = []
        self.callers: list[int] = []
        self.released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, asked: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        """Give status, headers and body for one request, as the traps have it."""
        traps = self.traps
        plain = {"Content-Type": "application/json"}
        if traps.first_answers:
            status, headers = traps.first_answers.pop(0)
            return status, plain | headers, _error("try again")
        if traps.only_answer:
            return traps.only_answer
        if traps.refuses_encoding_format and "encoding_format" in asked:
            return 400, plain, _error('Invalid JSON payload received. Unknown name "encoding_format"')
        if traps.largest_batch and len(asked["input"]) > traps.largest_batch:
            return traps.batch_status, plain, _error("too many inputs in one request")
        content = {"object": "list", "data": traps.change(self._items(asked)), "model": traps.served_model or asked["model"]}
        return 200, plain, json.dumps(content).encode()

    def _items(self, asked: dict[str, Any]) -> list[Item]:
        dimensions = DIMENSIONS if self.traps.ignores_dimensions else asked.get("dimensions", DIMENSIONS)
        vectors = [vector(text, dimensions) for text in asked["input"]]
        shown = [_base64(values) if self.traps.base64_answers else values for values in vectors]
        return [{"object": "embedding", "index": index, "embedding": values} for index, values in enumerate(shown)]


def _base64(values: list[float]) -> str:
    return base64.b64encode(np.array(values, dtype="<f4").tobytes()).decode()


def _error(message: str) -> bytes:
    return json.dumps({"error": {"message": message}}).encode()


def _drip(answer: BinaryIO, endpoint: FakeEndpoint) -> None:
    """Send a byte now and then until the test is over: inside a header, or inside the body."""
    answer.write(b"HTTP/1.1 200 OK\r\n" + (b"X-Slow: " if endpoint.traps.drips == "headers" else b"Content-Length: 100000\r\n\r\n"))
    with suppress(OSError):
        while not endpoint.released.wait(0.02):
            answer.write(b"x")


def _handler(endpoint: FakeEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            endpoint.requests.append(json.loads(body))
            endpoint.authorisations.append(self.headers["Authorization"])
            endpoint.callers.append(self.client_address[1])
            if self.path != "/v1/embeddings":
                self.send_error(404)
                return
            if endpoint.traps.closes_first:
                endpoint.traps.closes_first -= 1
                self.close_connection = True
                return
            if endpoint.traps.hangs:
                endpoint.released.wait()
                return
            if endpoint.traps.drips:
                self.close_connection = True
                _drip(self.wfile, endpoint)
                return
            status, headers, answer = endpoint.answer(endpoint.requests[-1])
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(answer))}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    return Handler
