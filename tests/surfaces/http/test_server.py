"""What a server holds to: whose memories, who may ask, how often, how much; what is said when it is refused; and what happens once."""

import asyncio
import gzip
import json
import logging
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import pytest
from starlette.responses import Response

import cued
from cued.embed import Hashing
from cued.embed.endpoint import Endpoint, Patience
from cued.embed.openai import OpenAICompatible
from cued.errors import EmbedderError, LostConnectionError, RateError
from cued.handles.memories import open_memories
from cued.model import Quotas, Workings
from cued.surfaces import verbs
from cued.surfaces.http.app import Limits, Mounted, make_app
from cued.surfaces.http.guard import Guard, Rules
from cued.surfaces.http.problems import problem
from cued.surfaces.http.prometheus import Metrics
from cued.surfaces.http.retries import Once
from cued.surfaces.http.shared import Shared
from tests.embed.fake_endpoint import FakeEndpoint
from tests.fakes import FixedClock
from tests.surfaces.http.conftest import FAST, Served, serving


def remember(client, text, **more):
    return client.post("/v1/memories", json={"text": text, **more})


def test_a_memory_is_stored_recalled_changed_and_forgotten(mira):
    stored = remember(mira, "The staging deploy runs every Friday at 16:00.", tags=["ops"])
    assert stored.status_code == 201
    key = stored.json()["id"]
    recall = mira.post("/v1/recall", json={"text": "When is the staging deploy?"}).json()
    assert [memory["id"] for memory in recall["memories"]] == [key]
    assert mira.patch(f"/v1/memories/{key}", json={"importance": 0.9}).json()["importance"] == 0.9
    assert mira.get("/v1/memories", params={"tags": "ops"}).json()["total"] == 1
    assert mira.delete(f"/v1/memories/{key}").json() == {"forgotten": [key], "erased": False, "gone": False, "pending": []}
    assert mira.get("/v1/memories").json()["total"] == 0
    assert mira.get("/v1/log", params={"limit": 1}).json()["recalls"][0]["recall_id"] == recall["recall_id"]


def test_an_id_may_have_slashes_and_any_letters(mira):
    key = "notes/Küche #1?.md"
    remember(mira, "Oats are in the left cupboard.", id=key)
    path = "/v1/memories/notes/K%C3%BCche%20%231%3F.md"
    assert mira.get(path).json()["id"] == key
    assert mira.delete(path, params={"erase": "true"}).json()["erased"] is True
    assert mira.get(path).status_code == 404


def test_the_tenant_is_the_tokens_and_another_tenants_id_is_not_there(server, mira):
    key = remember(mira, "Mira is allergic to peanuts.").json()["id"]
    jonas = server.client(tenant="jonas")
    for answer in (
        jonas.get(f"/v1/memories/{key}"),
        jonas.patch(f"/v1/memories/{key}", json={"text": "x"}),
        jonas.delete(f"/v1/memories/{key}"),
        jonas.post("/v1/why", json={"id": key}),
        jonas.post("/v1/restore", json={"ids": [key]}),
    ):
        assert (answer.status_code, answer.json()["memory_id"]) == (404, key)
    assert jonas.get("/v1/stats", headers={"Cued-Tenant": "mira"}).status_code == 403
    assert jonas.post("/v1/recall", json={"text": "peanuts", "tenant": "mira"}).status_code == 422
    assert jonas.get("/v1/stats").json()["memories"] == 0


def test_an_admin_may_name_the_tenant_and_sees_all_of_them(server, mira):
    remember(mira, "One.")
    admin = server.client("admin", tenant="ops")
    assert admin.get("/v1/stats", headers={"Cued-Tenant": "mira"}).json()["memories"] == 1
    assert admin.post("/v1/memories", headers={"Cued-Tenant": "J%C3%BCrgen"}, json={"text": "Two."}).status_code == 201
    assert [row["name"] for row in admin.get("/v1/tenants").json()["tenants"]] == ["Jürgen", "mira"]
    assert admin.get("/v1/stats", headers={"Cued-Tenant": "%20"}).status_code == 422
    for not_text in ("%FF", "J%FCrgen"):
        assert admin.get("/v1/stats", headers={"Cued-Tenant": not_text}).json()["field"] == "Cued-Tenant"


def test_whatever_a_tenant_may_be_called_can_be_asked_for(server):
    name = "\U0001f98b" * 200
    with cued.connect(server.url, token=server.tokens.create("mira", scope="admin")[0]) as memories:
        memories.tenant(name).remember("Butterflies.")
        assert server.memories.tenants() == (name,)


def test_a_token_that_is_revoked_or_has_expired_is_refused_at_the_next_request(server):
    client = server.client()
    assert client.get("/v1/stats").status_code == 200
    server.tokens.revoke(server.tokens.all()[0].id)
    refused = client.get("/v1/stats")
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Bearer realm="cued"')
    assert "cued token create --scope" in refused.json()["remedy"]
    short, _ = server.tokens.create("mira", scope="read", expires=0.001)
    assert server.bare(Authorization=f"Bearer {short}").get("/v1/stats").status_code == 401
    assert server.bare(Authorization="Bearer cued_000000000000_" + "A" * 43).get("/v1/stats").status_code == 401


@pytest.mark.parametrize("path", ["/", "/healthz", "/metrics", "/v1/openapi.json", "/v1/stats", "/v1/memories"])
def test_another_host_and_another_sites_page_are_refused_everywhere(mira, path):
    assert mira.get(path, headers={"Host": "evil.example"}).status_code == 421
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1", "http://[::1", "http://["):
        for answer in (mira.get(path, headers={"Origin": origin}), mira.options(path, headers={"Origin": origin})):
            assert answer.status_code == 403
            assert not [name for name in answer.headers if name.startswith("access-control")]
    assert mira.get(path, headers={"Origin": str(mira.base_url).rstrip("/")}).status_code == 200


def test_off_loopback_an_address_or_an_allowed_name_is_a_host():
    rules = Rules(hosts=frozenset({"memory.example"}), any_address=True)
    assert rules.knows("memory.example:443")
    assert rules.knows("10.0.0.7:7333")
    assert rules.knows("[2001:db8::1]:7333")
    assert not rules.knows("10.0.0.7.evil.example")
    assert not rules.knows("")
    assert not rules.knows("[::1")


def test_what_is_refused_says_the_cause_and_the_remedy(mira):
    refused = remember(mira, "Likes tea.", importance=7)
    told = refused.json()
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
    assert (told["type"], told["field"]) == ("urn:cued:error:InputError", "importance")
    assert "a number from 0 to 1" in told["remedy"]
    assert told["request_id"] == refused.headers["x-request-id"]
    assert mira.post("/v1/memories", content=b'{"text": ', headers={"Content-Type": "application/json"}).status_code == 400
    assert mira.post("/v1/memories", content=b"[" * 100_000, headers={"Content-Type": "application/json"}).status_code == 400
    assert mira.post("/v1/memories", content=b"[1]", headers={"Content-Type": "application/json"}).status_code == 422
    assert mira.post("/v1/memories", content=b'{"text": "\\ud800"}', headers={"Content-Type": "application/json"}).status_code in {400, 422}
    assert mira.post("/v1/memories", data={"text": "Likes tea."}).status_code == 415
    packed = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    refused = mira.post("/v1/memories", content=gzip.compress(b'{"text": "Likes tea."}'), headers=packed)
    assert (refused.status_code, refused.json()["detail"]) == (415, "the body is packed as 'gzip'")
    assert mira.get("/v1/memories", params={"limit": "many"}).status_code == 422
    assert mira.get("/v1/memories", params={"limt": 1}).json()["detail"].startswith("unknown field 'limt'; did you mean 'limit'?")
    assert "TOML" not in mira.post("/v1/recall", json={"text": "tea", "policy": "mine.toml"}).json()["detail"]
    assert mira.get("/v1/no-such-thing").status_code == 404
    wrong = mira.put("/v1/memories")
    assert (wrong.status_code, set(wrong.headers["allow"].split(", "))) == (405, {"GET", "HEAD", "POST"})


def test_fields_where_a_method_has_none_are_refused_and_nothing_is_done(mira):
    key = remember(mira, "Likes tea.").json()["id"]
    erased = mira.request("DELETE", f"/v1/memories/{key}", json={"erase": True})
    assert (erased.status_code, erased.json()["remedy"]) == (422, "say the fields in the query, such as ?limit=5 or ?erase=true")
    assert mira.request("DELETE", f"/v1/memories/{key}", content=iter([b"{}"])).status_code == 422
    assert mira.get(f"/v1/memories/{key}").json()["version"] == 1
    assert mira.request("GET", "/v1/memories", json={"limit": 1}).status_code == 422
    asked = mira.post("/v1/recall?scope=atlas", json={"text": "tea"})
    assert (asked.status_code, asked.json()["detail"]) == (422, "POST takes no query here, and this one has 'scope'")
    assert mira.patch(f"/v1/memories/{key}?importance=1", json={"weight": 2.0}).status_code == 422
    for answer in (
        mira.delete(f"/v1/memories/{key}", headers={"If-Match": '"9"'}),
        mira.post("/v1/forget", json={"ids": [key]}, headers={"If-Match": '"9"'}),
    ):
        assert (answer.status_code, "heeds no If-Match" in answer.json()["detail"]) == (422, True)
    assert mira.get("/v1/memories", headers={"If-Match": "*"}).json()["total"] == 1


def test_what_may_pass_says_that_it_is_to_be_tried_again():
    lost = problem(LostConnectionError("db: gone"), request_id="r")
    assert (lost.status_code, lost.headers["retry-after"]) == (503, "1")
    assert json.loads(lost.body)["remedy"].startswith("try again")
    assert problem(RateError(60, 0.2), request_id="r").headers["retry-after"] == "1"
    assert problem(RateError(60, 1.2), request_id="r").headers["retry-after"] == "2"


def test_a_memory_that_is_at_odds_is_refused_with_what_it_is_at_odds_with(mira):
    old = remember(mira, "The office is in Berlin.").json()["id"]
    refused = remember(mira, "The office is in Lisbon.", on_conflict="refuse")
    assert (refused.status_code, refused.json()["conflicts"][0]["id"]) == (409, old)


def test_a_body_that_is_too_large_is_refused_and_never_held(serve):
    with serve(limits=Limits(body_bytes=1000)) as server:
        client = server.client()
        assert remember(client, "x" * 2000).status_code == 413
        assert client.post("/v1/memories", content=iter([b"x" * 600] * 3)).status_code == 413
        # one that sends all before it listens
        patient = HTTPConnection(client.base_url.host, client.base_url.port)
        patient.request("POST", "/v1/memories", body=b"x" * 20_000_000, headers={"Authorization": client.headers["Authorization"]})
        assert patient.getresponse().status == 413
        patient.close()
        assert remember(client, "Likes tea.").status_code == 201


def test_a_token_that_asks_too_often_is_told_to_wait_and_others_are_not(serve):
    with serve(rules=Rules(rate=1, burst=3)) as server:
        eager, other = server.client(), server.client()
        answers = [eager.get("/v1/stats") for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert other.get("/v1/stats").status_code == 200


def test_a_store_that_cannot_be_written_refuses_writes_and_goes_on_reading(serve):
    with serve() as server:
        written, _ = server.tokens.create("mira", scope="write")
        remember(server.bare(Authorization=f"Bearer {written}"), "One.")
    with serve(opened={"readonly": True}) as server:
        client = server.bare(Authorization=f"Bearer {written}")
        refused = remember(client, "Two.")
        assert (refused.status_code, refused.json()["type"]) == (403, "urn:cued:error:ReadOnlyError")
        assert "memories.db" not in refused.text
        assert client.get("/v1/stats").json()["memories"] == 1


def test_a_write_with_a_key_happens_once_however_often_it_is_sent(server, mira):
    key = {"Idempotency-Key": "turn-17"}
    with ThreadPoolExecutor(8) as many:
        body = {"text": "Mira moved to Lisbon."}
        answers = list(many.map(lambda _: mira.post("/v1/memories", json=body, headers=key), range(40)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert sum("idempotent-replayed" not in answer.headers for answer in answers) == 1
    assert mira.get("/v1/memories").json()["total"] == 1
    another = mira.post("/v1/memories", json={"text": "Something else."}, headers=key)
    assert (another.status_code, "another request" in another.json()["detail"]) == (422, True)
    jonas = server.client(tenant="jonas")
    assert jonas.post("/v1/memories", json={"text": "Something else."}, headers=key).status_code == 201


@pytest.mark.parametrize("text", ["The diagnosis is migraine.", "Something else."])
def test_a_key_that_a_tool_has_guessed_keeps_no_word_of_a_user_out(server, mira, text):
    written, _ = server.tokens.create("mira", scope="write", trust="tool")
    tool, key = server.bare(Authorization=f"Bearer {written}"), {"Idempotency-Key": "turn-17"}
    assert tool.post("/v1/memories", json={"text": text}, headers=key).status_code == 201
    stored = [mira.post("/v1/memories", json={"text": "The diagnosis is migraine."}, headers=key).json()["id"] for _ in range(2)]
    assert server.memories.tenant("mira").get(stored[0]).trust == "user"
    assert stored[0] == stored[1]


def test_a_write_whose_answer_was_lost_in_a_crash_is_not_done_again(server, mira):
    """The write is stored and the record of it is not: as after a kill between the two."""
    tenant, store = server.memories.tenant("mira"), server.memories.parts.store
    for verb, body in (
        ("remember", {"text": "One."}),
        ("remember_many", {"memories": [{"text": f"Number {n}."} for n in range(5)]}),
    ):
        once = Once(store, tenant, verb, key=f"lost-{verb}")
        call = getattr(tenant, verb)
        half = once._with_ids(body)  # noqa: SLF001 - what a first try had stored
        if verb == "remember":
            call(half["text"], id=half["id"])
        else:
            call(half["memories"][:2])
        path = "/v1/memories" if verb == "remember" else "/v1/remember_many"
        answer = mira.post(path, json=body, headers={"Idempotency-Key": f"lost-{verb}"})
        assert (answer.status_code, answer.headers.get("idempotent-replayed")) == (201, "true")
        assert len(set(answer.json()["ids"])) == len(body.get("memories", [0]))
    assert mira.get("/v1/memories").json()["total"] == 6


def test_turns_whose_answer_was_lost_in_a_crash_are_stored_once_and_keep_their_numbers(server, mira):
    tenant, store = server.memories.tenant("mira"), server.memories.parts.store
    tenant.remember_turns([{"role": "user", "content": "Hello."}], session="s")
    body = {"session": "s", "turns": [{"role": "user", "content": text} for text in ("", "One.", "Two.", "Three.")]}
    once = Once(store, tenant, "remember_turns", key="lost")
    tenant.remember_many(once._with_ids({"memories": once._turns(body)})["memories"][:2])  # noqa: SLF001 - what a first try had stored
    answers = [mira.post("/v1/remember_turns", json=body, headers={"Idempotency-Key": "lost"}) for _ in range(3)]
    assert {(answer.status_code, answer.headers["idempotent-replayed"]) for answer in answers} == {(201, "true")}
    stored = [(memory["turn"], memory["text"]) for memory in mira.get("/v1/memories").json()["memories"]]
    assert sorted(stored) == [(1, "Hello."), (3, "One."), (4, "Two."), (5, "Three.")]


def test_a_change_and_a_forgetting_with_a_key_happen_once_too(mira):
    key = remember(mira, "Likes tea.").json()["id"]
    path, once = f"/v1/memories/{key}", {"Idempotency-Key": "a"}
    first = mira.patch(path, json={"importance": 0.9}, headers=once)
    assert (first.json()["version"], mira.patch(path, json={"importance": 0.9}, headers=once).json()["version"]) == (2, 2)
    gone = {"Idempotency-Key": "b"}
    erased = [mira.delete(path, params={"erase": "true"}, headers=gone) for _ in range(2)]
    assert [answer.status_code for answer in erased] == [200, 200]


def test_what_is_kept_of_a_write_has_no_text_in_it_and_goes_with_the_tenant(server, mira):
    remember(mira, "The office is in Berlin.")
    mira.post("/v1/memories", json={"text": "The office is in Lisbon."}, headers={"Idempotency-Key": "k"})
    store = server.memories.parts.store
    kept = [body for n in range(256) if (body := store.document("mira", f"retries/{n:02x}")) is not None]
    assert len(kept) == 1
    assert b"office" not in kept[0]
    server.client("admin").post("/v1/erase_everything")
    assert not any(store.document("mira", f"retries/{n:02x}") for n in range(256))
    assert "mira" not in store.tenants()


def test_a_tenant_that_is_erased_right_after_a_write_does_not_come_back_by_what_is_kept_of_it():
    with open_memories(embedder=None) as memories:
        tenant, store = memories.tenant("mira"), memories.parts.store

        def written(body):
            answer = verbs.call("remember", tenant, body)
            store.erase_tenant("mira")
            return answer

        Once(store, tenant, "remember", key="k").answer({"text": "Likes tea."}, written)
        assert store.tenants() == ()


def test_what_is_kept_of_a_write_names_no_memory_for_that_may_be_erased_before(server, mira):
    stored = {"text": "It is benign.", "id": "the-diagnosis"}
    twice = [mira.post("/v1/memories", json=stored, headers={"Idempotency-Key": "k"}).json()["ids"] for _ in range(2)]
    erased = [mira.delete("/v1/memories/the-diagnosis?erase=true", headers={"Idempotency-Key": "l"}).json()["forgotten"] for _ in range(2)]
    assert (twice, erased) == ([["the-diagnosis"]] * 2, [["the-diagnosis"]] * 2)
    kept = [server.memories.parts.store.document("mira", f"retries/{n:02x}") or b"" for n in range(256)]
    assert sum(map(bool, kept)) == 2
    assert b"diagnosis" not in b"".join(kept)


def test_of_many_the_one_that_is_refused_is_named(mira):
    refused = mira.post("/v1/remember_many", json={"memories": [{"text": "Likes tea."}, {"text": ""}]})
    assert refused.status_code == 422
    assert refused.json()["detail"].endswith("; in memory 2 of those given; none of them is stored")


@pytest.mark.parametrize("record", [b'[{"key": "of another version"}]', b'[{"key": "\xff"}]'])
def test_a_record_of_writes_that_cannot_be_read_refuses_none(server, mira, record):
    for n in range(256):
        server.memories.parts.store.swap_document("mira", f"retries/{n:02x}", old=None, new=record)
    answers = [mira.post("/v1/memories", json={"text": "Likes tea."}, headers={"Idempotency-Key": "k"}) for _ in range(2)]
    assert [(answer.status_code, answer.headers.get("idempotent-replayed")) for answer in answers] == [(201, None), (201, "true")]


def test_a_change_of_what_has_changed_since_it_was_read_is_refused(mira):
    key = remember(mira, "Likes tea.").json()["id"]
    path = f"/v1/memories/{key}"
    etag = mira.get(path).headers["etag"]
    changed = mira.patch(path, json={"importance": 0.9}, headers={"If-Match": etag})
    assert (changed.status_code, changed.headers["etag"] != etag) == (200, True)
    refused = mira.patch(path, json={"importance": 0.1}, headers={"If-Match": etag})
    assert (refused.status_code, refused.json()["field"]) == (412, "if_version")
    assert mira.patch(path, json={"importance": 0.1}, headers={"If-Match": "soon"}).status_code == 422
    assert mira.get(path).json()["importance"] == 0.9


def test_a_list_is_gone_through_by_cursors_and_a_long_answer_is_packed(mira):
    many = mira.post("/v1/remember_many", json={"memories": [{"text": f"Number {n}."} for n in range(25)]}).json()["ids"]
    seen, after = [], None
    while True:
        page = mira.get("/v1/memories", params={"limit": 10, **({"after": after} if after else {})}).json()
        seen += [memory["id"] for memory in page["memories"]]
        after = page["next"]
        if after is None:
            break
    assert sorted(seen) == sorted(many)
    with mira.stream("GET", "/v1/memories", headers={"Accept-Encoding": "gzip"}) as answer:
        assert answer.headers["content-encoding"] == "gzip"
        assert json.loads(gzip.decompress(b"".join(answer.iter_raw())))["total"] == 25


@pytest.mark.parametrize("path", ["/v1/memories", "/v1/export", "/v1/openapi.json"])
@pytest.mark.parametrize(("accepted", "packed"), [("gzip;q=0", False), ("br, gzip ; q=0.000, *", False), ("gzip;q=0.1", True)])
def test_whoever_refuses_gzip_gets_none(mira, path, accepted, packed):
    mira.post("/v1/remember_many", json={"memories": [{"text": f"Number {n}."} for n in range(9)]})
    answer = mira.get(path, headers={"Accept-Encoding": accepted})
    assert ("content-encoding" in answer.headers, answer.headers["vary"]) == (packed, "Accept-Encoding")


@pytest.mark.parametrize("target", ["*", "127.0.0.1:80"])
def test_a_target_that_is_no_path_is_not_there(server, mira, target):
    asked = HTTPConnection(server.url.removeprefix("http://"))
    asked.request("OPTIONS", target, headers={"Authorization": mira.headers["authorization"]})
    assert (asked.getresponse().status, asked.close()) == (404, None)


@pytest.mark.parametrize("version", ["1.1", "1.0"])
def test_a_request_that_ends_in_two_ways_is_refused_and_so_is_what_comes_behind_it(server, version):
    length = "Content-Length: 5\r\n" if version == "1.1" else "Connection: keep-alive\r\n"
    first = f"POST /healthz HTTP/{version}\r\nHost: 127.0.0.1\r\n{length}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2])), timeout=30) as asking:
        asking.sendall(first.encode() + b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        answered = b"".join(iter(lambda: asking.recv(65536), b""))
    assert answered.startswith(b"HTTP/1.1 400")
    assert answered.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("size", [0, 65_536, 65_537, 300_000])
def test_a_large_answer_is_handed_on_in_pieces_so_that_whoever_reads_slowly_is_waited_for(serve, size):
    whole, sent = bytes(number % 251 for number in range(size)), []

    async def collect(message):
        sent.append(message)

    with serve() as server:
        shared = Shared.of(100, 200)
        metrics = Metrics(waiting=int, workings=Workings, sums=shared.sums)
        guard = Guard(Response(whole), tokens=server.tokens, rules=Rules(), metrics=metrics, rates=shared.rates)
        scope = {"type": "http", "path": "/healthz", "method": "GET", "http_version": "1.1", "headers": [(b"host", b"localhost")]}
        asyncio.run(guard(scope, None, collect))
    pieces = [message["body"] for message in sent[1:]]
    assert b"".join(pieces) == whole
    assert len(pieces) == max(1, -(-size // 65_536))
    assert [message.get("more_body", False) for message in sent[1:]] == [True] * (len(pieces) - 1) + [False]


def test_logs_and_counters_have_routes_and_no_texts_tenants_or_queries(serve, caplog):
    with caplog.at_level(logging.INFO, logger="cued.http"), serve() as server:
        client = server.client(tenant="mira-canary")
        remember(client, "text-canary", id="id-canary")
        client.get("/v1/memories", params={"scope": "query-canary"}, headers={"X-Request-Id": "my-id"})
        client.get("/v1/memories/id-canary")
        client.post("/v1/recall", json={"text": "cue-canary"})
        metrics = client.get("/metrics").text
    lines = [json.loads(record.message) for record in caplog.records if record.name == "cued.http"]
    assert [line["route"] for line in lines] == ["remember", "list", "get", "recall", "metrics"]
    assert lines[1]["request_id"] == "my-id"
    assert 'cued_requests_total{route="remember",status="201"} 1.0' in metrics
    assert "cued_recalls_total{outcome=" in metrics
    assert "canary" not in metrics + caplog.text


def test_readiness_tells_of_the_store_and_the_embedder(serve, mira):
    assert mira.get("/readyz").json() == {"ready": True, "store": "ok", "embedder": "ok"}


def test_a_mounted_app_stands_behind_the_same_gate(serve):
    async def app(scope, receive, send):
        who = scope["cued.caller"].tenant.encode()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": who})

    with serve(mounted=[Mounted(path="/mcp", app=app)]) as server:
        assert server.bare().get("/mcp/").status_code == 401
        assert [server.client(tenant="jonas").get(path).text for path in ("/mcp/", "/mcp", "/mcp?scope=atlas")] == ["jonas"] * 3


def test_what_takes_too_long_is_given_up_and_said(serve):
    with serve(limits=Limits(short_s=0.05), opened={"embedder": Sleeper()}) as server:
        client = server.client()
        Sleeper.awake.clear()
        try:
            answer = remember(client, "Likes tea.")
        finally:
            Sleeper.awake.set()
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")


def test_an_embedder_that_fails_leaves_words_and_says_so(serve):
    with serve(opened={"embedder": Failing()}) as server:
        client = server.client()
        stored = remember(client, "The staging deploy runs every Friday.")
        assert (stored.status_code, stored.json()["degraded"][0].startswith("vector pending")) == (201, True)
        recalled = client.post("/v1/recall", json={"text": "staging deploy", "floor": 0}).json()
        assert [memory["id"] for memory in recalled["memories"]] == [stored.json()["id"]]
        assert recalled["degraded"]
        assert client.get("/readyz").json() == {"ready": True, "store": "ok", "embedder": "failing"}


def test_an_embedder_that_hangs_costs_a_recall_its_deadline_alone_and_what_was_stored_meanwhile_gets_its_vector_later(serve):
    clock = FixedClock()
    with FakeEndpoint() as model:
        patience = Patience(deadline_s=0.3, attempts=1, clock=lambda: clock().timestamp())
        with serve(opened={"embedder": OpenAICompatible("m", Endpoint(base_url=model.url, patience=patience))}) as server:
            client = server.client()
            before = remember(client, "The staging deploy runs every Friday.").json()
            assert before["degraded"] == []
            model.traps.hangs = True
            began = time.perf_counter()
            recalled = client.post("/v1/recall", json={"text": "staging deploy"}).json()
            assert time.perf_counter() - began < 5
            assert [memory["id"] for memory in recalled["memories"]] == before["ids"]
            assert recalled["degraded"][0].startswith("dense")
            stored = remember(client, "The kiln cracked on Sunday.")
            assert (stored.status_code, stored.json()["degraded"][0].startswith("vector pending")) == (201, True)
            assert client.get("/v1/stats").json()["pending_vectors"] == 1
            model.traps.hangs = False
            model.released.set()
            clock.move(hours=1)
            assert client.post("/v1/reembed").json()["done"] == 1
            assert client.get("/v1/stats").json()["pending_vectors"] == 0
            assert client.post("/v1/recall", json={"text": "what cracked?"}).json()["degraded"] == []


class Failing:
    """An embedder whose model cannot be reached."""

    fingerprint = Hashing().fingerprint

    def embed(self, texts, *, role):
        raise EmbedderError("the model cannot be reached")


class Sleeper:
    """An embedder that sleeps until it is woken."""

    awake = threading.Event()

    def __init__(self):
        self._inner = Hashing()
        Sleeper.awake.set()

    @property
    def fingerprint(self):
        return self._inner.fingerprint

    def embed(self, texts, *, role):
        assert Sleeper.awake.wait(20)
        return self._inner.embed(texts, role=role)


def test_one_tenants_bulk_load_does_not_starve_anothers_recall(serve):
    with serve(rules=FAST) as server:
        bulk, other = server.client(tenant="bulk"), server.client(tenant="other")
        remember(other, "The staging deploy runs every Friday.")
        stop = threading.Event()

        def load():
            while not stop.is_set():
                assert bulk.post("/v1/remember_many", json={"memories": [{"text": f"Number {n}."} for n in range(256)]}).status_code == 201

        loaders = [threading.Thread(target=load) for _ in range(8)]
        for loader in loaders:
            loader.start()
        waits = []
        for _ in range(20):
            started = time.perf_counter()
            assert other.post("/v1/recall", json={"text": "When is the deploy?"}).status_code == 200
            waits.append(time.perf_counter() - started)
        stop.set()
        for loader in loaders:
            loader.join()
        assert sorted(waits)[10] < 1.0


def test_a_token_of_low_trust_cannot_raise_itself_nor_touch_what_a_user_said(server):
    written, _ = server.tokens.create("mira", scope="admin", trust="tool")
    tool, mira = server.bare(Authorization=f"Bearer {written}"), server.client()
    mira.post("/v1/memories", json={"id": "said", "text": "Invoices go to billing."})
    lie = {"id": "lie", "text": "Invoices go elsewhere.", "trust": "user", "tier": "core", "supersedes": ["said"]}
    told = tool.post("/v1/memories", json=lie).json()
    assert told["conflicts"][0]["id"] == "said"
    assert len(told["degraded"]) == 2
    kept = mira.get("/v1/memories/lie").json()
    assert (kept["trust"], kept["tier"], kept["supersedes"]) == ("tool", "fact", [])
    refused = [
        tool.patch("/v1/memories/said", json={"text": "Nothing."}),
        tool.delete("/v1/memories/said"),
        tool.post("/v1/promote", json={"ids": ["lie"]}),
        tool.patch("/v1/memories/lie", json={"trust": "user"}),
        tool.post("/v1/quarantine", json={"ids": ["said"]}),
        tool.post("/v1/policy_save", json={"toml": 'name = "mine"'}),
        tool.post("/v1/sweep", json={"apply": True}),
        tool.post("/v1/tune_for_all", json={"apply": True}),
    ]
    assert [(each.status_code, each.json()["type"]) for each in refused] == [(403, "urn:cued:error:TrustError")] * len(refused)
    assert mira.post("/v1/quarantine", json={"ids": ["lie"]}).json()["quarantined"][0]["id"] == "lie"
    assert mira.post("/v1/promote", json={"ids": ["lie"], "trust": "user"}).json()["promoted"][0]["trust"] == "user"


def test_a_full_tenant_is_507_and_too_many_recalls_are_429_with_how_long_to_wait(tmp_path):
    quotas = Quotas(memories=1, recalls_a_minute=1)
    with open_memories(tmp_path / "m.db", embedder=None, quotas=quotas) as memories, serving(make_app(memories, rules=FAST)) as url:
        running = Served(url, memories)
        mira = running.client()
        mira.post("/v1/memories", json={"text": "One."})
        full = mira.post("/v1/memories", json={"text": "Two."})
        mira.post("/v1/recall", json={"text": "one?"})
        often = mira.post("/v1/recall", json={"text": "one?"})
        running.close()
    assert (full.status_code, full.json()["type"]) == (507, "urn:cued:error:QuotaError")
    assert (often.status_code, often.json()["type"]) == (429, "urn:cued:error:RateError")
    assert int(often.headers["Retry-After"]) > 50
