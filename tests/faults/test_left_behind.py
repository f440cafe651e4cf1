"""Handles that nobody closed, another file's log, and memories whose time ran out after they superseded others."""

import gc
import shutil
import warnings
from pathlib import Path

import pytest

import cued
from cued.errors import ForeignFileError
from tests.fakes import FixedClock


def test_a_handle_that_is_dropped_writes_what_is_left_and_warns(tmp_path):
    path = tmp_path / "memories.db"
    memories = cued.open(path, embedder=None)
    tenant = memories.tenant("ada")
    tenant.remember("Ada drinks tea.")
    tenant.recall("what does Ada drink?")
    del tenant
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del memories
        gc.collect()
    assert [each.category for each in caught] == [ResourceWarning]
    assert "without being closed" in str(caught[0].message)
    assert not Path(f"{path}-wal").exists()
    with cued.open(path, embedder=None) as again:
        assert len(again.tenant("ada").log()) == 1


def test_a_tenants_handle_keeps_the_store_open(tmp_path):
    tenant = cued.open(tmp_path / "memories.db", embedder=None).tenant("ada")
    gc.collect()
    tenant.remember("Ada drinks tea.")
    assert tenant.stats().memories == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        del tenant
        gc.collect()


def test_another_files_log_is_not_believed(tmp_path):
    ours, theirs = tmp_path / "ours.db", tmp_path / "theirs.db"
    with cued.open(ours, embedder=None) as memories:
        memories.tenant("ada").remember("Ada drinks tea.")
    before = ours.read_bytes()
    with cued.open(theirs, embedder=None) as memories:
        memories.tenant("eve").remember_many([f"Eve was here, {number}" for number in range(50)])
        shutil.copyfile(f"{theirs}-wal", f"{ours}-wal")
    for readonly in (True, False):
        with pytest.raises(ForeignFileError, match="another database's"):
            cued.open(ours, embedder=None, readonly=readonly)
    assert ours.read_bytes() == before
    for beside in ("-wal", "-shm"):
        Path(f"{ours}{beside}").unlink(missing_ok=True)
    with cued.open(ours, embedder=None) as memories:
        assert memories.tenants() == ("ada",)


def test_a_file_that_was_just_made_and_its_own_log_are_believed(tmp_path):
    path = tmp_path / "memories.db"
    with cued.open(path, embedder=None) as memories:
        memories.tenant("ada").remember("Ada drinks tea.")
        for beside in ("", "-wal"):
            shutil.copyfile(f"{path}{beside}", f"{tmp_path / 'copy.db'}{beside}")
    with cued.open(tmp_path / "copy.db", embedder=None) as memories:
        assert memories.tenant("ada").stats().memories == 1


@pytest.mark.parametrize("place", ["file", "memory"])
def test_a_belief_whose_time_ran_out_stays_and_brings_none_back(tmp_path, place):
    clock = FixedClock()
    with cued.open(tmp_path / "memories.db" if place == "file" else None, embedder=None, clock=clock) as memories:
        tenant = memories.tenant("ada")
        old = tenant.remember("Ada lives in Paris.").id
        clock.move(hours=1)
        new = tenant.remember("Ada lives in Rome.", supersedes=[old], ttl="1h", conflicts=False).id
        clock.move(hours=2)
        assert tenant.expired() == ()
        assert tenant.sweep() == ()
        assert tenant.known(old, new) == {old, new}
        assert not tenant.recall("where does Ada live?").memories
