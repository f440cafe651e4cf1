"""Where an HTTP embedder is and how patiently it is asked: one JSON request with retries, a deadline, a breaker and a secret.

Above: `openai.py` knows the protocol. Below: `exchange` carries one request, `breaker` remembers what failed.
"""

import json
import os
import random
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import cached_property
from http.client import HTTPException
from ipaddress import ip_address
from urllib.parse import urlsplit

from cued.embed.breaker import Breaker
from cued.embed.exchange import HostConnections, Reply, refuse_link_local
from cued.errors import EmbedderError, InputError

OPENAI = "https://api.openai.com/v1"
MOST_REPLY_BYTES = 64 * 1024 * 1024
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_EXCERPT = 200


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
class Endpoint:
    """A base URL with its key, which appears in no message and no repr."""

    base_url: str = OPENAI
    key: str | None = field(default=None, repr=False)
    patience: Patience = field(default=Patience(), repr=False)

    def __post_init__(self) -> None:
        """Refuse what could not be asked or would betray the key when asked, and warn of a key that travels in the clear."""
        accepted = "http(s)://host[:port]/path, without user, password or query"
        try:
            parts = urlsplit(self.base_url)
            host, _ = parts.hostname or "", parts.port
            refuse_link_local(host)
        except (ValueError, OSError) as error:
            raise InputError("base_url", "(hidden)" if "@" in self.base_url else self.base_url, f"{accepted} ({error})") from error
        if parts.scheme not in {"http", "https"} or not host or parts.username is not None or parts.query:
            raise InputError("base_url", f"{parts.scheme}://{host}…", accepted)
        if self.key is not None and not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            # A line break would otherwise come back from the HTTP client in an error that quotes the whole header.
            raise InputError("key", "(hidden)", "printable ASCII without spaces or line breaks")
        if self.key is not None and parts.scheme == "http" and not _here(host):
            message = f"the API key travels to {host} in the clear; https would hide it"
            warnings.warn(message, RuntimeWarning, stacklevel=3)

    @classmethod
    def from_environment(cls) -> "Endpoint":
        """The endpoint that OPENAI_BASE_URL and OPENAI_API_KEY name; OpenAI's own without the first."""
        key = os.environ.get("OPENAI_API_KEY", "").strip()
        return cls(base_url=os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI, key=key or None)

    @cached_property
    def breaker(self) -> Breaker:
        """What remembers how the last requests went."""
        return Breaker(self.patience.clock)

    @cached_property
    def _connections(self) -> HostConnections:
        return HostConnections(self.base_url)

    def post(self, path: str, payload: object, *, deadline_s: float | None = None) -> Reply:
        """The first reply that another try would not better; none before the deadline is an EmbedderError."""
        early_s = self.breaker.refused_s()
        if early_s:
            raise EmbedderError(f"{self.base_url} has failed too often of late and is asked again in {early_s:.0f} s")
        try:
            reply = self._answered(path, json.dumps(payload).encode(), deadline_s or self.patience.deadline_s)
        except EmbedderError:
            self.breaker.failed()
            raise
        self.breaker.worked()
        return reply

    def redact(self, text: str) -> str:
        """The text with the key replaced, should a server have echoed it."""
        return text.replace(self.key, "(key)") if self.key else text

    def _answered(self, path: str, body: bytes, deadline_s: float) -> Reply:
        until = self.patience.clock() + deadline_s
        attempt = 0
        while True:
            reply, problem = self._try(path, body, until)
            if reply is not None and reply.status not in _RETRIED:
                return reply
            wait_s = self.patience.wait_s(attempt, _retry_after_s(reply))
            attempt += 1
            late = self.patience.clock() + wait_s >= until
            if late or attempt >= self.patience.attempts:
                how = f"did not answer within {deadline_s:g} s" if late else f"failed {attempt} times"
                raise EmbedderError(f"{self.base_url} {how}; the last: {self.redact(problem)}")
            self.patience.sleep(wait_s)

    def _try(self, path: str, body: bytes, until: float) -> tuple[Reply | None, str]:
        """A reply and what is wrong with it, or None and why there is none."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        left_s = until - self.patience.clock()
        if left_s <= 0:
            return None, "no time left"
        try:
            reply = self._connections.post(path, body, headers, seconds=left_s, most_bytes=MOST_REPLY_BYTES)
        except (HTTPException, OSError, ValueError) as error:
            # A ValueError is a host that no name server could be asked for.
            return None, printable(f"{type(error).__name__}: {error}")
        return reply, f"HTTP {reply.status}: {excerpt(reply)}"


def _here(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def printable(text: str) -> str:
    """The start of a text as one line of printable characters."""
    line = " ".join(text[: 4 * _EXCERPT].split())
    shown = "".join(character if character.isprintable() else "�" for character in line)
    return shown if len(shown) <= _EXCERPT else shown[:_EXCERPT] + "…"


def excerpt(reply: Reply) -> str:
    """The start of a body as one printable line."""
    return printable(reply.body[: 8 * _EXCERPT].decode("utf-8", "replace"))


def _retry_after_s(reply: Reply | None) -> float | None:
    """The seconds that Retry-After asks for; a date is taken from the server's own clock, its Date header."""
    value = reply.headers.get("retry-after", "").strip() if reply else ""
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - parsedate_to_datetime(reply.headers["date"] if reply else "")).total_seconds())
    except (ValueError, TypeError, KeyError):
        return None
