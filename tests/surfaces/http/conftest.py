"""A server to ask: a real one on loopback, over a file of its own, with tokens of every scope."""

import re
import shutil
import signal
import subprocess
import threading
from contextlib import contextmanager
from types import MappingProxyType

import pytest

pytest.importorskip("starlette", reason="the extra `server` is not installed")
pytest.importorskip("uvicorn", reason="the extra `server` is not installed")
httpx = pytest.importorskip("httpx", reason="httpx is not installed")

import uvicorn  # noqa: E402 - after what says whether it is there

from cued.handles.memories import open_memories  # noqa: E402
from cued.model import LogRules  # noqa: E402
from cued.surfaces.access_tokens import Tokens  # noqa: E402
from cued.surfaces.http.app import make_app  # noqa: E402
from cued.surfaces.http.guard import Rules  # noqa: E402
from cued.surfaces.http.idle_connections import Connection  # noqa: E402
from cued.surfaces.http.serving import ListenAddress, listen  # noqa: E402

FAST = Rules(rate=100_000, burst=100_000)


class Served:
    """A running server: its address, its store, and clients with tokens."""

    def __init__(self, url, memories):
        self.url, self.memories = url, memories
        self.tokens = Tokens(memories.parts.store)
        self._clients = []

    def client(self, scope="write", tenant="mira", **headers):
        written, _ = self.tokens.create(tenant, scope=scope)
        return self.bare(Authorization=f"Bearer {written}", **headers)

    def bare(self, **headers):
        client = httpx.Client(base_url=self.url, headers=headers, timeout=30)
        self._clients.append(client)
        return client

    def close(self):
        for client in self._clients:
            client.close()


@contextmanager
def serving(app, http=Connection):
    """Run an app on a free port of this machine."""
    listening = listen(ListenAddress(port=0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, http=http, ws="none", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture
def serve(tmp_path):
    """Give what runs a server over a file, until its block ends."""

    @contextmanager
    def served(*, rules=FAST, opened=MappingProxyType({}), **how):
        with (
            open_memories(tmp_path / "memories.db", **{"embedder": "hashing", "log": LogRules(content="last"), **opened}) as memories,
            serving(make_app(memories, rules=rules, **how)) as url,
        ):
            running = Served(url, memories)
            try:
                yield running
            finally:
                running.close()

    return served


@pytest.fixture
def running(process):
    """Give what starts a server and says where it is; what else it says is left to be read."""
    started = []

    def start(*args, **how):
        heard = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
        server = process("serve", "--port", "0", *args, runner=subprocess.Popen, **heard)
        started.append(server)
        said = server.stdout.readline().decode()
        return server, re.search(r"https?://\S+?:\d+/", said)[0]

    yield start
    for server in started:
        server.kill()
        server.communicate()


@pytest.fixture
def at_a_terminal():
    """Start servers as a terminal does, whatever outlives its own here; what this gives starts them as nohup does."""
    before = signal.getsignal(signal.SIGHUP)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def certified(tmp_path):
    """A certificate for this machine, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed: no certificate can be made")
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    kind = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([openssl, *kind.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


@pytest.fixture
def server(serve):
    with serve() as running:
        yield running


@pytest.fixture
def mira(server):
    """A client that may read and write what is Mira's."""
    return server.client()
