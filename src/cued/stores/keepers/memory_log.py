"""The recall log of one tenant in this process: lines in the order of their times, and once more by recall."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from copy import copy
from itertools import islice
from typing import Any, NamedTuple, Self

from cued.model import LogQuery, LogRules, RecallEntry
from cued.stores.recall_log import asked_for, bare


class _Line(NamedTuple):
    """A line of the log, and its number in the order of writing."""

    entry: RecallEntry
    number: int


class Lines:
    """A log that does not change: writing gives another."""

    def __init__(self) -> None:
        """Start empty."""
        self._lines: list[_Line] = []
        self._line_of: dict[str, _Line] = {}
        self._last = 0

    def __len__(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    def read(self, query: LogQuery) -> list[RecallEntry]:
        """The lines that the query asks for, by time and then as they were written."""
        lines: Iterable[_Line] = self._lines if query.oldest_first else reversed(self._lines)
        if query.recall_id is not None:
            lines = [self._line_of[query.recall_id]] if query.recall_id in self._line_of else []
        found = islice((line.entry for line in lines if asked_for(line.entry, query)), query.limit)
        return list(found) if query.content else [bare(entry) for entry in found]

    def written(self, entries: Sequence[RecallEntry], rules: LogRules) -> Self:
        """The log with these lines, in place of those with the same `recall_id`, and without what the rules do not keep."""
        other = copy(self)
        other._lines, other._line_of = list(self._lines), dict(self._line_of)  # noqa: SLF001 - its own kind
        for entry in entries:
            other._put(entry)  # noqa: SLF001
        other._trim(entries, rules)  # noqa: SLF001
        return other

    def _trim(self, entries: Sequence[RecallEntry], rules: LogRules) -> None:
        lines = self._lines
        beyond = max(0, len(lines) - rules.rows)
        if rules.age is not None:
            newest = max(entry.at for entry in entries)
            beyond = max(beyond, bisect_left(lines, -rules.age, key=lambda line: line.entry.at - newest))
        for line in lines[:beyond]:
            del self._line_of[line.entry.recall_id]
        del lines[:beyond]
        if rules.content == "last":
            for line in [line for line in lines[: max(0, len(lines) - rules.last)] if line.entry != bare(line.entry)]:
                self._put(bare(line.entry))

    def _put(self, entry: RecallEntry) -> None:
        known = self._line_of.get(entry.recall_id)
        if known is None:
            self._last += 1
        else:
            del self._lines[bisect_left(self._lines, _age(known), key=_age)]
        line = _Line(entry, self._last if known is None else known.number)
        insort(self._lines, line, key=_age)
        self._line_of[entry.recall_id] = line


def _age(line: _Line) -> tuple[Any, int]:
    return line.entry.at, line.number
