"""What adapters are tried on: memories of this process alone, and a tenant of them."""

import pytest

import cued


@pytest.fixture
def memories():
    with cued.open() as opened:
        yield opened


@pytest.fixture
def mara(memories):
    return memories.tenant("mara")
