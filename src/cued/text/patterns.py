"""Regular expressions that are compiled when they are first used, so that importing them costs nothing."""

import re
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
