"""Erasing very many gives the write lock back between steps, and rewrites the file once."""

from datetime import UTC, datetime, timedelta

import pytest

import cued
from cued.stores.keepers.sqlite import scrubbing

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def rewritten(monkeypatch):
    """How often the file has been rewritten."""
    times, rewrite = [], scrubbing.rewrite

    def counted(connection):
        times.append(connection)
        rewrite(connection)

    monkeypatch.setattr(scrubbing, "rewrite", counted)
    return times


@pytest.mark.parametrize("verb", ["forget", "sweep"])
def test_very_many_are_erased_in_steps_and_the_file_is_rewritten_once_at_most(tmp_path, rewritten, verb):
    moment = [NOW]
    with cued.open(tmp_path / "memories.db", embedder=None, clock=lambda: moment[0]) as memories:
        tenant = memories.tenant("ada")
        drafts = [{"text": f"secret number {number}", "ttl": "1h"} for number in range(1200)]
        ids = tenant.remember_many([*drafts, {"text": "kept"}]).ids
        change = memories.parts.store.keeper.begin
        moment[0] = NOW + timedelta(hours=2)
        with change("ada", write=False) as rows:
            before = rows.head().change
        if verb == "forget":
            tenant.forget(*ids[:-1], erase=True)
        else:
            assert len(tenant.sweep()) == 1200
        with change("ada", write=False) as rows:
            assert rows.head().change - before >= 3
        assert len(rewritten) <= 1
        assert [memory.text for memory in tenant.list().memories] == ["kept"]
    for file in tmp_path.iterdir():
        assert b"secret number" not in file.read_bytes()
