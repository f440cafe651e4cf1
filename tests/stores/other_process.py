"""What tests run in processes of their own: `python other_process.py VERB FILE …`; each prints what it has done, line by line."""

import os
import resource
import signal
import sys
import urllib.parse
from datetime import timedelta
from itertools import count
from pathlib import Path

import apsw

from cued.conformance.samples import HOUR, NOW, lookup, near, record, words
from cued.errors import FullError, ReadOnlyError
from cued.model import Feedback, Filter, Revision, Touch
from cued.stores import Store
from cued.stores.keepers.sqlite import SqliteKeeper

NOBODY = 65534


def opened(path):
    """Open the store in this file, or at this address."""
    if "://" in str(path):
        from cued.stores.keepers.postgres import PostgresKeeper  # noqa: PLC0415 - an extra

        return Store(PostgresKeeper(str(path)))
    return Store(SqliteKeeper(path))


def note(tenant, memory_id):
    """Give the record that every process would write under this id."""
    number = int(memory_id.rpartition("-")[2])
    return record(tenant, memory_id, f"tea {memory_id} number{number % 7}", vector=number % 20, tags=("x",), entities=("Ada",))


def next_version(store, memory_id):
    """Revise a memory that others revise too: by what was read, until nobody was quicker."""
    while True:
        (old,) = store.get("t", [memory_id])
        change = Revision(id=memory_id, set={"updated_at": old.updated_at + HOUR}, made_from=old.version)
        if store.revise("t", [change], at=NOW).memories:
            return


def one_byte_more(store, name):
    while True:
        old = store.document("t", name)
        if store.swap_document("t", name, old=old, new=(old or b"") + b"+"):
            return


def counted(memory_id):
    """Give a use that counts each time."""
    return Touch(id=memory_id, at=NOW, refresh_floor=timedelta(0), kept_per_day=1.0)


def say(*parts):
    sys.stdout.write(" ".join(map(str, parts)) + "\n")
    sys.stdout.flush()


def write_until_killed(path, name):
    store = opened(path)
    for number in count():
        ids = [f"{name}-{number}{place}" for place in range(1 + number % 3)]
        store.remember("t", [note("t", memory_id) for memory_id in ids])
        say(*ids)
        if number % 5 == 4:
            next_version(store, ids[0])
            store.forget("t", [ids[0]], at=NOW)
            store.settle("t", [counted(ids[0])])


def mix(path, name, rounds):
    store = opened(path)
    for number in range(int(rounds)):
        mine = f"{name}-{number}"
        store.remember("t", [note("t", mine)])
        found = store.search("t", lookup(lexical=words(mine), dense=near(1)))
        assert mine in [memory.id for memory in found.memories], "an own write is not seen"
        next_version(store, "counter")
        store.settle("t", [counted("counter")])
        one_byte_more(store, "counter")
        store.list("t", Filter(), at=NOW, limit=5)
        if number % 4 == 3:
            store.forget("t", [mine], at=NOW)
            store.restore("t", [mine])
        if number % 8 == 7:
            store.erase("t", [mine])
    say("done", store.stats("t", at=NOW).memories)


def judge(path, recalls):
    """Say the same of every recall in the log, as others do at the same time, and tell for how many it was news."""
    store, news = opened(path), 0
    for number in range(int(recalls)):
        said = Feedback(recall_id=f"r{number}", cited=("a",), cited_factor=1.05, bad_factor=0.95, least=0.5, most=1.5)
        news += len(store.feedback("t", said))
    store.close()
    say("news", news)


def write_one(path, memory_id):
    with_close(opened(path), lambda store: store.remember("t", [note("t", memory_id)]))
    say("written")


def with_close(store, work):
    work(store)
    store.close()


def fill(path, most_bytes):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most_bytes), int(most_bytes)))
    store = opened(path)
    for number in count():
        try:
            store.remember("t", [note("t", f"a-{number}{place}") for place in range(10)])
        except FullError:
            say("full", store.size("t"), store.search("t", lookup(lexical=words("tea"))).stored)
            return
        say("acked", number)


def read_as_nobody(path):
    new = note("t", "new-1")
    # what nobody may not be able to read is loaded before: from Python 3.13 on, Path.as_uri imports this when it is called
    assert urllib.parse
    if os.geteuid() == 0:
        os.setuid(NOBODY)
    store = opened(path)
    found = store.search("t", lookup(lexical=words("tea")))
    say("read", len(found.memories), store.size("t"))
    try:
        store.remember("t", [new])
    except ReadOnlyError:
        say("refused")
    folder = Path(path).parent
    try:
        Store(SqliteKeeper(folder / "new.db"))
    except ReadOnlyError:
        say("not made")


def erase_and_die(path, commits, *ids):
    """Erase, and be killed after so many commits: that of the erasure, that of the file's rewriting, that of the note on it."""
    store, left = opened(path), count(int(commits) - 1, -1)

    def die(*_):
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return apsw.SQLITE_OK

    store.keeper.connection().set_wal_hook(die)
    store.erase("t", ids)


VERBS = {
    "judge": judge,
    "erase": erase_and_die,
    "write": write_until_killed,
    "mix": mix,
    "one": write_one,
    "fill": fill,
    "nobody": read_as_nobody,
}

if __name__ == "__main__":
    VERBS[sys.argv[1]](*sys.argv[2:])
