"""An endpoint that is slow, broken or hostile costs a recall its vector, never its time or its answer."""

import threading
import time
import tracemalloc
import warnings
from dataclasses import dataclass
from http.client import HTTPException

import pytest

import cued
from cued.embed import exchange
from cued.embed.breaker import Breaker
from cued.embed.endpoint import MOST_REPLY_BYTES, Endpoint, Patience
from cued.embed.openai import OpenAICompatible
from cued.errors import EmbedderError, InputError
from tests.embed.fake_endpoint import DIMENSIONS, KEY, FakeEndpoint, Traps


@dataclass
class HandClock:
    """A clock that a test moves by hand."""

    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s


def model(server: FakeEndpoint, **patience) -> OpenAICompatible:
    return OpenAICompatible("fake-model", Endpoint(server.url, KEY, Patience(**patience)))


@pytest.mark.parametrize("where", ["headers", "body"])
def test_a_server_that_drips_is_cut_off_at_the_deadline(where):
    with FakeEndpoint(Traps(drips=where)) as server:
        started = time.monotonic()
        with pytest.raises(EmbedderError, match=r"did not answer within 0\.3 s"):
            model(server, deadline_s=0.3).embed(["alpha"], role="memory")
        assert time.monotonic() - started < 2.0


def test_a_dripping_server_leaves_no_thread_behind():
    with FakeEndpoint(Traps(drips="body")) as server:
        with pytest.raises(EmbedderError):
            model(server, deadline_s=0.2).embed(["alpha"], role="memory")
        mine = [thread for thread in threading.enumerate() if thread.name == "cued-embedder"]
        for thread in mine:
            thread.join(timeout=5.0)
        assert not any(thread.is_alive() for thread in mine)


def test_connections_are_kept_for_the_next_request():
    with FakeEndpoint() as server:
        embedder = model(server)
        for text in ("alpha", "beta", "gamma"):
            embedder.embed([text], role="query")
    assert len(set(server.callers)) == 1


def test_what_was_read_of_an_answer_that_is_too_long_is_let_go():
    """Whoever tells of the failure keeps its error, and the next try must not come on top of it."""
    with FakeEndpoint(Traps(only_answer=(200, {"Content-Type": "application/json"}, b" " * 4_000_000))) as server:
        connections, kept = exchange.HostConnections(server.url), list[Exception]()
        tracemalloc.start()
        for _ in range(3):
            with pytest.raises(HTTPException, match="a reply of more than") as refused:
                connections.post("embeddings", b"{}", {}, seconds=10.0, most_bytes=3_000_000)
            kept.append(refused.value)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert held < 1_000_000


def test_an_answer_without_end_is_broken_off():
    head = {"Content-Type": "application/json"}
    with (
        FakeEndpoint(Traps(only_answer=(200, head, b" " * (MOST_REPLY_BYTES + 1)))) as server,
        pytest.raises(EmbedderError, match="a reply of more than"),
    ):
        model(server, attempts=1).embed(["alpha"], role="memory")


ODD = {
    "numbers with 400 zeros": b'{"data": [{"index": 0, "embedding": [1' + b"0" * 400 + b"]}]}",
    "nested arrays": b'{"data": [{"index": 0, "embedding": ' + b"[" * 100_000 + b"]" * 100_000 + b"}]}",
    "nested objects": b'{"data": ' + b'{"a":' * 100_000,
    "an infinite exponent": b'{"data": [{"index": 0, "embedding": [1e999]}]}',
    "an index of 30 digits": b'{"data": [{"index": 100000000000000000000000000000, "embedding": [1.0]}]}',
    "no UTF-8": b'{"data": [{"index": 0, "embedding": "\xff\xfe"}]}',
    "a lone surrogate": b'{"data": [{"index": 0, "embedding": "\\ud800"}]}',
}


@pytest.mark.parametrize("body", ODD.values(), ids=ODD.keys())
def test_whatever_an_endpoint_sends_the_memory_is_stored_with_its_vector_pending(body):
    with FakeEndpoint(Traps(only_answer=(200, {"Content-Type": "application/json"}, body))) as server:
        tenant = cued.open(embedder=model(server, attempts=1)).tenant("alice")
        remembered = tenant.remember("Alice likes tea.")
        assert tenant.stats().pending_vectors == 1
        assert remembered.degraded[0].startswith("vector pending: ")
        recalled = tenant.recall("tea")
    assert any(note.startswith("dense: ") for note in recalled.degraded)


def test_a_status_line_of_control_characters_is_shown_harmless():
    with (
        FakeEndpoint(Traps(first_answers=[(503, {"Retry-After": "9" * 20})])) as server,
        pytest.raises(EmbedderError, match="HTTP 503") as caught,
    ):
        model(server).embed(["alpha"], role="memory")
    assert str(caught.value).isprintable()


def test_three_failures_in_a_row_open_the_breaker_and_one_request_closes_it_again():
    clock = HandClock()
    with FakeEndpoint(Traps(first_answers=[(500, {})] * 3)) as server:
        endpoint = Endpoint(server.url, KEY, Patience(attempts=1, clock=clock))
        embedder = OpenAICompatible("fake-model", endpoint)
        for _ in range(3):
            with pytest.raises(EmbedderError, match="failed 1 times"):
                embedder.embed(["alpha"], role="query")
        assert endpoint.breaker.state == "open"
        with pytest.raises(EmbedderError, match="asked again in 30 s"):
            embedder.embed(["alpha"], role="query")
        assert len(server.requests) == 3
        clock.now_s += 31
        assert endpoint.breaker.state == "half-open"
        assert embedder.embed(["alpha"], role="query").shape == (1, DIMENSIONS)
        assert endpoint.breaker.state == "closed"


def test_half_open_only_one_request_at_a_time_tries():
    clock = HandClock()
    breaker = Breaker(clock, failures=1, pause_s=10)
    breaker.failed()
    clock.now_s = 11
    assert breaker.refused_s() == 0
    assert breaker.refused_s() > 0
    breaker.failed()
    assert breaker.refused_s() == 10


@pytest.mark.parametrize("url", ["http://169.254.169.254/v1", "http://[fe80::1]/v1", "http://host:port/v1", "http://[::1/v1"])
def test_an_address_that_must_not_or_cannot_be_asked_is_refused(url):
    with pytest.raises(InputError, match="base_url"):
        Endpoint(url)


def test_a_name_that_leads_to_the_local_link_is_left_before_the_key_is_sent(monkeypatch):
    def refused(host):
        raise OSError(f"{host} is a link-local address, and those are not asked")

    with FakeEndpoint() as server:
        embedder = model(server, attempts=1)
        monkeypatch.setattr(exchange, "refuse_link_local", refused)
        with pytest.raises(EmbedderError, match="link-local"):
            embedder.embed(["alpha"], role="memory")
    assert server.requests == []


def test_a_host_with_a_bad_label_is_an_embedder_error():
    endpoint = Endpoint(f"http://{'a' * 70}.example/v1", patience=Patience(attempts=1))
    with pytest.raises(EmbedderError, match="failed 1 times"):
        OpenAICompatible("fake-model", endpoint).embed(["alpha"], role="memory")


def test_a_key_in_the_clear_to_another_host_is_warned_of_and_to_this_one_is_not():
    with pytest.warns(RuntimeWarning, match=r"models\.example in the clear"):
        Endpoint("http://models.example/v1", KEY)
    with warnings.catch_warnings(record=True) as heard:
        Endpoint("http://127.0.0.1:11434/v1", KEY)
        Endpoint("http://localhost:11434/v1", KEY)
        Endpoint("https://models.example/v1", KEY)
    assert heard == []
