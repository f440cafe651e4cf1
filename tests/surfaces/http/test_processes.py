"""Several processes of one server: to whoever asks they are one, and none is left when it ends, however it ends."""

import itertools
import json
import logging
import os
import re
import shutil
import signal
import socket
import ssl
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import httpx
import msgspec
import pytest

import cued
from cued.errors import StoreError
from cued.handles.memories import open_memories
from cued.surfaces.http.processes import Processes
from cued.surfaces.resident import Offer, offer_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are not forked here")
PATIENCE_S = 40


def until(found):
    """What is found, as soon as it is; it is an error where that takes too long."""
    deadline = time.monotonic() + PATIENCE_S
    while not (told := found()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return told


def lives(pid):
    """Whether there is still such a process, and not only its name."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # the latter where it ends between the file's opening and its reading
        if Path("/proc/self").exists():
            return False
        with suppress(ProcessLookupError):
            os.kill(pid, 0)
            return True
        return False


class Team:
    """A server of several processes, and clients of which each has the connection of one of them."""

    def __init__(self, server, url, log, written):
        self.server, self.url, self._log = server, url, log
        self.written, self.clients, self._made = written, {}, []

    def lines(self):
        """What the processes have logged until now, line by line; one that is not whole yet is left out."""
        return [json.loads(line) for line in self._log.read_bytes().split(b"\n")[:-1]]

    def client(self):
        self._made.append(httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {self.written}"}, timeout=PATIENCE_S))
        return self._made[-1]

    def close(self):
        for client in self._made:
            client.close()

    def meet(self, count):
        """A client of each of so many processes, whose connections are kept."""
        while len(self.clients) < count:
            client, asked = self.client(), f"meeting-{len(self._made)}"
            assert client.get("/healthz", headers={"X-Request-Id": asked}).status_code == 200
            (line,) = until(lambda asked=asked: [line for line in self.lines() if line.get("request_id") == asked])
            if self.clients.setdefault(line["process"], client) is not client:
                client.close()
        return self.clients

    def forget(self, pid):
        """Have no client of this process any more."""
        self.clients.pop(pid).close()


@pytest.fixture
def team(process, running, tmp_path, monkeypatch):
    """Give what starts a server of several processes, whose cache folder has a short name, as sockets need it."""
    cache, teams = tempfile.mkdtemp(prefix="cued"), []
    monkeypatch.setenv("XDG_CACHE_HOME", cache)

    def start(*args, count=2, scope="write", env=MappingProxyType({})):
        written = process("token", "create", "--tenant", "mira", "--scope", scope, env=env).stdout.decode().strip()
        log = tmp_path / "log"
        with log.open("ab") as heard:
            server, url = running("--processes", f"{count}", *args, stderr=heard, env=env)
        teams.append(Team(server, url, log, written))
        return teams[-1]

    yield start
    for each in teams:
        each.close()
    shutil.rmtree(cache)


def remember(client, text, **headers):
    return client.post("/v1/memories", json={"text": text, "conflicts": False}, headers=headers)


def test_each_process_answers_and_what_one_stores_all_recall_at_once(team):
    served = team("--rate", "100000")
    served.meet(2)
    for turn, writer in enumerate([*served.clients.values()] * 5):
        kept = remember(writer, f"The deploy of project {turn}x runs on a Friday.").json()["id"]
        for reader in served.clients.values():
            recalled = reader.post("/v1/recall", json={"text": f"When is the deploy of project {turn}x?"}).json()
            assert kept in {memory["id"] for memory in recalled["memories"]}


def test_connections_that_wait_are_shared_out_evenly(team):
    served = team(count=3)
    served.meet(3)
    for number in range(12):
        served.client().get("/healthz", headers={"X-Request-Id": f"even-{number}"})
    asked = until(lambda: len(found := [each for each in served.lines() if each["request_id"].startswith("even-")]) == 12 and found)
    had = [line["process"] for line in asked]
    assert set(had) == set(served.clients)
    assert max(map(had.count, had)) < 12 - 3


def test_a_process_that_is_killed_comes_back_and_every_write_that_was_acknowledged_is_there(team, tmp_path):
    served = team("--rate", "100000")
    served.meet(2)
    acknowledged, enough = [], threading.Event()

    def write(number):
        for turn in itertools.count():
            with served.client() as client, suppress(httpx.HTTPError):
                while not enough.is_set():
                    answer = remember(client, f"Number {number} of {turn}.")
                    assert answer.status_code == 201
                    acknowledged.append(answer.json()["id"])
            if enough.is_set():
                return

    with ThreadPoolExecutor(4) as threads:
        writing = [threads.submit(write, number) for number in range(4)]
        for count in (50, 100):
            until(lambda count=count: len(acknowledged) > count)
            killed, before = next(iter(served.clients)), len(acknowledged)
            os.kill(killed, signal.SIGKILL)
            served.forget(killed)
            served.meet(2)
            until(lambda before=before: len(acknowledged) > before + 20)
        enough.set()
        for each in writing:
            each.result()
    assert [line["ended"] for line in served.lines() if "ended" in line] == ["SIGKILL"] * 2
    served.server.terminate()
    assert served.server.wait(PATIENCE_S) == 0
    with open_memories(tmp_path / "memories.db", embedder=None) as memories:
        assert {memory.id for memory in memories.parts.store.get("mira", acknowledged)} == set(acknowledged)
        assert len(set(acknowledged)) == len(acknowledged)


@pytest.mark.usefixtures("at_a_terminal")
@pytest.mark.parametrize(("ending", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130), (signal.SIGHUP, 0)], ids=["term", "int", "hup"])
def test_a_signal_ends_them_all_and_what_the_recalls_of_each_left_is_written(team, tmp_path, ending, code):
    served = team()
    clients = served.meet(2)
    remember(next(iter(clients.values())), "The staging deploy runs every Friday.")
    recalled = [client.post("/v1/recall", json={"text": "the staging deploy"}).json()["recall_id"] for client in clients.values()]
    served.server.send_signal(ending)
    assert served.server.wait(PATIENCE_S) == code
    assert not any(map(lives, clients))
    with open_memories(tmp_path / "memories.db", embedder=None) as memories:
        assert {entry.recall_id for entry in memories.tenant("mira").log()} == set(recalled)


def test_none_outlives_the_process_that_started_it(team):
    served = team(count=3)
    clients = served.meet(3)
    served.server.kill()
    served.server.wait()
    until(lambda: not any(map(lives, clients)))


def test_what_is_begun_is_finished_when_they_end_and_a_second_signal_waits_no_longer(team):
    served = team()
    served.meet(2)
    place = httpx.URL(served.url)
    with socket_to(place) as slow, socket_to(place) as never:
        for each in (slow, never):
            each.sendall(b"POST /v1/recall HTTP/1.1\r\nHost: localhost\r\nContent-Length: 15\r\n")
            each.sendall(f"Authorization: Bearer {served.written}\r\nContent-Type: application/json\r\n\r\n{{".encode())
        served.server.terminate()
        until(lambda: refuses(place))
        slow.sendall(b'"text": "tea"}')
        assert slow.recv(65536).startswith(b"HTTP/1.1 200")
        assert served.server.poll() is None
        served.server.terminate()
        assert served.server.wait(PATIENCE_S) == 0


def socket_to(place):
    return socket.create_connection((place.host, place.port), timeout=PATIENCE_S)


def refuses(place):
    with suppress(ConnectionRefusedError), socket_to(place):
        return False
    return True


def test_metrics_tell_of_the_whole_server_whichever_process_answers_and_lose_nothing_with_one_that_dies(team):
    served = team()
    clients = served.meet(2)

    def told(client, name):
        return float(re.search(rf"^{re.escape(name)} (\S+)$", client.get("/metrics").text, re.MULTILINE)[1])

    for client in clients.values():
        for number in range(3):
            assert remember(client, f"Likes tea number {number}.").status_code == 201
        assert client.post("/v1/recall", json={"text": "tea"}).json()["outcome"] == "recalled"
    stored = 'cued_requests_total{route="remember",status="201"}'
    timed = 'cued_request_seconds_bucket{le="+Inf",route="remember"}'
    for client in clients.values():
        assert (told(client, stored), told(client, timed), told(client, 'cued_recalls_total{outcome="recalled"}')) == (6, 6, 2)
    until(lambda: {told(client, "cued_store_tenants") for client in clients.values()} == {2})
    killed = next(iter(clients))
    os.kill(killed, signal.SIGKILL)
    served.forget(killed)
    for client in served.meet(2).values():
        assert told(client, stored) == 6
    until(lambda: {told(client, "cued_store_tenants") for client in served.clients.values()} == {1})


def test_a_token_s_rate_and_a_tenant_s_quota_are_those_of_the_whole_server(team):
    served = team("--rate", "1", "--quota-recalls", "3")
    clients = [*served.meet(2).values()]
    recalled = []
    started = time.monotonic()
    while len(recalled) < 8:
        answer = clients[len(recalled) % 2].post("/v1/recall", json={"text": "tea"})
        if "more than 1 requests" not in answer.text:
            recalled.append(answer.status_code)
    took_s = time.monotonic() - started
    assert took_s > 8 - 2 - 1
    assert recalled.count(200) <= 3 + 3 * took_s / 60 + 1


def test_a_write_under_one_key_happens_once_though_both_processes_are_asked_at_the_same_moment(team):
    served = team("--rate", "100000")
    clients = [*served.meet(2).values()]
    kept = remember(clients[0], "Likes tea.").json()["id"]
    together = threading.Barrier(2)

    def change(client, number):
        together.wait()
        return client.patch(f"/v1/memories/{kept}", json={"importance": number / 100}, headers={"Idempotency-Key": f"turn-{number}"})

    def store(client, number):
        together.wait()
        return remember(client, f"Number {number}.", **{"Idempotency-Key": f"new-{number}"})

    with ThreadPoolExecutor(2) as threads:
        for number in range(20):
            first, second = threads.map(change, clients, (number, number))
            assert (first.status_code, second.status_code) == (200, 200)
            assert sorted(each.headers.get("idempotent-replayed", "") for each in (first, second)) == ["", "true"]
            assert {each.json()["version"] for each in (first, second)} == {number + 2}
            assert len({each.json()["id"] for each in threads.map(store, clients, (number, number))}) == 1
    assert clients[1].get("/v1/stats").json()["memories"] == 1 + 20


def test_all_refuse_a_token_that_is_revoked_and_know_one_that_is_made(team, process):
    served = team()
    clients = served.meet(2)
    other = process("token", "create", "--tenant", "noor", "--scope", "read").stdout.decode().strip()
    assert process("token", "revoke", served.written.split("_")[1]).returncode == 0
    for client in clients.values():
        assert client.get("/v1/stats").status_code == 401
        assert client.get("/v1/stats", headers={"Authorization": f"Bearer {other}"}).status_code == 200


def test_all_answer_the_commands_of_their_own_user_and_one_that_ends_takes_the_offer_from_nobody(team, process, tmp_path):
    served = team()
    clients = served.meet(2)
    path = offer_of(tmp_path / "memories.db")
    offer = msgspec.json.decode(path.read_bytes(), type=Offer)
    remember(next(iter(clients.values())), "The staging deploy runs every Friday at 16:00.")

    def asked():
        return [line["process"] for line in served.lines() if line.get("route") == "recall"]

    for pid in list(clients):
        os.kill(pid, signal.SIGTERM)
        until(lambda pid=pid: not lives(pid))
        served.forget(pid)
        assert b"staging deploy" in process("recall", "When is the staging deploy?", "--tenant", "mira").stdout
    until(lambda: len(asked()) == 2)
    assert path.exists()
    served.server.terminate()
    served.server.wait(PATIENCE_S)
    assert not path.exists()
    assert not Path(offer.socket).exists()


def test_with_a_certificate_each_speaks_tls_and_answers_commands_too(team, process, certified):
    certificate, key = certified
    served = team("--tls-cert", str(certificate), "--tls-key", str(key))
    with cued.connect(served.url, token=served.written, tls=ssl.create_default_context(cafile=certificate)) as client:
        assert client.tenant("mira").remember("Over TLS.").ids
    assert b"Over TLS" in process("recall", "TLS", "--tenant", "mira", "--floor", "0").stdout
    until(lambda: [line["route"] for line in served.lines()] == ["remember", "recall"])


def test_over_postgresql_each_has_connections_of_its_own(team):
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    from tests.stores.postgres import server as database  # noqa: PLC0415 - it starts one

    try:
        served = team(env={"CUED_DB": database().url})
        for turn, writer in enumerate([*served.meet(2).values()] * 3):
            kept = remember(writer, f"The deploy of project {turn}x runs on a Friday.").json()["id"]
            for reader in served.clients.values():
                recalled = reader.post("/v1/recall", json={"text": f"When is the deploy of project {turn}x?"}).json()
                assert kept in {memory["id"] for memory in recalled["memories"]}
        served.server.terminate()
        assert served.server.wait(PATIENCE_S) == 0
    finally:
        database().empty()


def test_tools_of_agents_are_served_by_each(team):
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    served = team()
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    for client in served.meet(2).values():
        told = client.post("/mcp", json=asked, headers=headers)
        assert (told.status_code, "recall" in told.text) == (200, True)


def test_upkeep_is_done_by_one_of_them(team):
    served = team("--upkeep", "sweep", scope="admin")
    for client in served.meet(2).values():
        until(lambda client=client: client.get("/readyz").json()["upkeep"]["last"])
    served.server.terminate()
    assert served.server.wait(PATIENCE_S) == 0
    assert len([line for line in served.lines() if "upkeep" in line]) == 1


def test_what_was_asked_of_one_in_the_inspector_is_looked_at_and_kept_in_another(team):
    served = team("--keep", "last", scope="admin")
    first, second = served.meet(2).values()
    kept = remember(first, "The staging deploy runs every Friday.").json()["id"]
    port = httpx.URL(served.url).port
    page = {"Accept": "text/html", "Cookie": f"cued_token_{port}={served.written}"}
    asked = first.get("/", params={"text": "the staging deploy"}, headers=page)
    recall_id = re.search(r'name="recall" value="([^"]+)"', asked.text)[1]
    address = {"text": "the staging deploy", "recall": recall_id}
    for part in ("/inspect/candidate", "/inspect/expected"):
        shown = second.get(part, params={**address, "memory": kept, "words": "deploy"}, headers={**page, "Cued-Part": "candidate"})
        assert (shown.status_code, kept in shown.text) == (200, True)
    key = re.search(r'name="cued-key" content="(\w+)"', asked.text)[1]
    stored = second.post("/inspect/keep", params=address, headers={**page, "Cued-Key": key})
    assert stored.status_code == 200
    again = first.get("/", params={"recall": stored.json()["recall"]}, headers=page)
    assert "The staging deploy runs every Friday." in again.text


def test_what_is_one_process_by_nature_is_not_served_by_several(process):
    for how in (("--demo",), ("--resident", "1h"), ("--db", ":memory:")):
        refused = process("serve", "--processes", "2", *how)
        assert (refused.returncode, refused.stdout, b"--processes: got 2" in refused.stderr) == (2, b"", True)


def test_several_fail_at_a_port_that_is_taken_and_at_a_bad_certificate_as_one_does(running, process):
    _, url = running()
    taken = process("serve", "--processes", "2", "--port", url.rstrip("/").rpartition(":")[2])
    assert (taken.returncode, taken.stdout, b"cannot be listened at" in taken.stderr) == (4, b"", True)
    refused = process("serve", "--processes", "2", "--port", "0", "--tls-cert", __file__, "--tls-key", __file__)
    assert (refused.returncode, refused.stdout, b"a certificate in PEM" in refused.stderr) == (2, b"", True)


@pytest.fixture
def logged(tmp_path):
    """Give what reads the lines that forked processes have logged, too."""
    handler, log = logging.FileHandler(tmp_path / "lines"), logging.getLogger("cued.http")
    log.addHandler(handler)
    yield lambda: [json.loads(line) for line in (tmp_path / "lines").read_text().splitlines()]
    log.removeHandler(handler)
    handler.close()


def test_processes_that_fail_at_their_start_again_and_again_end_the_server_and_say_why(logged):
    def fail(_number, _ready):
        raise StoreError("the disk has gone")

    with pytest.raises(StoreError, match=r"none of the server's processes can be started \(exit code 1\)"):
        Processes(2, fail, listening=[], end_s=PATIENCE_S).run()
    assert [line["again_in_s"] for line in logged() if "ended" in line][:4] == [0.5, 0.5, 1, 1]
    assert {line["message"] for line in logged() if "failed" in line} == {"the disk has gone"}


def test_one_that_cannot_be_started_ends_nobody_while_another_works(tmp_path):
    starts = tmp_path / "starts"

    def work(number, ready):
        if number == 0:
            with starts.open("a") as file:
                file.write(".")
            raise StoreError("no memory")
        ready()
        until(lambda: starts.exists() and len(starts.read_text()) > 3)
        os.kill(os.getppid(), signal.SIGTERM)
        signal.pause()

    assert Processes(2, work, listening=[], end_s=PATIENCE_S).run() == signal.SIGTERM


def test_one_that_does_not_end_when_it_is_told_to_is_ended_by_force(tmp_path):
    def stay(_number, ready):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        (tmp_path / "pid").write_text(f"{os.getpid()}")
        ready()
        os.kill(os.getppid(), signal.SIGTERM)
        while True:
            signal.pause()

    assert Processes(1, stay, listening=[], end_s=0.2).run() == signal.SIGTERM
    assert not lives(int((tmp_path / "pid").read_text()))
