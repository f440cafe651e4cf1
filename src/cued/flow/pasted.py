"""pasted: logs, traces and code in a cue, told from the words of whoever wrote it, in any language; and what they are about.

A question is drowned by what is pasted beside it, whose meaning is that of any log. What it is about is told by its identifiers.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from cued.model import Column
from cued.text.analyse import analyse, query_terms
from cued.text.languages import technical
from cued.text.patterns import pattern

if TYPE_CHECKING:
    from cued.flow.table import Table

_LONG: Final = 240
"""Less than this drowns nothing."""
_FENCE = pattern(r"\s*(?:`{3,}|~{3,})")
_SPAN = pattern("`[^`]+`")
_INDENTED = pattern(r"(?:\t| {2,})\s*(?![-*•\d])\S")
_SIGN = pattern(r"[\d_/\\=<>{}\[\]|#@$%^&*+~]")
_WORDY = pattern(r"[^\W\d_]{4}")
_MARKED: Final = 1.0
_SIGNS: Final = 0.12
"""A line with so large a share of digits and signs, or so many marks of code, was not written by hand."""
_ONE, _SELDOM = 1, 0.05
"""What a single memory has, or no more than this share of them, is rare."""


@lru_cache(maxsize=64)
def set_apart(text: str) -> tuple[str, str]:
    """The words of whoever wrote a text, and the lines that were pasted into it; the text and "" where these are few or none."""
    if len(text) < _LONG:
        return text, ""
    lines = text.splitlines()
    pasted = _enclosed(lines, _looks_pasted(lines))
    own = [line for line, foreign in zip(lines, pasted, strict=True) if not foreign and not _FENCE.match(line)]
    rest = [line for line, foreign in zip(lines, pasted, strict=True) if foreign]
    return ("\n".join(own).strip(), "\n".join(rest)) if sum(map(len, rest)) >= _LONG else (text, "")


@lru_cache(maxsize=64)
def identifiers(pasted: str) -> tuple[str, ...]:
    """The terms of the whole identifiers in what was pasted; numbers, times and versions are none."""
    return tuple(term for term in query_terms(pasted) if term[0] == "=" and _WORDY.search(term))


def quoted(table: "Table") -> Column:
    """1 for what has an identifier that was pasted beside the cue and that little else here has; else 0."""
    findings, pasted = table.evidence.findings, frozenset(identifiers(table.evidence.cue.pasted))
    most = max(_ONE, _SELDOM * findings.visible)
    rare = {each.term for each in findings.terms if each.term in pasted and 0 < each.documents <= most}
    return np.array([not rare.isdisjoint(analyse(text)) for text in table.texts], dtype=float) if rare else table.nothing


def _looks_pasted(lines: list[str]) -> list[bool]:
    """For each line whether it stands between fences, or is written as logs and code are."""
    fenced, found = False, []
    for line in lines:
        fence = _FENCE.match(line) is not None
        fenced ^= fence
        found.append(not fence and (fenced or _is_pasted(line)))
    return found


def _is_pasted(line: str) -> bool:
    if _INDENTED.match(line):
        return True
    written = _SPAN.sub("", line).strip()
    return len(_SIGN.findall(written)) > _SIGNS * len(written) or technical(written) >= _MARKED


def _enclosed(lines: list[str], pasted: list[bool]) -> list[bool]:
    """The lines that were pasted, with what stands between two of them and after no blank line."""
    found = list(pasted)
    last = -1
    for place, line in enumerate(lines):
        if not line.strip():
            last = -1
        elif pasted[place]:
            if last >= 0:
                found[last:place] = [True] * (place - last)
            last = place
    return found
