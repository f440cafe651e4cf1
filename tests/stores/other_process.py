"""What tests run in processes of their own: `python other_process.py VERB FILE …`; each prints what it has done, line by line."""

import os
import resource
import signal
import sys
import urllib.parse
from itertools import count
from pathlib import Path

import apsw
from msgspec.structs import replace

from cued.conformance.samples import NOW, lookup, near, record, words
from cued.errors import FullError, ReadOnlyError
from cued.model import Filter, Touch
from cued.stores.keepers.sqlite import SqliteStore

NOBODY = 65534


def note(tenant, memory_id):
    """Give the record that every process would write under this id."""
    number = int(memory_id.rpartition("-")[2])
    return record(tenant, memory_id, f"tea {memory_id} number{number % 7}", vector=number % 20, tags=("x",), entities=("Ada",))


def next_version(memory):
    return replace(note("t", "counter-0"), memory=replace(memory, version=memory.version + 1))


def counted(use):
    return replace(use, count=use.count + 1)


def one_byte_more(document):
    return (document or b"") + b"+"


def say(*parts):
    sys.stdout.write(" ".join(map(str, parts)) + "\n")
    sys.stdout.flush()


def write_until_killed(path, name):
    store = SqliteStore(path)
    for number in count():
        ids = [f"{name}-{number}{place}" for place in range(1 + number % 3)]
        store.remember("t", [note("t", memory_id) for memory_id in ids])
        say(*ids)
        if number % 5 == 4:
            store.revise("t", ids[:1], lambda memory: replace(note("t", memory.id), memory=replace(memory, version=2)), at=NOW)
            store.forget("t", [ids[0]], at=NOW)
            store.touch("t", [Touch(ids[0], counted)])


def mix(path, name, rounds):
    store = SqliteStore(path)
    for number in range(int(rounds)):
        mine = f"{name}-{number}"
        store.remember("t", [note("t", mine)])
        found = store.search("t", lookup(lexical=words(mine), dense=near(1)))
        assert mine in [memory.id for memory in found.memories], "an own write is not seen"
        store.revise("t", ["counter"], next_version, at=NOW)
        store.touch("t", [Touch("counter", counted)])
        store.keep_document("t", "counter", one_byte_more)
        store.list("t", Filter(), at=NOW, limit=5)
        if number % 4 == 3:
            store.forget("t", [mine], at=NOW)
            store.restore("t", [mine])
        if number % 8 == 7:
            store.erase("t", [mine])
    say("done", store.stats("t", at=NOW).memories)


def write_one(path, memory_id):
    with_close(SqliteStore(path), lambda store: store.remember("t", [note("t", memory_id)]))
    say("written")


def with_close(store, work):
    work(store)
    store.close()


def fill(path, most_bytes):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most_bytes), int(most_bytes)))
    store = SqliteStore(path)
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
    store = SqliteStore(path)
    found = store.search("t", lookup(lexical=words("tea")))
    say("read", len(found.memories), store.size("t"))
    try:
        store.remember("t", [new])
    except ReadOnlyError:
        say("refused")
    folder = Path(path).parent
    try:
        SqliteStore(folder / "new.db")
    except ReadOnlyError:
        say("not made")


def erase_and_die(path, commits, *ids):
    """Erase, and be killed after so many commits: that of the erasure, that of the file's rewriting, that of the note on it."""
    store, left = SqliteStore(path), count(int(commits) - 1, -1)

    def die(*_):
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return apsw.SQLITE_OK

    store.connection().set_wal_hook(die)
    store.erase("t", ids)


VERBS = {"erase": erase_and_die, "write": write_until_killed, "mix": mix, "one": write_one, "fill": fill, "nobody": read_as_nobody}

if __name__ == "__main__":
    VERBS[sys.argv[1]](*sys.argv[2:])
