"""Rewrites the outputs shown in the documentation by what its blocks say now: `python -m tests.docs [PAGE …]`."""

import contextlib
import sys
import tempfile
from pathlib import Path

from tests.docs.pages import every_page
from tests.docs.running import rewritten


def main(names):
    for page in every_page():
        if names and page.name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            new = rewritten(page, Path(folder))
        if new != page.text:
            page.path.write_text(new, "utf-8")
            sys.stdout.write(f"written: {page.name}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
