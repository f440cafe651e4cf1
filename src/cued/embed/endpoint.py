"""Where an HTTP embedder is and how patiently it is asked: one JSON request with retries, a deadline and a secret.

Above: `openai.py` knows the protocol. Below: the standard library's HTTP client.
"""

import json
import os
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from urllib.parse import urlsplit
from urllib.request import HTTPErrorProcessor, Request, build_opener

from cued.errors import EmbedderError, InputError

OPENAI = "https://api.openai.com/v1"
MAX_ANSWER_BYTES = 256 * 1024 * 1024
_CHUNK_BYTES = 1024 * 1024
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True)
class Patience:
    """How often and how long a request is tried again; `sleep`, `random` and `clock` are there to be replaced in tests."""

    attempts: int = 4
    first_wait_s: float = 0.5
    longest_wait_s: float = 10.0
    deadline_s: float = 30.0
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
    clock: Callable[[], float] = time.monotonic

    def wait_s(self, attempt: int, asked_s: float | None) -> float:
        """The wait after the attempt (from 0): full jitter over a doubling span, and no less than the server asked."""
        span_s = min(self.longest_wait_s, self.first_wait_s * 2.0**attempt)
        return max(self.random() * span_s, asked_s or 0.0)


@dataclass(frozen=True)
class Reply:
    """A complete HTTP reply."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def text(self) -> str:
        """The body as text, whatever its bytes are."""
        return self.body.decode("utf-8", "replace")


@dataclass(frozen=True)
class Endpoint:
    """A base URL with its key, which appears in no message and no repr."""

    base_url: str = OPENAI
    key: str | None = field(default=None, repr=False)
    patience: Patience = field(default=Patience(), repr=False)

    def __post_init__(self) -> None:
        """Refuse what could not be asked, or would betray the key when asked."""
        parts = urlsplit(self.base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None or parts.query:
            name, accepted = "base_url", "http(s)://host[:port]/path, without user, password or query"
            raise InputError(name, f"{parts.scheme}://{parts.hostname or ''}…", accepted)
        if self.key is not None and not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            # A line break would otherwise come back from the HTTP client in an error that quotes the whole header.
            name, accepted = "key", "printable ASCII without spaces or line breaks"
            raise InputError(name, "(hidden)", accepted)

    @classmethod
    def from_environment(cls) -> "Endpoint":
        """The endpoint that OPENAI_BASE_URL and OPENAI_API_KEY name; OpenAI's own without the first."""
        key = os.environ.get("OPENAI_API_KEY", "").strip()
        return cls(base_url=os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI, key=key or None)

    def post(self, path: str, payload: object) -> Reply:
        """The first reply that another try would not better; none before the deadline is an EmbedderError."""
        url = f"{self.base_url.rstrip('/')}/{path}"
        body = json.dumps(payload).encode()
        until = self.patience.clock() + self.patience.deadline_s
        attempt = 0
        while True:
            reply, problem = self._try(url, body, until)
            if reply is not None and reply.status not in _RETRIED:
                return reply
            self._wait(attempt, reply, until=until, problem=self.redact(problem))
            attempt += 1

    def redact(self, text: str) -> str:
        """The text with the key replaced, should a server have echoed it."""
        return text.replace(self.key, "(key)") if self.key else text

    def _try(self, url: str, body: bytes, until: float) -> tuple[Reply | None, str]:
        """A reply and what is wrong with it, or None and why there is none."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = Request(url, data=body, headers=headers, method="POST")  # noqa: S310 (the scheme was checked)
        left_s = until - self.patience.clock()
        if left_s <= 0:
            return None, "no time left"
        try:
            with _OPENER.open(request, timeout=left_s) as response:
                reply = self._read(response, until=until)
        except (HTTPException, OSError) as error:
            return None, f"{type(error).__name__}: {error}"
        return reply, f"HTTP {reply.status}: {excerpt(reply)}"

    def _read(self, response: HTTPResponse, *, until: float) -> Reply:
        """The whole reply; one that trickles past the deadline or never ends is broken off."""
        parts: list[bytes] = []
        size = 0
        while part := response.read(_CHUNK_BYTES):
            parts.append(part)
            size += len(part)
            if self.patience.clock() > until or size > MAX_ANSWER_BYTES:
                message = f"{self.base_url} sent {size} bytes and no end within {self.patience.deadline_s:g} s"
                raise EmbedderError(message)
        return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, b"".join(parts))

    def _wait(self, attempt: int, reply: Reply | None, *, until: float, problem: str) -> None:
        """Sleep before the next attempt; without attempts or time for it, raise the problem as an EmbedderError."""
        wait_s = self.patience.wait_s(attempt, _retry_after_s(reply))
        if attempt + 1 >= self.patience.attempts:
            message = f"{self.base_url} failed {attempt + 1} times; the last: {problem}"
            raise EmbedderError(message)
        if self.patience.clock() + wait_s >= until:
            message = f"{self.base_url} did not answer within {self.patience.deadline_s:g} s; the last: {problem}"
            raise EmbedderError(message)
        self.patience.sleep(wait_s)


class _EveryStatus(HTTPErrorProcessor):
    """Takes every status as a reply, a redirect too: following that would carry the key to another host."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:  # noqa: ARG002 (urllib's signature)
        """The reply as it came."""
        return response

    https_response = http_response


_OPENER = build_opener(_EveryStatus)
_EXCERPT = 200


def excerpt(reply: Reply) -> str:
    """The start of a body as one printable line."""
    line = " ".join(reply.text().split())
    shown = "".join(character if character.isprintable() else "�" for character in line)
    return shown if len(shown) <= _EXCERPT else shown[:_EXCERPT] + "…"


def _retry_after_s(reply: Reply | None) -> float | None:
    """The seconds that Retry-After asks for; a date is taken from the server's own clock, its Date header."""
    value = reply.headers.get("retry-after", "").strip() if reply else ""
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - parsedate_to_datetime(reply.headers["date"] if reply else "")).total_seconds())
    except (ValueError, TypeError, KeyError):
        return None
