"""Power loss: a file system that forgets what was not synced, run by itself in a process of its own.

`python -m tests.faults.losing FOLDER SEED RUNS MODE` opens a store over it, writes, cuts the power at a random moment, and says how many
memories were acknowledged before; what lies on the disk is then in FILE.disk. MODE is what the store asks of the disk: FULL as it does,
or OFF to see that a loss would show.
"""

import os
import sys
from pathlib import Path
from random import Random

import apsw

SECTOR = 512


class PowerCutError(Exception):
    """The power is gone: nothing more is written."""


class Disk:
    """What lies on the disk, and what was only handed to it: writes since the last sync may be kept, torn or lost."""

    def __init__(self, random: Random) -> None:
        self.random, self.left = random, None
        self.waiting: dict[str, list[tuple[int, bytes]]] = {}

    def wrote(self, name: str, at: int, data: bytes) -> None:
        self.waiting.setdefault(name, []).append((at, data))
        if self.left is not None:
            self.left -= 1
            if self.left <= 0:
                raise PowerCutError

    def synced(self, name: str) -> None:
        """Have everything of a file so far on the disk."""
        for at, data in self.waiting.pop(name, []):
            _put(name, at, data)

    def cut(self) -> None:
        """Lose what waits: each sector of it is there or not, as it happens."""
        for name, writes in self.waiting.items():
            for at, data in writes:
                for start in range(0, len(data), SECTOR):
                    if self.random.random() < 0.5:
                        _put(name, at + start, data[start : start + SECTOR])
        self.waiting.clear()


def _put(name: str, at: int, data: bytes) -> None:
    with Path(name).open("r+b" if Path(name).exists() else "w+b") as file:
        file.seek(at)
        file.write(data)


class LosingFile(apsw.VFSFile):
    """A file of whose writes the disk hears only when it is synced; who reads sees them at once."""

    def __init__(self, disk: Disk, name: str, flags: list[int]) -> None:
        super().__init__("unix", name, flags)
        self._disk, self._name, self._on_disk = disk, name, f"{name}.disk"

    def xWrite(self, data, offset):  # noqa: N802 - SQLite's names
        super().xWrite(data, offset)
        self._disk.wrote(self._on_disk, offset, bytes(data))

    def xTruncate(self, size):  # noqa: N802
        super().xTruncate(size)
        self._disk.synced(self._on_disk)
        if Path(self._on_disk).exists():
            os.truncate(self._on_disk, size)

    def xSync(self, flags):  # noqa: N802
        super().xSync(flags)
        self._disk.synced(self._on_disk)


class LosingDisk(apsw.VFS):
    """A file system over one disk."""

    def __init__(self, disk: Disk) -> None:
        super().__init__("losing", "unix", makedefault=True)
        self._disk = disk

    def xOpen(self, name, flags):  # noqa: N802
        return LosingFile(self._disk, name.filename() if isinstance(name, apsw.URIFilename) else name, flags)


def run(folder: Path, seed: int, runs: int, mode: str) -> None:
    """Write until the power goes, in one file after the other, and say how many memories were acknowledged in each."""
    random = Random(seed)
    disk = Disk(random)
    system = LosingDisk(disk)
    # Only now is anything of the store imported: its own file system lies over this one.
    from cued.conformance.samples import record  # noqa: PLC0415
    from cued.stores import Store  # noqa: PLC0415
    from cued.stores.keepers.sqlite import SqliteKeeper, connection, page_sums  # noqa: PLC0415

    assert page_sums.file_system() is not None
    configured = connection._configured  # noqa: SLF001 - a file system in Python has no shared memory, so the one connection is alone

    def alone(opened):
        opened.pragma("locking_mode", "exclusive")
        made = configured(opened)
        made.pragma("synchronous", mode)
        return made

    connection._configured = alone  # noqa: SLF001
    for number in range(runs):
        disk.left = None
        store = Store(SqliteKeeper(folder / f"{number}.db"))
        disk.left, acknowledged = random.randrange(20, 400), 0
        try:
            for place in range(400):
                store.remember("t", [record("t", f"m{place}", f"tea {place} " * random.choice((1, 50)))])
                acknowledged += 1
        except Exception:  # noqa: BLE001 - the power is gone, whatever that looks like from above
            pass
        disk.cut()
        sys.stdout.write(f"{acknowledged}\n")
        sys.stdout.flush()
    del system


if __name__ == "__main__":
    run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    os._exit(0)
