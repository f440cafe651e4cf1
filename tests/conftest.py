"""How hypothesis runs here: no deadlines on shared machines, and the same examples every time in CI; and a store of each kind."""

import os

import pytest
from hypothesis import HealthCheck, settings

from tests.stocking import STORES, opened

settings.register_profile(
    "local",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")


@pytest.fixture(params=STORES)
def store(request, tmp_path):
    """Give an empty store of each kind in turn."""
    with opened(request.param, tmp_path) as kept:
        yield kept
