"""Excerpts: the parts of a long text, of whole sentences, each short enough that one vector says what is in it."""

from math import ceil
from typing import Final

from cued.text.passages import sentences

SIZE: Final = 500
"""An excerpt has at most about so many bytes of UTF-8: some sentences of English, and as many of Chinese, whose characters have three."""
_SHORT: Final = 650
"""One vector says what is in a text of no more."""
MOST: Final = 64
"""A text has no more excerpts than so many, and longer ones where it is very long."""
_MOST_SENTENCES: Final = 4000


def excerpts(text: str) -> list[str]:
    """The text in parts of about the same size, none for a text that is short."""
    if len(text) * 4 <= _SHORT or _bytes(text) <= _SHORT:
        return []
    spans = sentences(text, most=_MOST_SENTENCES)
    sizes = [_bytes(text[start:end]) for start, end in spans]
    size = max(sum(sizes) / ceil(sum(sizes) / SIZE), sum(sizes) / (MOST - 1))
    parts: list[tuple[int, int]] = []
    done = 0
    for (start, end), more in zip(spans, sizes, strict=True):
        # Into the part in whose share of the whole its middle lies.
        if int((done + more / 2) / size) < len(parts):
            parts[-1] = parts[-1][0], end
        else:
            parts.append((start, end))
        done += more
    return [text[start:end] for start, end in parts] if len(parts) > 1 else []


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
