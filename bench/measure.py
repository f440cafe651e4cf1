"""What is read from the machine: the clock, memory, disk, fsyncs, and what machine it is."""

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import numpy as np
from msgspec import Struct

from bench.figures import Spent
from cued.stores.columns.kernels import COMPILED

KIB = 1024


class Machine(Struct, frozen=True, kw_only=True):
    """Where the figures were measured."""

    cpu: str
    cores: int
    python: str
    sqlite: str
    numpy: str
    loops: str
    """Whether the loops of a search are compiled."""
    system: str
    load_average: tuple[float, float]
    """Of the last minute, when the run began and when it ended."""


def spent_on(work: Callable[[], object]) -> Spent:
    """What the work took."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    cpu_ms = (time.process_time() - cpu) * 1000
    return Spent((time.perf_counter() - wall) * 1000, cpu_ms)


def spent_each(work: Callable[[], object], count: int) -> list[Spent]:
    """What each of `count` runs of the work took."""
    return [spent_on(work) for _ in range(count)]


def resident_mib(field: str = "VmRSS") -> float:
    """The memory of this process now, or with VmHWM its peak; nan where the system does not say."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    line = next(line for line in status.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / KIB


def disk_mib(database: Path) -> float:
    """The size of a database with its write-ahead log and the log's index."""
    return sum(each.stat().st_size for each in database.parent.glob(database.name + "*")) / KIB**2


def fsyncs(folder: Path, count: int) -> list[Spent]:
    """What appending one page to a file and syncing it takes, `count` times."""
    file = os.open(folder / "fsync", os.O_CREAT | os.O_WRONLY)

    def append() -> None:
        os.write(file, bytes(4096))
        os.fsync(file)

    try:
        return spent_each(append, count)
    finally:
        os.close(file)


class CountingFile(apsw.VFSFile):
    """A file of SQLite's that counts how often it is synced."""

    synced = 0

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        """Count, and sync."""
        CountingFile.synced += 1
        super().xSync(flags)


class CountingFiles(apsw.VFS):
    """The files of every connection that this process opens from now on, counted; slower, so nothing is timed with it."""

    NAME = "counting"

    def __init__(self, below: str | None = None) -> None:
        """Stand before this file system, or the one that SQLite would use."""
        self._below = below or apsw.vfs_names()[0]
        super().__init__(self.NAME, self._below, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's name
        """Open a counting file."""
        return CountingFile(self._below, name, flags)


def load_average() -> float:
    """The load average of the last minute, nan where the system has none."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")


def machine(began: float, ended: float) -> Machine:
    """What machine this is and how busy it was."""
    return Machine(
        cpu=_cpu(),
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        sqlite=apsw.sqlite_lib_version(),
        numpy=np.__version__,
        loops="compiled" if COMPILED else "in numpy",
        system=f"{platform.system()} {platform.release()}",
        load_average=(began, ended),
    )


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())
