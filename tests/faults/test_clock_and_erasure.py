"""A clock that steps back brings no old belief back, and a recall in flight brings no erased tenant back."""

from datetime import UTC, datetime, timedelta

import pytest

import cued

START = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture(params=["file", "memory"])
def path(request, tmp_path):
    return tmp_path / "memories.db" if request.param == "file" else None


@pytest.mark.parametrize("scope", ["global", "atlas"])
def test_a_clock_that_goes_back_shows_no_superseded_belief_and_ids_rise(path, scope):
    moment = [START]
    with cued.open(path, embedder=None, clock=lambda: moment[0]) as memories:
        tenant = memories.tenant("ada")
        ids = [tenant.remember("Ada lives in Paris.").id]
        moment[0] += timedelta(hours=1)
        ids.append(tenant.remember("Ada lives in Rome.", scope=scope, supersedes=ids).id)
        for step in (timedelta(hours=-2), timedelta(days=-400), timedelta(days=3650)):
            moment[0] = START + step
            found = [each.memory.text for each in tenant.recall("where does Ada live?", scope=scope).memories]
            assert found in ([], ["Ada lives in Rome."])
            assert "Ada lives in Paris." not in found
            ids.append(tenant.remember(f"Something else, {step}.", conflicts=False).id)
        assert ids == sorted(ids)
        assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("settle", ["background", "now"])
def test_a_recall_in_flight_brings_no_erased_tenant_back(path, settle):
    with cued.open(path, embedder="hashing", settle=settle) as memories:
        tenant = memories.tenant("ada")
        tenant.remember("Ada drinks green tea.")
        search = memories.parts.store.search

        def searched_and_erased(name, lookup):
            found = search(name, lookup)
            memories.parts.store.search = search
            tenant.erase_everything()
            return found

        memories.parts.store.search = searched_and_erased
        assert tenant.recall("what does Ada drink?").memories
        memories.flush()
        assert memories.tenants() == ()
        tenant.recall("what does Ada drink?")
        memories.flush()
        assert len(tenant.log()) == 1


@pytest.mark.parametrize("settle", ["background", "now"])
def test_a_recall_that_waits_for_its_embedder_brings_no_erased_tenant_back(path, settle):
    """It had begun before the tenant was erased, and reads what is there afterwards: nothing."""
    with cued.open(path, embedder="hashing", settle=settle) as memories:
        tenant, embedder = memories.tenant("ada"), memories.parts.embedder
        tenant.remember("Ada drinks green tea.")
        embed = embedder.embed

        def embedded_and_erased(texts, *, role):
            embedder.embed = embed
            tenant.erase_everything()
            return embed(texts, role=role)

        embedder.embed = embedded_and_erased
        assert tenant.recall("what does Ada drink?").memories == ()
        memories.flush()
        assert memories.tenants() == ()
