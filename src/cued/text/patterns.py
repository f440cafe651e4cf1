"""Regular expressions that are compiled at their first use, so that importing them is cheap, and texts prepared for fast search."""

import re
from functools import lru_cache
from typing import cast

_USES = ("search", "match", "fullmatch", "findall", "finditer", "split", "sub")


class _Late:
    """A stand-in for a pattern: the first use compiles it, later ones find the pattern's own methods here."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> object:
        """An attribute of the pattern, which is compiled now."""
        if name not in _USES:
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        self.__dict__.update({use: getattr(compiled, use) for use in _USES})
        return getattr(compiled, name)


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern that `re.compile` gives, later."""
    return cast("re.Pattern[str]", _Late(source, flags))


_ODD = pattern("[İıſ\u1c80-\u1c86]")
_PLAIN = str.maketrans("İıſ\u1c80\u1c81\u1c82\u1c83\u1c84\u1c85\u1c86", "iisвдосттъ")
"""Letters that match in any case, and yet are not the letter that they become in lower case."""
_LETTERS = pattern(r"[^\W\d_]+")


@lru_cache(maxsize=64)
def spoken(text: str) -> str:
    r"""The text in lower case, character for character, with a space before it: r"\Wword" then finds what r"\bword" finds in any case.

    A case-sensitive pattern that begins with the character before a word is many times as fast.
    """
    return f" {text.translate(_PLAIN) if not text.isascii() and _ODD.search(text) else text}".lower()


@lru_cache(maxsize=64)
def spoken_words(text: str) -> frozenset[str]:
    """The text's runs of letters in lower case."""
    return frozenset(_LETTERS.findall(text.lower()))
