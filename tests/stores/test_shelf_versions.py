"""Searches of one tenant run side by side: each has a shelf of its own moment, which nothing done later changes."""

from itertools import pairwise
from random import Random
from threading import Barrier, Thread

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cued.conformance.samples import NOW, lookup, near, random_lookup, random_records, record, words
from cued.conformance.searching import assert_same_bits, scatter
from cued.stores import Store
from cued.stores.columns.sessions import Sessions, Turns
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper


class Watching:
    """A store whose every state is kept: the shelf that was searched, what was asked of it, and what it found."""

    def __init__(self, random):
        self.store, self.random, self.seen = Store(MemoryKeeper()), random, []

    def __getattr__(self, verb):
        def done(*values, **named):
            answer = getattr(self.store, verb)(*values, **named)
            asked = random_lookup(self.random)
            self.store.search("t", asked)
            version = self.store._shelves.of("t").version  # noqa: SLF001
            if version is not None:
                self.seen.append((version.shelf, asked, version.shelf.search(asked)))
            return answer

        return done


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=st.randoms(use_true_random=False), seed=st.integers(0, 2**32))
def test_whatever_is_done_later_an_earlier_shelf_finds_what_it_found(random, seed):
    watching = Watching(random)
    scatter(watching, "t", list(random_records("t", random)), Random(seed))
    assert watching.seen or not watching.store.size("t")
    for shelf, asked, found in watching.seen:
        again = shelf.search(asked)
        assert (again.keys, again.core_keys) == (found.keys, found.core_keys)
        assert_same_bits(again.findings, found.findings)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_threads_that_search_while_others_write_see_one_state_each(tmp_path, kind):
    store = Store(MemoryKeeper() if kind == "memory" else SqliteKeeper(tmp_path / "memories.db"))
    store.remember("t", [record("t", "m000", "tea number0", vector=1)])
    start, faults = Barrier(5), []

    def write():
        start.wait()
        for number in range(1, 60):
            store.remember("t", [record("t", f"m{number:03}", f"tea number{number}", vector=number % 30)])
            if number % 7 == 0:
                store.forget("t", [f"m{number - 1:03}"], at=NOW)
            if number % 11 == 0:
                store.erase("t", [f"m{number - 2:03}"])

    def search():
        start.wait()
        newest = ""
        for _ in range(80):
            found = store.search("t", lookup(lexical=words("tea", pool=100), dense=near(3, pool=100)))
            ids = [memory.id for memory in found.memories]
            whole = len(ids) == found.visible and len(found.columns["cosine"]) == len(ids) and not np.isnan(found.columns["cosine"]).any()
            if not whole or max(ids) < newest:
                faults.append((ids, found.visible, newest))
            newest = max(ids)

    threads = [Thread(target=work) for work in (write, search, search, search, search)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    assert faults == []


@given(st.randoms(use_true_random=False))
def test_sessions_are_chained_the_same_whatever_comes_first(random):
    turns = [(random.choice(["a", "b", None]), random.choice([None, 1, 2, 3]), random.randint(0, 3)) for _ in range(random.randint(1, 25))]
    ids = [f"{random.randint(0, 9)}-{number}" for number in range(len(turns))]
    chained = Sessions(ids)
    at = 0
    while at < len(turns):
        size = random.randint(1, 5)
        chained.add(Turns(*map(list, zip(*turns[at : at + size], strict=True))))
        at += size
    after = {}
    for session in ("a", "b"):
        places = sorted((turn is None, turn or 0, made, ids[row], row) for row, (name, turn, made) in enumerate(turns) if name == session)
        after |= {one[-1]: other[-1] for one, other in pairwise(places)}
    before = {later: earlier for earlier, later in after.items()}
    assert chained.links[0].tolist() == [before.get(row, -1) for row in range(len(turns))]
    assert chained.links[1].tolist() == [after.get(row, -1) for row in range(len(turns))]
