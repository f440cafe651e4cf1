"""The SQLite store keeps every promise of the port."""

import pytest

from cued.conformance import KeeperConformance, StoreConformance
from cued.stores import Store
from cued.stores.keepers.sqlite import SqliteKeeper


@pytest.mark.requirement("M3", "M4", "M6", "R10", "R17", "P9", "P12", "P13", "P19", "P20", "S6", "X8")
class TestSqliteStore(StoreConformance):
    @pytest.fixture
    def store(self, tmp_path):
        store = Store(SqliteKeeper(tmp_path / "memories.db"))
        yield store
        store.close()


@pytest.mark.requirement("X8")
class TestSqliteKeeper(KeeperConformance):
    @pytest.fixture
    def keeper(self, tmp_path):
        keeper = SqliteKeeper(tmp_path / "memories.db")
        yield keeper
        keeper.close()
