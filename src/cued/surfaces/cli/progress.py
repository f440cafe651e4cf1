"""Bars for long work: on a terminal only, on stderr, and gone when the work is done."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from cued import ports


@contextmanager
def progress(title: str) -> Iterator[ports.Progress]:
    """A callback that takes how much is done, of how much in all (0 if unknown): it draws a bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield ports.silent
        return
    from rich.console import Console  # noqa: PLC0415 - only for a terminal
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total or None)
