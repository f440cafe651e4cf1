"""A server that runs on a store answers the commands of its own user: the same answers and rights, and no model to load."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import msgspec
import pytest

from cued.errors import BusyError, InputError, NotFoundError, ServerError
from cued.folders import Address
from cued.handles.memories import open_memories
from cued.surfaces import resident
from cued.surfaces.resident import Asker, Offer, offer_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sockets of one machine are POSIX")
CUE = "When is the staging deploy?"
# Runs a command as the shell does, and tells on stderr what it loaded of what is heavy.
TELLING = """
import sys
from cued.surfaces.cli import main
try:
    main()
finally:
    heavy = ("numpy", "apsw", "rich", "onnxruntime", "starlette", "http.client", "asyncio", "cued.handles", "cued.engine")
    sys.stderr.write("loaded: " + " ".join(name for name in heavy if name in sys.modules))
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A store with memories, and a cache folder whose sockets have short names."""
    with tempfile.TemporaryDirectory(prefix="cued") as cache:
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        monkeypatch.setenv("HOME", cache)
        with open_memories(tmp_path / "memories.db", embedder="hashing", settle="off") as memories:
            memories.tenant("me").remember("The staging deploy runs every Friday at 16:00.", id="deploy")
            memories.tenant("me").remember("Bob bakes a lemon cake.", id="cake")
        yield tmp_path / "memories.db"


@pytest.fixture
def serving(process, place):
    """Give what starts a server on the store."""
    started = []

    def start(*args):
        server = process("serve", "--port", "0", *args, runner=subprocess.Popen, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        started.append(server)
        assert re.search(rb"Serving at", server.stdout.readline())
        while not offer_of(place).exists() and server.poll() is None:
            pass
        return server

    yield start
    for server in started:
        server.kill()
        server.communicate()


def told(done):
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    return {name: value for name, value in answer.items() if name not in {"recall_id", "timings_ms"}}


def asked_of(server):
    """The verbs that a server was asked for, as its log has them; it is ended."""
    server.terminate()
    lines = server.communicate(timeout=60)[1].decode().splitlines()
    return [json.loads(line)["route"] for line in lines if '"route"' in line]


def test_a_recall_asks_the_server_and_says_what_the_store_itself_says(serving, process, place):
    server = serving()
    through, direct = (process("recall", CUE, "--json", "--no-settle", *how) for how in ((), ("--direct",)))
    assert told(through) == told(direct)
    assert process("bootstrap", "--json").stdout == process("bootstrap", "--json", "--direct").stdout
    refused = [process("recall", "  ", *how) for how in ((), ("--direct",))]
    assert [(each.returncode, each.stderr) for each in refused] == [(2, refused[0].stderr)] * 2
    assert asked_of(server) == ["recall", "bootstrap", "recall"]


def test_asking_loads_neither_the_engine_nor_a_database_nor_what_draws(serving, process):
    serving()
    for args, stdin in ((["recall", CUE, "--block"], None), (["hook", "user-prompt"], b'{"session_id": "s", "prompt": "staging deploy?"}')):
        done = process(*args, runner=_telling, input=stdin)
        assert b"staging deploy runs" in done.stdout
        assert done.stderr == b"loaded: "


def _telling(command, **how):
    """The command in a process that also tells what it loaded."""
    words = command[command.index("cued.surfaces.cli") + 1 :]
    return subprocess.run([sys.executable, "-c", TELLING, *words], check=True, capture_output=True, **how)


def test_a_hook_asks_it_too_and_a_memory_is_stored_by_it_once(serving, process, place, tmp_path):
    server = serving()
    said = process("hook", "session-start", input=b'{"session_id": "s"}')
    assert b"staging deploy" in said.stdout
    turns = [{"type": "user", "message": {"role": "user", "content": f"It moved to day {day}."}} for day in range(8)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    heard = json.dumps({"session_id": "s", "transcript_path": str(tmp_path / "t.jsonl")}).encode()
    for _ in range(2):
        assert process("hook", "stop", input=heard).returncode == 0
    stored = process("remember", "Stored by the server.", "--json")
    assert json.loads(stored.stdout)["ids"]
    assert asked_of(server) == ["bootstrap", "list", "remember_turns", "list", "list", "remember"]
    with open_memories(place, embedder=None) as memories:
        assert memories.tenant("me").stats().memories == 2 + len(turns) + 1


def test_an_offer_is_its_users_alone_names_no_kept_token_and_goes_with_the_server(serving, process, place):
    server = serving()
    path = offer_of(place)
    offer = msgspec.json.decode(path.read_bytes(), type=Offer)
    for each in (path, Path(offer.socket)):
        assert stat.S_IMODE(each.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert offer.token not in process("token", "list", "--json").stdout.decode()
    server.terminate()
    server.wait(60)
    assert list(path.parent.iterdir()) == []


def test_what_a_crash_leaves_is_cleared_away_and_the_store_answers(serving, process, place):
    server = serving()
    server.kill()
    server.wait()
    assert offer_of(place).exists()
    assert "staging deploy" in told(process("recall", CUE, "--json"))["block"]
    assert list(offer_of(place).parent.iterdir()) == []


def test_an_offer_that_is_damaged_is_none(place):
    path = offer_of(place)
    path.parent.mkdir(parents=True, mode=0o700)
    path.touch(mode=0o600)
    path.write_bytes(b'{"socket": "\xff"}')
    assert resident.ask(asker(place), "recall", {}) is None


class Answering:
    """A socket that answers whoever asks with these bytes."""

    def __init__(self, path, answer):
        self.heard = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(path)
        self._listening.listen()
        self._answer = answer
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        while True:
            try:
                caller, _ = self._listening.accept()
            except OSError:
                return
            with caller:
                self.heard.append(caller.recv(65536))
                caller.sendall(self._answer)

    def close(self):
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


def http(status, body):
    said = json.dumps(body).encode()
    return b"HTTP/1.1 %d X\r\ncontent-length: %d\r\n\r\n%b" % (status, len(said), said)


@pytest.fixture
def offering(place):
    """Give what leaves an offer whose server answers like this."""
    made = []

    def leave(answer, *, mode=0o600, **changed):
        path = offer_of(place)
        path.parent.mkdir(parents=True, exist_ok=True)
        server = Answering(str(path.with_suffix(f".{len(made)}")), answer)
        made.append(server)
        usual = {"embedder": "auto", "policy": None, "presets": ("cued", "rrf")}
        routes = {"recall": ("POST", "/v1/recall"), "list": ("GET", "/v1/memories"), "remember": ("POST", "/v1/memories")}
        usual |= {"routes": routes, "writing": ("remember",)}
        offer = Offer(socket=str(path.with_suffix(f".{len(made) - 1}")), token="t", **{**usual, **changed})
        path.write_bytes(msgspec.json.encode(offer))
        path.chmod(mode)
        return server

    yield leave
    for server in made:
        server.close()


def asker(place, **changed):
    return Asker(**{"db": place, "tenant": "me & you", "embedder": "auto", "policy": None, **changed})


def test_an_offer_that_would_answer_otherwise_or_is_anothers_is_not_taken(offering, place):
    answer = http(200, {"fine": True})
    for changed in ({"version": "0.0.1"}, {"mode": 0o644}, {"embedder": "hashing"}):
        offering(answer, **changed)
        assert resident.ask(asker(place), "recall", {}) is None
    server = offering(answer)
    assert resident.ask(asker(place, policy="mine.toml"), "recall", {}) is None
    assert resident.ask(asker(place, policy="rrf"), "list", {}) is None
    assert resident.ask(asker(place), "forget", {}) is None
    assert server.heard == []
    assert resident.ask(asker(place, policy="rrf"), "recall", {"text": "x"}) == {"fine": True}
    assert b"Cued-Tenant: me%20%26%20you\r\n" in server.heard[0]
    assert server.heard[0].endswith(b'{"text":"x","policy":"rrf"}')
    other = offering(answer, policy="rrf")
    assert resident.ask(asker(place), "recall", {"text": "x"}) == {"fine": True}
    assert other.heard[0].endswith(b'{"text":"x","policy":"cued"}')
    assert resident.ask(asker(place, policy="rrf"), "list", {"hidden": True, "limit": 1}) == {"fine": True}
    assert other.heard[1].startswith(b"GET /v1/memories?hidden=true&limit=1 HTTP/1.1\r\n")


def test_a_refusal_is_the_stores_own_error_and_a_server_in_trouble_is_passed_by(offering, place):
    problem = {"type": "urn:cued:error:InputError", "detail": "limit: got 0", "field": "limit", "accepted": "1 or more"}
    offering(http(422, problem))
    with pytest.raises(InputError) as refused:
        resident.ask(asker(place), "recall", {})
    assert (refused.value.field, str(refused.value), hasattr(refused.value, "__notes__")) == ("limit", "limit: got 0", False)
    offering(http(404, {"type": "urn:cued:error:NotFoundError", "detail": "no memory", "memory_id": "x"}))
    with pytest.raises(NotFoundError):
        resident.ask(asker(place), "recall", {})
    for status in (401, 404, 429, 503):
        offering(http(status, {"type": "urn:cued:error:BusyError", "detail": "later"}))
        assert resident.ask(asker(place), "recall", {}) is None
    for status in (401, 404, 429):
        offering(http(status, {"type": "urn:cued:error:BusyError", "detail": "later"}))
        assert resident.ask(asker(place), "remember", {}) is None
    offering(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{")
    with pytest.raises(ServerError, match="--direct"):
        resident.ask(asker(place), "recall", {})


def test_a_write_that_a_busy_server_may_yet_do_is_not_done_here_as_well(offering, place):
    offering(http(503, {"type": "urn:cued:error:BusyError", "detail": "a write that had begun may still be done"}))
    with pytest.raises(BusyError, match="may still be done"):
        resident.ask(asker(place), "remember", {"text": "x"})


def test_where_no_socket_can_be_made_a_server_serves_all_the_same(place, caplog, monkeypatch):
    from cued.surfaces.http.offering import Started, offered  # noqa: PLC0415 - its packages are an extra

    monkeypatch.setenv("XDG_CACHE_HOME", "/tmp/" + "x" * 120)
    with offered(Started(db=place, embedder="auto", policy=None), token="t") as too_long:
        assert too_long == []
    assert "no_offer" in caplog.text


def test_a_server_with_tls_answers_commands_too_and_ends_gently(serving, process, certified):
    certificate, key = certified
    server = serving("--tls-cert", str(certificate), "--tls-key", str(key))
    assert "staging deploy" in told(process("recall", CUE, "--json"))["block"]
    assert asked_of(server) == ["recall"]
    assert server.returncode == 0


def test_a_server_of_made_up_memories_does_not_answer_for_the_real_ones(process, place):
    server = process("serve", "--demo", "--port", "0", runner=subprocess.Popen, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert b"Serving at" in server.stdout.readline()
        assert b"token=" in server.stdout.readline()
        assert not offer_of(place).exists()
    finally:
        server.kill()
        server.communicate()


def test_a_server_on_postgresql_is_asked_by_its_address_whose_password_nobody_is_shown(process, place):
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    from tests.stores.postgres import server as database  # noqa: PLC0415 - it starts one

    url = database().url.replace("@/", ":secret@/")
    there = {"CUED_DB": url}
    process("remember", "The staging deploy runs every Friday at 16:00.", env=there)
    server = process("serve", "--port", "0", env=there, runner=subprocess.Popen, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert b"Serving at" in server.stdout.readline()
        while not offer_of(Address(url)).exists() and server.poll() is None:
            pass
        assert "secret" not in offer_of(Address(url)).read_text()
        assert "staging deploy" in told(process("recall", CUE, "--json", env=there))["block"]
        assert asked_of(server) == ["recall"]
    finally:
        server.kill()
        server.communicate()
        database().empty()


def test_a_resident_server_listens_at_no_port_keeps_no_token_and_makes_way_for_no_second(process, place):
    server = process("serve", "--resident", "1h", runner=subprocess.Popen, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not offer_of(place).exists() and server.poll() is None:
        pass
    assert process("serve", "--resident", "1h").returncode == 0
    assert "staging deploy" in told(process("recall", CUE, "--json"))["block"]
    assert asked_of(server) == ["recall"]
    assert (server.returncode, offer_of(place).exists()) == (0, False)
    assert json.loads(process("token", "list", "--json").stdout)["tokens"] == []


def test_a_resident_server_ends_when_nobody_asks(process, place):
    done = process("serve", "--resident", "1s")
    assert (done.returncode, done.stdout, done.stderr, offer_of(place).exists()) == (0, b"", b"", False)
    assert process("serve", "--resident", "1s", "--demo").returncode == 2


def test_a_hook_starts_a_server_for_the_next_one_where_it_is_told_to(process, place):
    def heard(session):
        return json.dumps({"session_id": session, "prompt": CUE}).encode()

    assert b"staging deploy runs" in process("hook", "user-prompt", "--start-server", input=heard("first")).stdout
    while not resident.answers(place):
        threading.Event().wait(0.05)
    offer = msgspec.json.decode(offer_of(place).read_bytes(), type=Offer)
    try:
        done = process("hook", "user-prompt", runner=_telling, input=heard("second"))
        assert (b"staging deploy runs" in done.stdout, done.stderr) == (True, b"loaded: ")
    finally:
        os.kill(int(offer.socket.rpartition("-")[2].removesuffix(".sock")), signal.SIGTERM)
    while offer_of(place).exists():
        threading.Event().wait(0.05)
