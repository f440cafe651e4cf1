"""The suites that every store, keeper and embedder of Cued passes, for running against your own.

    import pytest
    from cued.conformance import StoreConformance

    class TestMyStore(StoreConformance):
        @pytest.fixture
        def store(self):
            return MyStore()

A keeper is run against `KeeperConformance` with a `keeper` fixture. The suites need pytest, hypothesis and numpy, and nothing of yours but
the port.
"""

from cued.conformance.embedder import EmbedderConformance
from cued.conformance.keeper import KeeperConformance
from cued.conformance.store import StoreConformance

__all__ = ["EmbedderConformance", "KeeperConformance", "StoreConformance"]
