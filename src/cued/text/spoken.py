"""A cue's words whatever their case: patterns that mind case, and begin with what stands before a word, find them many times as fast."""

from functools import lru_cache

from cued.text.patterns import pattern

_ODD = pattern("[İıſ\u1c80-\u1c86]")
_PLAIN = str.maketrans("İıſ\u1c80\u1c81\u1c82\u1c83\u1c84\u1c85\u1c86", "iisвдосттъ")
"""Letters that are, whatever their case, another letter than the one that they become in small letters."""
_LETTERS = pattern(r"[^\W\d_]+")


@lru_cache(maxsize=64)
def spoken(text: str) -> str:
    r"""The text in small letters, character for character, with a blank before it: so r"\Wword" finds what r"\bword" does in any case."""
    return f" {text.translate(_PLAIN) if not text.isascii() and _ODD.search(text) else text}".lower()


@lru_cache(maxsize=64)
def spoken_words(text: str) -> frozenset[str]:
    """The text's runs of letters in small letters."""
    return frozenset(_LETTERS.findall(text.lower()))
