"""A killed writer loses nothing it acknowledged and damages nothing."""

import os
from collections import Counter
from random import Random

import apsw

from cued.conformance.samples import direction, lookup, near, words
from cued.stores import Store
from cued.stores.columns.postings import pack
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.stores.vector_bytes import as_vector
from tests.stores.processes import start

ROUNDS = int(os.environ.get("CUED_CRASH_ROUNDS", "3"))


def test_nothing_acknowledged_is_lost_when_three_writers_are_killed(tmp_path):
    path, random, acknowledged = tmp_path / "memories.db", Random(7), set()
    Store(SqliteKeeper(path)).close()
    for number in range(ROUNDS):
        writers = [start("write", path, f"{number}-{writer}") for writer in range(3)]
        for _ in range(random.randint(1, 40)):
            acknowledged.update(random.choice(writers).stdout.readline().split())
        for writer in writers:
            writer.kill()
        for writer in writers:
            # A killed process may have been cut short in the middle of a line: only whole lines are acknowledgements.
            whole, _, _ = writer.stdout.read().rpartition("\n")
            acknowledged.update(whole.split())
            writer.wait()
            writer.stdout.close()
        assert_sound(path, acknowledged)


def assert_sound(path, acknowledged):
    connection = apsw.Connection(str(path))
    assert connection.pragma("integrity_check") == "ok"
    store = Store(SqliteKeeper(path))
    memories = store.get("t", sorted(acknowledged))
    assert len(memories) == len(acknowledged)
    stored = list(connection.execute("SELECT id, forward, data FROM memory LEFT JOIN vector USING (key)"))
    assert acknowledged <= {memory_id for memory_id, _, _ in stored}
    for memory, (memory_id, forward, data) in zip(store.get("t", [row[0] for row in stored]), stored, strict=True):
        assert forward == pack(memory, Counter(memory.text.split()))
        assert as_vector(data).tobytes() == direction(int(memory_id.rpartition("-")[2]) % 20).tobytes()
    assert store.size("t") == len(stored)
    found = store.search("t", lookup(lexical=words("tea"), dense=near(1)))
    assert (found.stored, found.uncomparable) == (len(stored), 0)
    store.close()
    connection.close()
