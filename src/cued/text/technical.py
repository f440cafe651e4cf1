"""How technical a text is: code, commands, paths, identifiers and errors, told by their spelling."""

import re
from functools import lru_cache

_LOOKED_AT = 240
_MARKS = re.compile(r"[_`{}<>=|\\#]|[a-z)][A-Z(.][a-z]|\w\(|::|/\w+/|\s-{1,2}[a-z]|(?:Error|Exception)\b")
_CERTAIN = 0.25
"""So many marks a word are surely technical; prose has one in some twenty."""


@lru_cache(maxsize=1 << 14)
def technical(text: str) -> float:
    """How technical a text is, 0 to 1, by the marks of code among its first words."""
    begun = text[:_LOOKED_AT]
    return min(1.0, len(_MARKS.findall(begun)) / (1 + begun.count(" ")) / _CERTAIN)
