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
def test_a_belief_whose_time_ran_out_is_swept_and_brings_none_back(tmp_path, place):
    clock = FixedClock()
    with cued.open(tmp_path / "memories.db" if place == "file" else None, embedder=None, clock=clock) as memories:
        tenant = memories.tenant("ada")
        old = tenant.remember("Ada lives in Paris.").id
        clock.move(hours=1)
        new = tenant.remember("Ada lives in Rome.", supersedes=[old], ttl="1h", conflicts=False).id
        other = tenant.remember("Ada's bicycle is red.").id
        local = tenant.remember("Ada's bicycle is blue.", scope="trip", supersedes=[other], ttl="1h", conflicts=False).id
        clock.move(hours=2)
        assert {memory.id for memory in tenant.expired()} == set(tenant.sweep()) == {new, local}
        assert tenant.known(old, new, other, local) == {old, other}
        assert not tenant.recall("where does Ada live?").memories
        assert not tenant.recall("what colour is Ada's bicycle?", scope="trip").memories
        assert [each.id for each in tenant.recall("what colour is Ada's bicycle?").memories] == [other]
        fate = tenant.explain("where does Ada live?", memory=old).verdict
        assert (fate.fate, "a memory whose time ran out" in fate.change) == ("struck by the supersession gate", True)
        assert tenant.why(old).state == ("superseded by a memory whose time ran out",)
        tenant.remember("Ada lives in Paris.", conflicts=False)
        assert tenant.recall("where does Ada live?").memories[0].text == "Ada lives in Paris."


@pytest.mark.parametrize("place", ["file", "memory"])
def test_no_memory_names_an_erased_one(tmp_path, place):
    with cued.open(tmp_path / "memories.db" if place == "file" else None, embedder=None) as memories:
        tenant = memories.tenant("ada")
        tenant.remember("Ada lives in Paris.", id="paris-is-secret")
        tenant.remember("Ada lives in Rome.", id="rome", supersedes=["paris-is-secret"], conflicts=False)
        tenant.remember("Ada moves often.", id="moves", kind="reflection", derived_from=["paris-is-secret", "rome"])
        tenant.forget("paris-is-secret", erase=True)
        assert [edge.target for edge in tenant.get("moves").edges] == ["rome"]
        assert tenant.get("rome").supersedes == ()
        memories.flush()
        assert b"paris-is-secret" not in b"".join(tenant.export(vectors=True))
        kept = b"".join(each.read_bytes() for each in tmp_path.iterdir())
        assert b"paris-is-secret" not in kept
