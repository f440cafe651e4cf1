"""A page that is watched, and waiting for what it comes to; the pages forbid `eval`, so the waiting is done from outside."""

import time

PATIENCE_S = 20


def until(page, expression):
    """Wait until an expression is true in the page."""
    end = time.monotonic() + PATIENCE_S
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"never true: {expression}"
        page.wait_for_timeout(25)


class Watched:
    """A page of the browser that remembers what went wrong: errors on the console, requests to another host, answers that failed."""

    def __init__(self, context, site):
        self.site, self.page, self.wrong = site, context.new_page(), []
        self.page.set_default_timeout(20_000)
        self.page.on("console", lambda told: self.wrong.append(told.text) if told.type in {"error", "warning"} else None)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", self._asked)

    def _asked(self, request):
        if not request.url.startswith((self.site.url, "data:", "blob:")):
            self.wrong.append(f"asked {request.url}")

    def go(self, path):
        self.page.goto(self.site.url + path)
        self.page.wait_for_selector("html[data-ready]")
        return self.page

    def told(self):
        """The text of the newest message."""
        return self.page.locator(".toast").last.inner_text()

    def undo(self):
        """Undo the last change, and wait until it is undone."""
        self.page.locator(".toast [data-undo]").last.click()
        until(self.page, "[...document.querySelectorAll('.toast')].some((toast) => toast.textContent === 'Undone')")
