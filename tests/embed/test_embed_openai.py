"""Each trap of OpenAI-compatible endpoints, played by a real server on loopback."""

import json
import math
from dataclasses import dataclass, field

import numpy as np
import pytest

from cued.embed import load_embedder
from cued.embed.endpoint import Endpoint, Patience
from cued.embed.openai import OpenAICompatible
from cued.errors import EmbedderError, InputError
from tests.embed.fake_endpoint import DIMENSIONS, KEY, FakeEndpoint, Traps, vector

TEXTS = ["alpha", "beta", "gamma", "delta", "epsilon"]


@dataclass
class SleepDiary:
    """Notes each wait and passes the time at once; chance always gives the largest value."""

    waits_s: list[float] = field(default_factory=list)

    def patience(self, **changed: float) -> Patience:
        return Patience(sleep=self.waits_s.append, random=lambda: 1.0, **changed)


def embedder(server: FakeEndpoint, diary: SleepDiary | None = None, **options) -> OpenAICompatible:
    return OpenAICompatible("fake-model", Endpoint(server.url, KEY, (diary or SleepDiary()).patience()), **options)


def expected(texts: list[str], dimensions: int = DIMENSIONS) -> np.ndarray:
    return np.array([vector(text, dimensions) for text in texts]) / 5


def test_vectors_come_back_in_order_at_unit_length_as_float32():
    with FakeEndpoint() as server:
        vectors = embedder(server).embed(TEXTS, role="memory")
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected(TEXTS), atol=1e-6)


def test_float_is_asked_for_in_words_and_the_key_travels_as_a_bearer():
    with FakeEndpoint() as server:
        embedder(server).embed(["alpha"], role="query")
    assert server.requests == [{"model": "fake-model", "input": ["alpha"], "encoding_format": "float"}]
    assert server.authorisations == [f"Bearer {KEY}"]


def test_no_key_sends_no_authorisation():
    with FakeEndpoint() as server:
        OpenAICompatible("fake-model", Endpoint(server.url)).embed(["alpha"], role="query")
    assert server.authorisations == [None]


@pytest.mark.requirement("X8")
def test_dimensions_are_seen_in_the_first_answer_without_a_request_of_their_own():
    with FakeEndpoint() as server:
        model = embedder(server)
        model.embed(["alpha"], role="memory")
        assert model.fingerprint.dimensions == DIMENSIONS
    assert len(server.requests) == 1


@pytest.mark.requirement("X8")
def test_the_fingerprint_asks_once_when_nothing_was_embedded_yet():
    with FakeEndpoint(Traps(served_model="fake-model-2026-01")) as server:
        model = embedder(server, query_prefix="query: ", memory_prefix="passage: ")
        first, second = model.fingerprint, model.fingerprint
    assert first == second
    assert (first.provider, first.model, first.revision, first.dimensions) == ("openai", "fake-model", "fake-model-2026-01", DIMENSIONS)
    assert json.loads(first.prefix) == ["query: ", "passage: "]
    assert len(server.requests) == 1


def test_no_texts_give_an_empty_matrix_of_the_right_width():
    with FakeEndpoint() as server:
        assert embedder(server).embed([], role="memory").shape == (0, DIMENSIONS)


def test_each_role_has_its_prefix():
    with FakeEndpoint() as server:
        model = embedder(server, query_prefix="query: ", memory_prefix="passage: ")
        model.embed(["alpha"], role="query")
        model.embed(["alpha"], role="memory")
    assert [request["input"] for request in server.requests] == [["query: alpha"], ["passage: alpha"]]


def test_base64_answers_are_understood():
    with FakeEndpoint(Traps(base64_answers=True)) as server:
        np.testing.assert_allclose(embedder(server).embed(TEXTS, role="memory"), expected(TEXTS), atol=1e-6)


def test_a_server_that_refuses_encoding_format_is_asked_without_it_from_then_on():
    with FakeEndpoint(Traps(refuses_encoding_format=True)) as server:
        model = embedder(server)
        model.embed(["alpha"], role="memory")
        model.embed(["beta"], role="memory")
    assert ["encoding_format" in request for request in server.requests] == [True, False, False]


def test_asked_dimensions_are_sent_and_obeyed():
    with FakeEndpoint() as server:
        vectors = embedder(server, dimensions=4).embed(TEXTS, role="memory")
    assert vectors.shape == (5, 4)
    assert server.requests[0]["dimensions"] == 4


def test_ignored_dimensions_are_an_error_that_names_both_numbers():
    with FakeEndpoint(Traps(ignores_dimensions=True)) as server, pytest.raises(EmbedderError, match=r"asked for 4 dimensions and gave 8"):
        embedder(server, dimensions=4).embed(TEXTS, role="memory")


def test_a_shuffled_answer_is_ordered_by_index():
    with FakeEndpoint(Traps(change=lambda items: items[::-1])) as server:
        np.testing.assert_allclose(embedder(server).embed(TEXTS, role="memory"), expected(TEXTS), atol=1e-6)


BROKEN = {
    "an item is missing": lambda items: items[:-1],
    "an index comes twice": lambda items: [*items[:-1], items[0]],
    "an index is absent": lambda items: [{"embedding": item["embedding"]} for item in items],
    "an index is a word": lambda items: [item | {"index": "first"} for item in items],
    "an item too many": lambda items: [*items, items[0] | {"index": len(items)}],
    "a NaN": lambda items: [item | {"embedding": [math.nan] * DIMENSIONS} for item in items],
    "an infinity": lambda items: [item | {"embedding": [math.inf] * DIMENSIONS} for item in items],
    "a zero vector": lambda items: [item | {"embedding": [0.0] * DIMENSIONS} for item in items],
    "a null inside": lambda items: [item | {"embedding": [None] * DIMENSIONS} for item in items],
    "no embedding": lambda items: [item | {"embedding": None} for item in items],
    "an empty embedding": lambda items: [item | {"embedding": []} for item in items],
    "a ragged answer": lambda items: [item | {"embedding": [1.0] * (3 + item["index"])} for item in items],
    "broken base64": lambda items: [item | {"embedding": "not base64!"} for item in items],
    "base64 of half a number": lambda items: [item | {"embedding": "AAAA"} for item in items],
    "items that are no objects": lambda items: [item["embedding"] for item in items],
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN.keys())
def test_an_unusable_answer_is_an_embedder_error(change):
    with FakeEndpoint(Traps(change=change)) as server, pytest.raises(EmbedderError, match="fake-model at"):
        embedder(server).embed(TEXTS, role="memory")


def test_vectors_that_change_their_length_between_answers_are_refused():
    with FakeEndpoint() as server:
        model = embedder(server)
        model.embed(["alpha"], role="memory")
        server.traps.change = lambda items: [item | {"embedding": [1.0, 2.0]} for item in items]
        with pytest.raises(EmbedderError, match="2 dimensions where 8 were expected"):
            model.embed(["beta"], role="memory")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html", b"<html>Welcome</html>"),
        ("application/json", b"[]"),
        ("application/json", b'{"data": 5}'),
        ("text/plain", b"\xff\xfe"),
    ],
)
def test_an_answer_that_is_no_list_of_embeddings_names_its_content_type(kind, body):
    with (
        FakeEndpoint(Traps(only_answer=(200, {"Content-Type": kind}, body))) as server,
        pytest.raises(EmbedderError, match=rf"no list of embeddings \({kind}\)"),
    ):
        embedder(server).embed(TEXTS, role="memory")


def test_retry_after_is_honoured():
    diary = SleepDiary()
    with FakeEndpoint(Traps(first_answers=[(429, {"Retry-After": "7"})])) as server:
        vectors = embedder(server, diary).embed(["alpha"], role="memory")
    assert len(vectors) == 1
    assert diary.waits_s == [7.0]


def test_retry_after_as_a_date_is_read_by_the_servers_own_clock():
    diary = SleepDiary()
    headers = {"Date": "Fri, 01 Jan 2038 00:00:00 GMT", "Retry-After": "Fri, 01 Jan 2038 00:00:03 GMT"}
    with FakeEndpoint(Traps(first_answers=[(503, headers)])) as server:
        embedder(server, diary).embed(["alpha"], role="memory")
    assert diary.waits_s == [3.0]


def test_a_retry_after_that_means_nothing_leaves_the_jittered_wait():
    diary = SleepDiary()
    with FakeEndpoint(Traps(first_answers=[(503, {"Retry-After": "soon"})])) as server:
        embedder(server, diary).embed(["alpha"], role="memory")
    assert diary.waits_s == [0.5]


def test_a_retry_after_beyond_the_deadline_fails_at_once():
    diary = SleepDiary()
    with FakeEndpoint(Traps(first_answers=[(429, {"Retry-After": "3600"})])) as server, pytest.raises(EmbedderError, match="HTTP 429"):
        embedder(server, diary).embed(["alpha"], role="memory")
    assert diary.waits_s == []


def test_server_errors_are_retried_with_doubling_waits():
    diary = SleepDiary()
    with FakeEndpoint(Traps(first_answers=[(500, {}), (502, {})])) as server:
        embedder(server, diary).embed(["alpha"], role="memory")
    assert diary.waits_s == [0.5, 1.0]


def test_jitter_spreads_the_wait_over_the_whole_span():
    assert Patience(random=lambda: 0.25).wait_s(3, None) == 0.25 * (0.5 * 2**3)
    assert Patience(random=lambda: 1.0).wait_s(30, None) == 10.0


def test_attempts_end():
    diary = SleepDiary()
    with (
        FakeEndpoint(Traps(first_answers=[(500, {})] * 9)) as server,
        pytest.raises(EmbedderError, match="failed 4 times; the last: HTTP 500"),
    ):
        embedder(server, diary).embed(["alpha"], role="memory")
    assert diary.waits_s == [0.5, 1.0, 2.0]


def test_a_closed_connection_is_tried_again():
    diary = SleepDiary()
    with FakeEndpoint(Traps(closes_first=1)) as server:
        vectors = embedder(server, diary).embed(["alpha"], role="memory")
    assert len(vectors) == 1
    assert diary.waits_s == [0.5]


def test_nobody_listening_is_an_embedder_error():
    with FakeEndpoint() as server:
        url = server.url
    with pytest.raises(EmbedderError, match="failed 4 times"):
        OpenAICompatible("fake-model", Endpoint(url, KEY, SleepDiary().patience())).embed(["alpha"], role="memory")


def test_a_server_that_hangs_is_given_up_at_the_deadline():
    diary = SleepDiary()
    with FakeEndpoint(Traps(hangs=True)) as server, pytest.raises(EmbedderError, match=r"did not answer within 0\.2 s"):
        OpenAICompatible("fake-model", Endpoint(server.url, KEY, diary.patience(deadline_s=0.2))).embed(["alpha"], role="memory")
    assert diary.waits_s == []


def test_a_client_error_is_passed_on_and_not_retried():
    diary = SleepDiary()
    with FakeEndpoint(Traps(first_answers=[(422, {})])) as server, pytest.raises(EmbedderError, match=r"HTTP 422.*try again"):
        embedder(server, diary).embed(["alpha"], role="memory")
    assert len(server.requests) == 1


def test_texts_are_sent_sixty_four_at_a_time():
    texts = [f"text {number}" for number in range(130)]
    with FakeEndpoint() as server:
        vectors = embedder(server).embed(texts, role="memory")
    assert [len(request["input"]) for request in server.requests] == [64, 64, 2]
    np.testing.assert_allclose(vectors, expected(texts), atol=1e-6)


@pytest.mark.parametrize("status", [400, 413])
def test_a_batch_limit_is_found_by_halving_and_remembered(status):
    texts = [f"text {number}" for number in range(70)]
    with FakeEndpoint(Traps(largest_batch=20, batch_status=status)) as server:
        vectors = embedder(server).embed(texts, role="memory")
    assert [len(request["input"]) for request in server.requests] == [64, 32, 16, 16, 16, 16, 6]
    np.testing.assert_allclose(vectors, expected(texts), atol=1e-6)


def test_one_text_that_is_too_large_is_passed_on_as_an_error():
    with FakeEndpoint(Traps(first_answers=[(413, {})])) as server, pytest.raises(EmbedderError, match="HTTP 413"):
        embedder(server).embed(["alpha"], role="memory")


def test_a_refused_key_is_never_echoed():
    echo = f"Incorrect API key provided: {KEY}".encode()
    with FakeEndpoint(Traps(only_answer=(401, {}, echo))) as server:
        model = embedder(server)
        with pytest.raises(EmbedderError, match="refused the API key") as caught:
            model.embed(["alpha"], role="memory")
    assert KEY not in str(caught.value)
    assert KEY not in repr(model)
    assert KEY not in repr(Endpoint(server.url, KEY))


def test_a_key_echoed_in_another_error_is_redacted():
    echo = f"your key {KEY} is fine".encode()
    with (
        FakeEndpoint(Traps(only_answer=(200, {"Content-Type": "text/plain"}, echo))) as server,
        pytest.raises(EmbedderError, match=r"your key \(key\) is fine") as caught,
    ):
        embedder(server).embed(["alpha"], role="memory")
    assert KEY not in str(caught.value)


def test_a_redirect_is_not_followed_so_the_key_stays_here():
    with FakeEndpoint() as elsewhere:
        away = {"Location": f"{elsewhere.url}/embeddings"}
        with FakeEndpoint(Traps(only_answer=(307, away, b""))) as server, pytest.raises(EmbedderError, match="HTTP 307"):
            embedder(server).embed(["alpha"], role="memory")
        assert elsewhere.requests == []


@pytest.mark.parametrize("key", [f"{KEY}\nX-Evil: 1", "sk with space", "schlüssel"])
def test_a_key_that_cannot_be_a_header_is_refused_unseen(key):
    with pytest.raises(InputError) as caught:
        Endpoint("http://localhost/v1", key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["ftp://host/v1", "localhost:11434", "http://user:secret@host/v1", "http:///v1", "https://host/v1?key=secret"]
)
def test_a_base_url_that_cannot_be_asked_is_refused(url):
    with pytest.raises(InputError) as caught:
        Endpoint(url)
    assert "secret" not in str(caught.value)


def test_the_environment_names_the_endpoint(monkeypatch):
    with FakeEndpoint() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/")
        monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
        vectors = load_embedder("openai:fake-model").embed(["alpha"], role="memory")
    np.testing.assert_allclose(vectors, expected(["alpha"]), atol=1e-6)
    assert server.authorisations == [f"Bearer {KEY}"]
