"""The demonstration's store on a real server, and a real browser to look at it with; where there is none, the tests say so and skip."""

import os
import shutil
import subprocess
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from zlib import crc32

import pytest

pytest.importorskip("starlette", reason="the extra `server` is not installed")
pytest.importorskip("jinja2", reason="the extra `server` is not installed")
httpx = pytest.importorskip("httpx", reason="httpx is not installed")

import uvicorn  # noqa: E402 - after what says whether it is there

from cued.surfaces.access_tokens import Tokens  # noqa: E402
from cued.surfaces.http.app import make_app  # noqa: E402
from cued.surfaces.http.guard import Rules  # noqa: E402
from cued.surfaces.http.serving import ListenAddress, listen  # noqa: E402
from cued.surfaces.inspector.demonstration import TENANT, demonstration  # noqa: E402
from tests.surfaces.inspector.watching import Watched  # noqa: E402
from tools.browser.screenshots import FLAGS, chromium  # noqa: E402

TODAY = datetime(2026, 2, 14, 12, tzinfo=UTC)
AXE = "axe-core@4.14.1"
LOOKS = ((1440, "light"), (390, "dark"), (1440, "dark"), (390, "light"))


class Site:
    """A running server over the demonstration's store."""

    def __init__(self, url, memories):
        self.url, self.memories = url, memories
        self.tokens = Tokens(memories.parts.store, clock=memories.clock)

    def link(self, scope="admin", tenant=TENANT):
        """Where a browser signs in."""
        return f"{self.url}/?token={self.tokens.create(tenant, scope=scope)[0]}"


@contextmanager
def served(memories):
    listening = listen(ListenAddress(port=0))
    app = make_app(memories, rules=Rules(rate=100_000, burst=100_000))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, ws="none", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield Site(f"http://127.0.0.1:{listening.getsockname()[1]}", memories)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture(scope="session")
def site():
    """The demonstration, which tests may add to; what they change they put back."""
    with demonstration(today=TODAY, embedder="hashing") as memories, served(memories) as running:
        yield running


@pytest.fixture
def visitor(site):
    """What gives a client that has signed in as a browser does, with the key of its pages."""
    clients = []

    def signed_in(scope="admin", tenant=TENANT):
        client = httpx.Client(base_url=site.url, headers={"Accept": "text/html"}, timeout=30)
        clients.append(client)
        page = client.get(site.link(scope, tenant), follow_redirects=True)
        client.headers["cued-key"] = page.text.partition('name="cued-key" content="')[2].partition('"')[0]
        return client

    yield signed_in
    for client in clients:
        client.close()


@pytest.fixture(scope="module")
def browser():
    """A browser, or the reason why there is none; while it is open its event loop runs in this thread, so no module but its own has it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    found = chromium()
    if found is None:
        pytest.skip("no Chromium: apt install chromium, or name one in CUED_CHROMIUM")
    with playwright.sync_playwright() as playing:
        opened = playing.chromium.launch(executable_path=found, args=list(FLAGS))
        yield opened
        opened.close()


def pytest_generate_tests(metafunc):
    """Each test that looks does so in one of the four looks, chosen by its name, or in all of them with CUED_LOOKS=all."""
    if "look" in metafunc.fixturenames and "theme" not in metafunc.fixturenames:
        place = crc32(metafunc.function.__name__.encode()) % len(LOOKS)
        chosen = LOOKS if os.environ.get("CUED_LOOKS") == "all" else LOOKS[place : place + 1]
        metafunc.parametrize("look", chosen, indirect=True, ids=[f"{width}-{theme}" for width, theme in chosen])


@pytest.fixture
def look(request, browser, site):
    """What opens a watched page, as wide and as dark as it is wanted; afterwards nothing may have gone wrong in it."""
    contexts, pages = [], []
    usual_width, usual_theme = getattr(request, "param", LOOKS[0])

    def looking(*, width=usual_width, height=900, theme=usual_theme, scope="admin", tenant=TENANT):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme, accept_downloads=True)
        contexts.append(context)
        context.request.get(site.link(scope, tenant), headers={"Accept": "text/html"})
        watched = Watched(context, site)
        pages.append(watched)
        return watched

    yield looking
    for context in contexts:
        context.close()
    assert [wrong for watched in pages for wrong in watched.wrong] == []


@pytest.fixture(scope="session")
def axe(request):
    """The source of axe-core, fetched once with npm."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm to fetch axe-core with")
    folder = request.config.cache.mkdir(AXE)
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        done = subprocess.run([npm, "install", "--no-save", "--prefix", folder, AXE], capture_output=True, check=False, timeout=120)
        if done.returncode:
            pytest.skip(f"axe-core could not be fetched: {done.stderr.decode()[-200:]}")
    return script.read_text("utf-8")
