"""The in-memory store keeps every promise of the port."""

import pytest

from cued.conformance import KeeperConformance, StoreConformance
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper


@pytest.mark.requirement("M3", "M4", "M6", "R10", "R17", "P9", "P12", "P13", "P19", "P20", "S6", "X8")
class TestMemoryStore(StoreConformance):
    @pytest.fixture
    def store(self):
        return Store(MemoryKeeper())


@pytest.mark.requirement("X8")
class TestMemoryKeeper(KeeperConformance):
    @pytest.fixture
    def keeper(self):
        return MemoryKeeper()
