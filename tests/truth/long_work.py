"""Work that takes a while, in processes that can be killed: `python long_work.py` does what each line of its input says.

A line is a JSON list, a verb and its arguments. For each a process of its own is split off, so that starting one takes no time. What it
acknowledges is printed line by line; the next line of input says whether to kill it, and then it is printed how it ended.
"""

import json
import os
import signal
import sys

import cued
from cued import importers  # noqa: F401 - loaded once, before any process is split off
from cued.embed import Hashing
from cued.errors import NotFoundError
from cued.upkeep import consolidation, export, reembedding  # noqa: F401 - likewise
from tests.fakes import FixedClock

OLD, NEW = Hashing(dimensions=24), Hashing(dimensions=32)


def opened(path, *, embedder=OLD):
    """Open the file as every process here does."""
    return cued.open(path, embedder=embedder, clock=FixedClock(), settle="now")


def say(*parts):
    """Print one line in one piece."""
    os.write(1, (" ".join(map(str, parts)) + "\n").encode())


def reembed(path, heard=say):
    with opened(path, embedder=NEW) as memories:
        memories.tenant("t").reembed(progress=lambda done, _: heard(done))


def take_in(path, file, heard=say):
    with opened(path) as memories:
        memories.tenant("t").import_file(file, progress=lambda done, _: heard(done))


def consolidate(path, heard=say):
    with opened(path) as memories:
        tenant = memories.tenant("t")
        tenant.consolidate(tenant.plan_consolidation(), progress=lambda done, _: heard(done))


def erase(path, count, heard=say):
    with opened(path) as memories:
        tenant = memories.tenant("t")
        for number in range(count):
            try:
                tenant.forget(f"m{number:04}", erase=True)
            except NotFoundError:
                continue
            heard(number)


VERBS = {"reembed": reembed, "import": take_in, "consolidate": consolidate, "erase": erase}


def serve():
    while line := sys.stdin.readline():
        verb, *arguments = json.loads(line)
        process = os.fork()
        if not process:
            status = 1
            try:
                VERBS[verb](*arguments)
                status = 0
            finally:
                say("finished")
                os._exit(status)
        # Whoever gave the work says when it is over: a process that nobody has waited for yet can be killed safely.
        if sys.stdin.readline().strip() == "kill":
            os.kill(process, signal.SIGKILL)
        say("ended", os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))


if __name__ == "__main__":
    serve()
