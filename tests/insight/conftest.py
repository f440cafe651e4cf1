"""Worlds of simulated traffic for the tests of insight."""

import pytest

from tests.insight.simulation import World


@pytest.fixture
def world():
    """What makes worlds, which are closed in the end."""
    made = []

    def make(**parts):
        made.append(World(**parts))
        return made[-1]

    yield make
    for each in made:
        each.close()
