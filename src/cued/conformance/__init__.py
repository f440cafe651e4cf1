"""The suite that every store and embedder of Cued passes, for running against your own.

    import pytest
    from cued.conformance import StoreConformance

    class TestMyStore(StoreConformance):
        @pytest.fixture
        def store(self):
            return MyStore()

It needs pytest, hypothesis and numpy, and nothing of your store but the port.
"""

from cued.conformance.embedder import EmbedderConformance
from cued.conformance.store import StoreConformance

__all__ = ["EmbedderConformance", "StoreConformance"]
