"""Work that is killed at a random moment leaves a sound file, and done again it ends as if nothing had happened.

`CUED_KILLS=200 python -m pytest tests/truth/test_interrupted.py` kills each kind of work more often.
"""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from cued.model import MERGED
from cued.stores import Store
from cued.stores.keepers.sqlite import SqliteKeeper
from tests.building import ago
from tests.stocking import everything, found_in
from tests.truth import long_work
from tests.truth.long_work import NEW, OLD, VERBS, opened

KILLS = int(os.environ.get("CUED_KILLS", "12"))
MEMORIES, MANY = 1000, 2000
ERASED = 25


class Worker:
    """A process that splits off others to do long work, which can be killed while they are at it."""

    def __init__(self):
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, str(Path(long_work.__file__))]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, bufsize=0)

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def killed(self, *command, after, then_s):
        """Do work, kill it this long after so many acknowledgements, and give all that it has acknowledged."""
        self._tell(json.dumps(command))
        heard = []
        while len(heard) < after and "finished" not in heard:
            heard.append(self._line())
        select.select([self._process.stdout], [], [], then_s)
        self._tell("kill")
        while not heard or not heard[-1].startswith("ended"):
            heard.append(self._line())
        assert heard[-1] in {"ended 0", f"ended {-signal.SIGKILL}"}
        return [int(line) for line in heard if line.isdecimal()]

    def _tell(self, line):
        self._process.stdin.write(line.encode() + b"\n")

    def _line(self):
        line = self._process.stdout.readline()
        assert line, "the worker has died"
        return line.decode().strip()


class Ordeal:
    """One kind of work, done undisturbed once, and then killed again and again.

    How long a step took then says how long to wait before a kill, so that it strikes within a step as well as between two.
    """

    def __init__(self, worker, folder, base, *command):
        self._worker, self._folder, self._base, self._command = worker, folder, base, command
        self._random, self._acknowledged, started = Random(11), [], time.perf_counter()
        self._path = self._fresh("undisturbed")
        self._finish(self._acknowledged.append)
        self._step_s = (time.perf_counter() - started) / len(self._acknowledged)
        self._untouched, self.wanted = contents(self._base), contents(self._path)

    def run(self, is_sound):
        """Kill the work KILLS times, look at the file each time, and finish the work now and then; gives how often it was half done."""
        half_done = 0
        for number in range(KILLS):
            if self._random.random() < 0.4 or not number:
                self._path = self._fresh(f"killed{number}")
            acknowledged = self._worker.killed(
                self._command[0],
                str(self._path),
                *self._command[1:],
                after=self._random.randrange(len(self._acknowledged)),
                then_s=self._random.uniform(0, 2 * self._step_s),
            )
            is_sound(self._path, acknowledged)
            half_done += contents(self._path) not in (self._untouched, self.wanted)
            if self._random.random() < 0.3 or number == KILLS - 1:
                self._finish(lambda _: None)
                is_sound(self._path, self._acknowledged)
                assert contents(self._path) == self.wanted
        return half_done

    def _finish(self, heard):
        VERBS[self._command[0]](self._path, *self._command[1:], heard=heard)

    def _fresh(self, name):
        folder = self._folder / name
        folder.mkdir()
        return Path(shutil.copy(self._base, folder / "memories.db"))


def contents(path):
    """Give all that a sound file holds."""
    with closing(Store(SqliteKeeper(path))) as store:
        assert store.keeper.connection().pragma("integrity_check") == "ok"
        return everything(store)


@pytest.fixture(scope="module")
def worker():
    with closing(Worker()) as started:
        yield started


@pytest.fixture(scope="module")
def stocked(tmp_path_factory):
    return stock(tmp_path_factory.mktemp("stocked") / "memories.db", MEMORIES)


def stock(path, count):
    """Make a file with so many memories, each with a twin that says the same; some have given way, some are forgotten."""
    with opened(path) as memories:
        tenant = memories.tenant("t")
        tenant.remember_many(draft(number) for number in range(count))
        tenant.forget(named(3), named(50))
    return path


def draft(number):
    """Give one of a thousand facts, told twice, with a word of its own."""
    text = f"Shelf {word(number // 2)} holds the box {word(number // 2 + MANY)}" + ("." if number % 2 else "!")
    more = {"supersedes": (named(number - 6),)} if number % 20 == 7 else {}
    if number % 50 == 9:
        more = {"kind": "reflection", "derived_from": (named(number - 4),)}
    return {"text": text, "id": named(number), "session": visit(number), "at": ago(minutes=MANY - number), **more}


def named(number):
    return f"m{number:04}"


def visit(number):
    return f"visit-{word(number)}"


def word(number):
    return "".join("bcdfghjklm"[int(digit)] + "aeiou"[int(digit) % 5] for digit in f"{number * 7919 % 100_000:05}")


def embedded(embedder, held):
    """Give the vector that an embedder makes of each memory, by id."""
    vectors = embedder.embed([memory.text for memory, _ in held.values()], role="memory")
    return dict(zip(held, vectors.tolist(), strict=True))


@pytest.mark.requirement("X8")
def test_a_killed_reembedding_never_mixes_two_models_and_goes_on(worker, stocked, tmp_path):
    ordeal = Ordeal(worker, tmp_path, stocked, "reembed")
    made = {str(embedder.fingerprint): embedded(embedder, ordeal.wanted) for embedder in (OLD, NEW)}

    def is_sound(path, acknowledged):
        now = contents(path)
        for memory, vector in now.values():
            assert vector == made[memory.fingerprint][memory.id]
        assert len(now) == MEMORIES
        assert sum(memory.fingerprint == str(NEW.fingerprint) for memory, _ in now.values()) >= max(acknowledged, default=0)

    assert ordeal.run(is_sound) >= KILLS // 4


def test_a_killed_import_has_whole_chunks_and_goes_on(worker, tmp_path):
    source, file, empty = stock(tmp_path / "source.db", MANY), tmp_path / "export.jsonl", tmp_path / "empty.db"
    with opened(source) as memories:
        file.write_bytes(b"".join(memories.tenant("t").export(vectors=True)))
    Store(SqliteKeeper(empty)).close()
    ordeal = Ordeal(worker, tmp_path, empty, "import", str(file))
    assert ordeal.wanted.keys() == contents(source).keys()
    in_order = sorted(ordeal.wanted)

    def is_sound(path, acknowledged):
        now = contents(path)
        assert len(now) >= max(acknowledged, default=0)
        assert now == {memory_id: ordeal.wanted[memory_id] for memory_id in in_order[: len(now)]}
        assert len(now) % 256 == 0 or len(now) == MANY

    assert ordeal.run(is_sound) >= KILLS // 4


@pytest.mark.requirement("S5")
def test_of_a_killed_consolidation_each_merge_is_whole_or_absent(worker, tmp_path):
    source = stock(tmp_path / "source.db", MANY)
    ordeal, before = Ordeal(worker, tmp_path, source, "consolidate"), contents(source)

    def is_sound(path, acknowledged):
        now = contents(path)
        merges = {(memory.id, edge.target) for memory, _ in now.values() for edge in memory.edges if edge.relation == MERGED}
        marks, supersedes = set(), set()
        for memory, _ in now.values():
            was, _ = before[memory.id]
            marks |= {(mark.by, memory.id) for mark in memory.superseded if mark not in was.superseded}
            supersedes |= {(memory.id, older) for older in memory.supersedes if older not in was.supersedes}
        assert marks == supersedes == merges
        assert len(merges) >= max(acknowledged, default=0)

    assert ordeal.run(is_sound) >= KILLS // 4


@pytest.mark.requirement("X9")
def test_of_a_killed_erasure_nothing_acknowledged_is_left_in_the_bytes(worker, stocked, tmp_path):
    ordeal = Ordeal(worker, tmp_path, stocked, "erase", ERASED)
    before = contents(stocked)

    def is_sound(path, acknowledged):
        assert found_in(path.parent, (visit(number) for number in acknowledged)) == []
        now = contents(path)
        assert {named(number) for number in acknowledged}.isdisjoint(now)
        assert set(before) - set(now) <= {named(number) for number in range(ERASED)}

    assert ordeal.run(is_sound) >= KILLS // 4


@pytest.mark.requirement("X9")
def test_an_erasure_that_was_killed_before_its_bytes_were_overwritten_is_finished_later(worker, stocked, tmp_path):
    random = Random(5)
    for number in range(KILLS):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = shutil.copy(stocked, folder / "memories.db")
        worker.killed("erase", str(path), 1, after=0, then_s=random.uniform(0, 0.1))
        VERBS["erase"](path, 1, heard=lambda _: None)
        assert found_in(folder, [visit(0)]) == []
        assert len(contents(path)) == MEMORIES - 1
