"""A disk that is full: whatever is asked for fails in words, and what was acknowledged is there and whole."""

import os
import resource
import sys

import pytest

import cued
from cued.conformance.samples import NOW
from cued.errors import CuedError
from cued.upkeep.checking import check_file
from cued.upkeep.repairing import repair
from tests.faults.test_fork import in_a_child

pytestmark = pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "win32", reason="limits work in another way here")


def remembered(path):
    with cued.open(path, embedder=None) as memories:
        memories.tenant("ada").remember_many([f"note {number} " * 500 for number in range(400)])


def erased(path):
    with cued.open(path, embedder=None) as memories:
        return memories.tenant("ada").erase_everything()


def backed_up(path):
    with cued.open(path, embedder=None) as memories:
        memories.backup(path.with_name("copy.db"))


def repaired(path):
    path.chmod(0o600)
    repair(path, at=NOW)


@pytest.mark.parametrize("verb", [remembered, backed_up, repaired, erased], ids=lambda verb: verb.__name__)
def test_a_full_disk_is_said_and_harms_nothing(tmp_path, verb):
    path = tmp_path / "memories.db"
    with cued.open(path, embedder=None, settle="off") as memories:
        memories.tenant("ada").remember_many([f"tea with number{number} friends" for number in range(300)])
    if verb is repaired:
        data = bytearray(path.read_bytes())
        data[data.rindex(b"tea with number299")] ^= 1
        path.write_bytes(data)

    def there() -> str:
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
        try:
            done = verb(path)
        except (CuedError, OSError) as error:
            return f"said: {error}"
        return "done" if done is None or not done.gone else "gone"

    said = in_a_child(there)
    assert said.startswith("said") or (verb is erased and said in {"done", "gone"}), said
    assert verb is not backed_up or "copy.db: " in said
    assert not list(tmp_path.glob(".*.partial*"))
    if verb is not repaired and verb is not erased:
        assert check_file(path).ok
        with cued.open(path, embedder=None) as memories:
            assert memories.tenant("ada").stats().memories >= 300
