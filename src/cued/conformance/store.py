"""What every store promises, as one class of tests."""

import pytest

from cued.conformance.deriving import DerivingConformance
from cued.conformance.hiding import HidingConformance
from cued.conformance.keeping import KeepingConformance
from cued.conformance.lapsing import LapsingConformance
from cued.conformance.listing import ListingConformance
from cued.conformance.logging import LoggingConformance
from cued.conformance.moving import MovingConformance
from cued.conformance.revising import RevisingConformance
from cued.conformance.searching import SearchConformance
from cued.conformance.trusting import TrustConformance
from cued.ports import Store


class StoreConformance(
    KeepingConformance,
    RevisingConformance,
    LoggingConformance,
    HidingConformance,
    LapsingConformance,
    DerivingConformance,
    ListingConformance,
    MovingConformance,
    SearchConformance,
    TrustConformance,
):
    """Subclass it and give a `store` fixture that is empty at the start of each test."""

    @pytest.fixture
    def store(self) -> Store:
        """The store under test; every subclass overrides this."""
        raise NotImplementedError
