"""The pages of the documentation, taken apart into their code blocks."""

import re
from pathlib import Path
from typing import NamedTuple

from tools.reference import ROOT, WHOLE, pages

__all__ = ["ROOT", "Block", "Page", "every_page", "page_at"]

_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[a-z]*)\n(?P<body>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE)
_SKIPPED = re.compile(r"<!-- no test: (?P<reason>[^>]+?) -->\s*\Z")
_GENERATED = re.compile(r"<!-- generated: [^\n]+? -->\n.*?<!-- /generated -->", re.DOTALL)


class Block(NamedTuple):
    """A fenced block: its language, its text, where it stands, and why it is not run, if it is not."""

    language: str
    text: str
    line: int
    start: int
    end: int
    skipped: str


class Page(NamedTuple):
    """A page and its blocks, without those that are generated."""

    path: Path
    text: str
    blocks: tuple[Block, ...]

    @property
    def name(self):
        return self.path.relative_to(ROOT).as_posix()

    def follower(self, block):
        """Give the block of output that belongs to a block of code: one in `text` with nothing but white space between."""
        after = next((other for other in self.blocks if other.start > block.end), None)
        joined = after is not None and after.language == "text" and not self.text[block.end : after.start].strip()
        return after if joined else None


def page_at(path):
    """Give one page, taken apart."""
    text = path.read_text("utf-8")
    made = [match.span() for match in _GENERATED.finditer(text)]
    blocks = (
        Block(
            match["language"],
            match["body"],
            text.count("\n", 0, match.start()) + 1,
            *match.span(),
            _reason(text[: match.start()]),
        )
        for match in _FENCE.finditer(text)
        if not any(start <= match.start() < end for start, end in made)
    )
    return Page(path, text, tuple(blocks))


def _reason(before):
    """Give the reason that stands right before a block that is not run."""
    skipped = _SKIPPED.search(before)
    return "" if skipped is None else skipped["reason"]


def every_page():
    """Give every page that people write; those that are generated whole have no block to run."""
    return [page_at(path) for path in pages() if path.relative_to(ROOT).as_posix() not in WHOLE]
