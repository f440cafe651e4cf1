"""The server as a process: how it starts, what it refuses to expose, and what is kept when it ends, gently or not."""

import asyncio
import itertools
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress

import httpx
import pytest
from starlette.responses import Response
from starlette.routing import Route, Router

import cued
from cued.handles.memories import open_memories
from cued.surfaces.access_tokens import Tokens
from cued.surfaces.http.idle_connections import Connection
from cued.surfaces.http.serving import ListenAddress
from tests.surfaces.http.conftest import serving

# Files of at most 600 kB, as on a disk that is nearly full, and 200 files at a time, as on a machine that is stingy.
SMALL_DISK = (
    "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000)); "
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
FEW_FILES = SMALL_DISK.replace("RLIMIT_FSIZE", "RLIMIT_NOFILE").replace("600_000", "200")
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")


def test_a_first_start_makes_a_token_and_prints_a_link_with_it_and_a_second_does_not(running, tmp_path):
    server, url = running("--tenant", "mira")
    link = re.search(r"http\S+\?token=(\S+)", server.stdout.readline().decode())
    front = httpx.get(link[0], timeout=30)
    assert (front.status_code, front.json()["openapi"]) == (200, "/v1/openapi.json")
    headers = {"Authorization": f"Bearer {link[1]}"}
    assert httpx.get(f"{url}v1/tenants", headers=headers, timeout=30).json() == {"tenants": []}
    assert httpx.get(f"{url}v1/stats?token={link[1]}", timeout=30).status_code == 401
    server.terminate()
    out, err = server.communicate(timeout=60)
    assert (server.returncode, out) == (0, b"")
    assert link[1].encode() not in err
    again, _ = running()
    again.terminate()
    assert again.communicate(timeout=60)[0] == b""
    assert link[1].encode() not in (tmp_path / "memories.db").read_bytes()


def test_off_loopback_it_does_not_start_without_a_token_and_warns_without_tls(process, running):
    refused = process("serve", "--host", "0.0.0.0", "--port", "0")
    assert (refused.returncode, b"until there is a token" in refused.stderr) == (2, True)
    written = process("token", "create", "--scope", "read").stdout.decode().strip()
    server, url = running("--host", "0.0.0.0")
    assert b"plain HTTP" in server.stdout.readline()
    port = url.rstrip("/").rpartition(":")[2]
    assert httpx.get(f"http://127.0.0.1:{port}/v1/stats", headers={"Authorization": f"Bearer {written}"}, timeout=30).status_code == 200
    assert process("serve", "--tls-cert", __file__, "--port", "0").returncode == 2


def test_a_port_that_is_taken_is_an_error_that_says_so(running, process):
    _, url = running()
    taken = process("serve", "--port", url.rstrip("/").rpartition(":")[2])
    assert (taken.returncode, b"cannot be listened at" in taken.stderr) == (4, True)


@pytest.mark.parametrize(("host", "local"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False)])
def test_only_loopback_is_local(host, local):
    assert ListenAddress(host=host).local is local


def hammer(url, written, acknowledged, *, keys=False):
    """Store memories until the server is gone, and note each that was acknowledged."""
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {written}"}, timeout=30) as client:
        for number in itertools.count():
            headers = {"Idempotency-Key": f"{threading.get_ident()}-{number}"} if keys else {}
            try:
                answer = client.post("/v1/memories", json={"text": f"Number {number}.", "conflicts": False}, headers=headers)
            except httpx.HTTPError:
                return
            if answer.status_code == 201:
                acknowledged.append(answer.json()["id"])


@posix
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "term"])
def test_every_write_that_was_acknowledged_is_there_after_the_end(running, process, tmp_path, ending):
    written = process("token", "create", "--tenant", "mira", "--scope", "write").stdout.decode().strip()
    server, url = running("--rate", "100000")
    acknowledged = []
    writers = [threading.Thread(target=hammer, args=(url, written, acknowledged), kwargs={"keys": n % 2}) for n in range(4)]
    for writer in writers:
        writer.start()
    while len(acknowledged) < 100:
        assert server.poll() is None
        threading.Event().wait(0.01)
    server.send_signal(ending)
    for writer in writers:
        writer.join()
    server.communicate(timeout=60)
    assert server.returncode == (0 if ending == signal.SIGTERM else -ending)
    with open_memories(tmp_path / "memories.db", embedder=None) as memories:
        tenant = memories.tenant("mira")
        assert len(acknowledged) == len(set(acknowledged)) >= 100
        assert {memory.id for memory in memories.parts.store.get("mira", acknowledged)} == set(acknowledged)
        assert tenant.stats().memories <= len(acknowledged) + len(writers)


@posix
@pytest.mark.usefixtures("at_a_terminal")
@pytest.mark.parametrize("ending", ["SIGTERM", "SIGHUP"])
def test_what_recalls_left_is_written_when_it_ends(running, process, tmp_path, ending):
    written = process("token", "create", "--tenant", "mira", "--scope", "write").stdout.decode().strip()
    server, url = running()
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {written}"}, timeout=30) as client:
        client.post("/v1/memories", json={"text": "The staging deploy runs every Friday."})
        recalled = [client.post("/v1/recall", json={"text": "When is the staging deploy?"}).json()["recall_id"] for _ in range(5)]
    server.send_signal(signal.Signals[ending])
    server.communicate(timeout=60)
    with open_memories(tmp_path / "memories.db", embedder=None) as memories:
        assert {entry.recall_id for entry in memories.tenant("mira").log()} == set(recalled)
    assert server.returncode == 0


@posix
def test_what_is_to_outlive_its_terminal_does(running, at_a_terminal):
    at_a_terminal()  # as nohup does
    server, url = running()
    server.send_signal(signal.SIGHUP)
    assert httpx.get(f"{url}healthz", timeout=30).status_code == 200
    assert server.poll() is None


def test_another_process_revokes_a_token_of_a_running_server(running, process, tmp_path):
    written = process("token", "create", "--tenant", "mira", "--scope", "read").stdout.decode().strip()
    _, url = running()
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {written}"}, timeout=30) as client:
        assert client.get("/v1/stats").status_code == 200
        assert process("token", "revoke", written.split("_")[1]).returncode == 0
        assert client.get("/v1/stats").status_code == 401
    with open_memories(tmp_path / "memories.db", embedder=None) as memories:
        assert not Tokens(memories.parts.store).any_live()


@posix
def test_a_full_disk_refuses_writes_with_507_and_reads_go_on(running, process):
    written = process("token", "create", "--tenant", "mira", "--scope", "write").stdout.decode().strip()
    _, url = running("--rate", "100000", by=("-c", SMALL_DISK))
    stored = 0
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {written}"}, timeout=30) as client:
        for number in range(500):
            answer = client.post("/v1/memories", json={"text": f"{number}: " + "Peanuts and tea. " * 200, "conflicts": False})
            if answer.status_code != 201:
                break
            stored += 1
        assert (answer.status_code, answer.json()["type"]) == (507, "urn:cued:error:FullError")
        assert stored > 0
        assert client.get("/v1/stats").json()["memories"] == stored
        assert client.post("/v1/recall", json={"text": "peanuts", "floor": 0}).json()["outcome"] == "recalled"


def test_a_made_up_year_is_served_out_of_the_process_alone(running, tmp_path):
    server, url = running("--demo")
    link = re.search(r"http\S+\?token=(\S+)", server.stdout.readline().decode())
    with httpx.Client(headers={"Accept": "text/html"}, follow_redirects=True, timeout=30) as browser:
        assert "Recalls of late" in browser.get(link[0]).text
        assert "Ines is allergic to hazelnuts" in browser.get(f"{url}?text=Is+Ines+allergic").text
    assert not (tmp_path / "memories.db").exists()


@posix
def test_with_a_certificate_it_serves_https_and_the_client_checks_it(process, certified):
    certificate, key = certified
    written = process("token", "create", "--tenant", "mira", "--scope", "write").stdout.decode().strip()
    refused = process("serve", "--port", "0", "--tls-cert", str(certificate))
    assert (refused.returncode, b"together with its --tls-key" in refused.stderr) == (2, True)
    for wrong in (("--tls-cert", __file__, "--tls-key", __file__), ("--tls-cert", str(certificate), "--tls-key", str(certificate))):
        refused = process("serve", "--port", "0", *wrong)
        assert (refused.returncode, refused.stdout, b"a certificate in PEM" in refused.stderr) == (2, b"", True)
    secured = ("--tls-cert", str(certificate), "--tls-key", str(key))
    server = process("serve", "--port", "0", *secured, runner=subprocess.Popen, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        url = re.search(r"https://\S+?:\d+", server.stdout.readline().decode())[0]
        with cued.connect(url, token=written, tls=ssl.create_default_context(cafile=certificate)) as client:
            assert client.tenant("mira").remember("Over TLS.").ids
        with cued.connect(url, token=written, tries=1) as stranger, pytest.raises(cued.ServerError, match="cannot be reached"):
            stranger.tenant("mira").stats()
    finally:
        server.kill()
        server.communicate()


@posix
def test_connections_that_ask_for_nothing_keep_nobody_out_and_fill_no_log(running):
    server, url = running(by=("-c", FEW_FILES))
    place = ("127.0.0.1", int(url.rpartition(":")[2].strip("/")))
    with ExitStack() as stack:
        idle = [stack.enter_context(socket.create_connection(place)) for _ in range(300)]
        for each in idle[::2]:
            with suppress(OSError):  # it has made way already
                each.sendall(b"GET /v1/stats HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        assert httpx.get(f"{url}healthz", timeout=10).status_code == 200
    server.terminate()
    assert len(server.communicate(timeout=60)[1].splitlines()) == 1


@posix
def test_connections_that_never_agree_on_tls_leave_files_for_those_that_did_and_fill_no_log(running, certified):
    certificate, key = certified
    server, url = running("--tls-cert", str(certificate), "--tls-key", str(key), by=("-c", FEW_FILES))
    place = ("127.0.0.1", int(url.rpartition(":")[2].strip("/")))
    with ExitStack() as stack:
        known = stack.enter_context(httpx.Client(base_url=url, verify=ssl.create_default_context(cafile=certificate), timeout=10))
        assert known.get("healthz").status_code == 200
        idle = [stack.enter_context(socket.create_connection(place, timeout=10)) for _ in range(300)]
        assert idle[-1].recv(1) == b""
        assert known.get("healthz").status_code == 200
    server.terminate()
    assert len(server.communicate(timeout=60)[1].splitlines()) == 2


def test_the_log_has_a_line_a_request_whatever_a_client_offers(running):
    server, url = running()
    offers = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABkAAQAAP__"}
    assert httpx.get(f"{url}healthz", headers=offers, timeout=30).status_code == 200
    server.terminate()
    assert len(server.communicate(timeout=60)[1].splitlines()) == 1


@pytest.mark.parametrize("rest", [b"ZZ\r\n", b"0\r\n" + b"A: b\r\n" * 30_000], ids=["no chunk", "endless trailers"])
def test_a_body_that_breaks_off_after_its_answer_fills_no_log(running, rest):
    server, url = running()
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2].strip("/"))), timeout=30) as asking:
        asking.sendall(b"POST /v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        answered = asking.recv(65536)
        assert answered.startswith(b"HTTP/1.1 401")
        with suppress(OSError):  # it may be cut off while it sends
            asking.sendall(rest)
            while asking.recv(65536):
                pass
    server.terminate()
    assert len(server.communicate(timeout=60)[1].splitlines()) == 1


def test_a_connection_is_closed_when_its_request_does_not_come_and_not_while_it_is_answered():
    class Hasty(Connection):
        head_s = 0.2

    async def slow(request):
        await asyncio.sleep(3 * Hasty.head_s)
        return Response(status_code=204)

    with serving(Router([Route("/", slow)]), http=Hasty) as url, ExitStack() as stack:
        place = ("127.0.0.1", int(url.rpartition(":")[2]))
        silent, halting, asking, again = (stack.enter_context(socket.create_connection(place, timeout=10)) for _ in range(4))
        halting.sendall(b"GET / HTTP/1.1\r\nHost:")
        for each in (asking, again):
            each.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (silent.recv(100), halting.recv(100)) == (b"", b"")
        assert asking.recv(100).startswith(b"HTTP/1.1 204")
        assert again.recv(100).startswith(b"HTTP/1.1 204")
        again.sendall(b"GET / HTTP")
        assert again.recv(100) == b""


def test_requests_that_come_faster_than_they_are_answered_are_not_taken_in_ahead():
    held = []

    class Measured(Connection):
        def data_received(self, data):
            super().data_received(data)
            held.append(len(self.conn.trailing_data[0]))

    async def read(request):
        await request.body()
        await asyncio.to_thread(int)  # as whatever works in a thread: meanwhile more could be taken in
        return Response(status_code=204)

    one = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8000\r\n\r\n" + bytes(8000)
    with (
        serving(Router([Route("/", read, methods=["POST"])]), http=Measured) as url,
        socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=30) as asking,
    ):
        sending = threading.Thread(target=asking.sendall, args=(one * 1000,))
        sending.start()
        answered = b""
        while answered.count(b"HTTP/1.1 204") < 1000:
            answered += asking.recv(65536)
        sending.join()
    assert max(held) < 1_000_000


def hasty_and_lost():
    """Connections that wait a moment for whoever reads, and what is set when one is lost."""
    lost = threading.Event()

    class Hasty(Connection):
        head_s = unread_s = 0.1

        def connection_lost(self, exc):
            super().connection_lost(exc)
            lost.set()

    return Hasty, lost


@pytest.mark.parametrize("size", [100, 20_000_000])
def test_a_connection_whose_answers_nobody_reads_is_dropped(size):
    hasty, lost = hasty_and_lost()

    async def large(request):
        return Response(bytes(size))

    with serving(Router([Route("/", large)]), http=hasty) as url, socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(("127.0.0.1", int(url.rpartition(":")[2])))
        asking = threading.Thread(target=_asked_for_ever, args=(deaf,), daemon=True)
        asking.start()
        assert lost.wait(20)
        asking.join()


@pytest.mark.skipif(not hasattr(socket, "TCP_NOTSENT_LOWAT"), reason="this system takes in as much as it likes")
def test_of_an_answer_that_is_not_read_the_system_takes_in_little_so_that_slow_reading_is_seen():
    hasty, lost = hasty_and_lost()

    async def large(request):
        return Response(bytes(20_000_000))

    with serving(Router([Route("/", large)]), http=hasty) as url, socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        deaf.connect(("127.0.0.1", int(url.rpartition(":")[2])))
        deaf.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert lost.wait(20)
        taken = sum(map(len, iter(lambda: deaf.recv(65536), b"")))
    assert taken < 1_000_000


def _asked_for_ever(deaf):
    """Ask on and on, until nobody is there."""
    with suppress(OSError):
        while True:
            deaf.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
