"""Regular expressions compiled when they are first used, so that importing them costs nothing, and texts as they find words fast."""

import re
from functools import lru_cache
from typing import cast

_USES = ("search", "match", "fullmatch", "findall", "finditer", "split", "sub")


class _Late:
    """Stands for a pattern; the first use compiles it, and every other finds the pattern's own methods here."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> object:
        """A use of the pattern, which is not compiled yet."""
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
"""Letters that are, whatever their case, another letter than the one that they become in small letters."""
_LETTERS = pattern(r"[^\W\d_]+")


@lru_cache(maxsize=64)
def spoken(text: str) -> str:
    r"""The text in small letters, character for character, with a blank before it: so r"\Wword" finds what r"\bword" does in any case.

    A pattern that minds case and begins with what stands before a word is tried only there, and many times as fast.
    """
    return f" {text.translate(_PLAIN) if not text.isascii() and _ODD.search(text) else text}".lower()


@lru_cache(maxsize=64)
def spoken_words(text: str) -> frozenset[str]:
    """The text's runs of letters in small letters."""
    return frozenset(_LETTERS.findall(text.lower()))
