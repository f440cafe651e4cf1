"""Excerpts: the parts of a long text, each short enough that one vector says what is in it."""

from itertools import pairwise
from math import ceil
from typing import Final

from cued.text.passages import pause_near

SIZE: Final = 500
"""An excerpt has about so many bytes of UTF-8 at most: some sentences of English, and as many of Chinese, whose characters have three."""
_SHORT: Final = 650
"""One vector says what is in a text of no more."""
MOST: Final = 64
"""A text has no more excerpts than so many, and longer ones where it is very long."""
_REACH: Final = 0.3
"""A part may be longer or shorter by so much of its size, to end where a sentence does."""


def excerpts(text: str) -> list[str]:
    """The text in parts of about the same size, none for a text that is short."""
    size = len(text.encode("utf-8", "replace"))
    if size <= _SHORT:
        return []
    count = min(ceil(size / SIZE), MOST)
    each = len(text) / count
    cuts = [pause_near(text, int(each * number), int(each * _REACH)) for number in range(1, count)]
    parts = [part for start, end in pairwise([0, *cuts, len(text)]) if (part := text[start:end].strip())]
    return parts if len(parts) > 1 else []
