"""The tenant's own traffic moves the balance of recency and frequency, end to end."""

import pytest

import cued
from tests.building import ADAPTING, policy
from tests.fakes import FixedClock

WORDS = '[channels]\nlexical = { pool = 20, over = "utterance" }\n'


@pytest.mark.requirement("P16")
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_tenants_ghost_hits_flip_the_order_of_what_is_recent_and_what_is_frequent(kind, tmp_path):
    clock = FixedClock()
    with cued.open(
        None if kind == "memory" else tmp_path / "m.db", embedder=None, policy=policy(WORDS + ADAPTING), clock=clock
    ) as memories:
        alice = memories.tenant("alice")
        for name in ("often", "fresh"):
            alice.remember(f"Rota {name}.", id=name)
        for name in "abcdef":
            alice.remember(f"Topic {name * 4}.", id=name)

        def asked(word, **options):
            clock.move(minutes=2)
            recall = alice.recall(word, **options)
            memories.flush()
            return [r.memory.id for r in recall.memories]

        for _ in range(9):
            asked("often")
        clock.move(days=30)
        asked("fresh")
        assert asked("rota", settle=False) == ["often", "fresh"]
        for name in "aabcdebcde":
            asked(name * 4)
        assert asked("rota", settle=False) == ["fresh", "often"]
        assert asked("rota", settle=False, recency_weight=0.3) == ["often", "fresh"]
