"""What was acknowledged is there after the power failed, and the file is whole; a store that does not wait for the disk would lose it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cued.errors import CuedError
from cued.stores import Store
from cued.stores.keepers.sqlite import SqliteKeeper, page_sums
from cued.upkeep.checking import check_file

RUNS = int(os.environ.get("CUED_POWER_CUTS", "12"))

pytestmark = pytest.mark.skipif(sys.platform == "win32" or page_sums.file_system() is None, reason="a file system of another kind")


def cut(folder: Path, mode: str) -> tuple[int, int, int]:
    """How many memories were acknowledged in all, how many of them are lost, and how many files are broken."""
    command = [sys.executable, "-m", "tests.faults.losing", str(folder), "7", str(RUNS), mode]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path.cwd()), *sys.path])}
    said = subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=600).stdout
    acknowledged = [int(line) for line in said.split()]
    assert len(acknowledged) == RUNS
    results = [after(folder, number, count) for number, count in enumerate(acknowledged)]
    return sum(acknowledged), sum(lost for lost, _ in results), sum(broken for _, broken in results)


def after(folder: Path, number: int, acknowledged: int) -> tuple[int, int]:
    """How many memories are gone when the machine starts again, and whether the file is broken."""
    again = folder / f"{number}-again.db"
    for suffix in ("", "-wal"):
        found = folder / f"{number}.db{suffix}.disk"
        if found.exists():
            found.rename(f"{again}{suffix}").chmod(0o600)
    try:
        store = Store(SqliteKeeper(again))
        there = store.known("t", [f"m{place}" for place in range(acknowledged)])
        store.close()
        return acknowledged - len(there), int(not check_file(again).ok)
    except CuedError:
        return acknowledged, 1


def test_nothing_acknowledged_is_lost_with_the_power(tmp_path):
    acknowledged, lost, broken = cut(tmp_path, "FULL")
    assert acknowledged > RUNS
    assert (lost, broken) == (0, 0)


def test_the_cut_would_show_a_loss(tmp_path):
    _, lost, _ = cut(tmp_path, "OFF")
    assert lost > RUNS
