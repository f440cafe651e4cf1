"""Makes the pictures of the inspector that the pages show, from the demonstration's store: `make screenshots`.

Needs a Chromium (Debian's, or whatever CUED_CHROMIUM names) and the Python package playwright.
"""

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn

from cued.surfaces.access_tokens import Tokens
from cued.surfaces.http.app import make_app
from cued.surfaces.http.guard import Rules
from cued.surfaces.http.serving import ListenAddress, listen
from cued.surfaces.inspector.demonstration import TENANT, demonstration

TODAY = datetime(2026, 2, 14, 12, tzinfo=UTC)
IMAGES = Path(__file__).parents[2] / "docs" / "images"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE, HIGH = 1440, 900


class Picture(NamedTuple):
    """A picture: its file, the address, and how it is looked at; `opens` is clicked first."""

    name: str
    address: str
    theme: str = "light"
    opens: str = ""


CUE = "?text=Can+I+offer+Ines+coffee%3F"
PICTURES = (
    Picture("inspector-recall", f"/{CUE}", opens="tr[data-open] button.rank"),
    Picture("inspector-recall-dark", f"/{CUE}&against=generative-agents", theme="dark"),
    Picture("inspector-memories", "/inspect/memories"),
    Picture("inspector-beliefs", "/inspect/beliefs"),
    Picture("inspector-timeline", "/inspect/timeline"),
    Picture("inspector-memory", "/inspect/memory?id=kiosk-idea"),
    Picture("inspector-map", f"/inspect/map{CUE}&by=kind"),
    Picture("inspector-health", "/inspect/health"),
)


def chromium() -> str | None:
    """Where a Chromium is, None where there is none."""
    named = os.environ.get("CUED_CHROMIUM")
    return named or next((found for each in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(each))), None)


@contextmanager
def served() -> Iterator[str]:
    """The address of a server over the demonstration's store, with a token for it."""
    with demonstration(today=TODAY) as memories:
        written, _ = Tokens(memories.parts.store, clock=memories.clock).create(TENANT, scope="admin")
        listening = listen(ListenAddress(port=0))
        app = make_app(memories, rules=Rules(rate=10_000, burst=10_000))
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, ws="none", lifespan="on"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/?token={written}"
        finally:
            server.should_exit = True
            thread.join()
            listening.close()


def taken(browser: Any, link: str, picture: Picture, folder: Path, *, whole: bool = False) -> Path:  # noqa: ANN401 - playwright's browser
    """The file of one picture; the whole page, however long, where that is asked for."""
    context = browser.new_context(viewport={"width": WIDE, "height": HIGH}, color_scheme=picture.theme, device_scale_factor=1)
    page = context.new_page()
    page.goto(link)
    page.goto(link.partition("/?")[0] + picture.address)
    page.wait_for_selector("html[data-ready]")
    if picture.opens:
        page.click(picture.opens)
        page.wait_for_selector(".detail-body")
    target = folder / f"{picture.name}.png"
    page.screenshot(path=target, full_page=whole)
    context.close()
    return target


def main() -> int:
    """Make every picture; 1 where there is nothing to make them with."""
    found = chromium()
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - a tool of development
    except ImportError:
        found = None
    if found is None:
        print("screenshots need a Chromium (or CUED_CHROMIUM=/path/to/one) and the Python package playwright", file=sys.stderr)
        return 1
    IMAGES.mkdir(exist_ok=True)
    with served() as link, sync_playwright() as playing:
        browser = playing.chromium.launch(executable_path=found, args=FLAGS)
        made = [taken(browser, link, picture, IMAGES) for picture in PICTURES]
        browser.close()
    for path in made:
        print(f"{path.relative_to(IMAGES.parents[1])}: {path.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
