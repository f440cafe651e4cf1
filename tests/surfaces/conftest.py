"""A command line to call: in this process with its own database, or as a process of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from cued.handles.memories import open_memories
from cued.surfaces.cli.root import cued_command

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
SOURCE = Path(__file__).parents[2] / "src"


@dataclass(frozen=True)
class Shell:
    """Calls `cued` in this process, on one database, with the hashing embedder."""

    db: Path

    def __call__(self, *args, stdin=None, env=None):
        settings = {"CUED_DB": str(self.db), "CUED_EMBEDDER": "hashing", "COLUMNS": "140", **(env or {})}
        return CliRunner().invoke(cued_command, list(args), input=stdin, env=settings)

    def json(self, *args, stdin=None):
        result = self(*args, "--json", stdin=stdin)
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    def remember(self, text, *args):
        return self.json("remember", text, *args)["id"]


@pytest.fixture(scope="session")
def shell_of():
    """Give the shell whose database lies in a folder."""
    return lambda folder: Shell(folder / "memories.db")


@pytest.fixture
def cued(shell_of, tmp_path):
    return shell_of(tmp_path)


@pytest.fixture(scope="session")
def model():
    """Skip where the model wheel is not installed."""
    if not pytest.importorskip("cued_minilm", reason="the model wheel cued-minilm is not installed").ENCODERS["recall"].revision:
        pytest.skip("cued_minilm is a source tree without its model")


@pytest.fixture
def process(tmp_path):
    """Give the arguments of a process that is `cued`."""

    def started(*args, runner=subprocess.run, **how):
        usual = {k: v for k, v in os.environ.items() if not k.startswith("CUED_") and k != "NO_COLOR"}
        own = {"PYTHONPATH": str(SOURCE), "CUED_DB": str(tmp_path / "memories.db"), "CUED_EMBEDDER": "hashing"}
        env = {**usual, **own, **how.pop("env", {})}
        if runner is subprocess.run:
            how = {"capture_output": True, "check": False, "timeout": 60, **how}
        return runner([sys.executable, *how.pop("by", ()), "-m", "cued.surfaces.cli", *args], env=env, **how)

    return started


@pytest.fixture
def tenant():
    with open_memories(None, embedder="hashing", clock=lambda: NOW, settle="now") as memories:
        yield memories.tenant("mira")
