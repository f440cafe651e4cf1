"""The PostgreSQL store keeps every promise of the port, on a real server."""

import pytest

from cued.conformance import KeeperConformance, StoreConformance
from cued.stores import Store
from tests.stores.postgres import PostgresKeeper, server


def opened():
    """A keeper of an empty database, closed again."""
    keeper = PostgresKeeper(server().url)
    yield keeper
    keeper.close()
    server().empty()


@pytest.mark.requirement("M3", "M4", "M6", "R10", "R17", "P9", "P12", "P13", "P19", "P20", "S6", "X8")
class TestPostgresStore(StoreConformance):
    @pytest.fixture
    def store(self):
        yield from map(Store, opened())


@pytest.mark.requirement("X8")
class TestPostgresKeeper(KeeperConformance):
    @pytest.fixture
    def keeper(self):
        yield from opened()
